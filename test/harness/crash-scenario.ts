/* One conversation up to an answered surface, played against a host that may die at any moment, and played on after the
   restart. The player looks at what the log says and does whatever is next, so the same code begins, goes on and ends.
   What must hold whenever the host died is checked by `checkAfterCrash` and `checkWhole`, with the harness's own fold. */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { SessionEvent } from '../../shared/event.ts'
import { Changes } from './changes.ts'
import { Client } from './client.ts'
import { isTurnOpen, openSurface } from './counted-log.ts'
import { HostFolder, type HostProcess } from './host-process.ts'
import { scriptedAgent, startScriptedModel, type ModelCall, type ScriptedModel } from './scripted-model.ts'
import { surfaceModels } from './sequence-cases.ts'
import type { SessionView } from './session-view.ts'

export type CrashPoint = 'before-write' | 'after-write' | 'before-publish' | 'after-publish'
export const crashPoints: readonly CrashPoint[] = ['before-write', 'after-write', 'before-publish', 'after-publish']

const model = surfaceModels()['host:S1']
const submission = { submissionId: 'q1', values: { name: 'Ada', ship: true }, note: 'soon' }

/** What the client knows whatever happens to the host. */
export interface Memory {
  sessionId: string | null
  /** Every event it was shown. */
  seen: readonly SessionEvent[]
  /** Ids of the messages it has sent. */
  sent: readonly string[]
  /** The first answer to the submission. */
  accepted: string | null
}

export const nothing: Memory = { sessionId: null, seen: [], sent: [], accepted: null }

class HostGone extends Error {}

export class CrashStage {
  readonly model: ScriptedModel
  readonly folder: HostFolder
  readonly changes = new Changes()

  private constructor(scripted: ScriptedModel, folder: HostFolder) {
    this.model = scripted
    this.folder = folder
    scripted.watchers.add(this.changes)
  }

  /** `copyOf`: the data folder of a stage whose host has ended. */
  static async open(copyOf?: string): Promise<CrashStage> {
    const scripted = await startScriptedModel()
    const environment = { OPENAI_BASE_URL: scripted.baseUrl, OPENAI_API_KEY: 'no-key' }
    return new CrashStage(scripted, new HostFolder(environment, undefined, copyOf))
  }

  async close(): Promise<void> {
    await this.folder.remove()
    await this.model.close()
  }
}

/** Plays until the host is gone, or `until` holds: the surface is open, or it was answered and the turn is over. */
export async function play(
  stage: CrashStage,
  host: HostProcess,
  before: Memory,
  until: 'open' | 'answered',
): Promise<{ end: 'finished' | 'gone'; memory: Memory }> {
  const player = new Player(stage, before)
  try {
    await player.play(host, until)
    return { end: 'finished', memory: player.memory }
  } catch (cause) {
    if (!(cause instanceof HostGone)) throw new Error(`${String(cause)}\n${host.stderr}`, { cause })
    const exit = await host.exited
    if (exit.signal !== 'SIGKILL') throw new Error(`the host ended by itself: ${JSON.stringify(exit)}\n${host.stderr}`)
    return { end: 'gone', memory: player.memory }
  } finally {
    player.drop()
  }
}

type Next =
  | { kind: 'answer'; call: ModelCall }
  | { kind: 'send'; messageId: string }
  | { kind: 'submit' }
  | { kind: 'done' }

class Player {
  readonly #stage: CrashStage
  #client: Client | null = null
  #view: SessionView | null = null
  #before: Memory
  #sent: readonly string[]
  #accepted: string | null
  #sessionId: string | null
  /** `n` before anything happened in this life. */
  #openedAt = 0
  /** Messages that this life has sent and that must become durable. */
  readonly #awaited = new Set<string>()

  constructor(stage: CrashStage, before: Memory) {
    this.#stage = stage
    this.#before = before
    this.#sent = before.sent
    this.#accepted = before.accepted
    this.#sessionId = before.sessionId
  }

  get memory(): Memory {
    const events = this.#view?.events ?? []
    const seen = events.length >= this.#before.seen.length ? events : this.#before.seen
    return { sessionId: this.#sessionId, seen, sent: this.#sent, accepted: this.#accepted }
  }

  drop(): void {
    this.#client?.drop()
  }

  async play(host: HostProcess, until: 'open' | 'answered'): Promise<void> {
    this.#client = await orGone(Client.connect(host.ready, this.#stage.changes))
    const client = this.#client
    if (this.#sessionId === null) {
      const created = await orGone(
        client.call('session.create', { agent: scriptedAgent, approval: 'auto', toolMode: 'native' }),
      )
      this.#sessionId = created.session.id
    }
    const view = await orGone(client.open(this.#sessionId))
    this.#view = view
    this.#openedAt = view.n
    // What a client is not sure of it sends again under the same id.
    for (const messageId of this.#sent) await this.#send(messageId)
    for (;;) {
      const next = await this.#stage.changes.until(
        () => this.#next(until),
        () => `the next move; queue ${JSON.stringify(view.queue)}, events ${JSON.stringify(view.events.slice(-4))}`,
      )
      if (next.kind === 'done') return
      if (next.kind === 'answer') this.#answer(next.call)
      else if (next.kind === 'send') await this.#send(next.messageId)
      else await this.#submit()
    }
  }

  #next(until: 'open' | 'answered'): Next | null {
    const view = this.#view
    if (view === null || this.#client?.isClosed === true) throw new HostGone()
    const call = this.#stage.model.calls.find((candidate) => candidate.isParked)
    if (call !== undefined) return { kind: 'answer', call }
    const { events, queue, status } = view
    for (const event of events) if (event.type === 'user/message') this.#awaited.delete(event.data.message.id)
    if (status?.status !== 'idle' || queue.length > 0 || this.#awaited.size > 0) return null
    // A turn whose status has not come yet; a cold session keeps the turn that was cut until something happens in it.
    if (isTurnOpen(events) && view.n !== this.#openedAt) return null
    if (isAnswered(events)) return isTurnOpen(events) ? this.#another() : { kind: 'done' }
    if (openSurface(events) === null) return this.#another()
    if (until === 'open') return isTurnOpen(events) ? this.#another() : { kind: 'done' }
    return { kind: 'submit' }
  }

  #another(): Next {
    return { kind: 'send', messageId: `m${this.#sent.length + 1}` }
  }

  #answer(call: ModelCall): void {
    if (openSurface(this.#view?.events ?? []) !== null || isAnswered(this.#view?.events ?? [])) call.answerText('Done.')
    else call.answerCalls([{ name: 'show_task_surface', arguments: { model } }])
  }

  async #send(messageId: string): Promise<void> {
    if (!this.#sent.includes(messageId)) this.#sent = [...this.#sent, messageId]
    const { sessionId } = this.#place
    this.#awaited.add(messageId)
    await orGone(this.#place.client.call('session.send', { sessionId, messageId, text: `text of ${messageId}` }))
  }

  async #submit(): Promise<void> {
    const { client, sessionId, view } = this.#place
    const surfaceId = openSurface(view.events)?.surfaceId
    const answer = await orGone(client.call('taskSurface.submit', { sessionId, surfaceId, ...submission }))
    if (!answer.accepted) throw new Error(`the submission was refused: ${JSON.stringify(answer)}`)
    this.#accepted ??= answer.messageId
    this.#awaited.add(answer.messageId)
  }

  get #place(): { client: Client; sessionId: string; view: SessionView } {
    if (this.#client === null || this.#view === null || this.#sessionId === null) throw new Error('nothing is open')
    return { client: this.#client, sessionId: this.#sessionId, view: this.#view }
  }
}

/** A socket that closed under a request means that the host is gone; anything else is what it says. */
async function orGone<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (cause) {
    if (
      cause instanceof Error &&
      /socket closed|closed socket|ECONNREFUSED|ECONNRESET|socket hang up/.test(cause.message)
    ) {
      throw new HostGone(cause.message, { cause })
    }
    throw cause
  }
}

/** Messages that answer the surface by this submission. */
function answersOf(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'user/message') return []
    const { id, source } = event.data.message
    if (source.kind !== 'user' || !('taskSurface' in source)) return []
    const { taskSurface } = source
    const isOurs =
      typeof taskSurface === 'object' &&
      taskSurface !== null &&
      'submissionId' in taskSurface &&
      taskSurface.submissionId === submission.submissionId
    return isOurs ? [id] : []
  })
}

const isAnswered = (events: readonly SessionEvent[]): boolean => answersOf(events).length > 0

const shownSurfaces = (events: readonly SessionEvent[]): number =>
  events.filter((event) => event.type === 'tool/result' && event.data.meta !== undefined).length

/** What holds as soon as the host is back, before anything happens in the session. Answers what the client knows now. */
export async function checkAfterCrash(stage: CrashStage, host: HostProcess, memory: Memory): Promise<Memory> {
  const client = await Client.connect(host.ready, stage.changes)
  try {
    const listed = (await client.call('session.list', {})).sessions.map(({ id }) => id)
    // A session whose creation was never answered may be there, whole, or not at all.
    const sessionId = memory.sessionId ?? listed[0] ?? null
    if (sessionId === null) return nothing
    expect(listed).toEqual([sessionId])
    const view = await client.open(sessionId)
    await stage.changes.until(() => view.status, 'the baseline')
    expect(view.status?.status).toBe('idle')
    expect(view.queue).toEqual([])
    expect(view.events.slice(0, memory.seen.length)).toEqual(memory.seen)
    expect(view.events.map(({ seq }) => seq)).toEqual(view.events.map((_, index) => index))
    const answers = answersOf(view.events)
    expect(answers.length).toBeLessThan(2)
    // Open, or closed by that one message: never neither, never both.
    const open = openSurface(view.events)
    expect(open === null ? 0 : 1).toBe(shownSurfaces(view.events) - answers.length)
    const active = open === null ? null : { surfaceId: open.surfaceId, callId: open.callId }
    expect(view.projections.get('taskSurface')?.value).toEqual({ active })
    if (open !== null) {
      const { surfaceId } = open
      expect(await client.call('taskSurface.getActive', { sessionId, surfaceId })).toMatchObject({
        active: true,
        pending: null,
      })
    }
    const [answer] = answers
    if (answer !== undefined && memory.accepted !== null) expect(answer).toBe(memory.accepted)
    return { ...memory, sessionId, seen: view.events, accepted: answer ?? null }
  } finally {
    client.drop()
  }
}

/** What holds once the conversation was played to its end, however often the host died on the way. */
export async function checkWhole(stage: CrashStage, host: HostProcess, memory: Memory): Promise<void> {
  const client = await Client.connect(host.ready, stage.changes)
  try {
    const { sessionId } = memory
    if (sessionId === null) throw new Error('there is no session')
    const view = await client.open(sessionId)
    const { events } = view
    expect(events).toEqual(memory.seen)
    const ids = events.flatMap((event) => (event.type === 'user/message' ? [event.data.message.id] : []))
    expect(new Set(ids).size).toBe(ids.length)
    for (const messageId of memory.sent) expect(ids).toContain(messageId)
    const [answer, ...more] = answersOf(events)
    expect([answer, more]).toEqual([memory.accepted, []])
    expect(turnsAndCallsClose(events)).toBe(true)
    await stage.changes.until(() => view.status, 'the baseline')
    expect(view.projections.get('taskSurfaceOutcomes')?.value).toMatchObject({ outcomes: [{ reason: 'submitted' }] })
    const surfaceId = surfaceIdOf(view.projections.get('taskSurfaceOutcomes')?.value)
    const retry = await client.call('taskSurface.submit', { sessionId, surfaceId, ...submission })
    expect(retry).toEqual({ accepted: true, messageId: answer, phase: 'queued' })
    const other = { ...submission, values: { name: 'Bo', ship: true } }
    expect(await client.call('taskSurface.submit', { sessionId, surfaceId, ...other })).toMatchObject({
      accepted: false,
      reason: 'invalid-submission',
    })
  } finally {
    client.drop()
  }
}

function surfaceIdOf(value: unknown): string {
  const found = /"surfaceId":"([^"]+)"/.exec(JSON.stringify(value) ?? '')?.[1]
  if (found === undefined) throw new Error('no surface was ever closed')
  return found
}

/** Every turn has one start and then one end, every call one result within its turn. */
function turnsAndCallsClose(events: readonly SessionEvent[]): boolean {
  let turn: number | null = null
  let calls: string[] = []
  for (const event of events) {
    switch (event.type) {
      case 'turn/start':
        if (turn !== null) return false
        turn = event.data.turn
        break
      case 'turn/end':
        if (turn !== event.data.turn || calls.length > 0) return false
        turn = null
        break
      case 'tool/call':
        calls.push(event.data.callId)
        break
      case 'tool/result': {
        const { callId } = event.data
        if (!calls.includes(callId) && !isRepair(event.data.error?.code)) return false
        calls = calls.filter((call) => call !== callId)
        break
      }
      default:
    }
  }
  return turn === null && isDeepStrictEqual(calls, [])
}

/** A repair answers calls of an assistant message whose `tool/call` never became durable. */
function isRepair(code: string | undefined): boolean {
  return code === 'INTERRUPTED'
}
