/* One call of an agent elsewhere, from its arguments to what it reads (SPEC 11): its session, its turn, and what it was
   not told yet. The same tools, approvals and log as any other turn; only two things are its own. `await_task_surface`
   waits before its turn, because an answer becomes durable between turns. And no call keeps its client longer than
   `answerWithinMs`: one that takes longer goes on, and the same call made again takes it up. */
import { z } from 'zod'
import { taskSurfaceIdSchema, type SessionId } from '../../shared/ids.ts'
import type { JsonObject } from '../../shared/json.ts'
import { openedSurface } from '../../shared/surface/meta.ts'
import { textOf } from '../../shared/message.ts'
import type { OutsideOutcome } from '../session/outside-calls.ts'
import type { SessionDirectory } from '../session/session-directory.ts'
import { waitForOutcome } from '../session/surface-outcome.ts'
import { newsText, readCallTurn } from './call-turn.ts'
import { DetachedCalls } from './detached-calls.ts'
import type { ElicitationForm } from './elicitation-form.ts'
import type { Caller, Found, McpSessions } from './mcp-sessions.ts'
import { answerWithinMs, mcpInputs, type McpToolName } from './mcp-tools.ts'
import { SecondDoor, type Door } from './second-door.ts'

export interface McpCall {
  name: McpToolName
  arguments: JsonObject
  caller: Caller
  /** Aborts when the client no longer wants the answer. */
  signal: AbortSignal
  /** Told once in a while that the call still waits. */
  onWaiting: (waitedMs: number) => void
  /** Whether this client can put a form before its person itself. */
  door: Door
}

export interface McpAnswer {
  /** Read in this order; later texts are no part of the result. */
  texts: string[]
  isError: boolean
  sessionId: SessionId | null
  /** Put before the person by the client, which then makes the call again. */
  form?: ElicitationForm
}

/** Between two words to a client that waits: well below the patience of those that reset their clock on progress. */
const waitingEveryMs = 5_000

export class McpCalls {
  readonly #directory: SessionDirectory
  readonly #sessions: McpSessions
  readonly #secondDoor: SecondDoor
  readonly #detached = new DetachedCalls<McpAnswer>()

  constructor(directory: SessionDirectory, sessions: McpSessions) {
    this.#directory = directory
    this.#sessions = sessions
    this.#secondDoor = new SecondDoor(directory)
  }

  async answer(call: McpCall): Promise<McpAnswer> {
    const parsed = mcpInputs[call.name].safeParse(call.arguments)
    if (!parsed.success) {
      return failure(null, `INVALID_INPUT: The arguments do not fit:\n${z.prettifyError(parsed.error)}`)
    }
    const found = await this.#find(call, parsed.data.session)
    if (!found.found) return failure(null, `SESSION_NOT_FOUND: ${found.message}`)
    const { sessionId } = found
    const waiting = this.#tellWaiting(call)
    try {
      return await this.#answerIn(sessionId, call)
    } finally {
      waiting.abort()
    }
  }

  async #answerIn(sessionId: SessionId, call: McpCall): Promise<McpAnswer> {
    // An agent of this host is told of the answer by its next prompt.
    const isInside = this.#directory.live(sessionId)?.seat.isBusy === true
    if (call.name === 'await_task_surface' && !isInside) {
      const { surfaceId } = mcpInputs.await_task_surface.parse(call.arguments)
      const form = await this.#secondDoor.open(sessionId, surfaceId, call.door)
      if (form !== null) return { texts: [], isError: false, sessionId, form }
      await this.#waitForPerson(sessionId, call)
      if (call.signal.aborted) return failure(sessionId, 'CANCELLED: The call was taken back.')
    }
    const toolCall = toolCallOf(call.name, call.arguments)
    const key = JSON.stringify([sessionId, toolCall])
    // A client that goes away takes its call back; one that was told to call again does not.
    const takenBack = new AbortController()
    const takeBack = () => takenBack.abort()
    call.signal.addEventListener('abort', takeBack, { once: true })
    const work = this.#detached.take(key) ?? this.#runTurn(sessionId, call, toolCall, takenBack.signal)
    const over = new AbortController()
    const late = this.#directory.deps.clock.sleep(answerWithinMs, over.signal).then(() => 'late' as const)
    const answer = await Promise.race([work, late]).finally(() => {
      over.abort()
      call.signal.removeEventListener('abort', takeBack)
    })
    if (answer !== 'late') return answer
    this.#detached.keep(key, work)
    return {
      texts: [
        `Not done yet: the person may still have to allow it, or another call of this session runs. Nothing was started ` +
          `twice. Call ${call.name} again with the same arguments, ${nextRound(call)}and session ${sessionId}, to go on waiting.`,
      ],
      isError: false,
      sessionId,
    }
  }

  /** The session of the call; a surface whose session the client no longer names is looked for. */
  async #find({ name, arguments: input, caller }: McpCall, named: SessionId | undefined): Promise<Found> {
    const surfaceId = taskSurfaceIdSchema.safeParse(input['surfaceId'])
    const begins = name === 'show_task_surface' || name === 'start_background_task'
    if (named === undefined && surfaceId.success && caller.bound === null) {
      const sessionId = await this.#sessions.ofSurface(caller, surfaceId.data)
      if (sessionId !== null) return { found: true, sessionId }
    }
    return this.#sessions.find(caller, { named, begins, title: titleOf(input) })
  }

  async #waitForPerson(sessionId: SessionId, { arguments: input, signal }: McpCall): Promise<void> {
    const { surfaceId, timeoutMs = answerWithinMs } = mcpInputs.await_task_surface.parse(input)
    const over = new AbortController()
    const stop = AbortSignal.any([signal, over.signal])
    void this.#directory.deps.clock.sleep(timeoutMs, stop).then(() => over.abort())
    await waitForOutcome(this.#directory, { sessionId, surfaceId }, stop).finally(() => over.abort())
  }

  async #runTurn(
    sessionId: SessionId,
    call: McpCall,
    toolCall: { name: string; arguments: string },
    signal: AbortSignal,
  ): Promise<McpAnswer> {
    const { name, caller } = call
    const runtime = await this.#directory.load(sessionId)
    const inside = runtime.seat.callInside(toolCall, signal)
    if (inside !== null) {
      const { text, isError } = await inside
      return { texts: [text], isError, sessionId }
    }
    const outcome = await runtime.claims.outside.make(toolCall, signal)
    if (outcome.kind !== 'ended') return failure(sessionId, lostText(outcome))
    const turn = await readCallTurn(this.#directory, sessionId, { ...outcome, name: toolCall.name })
    if (turn.result === null) return failure(sessionId, 'INTERRUPTED: The person stopped the turn of this call.')
    const { result } = turn
    const opened = openedSurface(result)
    const told = z.object({ messageSeq: z.int() }).safeParse(result.meta)
    const news = newsText(turn.news.filter(({ seq }) => seq !== told.data?.messageSeq))
    const isOpen = name === 'await_task_surface' && stillOpenSchema.safeParse(result.meta).success
    const text =
      opened === null ? textOf(result.content) : shownText(opened.model.title, opened.surfaceId, sessionId, caller)
    const again = isOpen ? ` Call it ${nextRound(call)}to go on waiting.` : ''
    const begun = name === 'start_background_task' && result.isError !== true ? ` Its session is ${sessionId}.` : ''
    return {
      texts: [text + begun + again, ...(news === null ? [] : [news])],
      isError: result.isError === true,
      sessionId,
    }
  }

  /** Until the returned controller is aborted. */
  #tellWaiting({ signal, onWaiting }: McpCall): AbortController {
    const over = new AbortController()
    const { clock } = this.#directory.deps
    const stop = AbortSignal.any([signal, over.signal])
    const tell = async () => {
      const begun = clock.now()
      for (;;) {
        await clock.sleep(waitingEveryMs, stop)
        if (stop.aborted) return
        onWaiting(clock.now() - begun)
      }
    }
    void tell()
    return over
  }
}

const stillOpenSchema = z.object({ outcome: z.literal('open') })

/** How the same is asked for again, in other words than the last time. */
function nextRound({ name, arguments: input }: McpCall): string {
  if (name !== 'await_task_surface' && name !== 'start_background_task') return ''
  const { round = 1 } = mcpInputs[name].parse(input)
  return `with {"round": ${round + 1}} `
}

function toolCallOf(name: McpToolName, given: JsonObject): { name: string; arguments: string } {
  const input = Object.fromEntries(Object.entries(given).filter(([key]) => key !== 'session' && key !== 'round'))
  switch (name) {
    case 'start_background_task':
      return { name: 'bash', arguments: JSON.stringify({ ...input, run_in_background: true }) }
    case 'await_task_surface':
      return { name, arguments: JSON.stringify({ surfaceId: input['surfaceId'] }) }
    default:
      return { name, arguments: JSON.stringify(input) }
  }
}

/** What the agent does next stands in it: nobody calls it when the person has answered. */
function shownText(title: string, surfaceId: string, sessionId: SessionId, { origin }: Caller): string {
  return (
    `The person now sees "${title}" (surface ${surfaceId}, session ${sessionId}) at ${origin}/s/${sessionId}. ` +
    `Nothing is answered yet. Call await_task_surface with {"surfaceId": "${surfaceId}", "session": "${sessionId}"} now, and ` +
    'again, with the round that it names, as long as it says that the surface is still open. Do not answer in the place of the person.'
  )
}

function lostText({ kind }: Exclude<OutsideOutcome, { kind: 'ended' }>): string {
  switch (kind) {
    case 'cancelled':
      return 'CANCELLED: The call was taken back.'
    case 'too-many':
      return 'BUSY: Too many calls of this session wait already. Wait for their results.'
    case 'lost':
      return 'INTERRUPTED: The session was reloaded before this call was done. Look before you call again.'
  }
}

function failure(sessionId: SessionId | null, text: string): McpAnswer {
  return { texts: [text], isError: true, sessionId }
}

const titled = z.object({ model: z.object({ title: z.string() }) })
const described = z.object({ description: z.string().optional(), command: z.string().optional() })

/** Code points of a title that is made here, as of one that is made from a message. */
const titleLength = 60

/** What a session that begins with this call is about. */
function titleOf(input: JsonObject): string | null {
  const surface = titled.safeParse(input)
  const task = described.safeParse(input)
  const text = surface.success ? surface.data.model.title : (task.data?.description ?? task.data?.command ?? '')
  const line = text.replace(/\s+/gu, ' ').trim()
  return line === '' ? null : Array.from(line).slice(0, titleLength).join('')
}
