/* Everything process-local of one live session hangs here: its state behind the last durable event, inbox,
   actors, pending work. Requests come in as method calls, frames go out through the hub; it never sees a
   socket. It has one complete end.

   Invariants: an event is folded, published and acted on only once it is durable; appends of a session run
   one after the other; after any append that did not become durable the runtime is over, and the session is
   folded again from its log.
   Read on: `claims.ts` (who speaks next), `turn-loop.ts`, `surface-service.ts`, `question-service.ts`. */
import { createActor, type AnyStateMachine } from 'xstate'
import { sessionMachine, type SessionActor } from '../../machines/session.ts'
import type { EventDraft, SessionEvent } from '../../shared/event.ts'
import type { SessionId } from '../../shared/ids.ts'
import { changedProjections } from '../../shared/projections/registry.ts'
import { errorCodes, RpcError } from '../../shared/protocol/errors.ts'
import type { SessionFrameBody } from '../../shared/protocol/frames.ts'
import type { Session } from '../../shared/session.ts'
import type { TaskSurfaceLimits } from '../../shared/surface/limits.ts'
import type { AgentCatalog } from '../agents/port.ts'
import type { Clock } from '../clock.ts'
import type { IdMint } from '../id-mint.ts'
import type { Lifecycles } from '../lifecycles/lifecycles.ts'
import type { Ownership } from '../log/port.ts'
import type { SessionLog } from '../log/session-log.ts'
import type { SessionState } from '../log/session-state.ts'
import type { Logger } from '../logger.ts'
import type { TaskRegistry } from '../tasks/port.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import { ActorMap } from './actor-map.ts'
import type { AdmissionHook } from './admission-hook.ts'
import { AgentSeat } from './agent-seat.ts'
import { ApprovalService } from './approval-service.ts'
import { Claims } from './claims.ts'
import type { SubscriptionHub } from './hub.ts'
import { Inbox } from './inbox.ts'
import { Notices } from './notices.ts'
import { QuestionService } from './question-service.ts'
import { sessionView } from './session-view.ts'
import type { ModelStream } from './model-step.ts'
import { SurfaceService } from './surface-service.ts'

export interface RuntimeDeps {
  log: SessionLog
  hub: SubscriptionHub
  clock: Clock
  ids: IdMint
  agents: AgentCatalog
  tools: ToolRegistry
  admission: AdmissionHook
  surfaceLimits: TaskSurfaceLimits
  /** The session whose person is asked on behalf of this one: itself, or the one that started it. */
  personOf(runtime: SessionRuntime): SessionRuntime
  /** Null in a composition without background tasks. */
  tasks: TaskRegistry | null
  lifecycles: Lifecycles
  logger: Logger
}

/** `cold`: nothing was going on. `fault`: an append did not become durable, or a bug. */
export type EndReason = 'cold' | 'disposed' | 'removed' | 'fault'

export class SessionRuntime {
  readonly sessionId: SessionId
  readonly deps: RuntimeDeps
  readonly actors = new ActorMap()
  readonly session: SessionActor
  readonly inbox = new Inbox()
  readonly claims: Claims
  readonly surfaces: SurfaceService
  readonly questions: QuestionService
  readonly approvals: ApprovalService
  readonly notices: Notices
  readonly seat: AgentSeat
  /** The step whose answer is being streamed. */
  stream: ModelStream | null = null
  lastUsedAt: number
  readonly #ownership: Ownership
  readonly #onEnd: (reason: EndReason) => void
  #state: SessionState
  #shown: string
  #appends: Promise<unknown> = Promise.resolve()
  #ending = new AbortController()

  constructor(
    deps: RuntimeDeps,
    init: { ownership: Ownership; state: SessionState; onEnd: (reason: EndReason) => void },
  ) {
    this.deps = deps
    this.sessionId = init.state.sessionId
    this.#ownership = init.ownership
    this.#onEnd = init.onEnd
    this.#state = init.state
    this.lastUsedAt = deps.clock.now()
    this.session = this.actors.start(
      'session',
      createActor(this.observed(sessionMachine, `session:${this.sessionId}`), { id: `session:${this.sessionId}` }),
    )
    this.surfaces = new SurfaceService(this)
    this.questions = new QuestionService(this)
    this.approvals = new ApprovalService(this)
    this.notices = new Notices(this)
    this.seat = new AgentSeat(this.sessionId)
    this.claims = new Claims(this)
    this.#shown = this.#summary()
  }

  /** Behind the last durable event. */
  get state(): SessionState {
    return this.#state
  }

  /** Aborts when the runtime is over. */
  get ended(): AbortSignal {
    return this.#ending.signal
  }

  get ownership(): Ownership {
    return this.#ownership
  }

  get isRunning(): boolean {
    return this.session.getSnapshot().matches({ live: 'running' })
  }

  /** Nothing happens here and nothing waits: the runtime may be dropped without anyone noticing. */
  get isQuiet(): boolean {
    return this.session.getSnapshot().matches({ live: 'idle' }) && this.questions.size === 0 && this.#liveTasks === 0
  }

  get #liveTasks(): number {
    return this.deps.tasks?.liveCount(this.sessionId) ?? 0
  }

  /** The machine of an actor of this session, seen by those who look at lifecycles. */
  observed<Machine extends AnyStateMachine>(machine: Machine, actorId: string): Machine {
    return this.deps.lifecycles.observed(machine, { actorId, machine: machine.id, sessionId: this.sessionId })
  }

  view(): Session {
    return sessionView(this.#state, this.isRunning)
  }

  publish(body: SessionFrameBody): void {
    if (!this.ended.aborted) this.deps.hub.publish(this.sessionId, body)
  }

  publishQueue(): void {
    this.publish({ type: 'session/queue', items: this.inbox.view(this.session.getSnapshot().context.rows) })
  }

  publishStatus(retry?: { attempt: number; waitMs: number; why: string }): void {
    const turn = this.isRunning ? this.#state.lastTurn : undefined
    this.publish({
      type: 'session/status',
      status: this.isRunning ? 'running' : 'idle',
      ...(turn !== undefined && { turn }),
      ...(retry !== undefined && { retry }),
    })
    this.publishView()
  }

  /** Tells the session lists when what they show has changed. */
  publishView(): void {
    const shown = this.#summary()
    if (this.ended.aborted || shown === this.#shown) return
    this.#shown = shown
    this.deps.hub.publishHost({ type: 'host/session-updated', session: this.view() })
  }

  /**
   * Makes events durable, then, in one synchronous step: fold, event frames, projection frames, what the surfaces
   * make of it, `onDurable`. Rejects with `RpcError` −32010 when the events did not become durable or the runtime
   * is over; then nothing was acted on.
   */
  append(drafts: readonly EventDraft[], onDurable: () => void = () => {}): Promise<readonly SessionEvent[]> {
    return this.exclusive(async () => {
      const outcome = await this.deps.log.append(this.#ownership, this.#state, drafts, this.deps.clock.now())
      if (outcome.kind !== 'durable') {
        this.deps.logger.error({ sessionId: this.sessionId, outcome: outcome.kind }, 'append failed')
        this.end('fault')
        throw new RpcError(errorCodes.storage, 'The session could not be written. It is read again from its log.')
      }
      this.deps.lifecycles.resting(outcome.state.lastSeq, () => {
        this.#commit(outcome.state, outcome.events)
        onDurable()
      })
      this.publishView()
      return outcome.events
    })
  }

  /** Runs `work` behind every append issued before it and ahead of every later one. */
  exclusive<Value>(work: () => Promise<Value>): Promise<Value> {
    const run = this.#appends.then(() => {
      if (this.ended.aborted) throw this.#endError()
      return work()
    })
    this.#appends = run.catch(() => {})
    return run
  }

  /** Resolves once no append is in flight; for the owner of an ended runtime. */
  async settled(): Promise<void> {
    await this.#appends
  }

  /** The one end: the turn is cut, rows are given back, questions close, actors stop. Idempotent. */
  end(reason: EndReason): void {
    if (this.ended.aborted) return
    const discard = reason === 'fault' ? 'error' : 'disposed'
    this.questions.cancelAll()
    this.approvals.cancelAll()
    this.claims.discardAll(discard)
    this.seat.end()
    if (reason === 'removed') this.surfaces.remove()
    this.session.send({ type: 'END' })
    this.#ending.abort(reason)
    this.actors.stopAll()
    this.#onEnd(reason)
  }

  /** Containment for work nobody awaits: a bug there ends the runtime, and the log tells what stands. */
  contain(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (this.ended.aborted) return
      this.deps.logger.error({ sessionId: this.sessionId, err: error }, `${what} failed`)
      this.end('fault')
    })
  }

  #commit(next: SessionState, events: readonly SessionEvent[]): void {
    const previous = this.#state
    this.#state = next
    this.lastUsedAt = this.deps.clock.now()
    for (const event of events) this.publish({ type: 'session/event', event })
    for (const { key, value } of changedProjections(previous.projections, next.projections)) {
      this.publish({ type: 'session/projection', key, value, seq: next.lastSeq })
    }
    this.surfaces.follow(previous)
  }

  #endError(): RpcError {
    return this.ended.reason === 'removed'
      ? new RpcError(errorCodes.unknownSession, `There is no session ${this.sessionId}.`)
      : new RpcError(errorCodes.storage, 'The session was reloaded. Try again.')
  }

  #summary(): string {
    const { title, agent, toolMode, approval, status } = this.view()
    return JSON.stringify([title, agent, toolMode, approval, status])
  }
}
