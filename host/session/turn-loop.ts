/* One turn from its durable `turn/start` to its durable `turn/end` (SPEC 5): model call, tool calls, model
   call. The turn machine decides what follows; this makes the calls and the events. */
import { createActor } from 'xstate'
import { turnMachine, type TurnActor } from '../../machines/turn.ts'
import type { EventDraft } from '../../shared/event.ts'
import type { Model, ModelError, ModelRequest } from '../agents/port.ts'
import { callModel, clearStream, type ModelAnswer, type StepCall } from './model-step.ts'
import { systemPrompt } from './system-prompt.ts'
import type { SessionRuntime } from './session-runtime.ts'
import { headerOf } from './session-view.ts'
import { runCalls } from './tool-step.ts'
import { Transcript } from './transcript.ts'

/** First wait before a retry; it doubles up to the second. */
const firstWaitMs = 1_000
const maxWaitMs = 30_000
/** A provider's own wish goes first, up to this: a longer wait is for the person to decide. */
const maxAskedWaitMs = 5 * 60_000

export function runTurn(runtime: SessionRuntime, model: Model, signal: AbortSignal): Promise<void> {
  return new Turn(runtime, model, signal).run()
}

class Turn {
  readonly #runtime: SessionRuntime
  readonly #model: Model
  readonly #signal: AbortSignal
  readonly #turn: number
  readonly #actor: TurnActor
  readonly #transcript = new Transcript()
  #readTo = -1
  #calls: readonly StepCall[] = []
  #error: string | undefined

  constructor(runtime: SessionRuntime, model: Model, signal: AbortSignal) {
    this.#runtime = runtime
    this.#model = model
    this.#signal = signal
    this.#turn = runtime.state.lastTurn
    const name = `turn:${this.#turn}`
    // Turns are counted per session, and an actor is named for the whole host.
    const machine = runtime.observed(turnMachine, `turn:${this.#turn}:${runtime.sessionId}`)
    const actor = createActor(machine, { id: name, input: { turn: this.#turn } })
    this.#actor = runtime.actors.start(name, actor)
  }

  async run(): Promise<void> {
    for (;;) {
      // First: calls that stand in the log get their results, and an interrupt before they began only cuts them short.
      if (this.#actor.getSnapshot().matches({ live: 'acting' })) await this.#act()
      if (this.#signal.aborted) {
        this.#actor.send({
          type: 'INTERRUPT',
          reason: this.#signal.reason === 'interrupted' ? 'interrupted' : 'aborted',
        })
      }
      if (!this.#actor.getSnapshot().matches({ live: 'calling' })) break
      await this.#call()
    }
    await this.#end()
  }

  get #at(): { turn: number; step: number } {
    return { turn: this.#turn, step: this.#actor.getSnapshot().context.step }
  }

  async #call(): Promise<void> {
    const runtime = this.#runtime
    await this.#tellNotices()
    const messageId = runtime.deps.ids.message()
    const outcome = await callModel(runtime, this.#model, await this.#request(), { ...this.#at, messageId })
    if (outcome.kind === 'failed') return this.#failed(outcome.error, outcome.answer, messageId)
    const { answer } = outcome
    await this.#log(answer, messageId, outcome.kind === 'interrupted')
    if (outcome.kind === 'interrupted') return
    this.#calls = answer.calls
    this.#actor.send({ type: 'ANSWERED', calls: answer.calls.length, steering: this.#hasSteering, stop: answer.stop })
    await this.#joinSteering()
  }

  async #act(): Promise<void> {
    const concluded = await runCalls(this.#runtime, this.#calls, { ...this.#at, signal: this.#signal })
    if (this.#signal.aborted) return
    this.#actor.send({ type: 'ACTED', concluded, steering: this.#hasSteering })
    await this.#joinSteering()
  }

  async #failed(
    error: ModelError,
    answer: ModelAnswer,
    messageId: ReturnType<SessionRuntime['deps']['ids']['message']>,
  ): Promise<void> {
    const runtime = this.#runtime
    this.#actor.send({ type: 'FAILED', transient: error.kind === 'transient' })
    const snapshot = this.#actor.getSnapshot()
    if (!snapshot.matches({ live: 'waiting' })) {
      this.#error = error.message
      return this.#log(answer, messageId, true)
    }
    clearStream(runtime)
    const { attempt } = snapshot.context
    const backoffMs = Math.min(maxWaitMs, firstWaitMs * 2 ** (attempt - 1))
    const waitMs = Math.max(backoffMs, Math.min(maxAskedWaitMs, error.retryAfterMs ?? 0))
    runtime.publishStatus({ attempt: attempt + 1, waitMs, why: error.message })
    await runtime.deps.clock.sleep(waitMs, this.#signal)
    if (this.#signal.aborted) return
    this.#actor.send({ type: 'RETRY' })
    runtime.publishStatus()
  }

  async #request(): Promise<ModelRequest> {
    const { deps, sessionId, state } = this.#runtime
    const range = { skipped: state.skipped, from: this.#readTo + 1 }
    for await (const event of deps.log.countedEvents(sessionId, range)) {
      if (event.seq > state.lastSeq) break
      this.#transcript.add(event)
    }
    this.#readTo = state.lastSeq
    const header = headerOf(state)
    return {
      sessionId,
      system: systemPrompt(header),
      messages: this.#transcript.messages(),
      tools: deps.tools.specs(header.toolMode),
      signal: this.#signal,
    }
  }

  /** The answer becomes the assistant message; an empty one that was cut off, or cost nothing, leaves no trace. */
  async #log(
    { parts, usage }: ModelAnswer,
    id: ReturnType<SessionRuntime['deps']['ids']['message']>,
    cut: boolean,
  ): Promise<void> {
    const runtime = this.#runtime
    if (parts.length === 0 && (cut || usage === undefined)) return clearStream(runtime)
    const message = { id, role: 'assistant', content: parts } as const
    const data = { ...this.#at, message, ...(usage !== undefined && { usage }), ...(cut && { interrupted: true }) }
    await runtime.append([{ type: 'assistant/message', data }], () => {
      runtime.stream = null
    })
  }

  get #hasSteering(): boolean {
    return this.#runtime.session.getSnapshot().can({ type: 'JOIN' })
  }

  /** Between two steps: all steering rows leave the queue and become messages of this turn. */
  async #joinSteering(): Promise<void> {
    const { session, inbox } = this.#runtime
    if (!this.#actor.getSnapshot().matches({ live: 'calling' }) || !this.#hasSteering) return
    const joining = session.getSnapshot().context.rows.filter(({ placement }) => placement === 'steering')
    session.send({ type: 'JOIN' })
    this.#runtime.publishQueue()
    const drafts = joining.map(({ itemId }): EventDraft => ({
      type: 'steering/message',
      data: { message: inbox.message(itemId) },
    }))
    await this.#runtime.append(drafts, () => {
      for (const { itemId } of joining) inbox.admitted(itemId)
    })
  }

  /** What the host has to say joins the step that begins; it never causes one. */
  async #tellNotices(): Promise<void> {
    await this.#runtime.notices.deliver((messages) =>
      this.#runtime.append(messages.map((message): EventDraft => ({ type: 'steering/message', data: { message } }))),
    )
  }

  async #end(): Promise<void> {
    const runtime = this.#runtime
    const reason = this.#actor.getSnapshot().context.reason ?? 'error'
    const error = reason === 'error' ? (this.#error ?? 'The turn made too many model calls.') : this.#error
    const data = { turn: this.#turn, reason, ...(error !== undefined && { error }) }
    await runtime.append([{ type: 'turn/end', data }], () => {
      const hadSteering = this.#hasSteering
      this.#actor.send({ type: 'ENDED' })
      runtime.session.send({ type: 'TURN_ENDED' })
      if (hadSteering) runtime.publishQueue()
      runtime.publishStatus()
    })
  }
}
