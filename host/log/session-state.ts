/* The state of one session as its log gives it: a pure fold of events (SPEC 2, 3). Owns which facts the host
   keeps of a session between two events; does not know stores, bytes or clocks.
   Invariant: folding cold and folding live give the same value, byte for byte. */
import type { SessionEvent } from '../../shared/event.ts'
import type { CallId, SessionId } from '../../shared/ids.ts'
import type { Json } from '../../shared/json.ts'
import type { SessionHeader } from './codec.ts'

/** A call of the open turn that has no `tool/result` yet. */
export interface OpenCall {
  readonly callId: CallId
  readonly name: string
  readonly step: number
}

export interface OpenTurn {
  readonly turn: number
  readonly calls: readonly OpenCall[]
}

/** Seqs that no longer count, both ends inclusive; the `session/rewound` event itself is among them. */
export interface SkippedRange {
  readonly from: number
  readonly to: number
}

export interface SessionState {
  readonly sessionId: SessionId
  /** Seq of the newest event of the log, counted or not; −1 before the first. */
  readonly lastSeq: number
  /** What the list shows; follows the counted log. Null before `session/created`. */
  readonly header: SessionHeader | null
  /** Projection values by key. A value keeps its reference as long as it does not change. */
  readonly projections: Readonly<Record<string, Json>>
  /** Sorted and disjoint. */
  readonly skipped: readonly SkippedRange[]
  /** The highest counted turn number; the next turn is one more. 0 before the first. */
  readonly lastTurn: number
  /** The turn that has begun and not ended; null between turns. */
  readonly openTurn: OpenTurn | null
}

export interface FoundEvent {
  readonly seq: number
  readonly event: SessionEvent
  /** False once a rewind took it away: its id stays used up. */
  readonly counted: boolean
}
