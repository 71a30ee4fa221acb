/* One prompt under way (SPEC 11): what the agent says and does comes in as it likes, and is handed to the turn in the order
   of its steps. Text and thoughts as they come; a tool call when enough is known of it; a call of our own tools, which
   comes by the MCP endpoint, as a call of this turn.

   What happens while a step runs cannot wait for it, because the step may wait for that: another call of the agent, or
   one of our tools, stands under the running call. Only a surface stands by itself: for it the running calls are let go.

   Invariants: every call by the endpoint and every permission request is answered; the prompt ends by itself, or is
   cancelled, or its program ends. */
import { ModelError, type CallResult } from '../agents/port.ts'
import type { Clock } from '../clock.ts'
import type { Usage } from '../../shared/message.ts'
import { showTaskSurfaceTool } from '../../shared/surface/meta.ts'
import type { ToolExecution } from '../tools/tool.ts'
import { AcpCall } from './acp-call.ts'
import type { Conversation, PromptEnd } from './conversation.ts'
import { isOwnTool } from './own-tools.ts'
import {
  blockText,
  chosenOption,
  planText,
  type AcpUpdate,
  type PermissionOutcome,
  type PermissionRequest,
  type ToolCallFields,
} from './updates.ts'

/** How long a call that was announced may lack its arguments before it is shown without. */
const ripeMs = 1_000
/** How long a call of an unknown kind waits for turning out to be one of our own tools. */
const ownMs = 300
/** What the agent wrote just before a call by the endpoint travels another way, and may come later. */
const overtakeMs = 30
/** For an agent that was asked to stop. */
const cancelMs = 5_000
/** UTF-16 units that wait to be read. */
const maxWaitingUnits = 4_000_000

export interface InsideCall {
  kind: 'inside'
  name: string
  arguments: string
  settle: (result: CallResult) => void
}

export type Happening =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'calls'; calls: AcpCall[] }
  | InsideCall
  | { kind: 'end'; reason: string }

type Waiting = { kind: 'text' | 'reasoning'; text: string } | { kind: 'call'; call: AcpCall } | InsideCall

export interface PromptRunDeps {
  conversation: Conversation
  clock: Clock
  /** The longest silence of an agent that has nothing to wait for. */
  silenceMs: number
}

export class PromptRun {
  /** Resolves when the prompt has its end: with what it cost, where the agent says. */
  readonly settled: Promise<Usage | null>
  readonly #deps: PromptRunDeps
  readonly #queue: Waiting[] = []
  readonly #callById = new Map<string, AcpCall>()
  readonly #ownIds = new Set<string>()
  /** Calls that the turn runs now, and those of them that others can stand under. */
  readonly #running = new Map<AcpCall, ToolExecution>()
  readonly #open = new Set<InsideCall>()
  #waitingUnits = 0
  #result: PromptEnd | { error: unknown } | null = null
  #changed = new AbortController()
  #leaving: AbortController | null = null
  #surfaceShown = false

  constructor(deps: PromptRunDeps, texts: readonly string[]) {
    this.#deps = deps
    this.settled = deps.conversation.prompt(texts).then(
      (end) => {
        this.#settle(end)
        return end.usage
      },
      (error: unknown) => {
        this.#settle({ error })
        return null
      },
    )
  }

  get hasEnded(): boolean {
    return this.#result !== null
  }

  /** A surface was shown: the turn is over, whatever the agent still says. */
  get surfaceShown(): boolean {
    return this.#surfaceShown
  }

  take(update: AcpUpdate): void {
    if (this.#isOver) return
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#say('text', blockText(update.content))
      case 'agent_thought_chunk':
        return this.#say('reasoning', blockText(update.content))
      case 'plan':
        return this.#say('text', planText(update.entries))
      case 'tool_call':
      case 'tool_call_update':
        return this.#tellOfCall(update)
    }
  }

  permit(request: PermissionRequest): Promise<PermissionOutcome> {
    const { toolCall } = request
    if (this.#isOver) return Promise.resolve({ outcome: 'cancelled' })
    // Whatever of ours needs a permission asks for it when it is called.
    if (this.#ownIds.has(toolCall.toolCallId) || isOwnTool(toolCall)) {
      return Promise.resolve(chosenOption(request, 'allow'))
    }
    const known = this.#callById.get(toolCall.toolCallId)
    const call = known === undefined || known.hasEnded ? this.#add(toolCall) : known
    const outcome = call.permit(request)
    this.#tell()
    return outcome
  }

  async callInside(call: { name: string; arguments: string }, signal: AbortSignal): Promise<CallResult> {
    await this.#deps.clock.sleep(overtakeMs, signal)
    if (this.#isOver || this.#surfaceShown) return afterTheTurn
    this.#dropAnnounced()
    return new Promise((resolve) => {
      const inside: InsideCall = { kind: 'inside', ...call, settle: (result) => this.#answer(inside, result, resolve) }
      this.#open.add(inside)
      this.#queue.push(inside)
      signal.addEventListener('abort', () => this.#forget(inside), { once: true })
      this.#standInside(inside)
      this.#tell()
    })
  }

  /** Beside a call that runs, one of our tools stands under it; a surface goes before whatever runs. */
  #standInside(inside: InsideCall): void {
    const host = this.#host
    if (host === null) return
    if (inside.name === showTaskSurfaceTool) {
      for (const running of this.#running.keys()) running.finish(letGo)
      return
    }
    // What our tool waits for must not wait for our tool.
    for (const [running, exec] of this.#running) if (exec.nested && running.isOther) running.finish(letGo)
    this.#remove(inside)
    const work = host.exec.nest(inside.name, inside.arguments)
    host.call.hold(work)
    work.then(inside.settle, () => inside.settle(lost))
  }

  /** The running call that others can stand under. */
  get #host(): { call: AcpCall; exec: ToolExecution } | null {
    const found = [...this.#running].find(([call, exec]) => !exec.nested && call.isHost)
    return found === undefined ? null : { call: found[0], exec: found[1] }
  }

  /** What came between the announcement of a call and its run. */
  #gather(): void {
    for (const waiting of [...this.#queue]) {
      if (waiting.kind === 'call') void this.#standUnder(waiting.call)
      else if (waiting.kind === 'inside') this.#standInside(waiting)
    }
  }

  /** What the turn shows or does next. Rejects with `ModelError`; the prompt is then being ended. */
  async next(): Promise<Happening> {
    for (;;) {
      const first = this.#queue[0]
      if (first === undefined) {
        if (this.#result !== null) return this.#endOf(this.#result)
        await this.#untilChanged(this.#deps.silenceMs)
        if (this.#queue.length === 0 && this.#result === null) continue
      } else if (first.kind === 'call') {
        const calls = await this.#ripeCalls()
        if (calls.length > 0) return { kind: 'calls', calls }
      } else {
        this.#queue.shift()
        if (first.kind !== 'inside') this.#waitingUnits -= first.text.length
        return first
      }
    }
  }

  /** Ends the prompt: the agent may end it by itself for `graceMs`, is then told to, and then ended. Idempotent. */
  leave(graceMs: number): void {
    if (this.hasEnded) return
    const isFirst = this.#leaving === null
    this.#leaving?.abort()
    const leaving = new AbortController()
    this.#leaving = leaving
    if (isFirst) this.#letGo()
    void this.#leaveAfter(graceMs, leaving.signal)
  }

  async #leaveAfter(graceMs: number, replaced: AbortSignal): Promise<void> {
    const { clock, conversation } = this.#deps
    const over = AbortSignal.any([replaced, conversation.ended])
    const ended = new AbortController()
    void this.settled.then(() => ended.abort())
    const stop = AbortSignal.any([over, ended.signal])
    await clock.sleep(graceMs, stop)
    if (stop.aborted) return
    conversation.cancel()
    await clock.sleep(cancelMs, stop)
    if (!stop.aborted) conversation.end()
  }

  get #isOver(): boolean {
    return this.#leaving !== null || this.#result !== null
  }

  #settle(result: PromptEnd | { error: unknown }): void {
    this.#result = result
    for (const call of this.#callById.values())
      call.finish({ text: 'The agent has not said how this ended.', isError: true })
    this.#tell()
    // A call whose answer nobody waits for any more.
    for (const inside of [...this.#open]) if (this.#queue.includes(inside)) this.#forget(inside)
  }

  #endOf(result: PromptEnd | { error: unknown }): Happening {
    if ('reason' in result) return { kind: 'end', reason: result.reason }
    throw result.error
  }

  /** Nothing of it belongs to the turn any more. */
  #letGo(): void {
    this.#queue.length = 0
    for (const call of this.#callById.values()) call.finish({ text: 'It was interrupted.', isError: true })
    for (const inside of [...this.#open]) inside.settle(lost)
    this.#tell()
  }

  #say(kind: 'text' | 'reasoning', text: string): void {
    if (text === '') return
    this.#waitingUnits += text.length
    if (this.#waitingUnits > maxWaitingUnits) return this.#deps.conversation.end()
    const last = this.#queue.at(-1)
    if (last?.kind === kind) last.text += text
    else this.#queue.push({ kind, text })
    this.#tell()
  }

  #tellOfCall(fields: ToolCallFields): void {
    const { toolCallId } = fields
    if (this.#ownIds.has(toolCallId)) return
    if (isOwnTool(fields)) {
      this.#ownIds.add(toolCallId)
      const known = this.#callById.get(toolCallId)
      if (known !== undefined) this.#drop(known)
      return
    }
    const known = this.#callById.get(toolCallId)
    if (known !== undefined) known.update(fields)
    else this.#add(fields)
    this.#tell()
  }

  #add(fields: ToolCallFields): AcpCall {
    const call = new AcpCall(fields, this.#deps.clock, (running, exec) => {
      if (exec === null) this.#running.delete(running)
      else {
        this.#running.set(running, exec)
        this.#gather()
      }
    })
    this.#callById.set(call.id, call)
    this.#queue.push({ kind: 'call', call })
    if (this.#running.size > 0) void this.#standUnder(call)
    return call
  }

  /** A call that comes while others run: it may be a part of theirs, and they may wait for it. */
  async #standUnder(call: AcpCall): Promise<void> {
    await this.#untilRipe(call)
    const host = this.#host
    if (host === null || !this.#removeCall(call)) return
    // The session may be lost meanwhile, and whoever runs the turn knows.
    host.call.hold(host.exec.nest(call.name, call.argumentsText, call.tool))
  }

  /** Calls that were announced and are none of the agent's own: the one by the endpoint stands for them. */
  #dropAnnounced(): void {
    const announced = this.#queue.find((waiting) => waiting.kind === 'call' && waiting.call.isOther)
    if (announced?.kind === 'call') this.#drop(announced.call)
  }

  #drop(call: AcpCall): void {
    this.#ownIds.add(call.id)
    this.#callById.delete(call.id)
    this.#removeCall(call)
    // It may run already.
    call.finish(letGo)
    this.#tell()
  }

  /** The calls in front, once enough is known of the first; none where it was dropped meanwhile. */
  async #ripeCalls(): Promise<AcpCall[]> {
    const first = this.#queue[0]
    if (first?.kind !== 'call') return []
    await this.#untilRipe(first.call)
    if (this.#queue[0] !== first) return []
    const calls: AcpCall[] = []
    for (let next = this.#queue[0]; next?.kind === 'call'; next = this.#queue[0]) {
      // What ended before the next began was no part of it.
      if (calls.length > 0 && (calls.at(-1)?.hasEnded === true || !this.#isRipe(next.call))) break
      calls.push(next.call)
      this.#queue.shift()
    }
    return calls
  }

  async #untilRipe(call: AcpCall): Promise<void> {
    const { clock } = this.#deps
    while (!this.#isRipe(call)) {
      const leftMs = call.createdAt + (call.isReady ? ownMs : ripeMs) - clock.now()
      await clock.sleep(Math.max(1, leftMs), this.#changed.signal)
    }
  }

  #isRipe(call: AcpCall): boolean {
    const ageMs = this.#deps.clock.now() - call.createdAt
    // Of one that has ended, or gave way to the call of our own tool, nothing more is to come.
    if (ageMs >= ripeMs || call.hasEnded || this.#isOver) return true
    return call.isReady && (!call.isOther || ageMs >= ownMs)
  }

  async #untilChanged(limitMs: number): Promise<void> {
    const { signal } = this.#changed
    await this.#deps.clock.sleep(limitMs, signal)
    if (signal.aborted) return
    this.leave(0)
    throw new ModelError('permanent', `The agent said nothing for ${Math.round(limitMs / 1000)} s and was stopped.`)
  }

  #answer(inside: InsideCall, result: CallResult, resolve: (result: CallResult) => void): void {
    if (!this.#open.delete(inside)) return
    const shown = inside.name === showTaskSurfaceTool && !result.isError
    if (shown) this.#surfaceShown = true
    resolve(shown ? { ...result, text: `${result.text} ${saidNoMore}` } : result)
  }

  #forget(inside: InsideCall): void {
    if (this.#remove(inside)) inside.settle(lost)
  }

  /** False: it no longer waited. */
  #remove(waiting: Waiting): boolean {
    const index = this.#queue.indexOf(waiting)
    if (index !== -1) this.#queue.splice(index, 1)
    return index !== -1
  }

  #removeCall(call: AcpCall): boolean {
    const waiting = this.#queue.find((one) => one.kind === 'call' && one.call === call)
    return waiting !== undefined && this.#remove(waiting)
  }

  #tell(): void {
    const changed = this.#changed
    this.#changed = new AbortController()
    changed.abort()
  }
}

const saidNoMore = 'Say nothing more and call nothing more, await_task_surface neither: nothing of it would be read.'

const letGo = { text: 'Task Surface goes on with this: see the call that follows.', isError: false }

const lost: CallResult = { text: 'INTERRUPTED: The turn ended before this call was done.', isError: true }

const afterTheTurn: CallResult = {
  text:
    'TURN_OVER: Your turn has ended. Stop now. Where a surface is open, the person has not answered it yet, and the answer ' +
    'is your next message.',
  isError: true,
}
