/* The mirror of one session (SPEC 8, client side): opens it, checks that live frames are contiguous, opens
   it again when they are not, and shows a whole new view only once its baseline is in, so that nothing
   flashes empty. Knows a `Requester`, never the socket. Rules: W-GAP, W-RESET, W-FLASH.
   Next: `session-state.ts` (what a frame changes), `session-registry.ts` (which sessions are open). */
import type { SessionId } from '../../shared/ids.ts'
import type { SessionFrame } from '../../shared/protocol/frames.ts'
import type { Result } from '../../shared/protocol/methods.ts'
import type { Session } from '../../shared/session.ts'
import type { Outcome } from '../connection/calls.ts'
import type { Requester } from '../connection/connection.ts'
import type { UnreadableFrame } from '../connection/incoming.ts'
import type { Rpc } from '../connection/rpc.ts'
import { type ReadableStore, useStore } from '../store.ts'
import {
  applyFrame,
  fromOpenAnswer,
  newSessionState,
  type SessionPhase,
  type SessionState,
  withEarlier,
} from './session-state.ts'

/** What a plugin gets of a session. */
export interface SessionHandle extends ReadableStore<SessionState> {
  readonly id: SessionId
  readonly rpc: Rpc
  /** Puts the page before the window in front of it. Calls while one is under way join it; without an earlier page nothing happens. */
  loadEarlier(): Promise<void>
}

/** What a component needs of a session; renders again when the selected value changes. */
export function useSession<Value>(
  session: SessionHandle,
  selector: (state: SessionState) => Value,
  equal?: (left: Value, right: Value) => boolean,
): Value {
  return useStore(session, selector, equal)
}

export interface SessionStore extends SessionHandle {
  /** Subscribes, or subscribes again. Call it on every new connection. */
  open(): void
  /** The connection went. Values stay, marked as last known. */
  lost(): void
  /** The host removed the session. */
  removed(): void
  receive(frame: SessionFrame | UnreadableFrame): void
  /** A newer list entry of the same session. */
  described(session: Session): void
  dispose(): void
}

export interface SessionStoreDeps {
  requester: Requester
  /** Calls back before the next paint or soon after; used to draw tokens at most once a frame. */
  soon: (work: () => void) => () => void
  /** Calls back after so many milliseconds; returns its disposer. */
  after: (delayMs: number, work: () => void) => () => void
}

type Following =
  | { at: 'closed' }
  | { at: 'opening'; attempt: number }
  | { at: 'subscribing' | 'baseline' | 'live'; attempt: number; incarnation: string; n: number }

/** A host that never gets contiguous must not be asked in a tight loop. */
const hastyReopens = 3
const longestReopenDelayMs = 30_000

export function createSessionStore(id: SessionId, deps: SessionStoreDeps): SessionStore {
  const { requester } = deps
  /** What subscribers see, and what it becomes once the baseline of a new subscription is complete. */
  let shown = newSessionState(id)
  let next = shown
  let following: Following = { at: 'closed' }
  let attempts = 0
  let reopens = 0
  let cancelReopen: (() => void) | null = null
  let cancelSoon: (() => void) | null = null
  let earlier: Promise<void> | null = null
  const listeners = new Set<() => void>()

  function tell(): void {
    cancelSoon?.()
    cancelSoon = null
    for (const listener of [...listeners]) listener()
  }

  function show(state: SessionState, lazily = false): void {
    if (state === shown) return
    shown = state
    next = state
    if (!lazily) tell()
    else cancelSoon ??= deps.soon(tell)
  }

  function showPhase(phase: SessionPhase, problem: string | null = null): void {
    show({ ...shown, phase, problem })
  }

  function complete(attempt: number): void {
    if (following.at !== 'baseline' || following.attempt !== attempt) return
    following = { ...following, at: 'live' }
    show({ ...next, phase: 'live' })
  }

  function reopen(): void {
    following = { at: 'closed' }
    reopens += 1
    const delayMs = reopens <= hastyReopens ? 0 : Math.min(longestReopenDelayMs, 250 * 2 ** reopens)
    cancelReopen?.()
    if (delayMs === 0) return open()
    cancelReopen = deps.after(delayMs, open)
  }

  function openAnswered(attempt: number, outcome: Outcome<Result<'session.open'>>): void {
    if (following.at !== 'opening' || following.attempt !== attempt) return
    if (outcome.ok) {
      const { incarnation, n } = outcome.value
      next = fromOpenAnswer(shown, outcome.value)
      following = { at: 'subscribing', attempt, incarnation, n }
      // Baseline frames leave the host in the tick of the answer, so whatever is answered later comes after them.
      requester.request('host.describe', {}, () => complete(attempt))
      return
    }
    following = { at: 'closed' }
    const { failure } = outcome.error
    if (failure.reason === 'refused') return showPhase(failure.code === -32004 ? 'missing' : 'refused', failure.message)
    if (failure.reason === 'timeout') reopen()
  }

  function open(): void {
    cancelReopen?.()
    cancelReopen = null
    attempts += 1
    const attempt = attempts
    following = { at: 'opening', attempt }
    requester.request('session.open', { sessionId: id }, (outcome) => openAnswered(attempt, outcome))
  }

  function receiveLive(frame: SessionFrame | UnreadableFrame): void {
    if (following.at !== 'baseline' && following.at !== 'live') return
    const counted = frame.n !== undefined && frame.incarnation !== undefined
    if (counted) {
      if (frame.incarnation !== following.incarnation || frame.n !== following.n + 1) return reopen()
      // The first live frame also ends the baseline.
      following = { ...following, at: 'live', n: frame.n }
      reopens = 0
    }
    const base = following.at === 'live' && next.phase !== 'live' ? { ...next, phase: 'live' as const } : next
    const changed = frame.type === 'unreadable' ? base : applyFrame(base, frame)
    if (changed === 'gap') return reopen()
    if (following.at === 'baseline') next = changed
    else show(changed, frame.type === 'session/stream')
  }

  function receive(frame: SessionFrame | UnreadableFrame): void {
    if (frame.type !== 'session/subscribed') return receiveLive(frame)
    if (following.at === 'subscribing') {
      // Another subscription's frames may still be on the way; only the answered one counts.
      if (frame.incarnation !== following.incarnation || frame.n !== following.n) return
      following = { ...following, at: 'baseline' }
      const reset = applyFrame(next, frame)
      if (reset !== 'gap') next = reset
      return
    }
    // The host itself reset the session (rewind, reload): its events are only in an answer.
    if (following.at === 'baseline' || following.at === 'live') reopen()
  }

  async function loadPage(): Promise<void> {
    const first = shown.events[0]
    if (first === undefined || !shown.hasMore) return
    const { epoch } = shown
    const page = await requester.call('session.history', { sessionId: id, beforeSeq: first.seq })
    if (shown.epoch !== epoch || shown.events[0] !== first) return
    const joined = withEarlier(shown, page)
    if (joined === shown) return
    if (next === shown) show(joined)
  }

  return {
    id,
    rpc: requester,
    getState: () => shown,
    subscribe(listener) {
      const own = () => listener()
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    loadEarlier() {
      earlier ??= loadPage().finally(() => {
        earlier = null
      })
      return earlier
    },
    open,
    lost() {
      cancelReopen?.()
      cancelReopen = null
      following = { at: 'closed' }
      next = shown
      if (shown.phase === 'live') showPhase('last-known')
    },
    removed() {
      following = { at: 'closed' }
      // What ran in it was stopped with it, and no frame of its own will say so.
      show({ ...shown, tasks: [], phase: 'missing', problem: null })
    },
    receive,
    described(session) {
      next = { ...next, session }
      if (following.at !== 'baseline' && following.at !== 'subscribing') show({ ...shown, session })
    },
    dispose() {
      following = { at: 'closed' }
      cancelReopen?.()
      cancelSoon?.()
      listeners.clear()
    },
  }
}
