/* All sessions of this host: which are live, and how one becomes live or goes cold (SPEC 2). Listing, opening
   and reading never start a runtime; whatever must happen in a session loads it, once.

   Invariant: per session, loading, rewinding, removing and going cold run one after the other. */
import type { SessionId } from '../../shared/ids.ts'
import { errorCodes, RpcError } from '../../shared/protocol/errors.ts'
import type { Session } from '../../shared/session.ts'
import type { EventData } from '../../shared/event.ts'
import { LogError, type Ownership } from '../log/port.ts'
import type { TaskRecord } from '../tasks/port.ts'
import { repairDrafts } from '../log/repair.ts'
import { emptyState, type SessionState } from '../log/session-state.ts'
import { baselineOf } from './baseline.ts'
import { completionNotice } from './task-carrier.ts'
import { SessionRuntime, type EndReason, type RuntimeDeps } from './session-runtime.ts'
import { headerOf, headerView, sessionView } from './session-view.ts'

/** A live session nobody used for this long turns cold. */
const coldAfterMs = 5 * 60_000
/** One whose agent runs a program: gone cold, it would begin anew and know only what the log says. */
const seatedColdAfterMs = 60 * 60_000
const sweepEveryMs = 60_000
/** How long a stopping host waits for turns to write their end. */
const drainMs = 3_000
/** The longest wait between two looks at a store that does not answer. */
const maxRecoverWaitMs = 5_000

export class SessionDirectory {
  readonly deps: RuntimeDeps
  readonly #runtimeById = new Map<SessionId, SessionRuntime>()
  readonly #queueById = new Map<SessionId, Promise<unknown>>()
  readonly #stop = new AbortController()
  #listed: Promise<unknown> = Promise.resolve()
  #nextList: Promise<readonly Session[]> | null = null

  constructor(deps: Omit<RuntimeDeps, 'personOf'>) {
    this.deps = { ...deps, personOf: (runtime) => this.#personOf(runtime) }
    void this.#sweep()
  }

  /** The host is stopping: nothing is loaded any more. */
  get isClosing(): boolean {
    return this.#stop.signal.aborted
  }

  /** The runtime of a session that is live now. */
  readonly live = (sessionId: SessionId): SessionRuntime | undefined => this.#runtimeById.get(sessionId)

  /** The runtime of a session, loaded where it is cold. */
  async load(sessionId: SessionId): Promise<SessionRuntime> {
    return this.live(sessionId) ?? this.exclusive(sessionId, () => this.loadNow(sessionId))
  }

  /** Behind the last durable event, live or cold; starts nothing. */
  async state(sessionId: SessionId): Promise<SessionState> {
    return this.live(sessionId)?.state ?? this.deps.log.readState(sessionId)
  }

  async view(sessionId: SessionId): Promise<Session> {
    return this.live(sessionId)?.view() ?? sessionView(await this.deps.log.readState(sessionId), false)
  }

  /**
   * Newest activity first. A session whose header cannot be read is reported in the host's log and left out. Calls that come
   * while a list is read share the next reading: each has what was there when it was made, and a hundred cost two.
   */
  list(): Promise<readonly Session[]> {
    if (this.#nextList !== null) return this.#nextList
    const next = this.#listed.then(() => {
      this.#nextList = null
      return this.#readList()
    })
    this.#nextList = next
    this.#listed = next.catch(() => {})
    return next
  }

  async #readList(): Promise<readonly Session[]> {
    const sessions: Session[] = []
    for await (const listed of this.deps.log.list()) {
      const { sessionId } = listed
      if (listed.kind === 'damaged')
        this.deps.logger.error({ sessionId, err: listed.error }, 'session cannot be listed')
      else sessions.push(this.live(sessionId)?.view() ?? headerView(listed.header, false))
    }
    return sessions.toSorted((a, b) => b.updatedAt - a.updatedAt)
  }

  /** A new session, cold: its first event and header are durable and the lists know it. */
  async create(data: EventData<'session/created'>): Promise<Session> {
    const sessionId = this.deps.ids.session()
    const ownership = await this.acquire(sessionId)
    try {
      const drafts = [{ type: 'session/created', data }] as const
      const outcome = await this.deps.log.append(ownership, emptyState(sessionId), drafts, this.deps.clock.now())
      if (outcome.kind !== 'durable') throw storageError()
      return this.announce(outcome.state)
    } finally {
      await this.deps.log.release(ownership)
    }
  }

  announce(state: SessionState): Session {
    const session = sessionView(state, false)
    this.deps.hub.publishHost({ type: 'host/session-added', session })
    return session
  }

  /** Runs `work` alone among loads, rewinds, removals and cooling of this session. */
  exclusive<Value>(sessionId: SessionId, work: () => Promise<Value>): Promise<Value> {
    const before = this.#queueById.get(sessionId) ?? Promise.resolve()
    const run = before.then(work)
    const settled = run.then(
      () => {},
      () => {},
    )
    this.#queueById.set(sessionId, settled)
    void settled.then(() => {
      if (this.#queueById.get(sessionId) === settled) this.#queueById.delete(sessionId)
    })
    return run
  }

  /** Only inside `exclusive`. */
  async loadNow(sessionId: SessionId): Promise<SessionRuntime> {
    const live = this.live(sessionId)
    if (live !== undefined) return live
    if (this.isClosing) throw new RpcError(errorCodes.storage, 'The host is stopping.')
    if ((await this.deps.log.header(sessionId)) === null)
      throw new LogError('unknown-session', `There is no session ${sessionId}.`)
    const ownership = await this.acquire(sessionId)
    try {
      const state = await this.deps.log.readState(sessionId)
      const runtime = new SessionRuntime(this.deps, {
        ownership,
        state,
        onEnd: (reason) => this.#ended(sessionId, reason),
      })
      this.#runtimeById.set(sessionId, runtime)
      const repairs = repairDrafts(state)
      if (repairs.length > 0) await runtime.append(repairs)
      return runtime
    } catch (error) {
      await this.deps.log.release(ownership)
      throw error
    }
  }

  /** Ends a runtime and gives its session back, once nothing of it is in flight. Only inside `exclusive`. */
  async unload(runtime: SessionRuntime, reason: 'cold' | 'disposed'): Promise<void> {
    runtime.end(reason)
    await runtime.settled()
    this.deps.lifecycles.journal.settle(runtime.sessionId)
    await this.deps.log.release(runtime.ownership)
  }

  /**
   * Tells the owner's model how a task ended. A session that is gone by now needs no notice, and what a stopping host
   * no longer tells the next one will.
   */
  async notifyTaskDone(owner: SessionId, record: TaskRecord): Promise<void> {
    try {
      const runtime = await this.load(owner)
      runtime.notices.add(completionNotice(record), record.id)
    } catch (error) {
      const isGone = error instanceof LogError && error.code === 'unknown-session'
      if (this.isClosing || isGone) return
      this.deps.logger.warn({ sessionId: owner, task: record.id, err: error }, 'a completion notice was not delivered')
    }
  }

  async acquire(sessionId: SessionId): Promise<Ownership> {
    const outcome = await this.deps.log.acquire(sessionId)
    if (outcome.kind === 'owned') return outcome.ownership
    throw storageError(outcome.kind === 'held' ? 'Another host owns this session.' : undefined)
  }

  /** Cuts running turns, lets them write their end, and gives every session back. */
  async close(): Promise<void> {
    this.#stop.abort()
    const runtimes = [...this.#runtimeById.values()]
    const drained = Promise.all(runtimes.map((runtime) => runtime.claims.drain()))
    await Promise.race([drained, this.deps.clock.sleep(drainMs, new AbortController().signal)])
    await Promise.all(runtimes.map((runtime) => this.unload(runtime, 'disposed')))
  }

  #personOf(runtime: SessionRuntime): SessionRuntime {
    const { parent } = headerOf(runtime.state)
    const above = parent?.relation === 'subagent' ? this.live(parent.sessionId) : undefined
    return above === undefined ? runtime : this.#personOf(above)
  }

  #ended(sessionId: SessionId, reason: EndReason): void {
    const runtime = this.#runtimeById.get(sessionId)
    this.#runtimeById.delete(sessionId)
    if (runtime === undefined) return
    if (reason !== 'fault') return
    this.deps.hub.breakOff(sessionId)
    void this.#recover(runtime)
  }

  /** Whoever watches starts again from what the log says, as soon as it can be read: the store may be reopening. */
  async #recover(runtime: SessionRuntime): Promise<void> {
    const { sessionId } = runtime
    const { clock, hub, log, logger } = this.deps
    await this.exclusive(sessionId, async () => {
      await runtime.settled()
      await log.release(runtime.ownership)
    })
    for (let waitMs = 50; !this.#stop.signal.aborted; waitMs = Math.min(2 * waitMs, maxRecoverWaitMs)) {
      try {
        const read = await this.state(sessionId)
        const state = this.live(sessionId)?.state ?? read
        return hub.renew(sessionId, state.lastSeq, baselineOf(this, state))
      } catch (error) {
        const mayPass = error instanceof LogError && error.code === 'unavailable'
        if (!mayPass) return logger.error({ sessionId, err: error }, 'session cannot be read again')
        // Outside of `exclusive`: until the store is back, requests are refused and do not wait.
        await clock.sleep(waitMs, this.#stop.signal)
      }
    }
  }

  async #sweep(): Promise<void> {
    const { clock } = this.deps
    while (!this.#stop.signal.aborted) {
      await clock.sleep(sweepEveryMs, this.#stop.signal)
      for (const runtime of this.#runtimeById.values()) {
        const quietMs = runtime.seat.isTaken ? seatedColdAfterMs : coldAfterMs
        if (!runtime.isQuiet || clock.now() - runtime.lastUsedAt < quietMs) continue
        void this.exclusive(runtime.sessionId, async () => {
          if (runtime.isQuiet && !runtime.ended.aborted) await this.unload(runtime, 'cold')
        })
      }
    }
  }
}

export function storageError(message = 'The session store does not answer now. Try again.'): RpcError {
  return new RpcError(errorCodes.storage, message)
}
