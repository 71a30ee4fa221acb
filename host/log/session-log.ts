/* What the host uses of the log, one session at a time: state, append, history, lookups, fork, rewind (SPEC 2).
   Owns the way from events to stored bodies and back; does not know actors, frames or the inbox.
   Every read rejects with `LogError`; a damaged log is `corrupt` with the key, for its session alone.
   Next: `session-state.ts` (the fold), `history.ts`, `fork.ts`, `group-writer.ts`, `port.ts`. */
import type { EventData, EventDraft, SessionEvent } from '../../shared/event.ts'
import type { SessionId } from '../../shared/ids.ts'
import type { SessionHeader } from './codec.ts'
import type { AcquireOutcome, AppendOutcome, CallOptions, IndexKind, LogError, Ownership } from './port.ts'
import type { FoundEvent, SessionState, SkippedRange } from './session-state.ts'

/** Why nothing of an append may be acted on. After `unknown` and `refused` the session is folded again from the log. */
export type AppendFailure = Exclude<AppendOutcome, { kind: 'durable' }>

export type SessionAppendOutcome =
  | { kind: 'durable'; events: readonly SessionEvent[]; state: SessionState }
  | AppendFailure

export type RewindOutcome =
  /** `toSeq` is no counted `turn/end` and no counted event outside a turn. Nothing was written. */
  | { kind: 'invalid-target' }
  /** `text`: of the first rewound message of a person that is no submission; null where there is none. */
  | { kind: 'rewound'; state: SessionState; text: string | null }
  | AppendFailure

export type ForkOutcome =
  /** The child is whole and listed. Its ownership was given back: it is cold. */
  { kind: 'forked'; state: SessionState } | { kind: 'fork-unavailable' } | AppendFailure

export interface HistoryPage {
  /** Counted events, oldest first. */
  events: SessionEvent[]
  /** Counted events stand before the first of these. */
  hasMore: boolean
}

/** One row of the listing; `damaged`: its header could neither be read nor rebuilt. */
export type ListedSession =
  | { kind: 'session'; sessionId: SessionId; header: SessionHeader }
  | { kind: 'damaged'; sessionId: SessionId; error: LogError }

export type CheckpointVerdict =
  | { kind: 'none' }
  | { kind: 'equal'; seq: number }
  /** The record says something else than the log: it is rebuilt by the next append, and `verify` reports it. */
  | { kind: 'differs'; seq: number; stored: string; folded: string }

export interface SessionLog {
  /** Only an owner appends. `held`: another runtime or host owns the session. Works for sessions that do not exist yet. */
  acquire(sessionId: SessionId, options?: CallOptions): Promise<AcquireOutcome>
  /** Gives an ownership back. Idempotent. */
  release(ownership: Ownership): Promise<void>

  /** All sessions in pages, in order of id. Never reads a log unless a header is unreadable. */
  list(options?: CallOptions): AsyncIterable<ListedSession>
  /** The stored header; null for an unknown or hidden session. Reads no events. */
  header(sessionId: SessionId, options?: CallOptions): Promise<SessionHeader | null>

  /**
   * The state after the last event: checkpoint and tail. Needs no ownership and starts nothing, so an open turn is
   * still open here. `LogError('unknown-session')` without a header.
   */
  readState(sessionId: SessionId, options?: CallOptions): Promise<SessionState>

  /**
   * Makes `drafts` durable as the next events of the session, all or none, and answers them with the state behind
   * them. `state` must be the state behind the last durable event: await one append before issuing the next with
   * the state it answered. Every event carries `time`. Begin a new session with `emptyState(sessionId)` and
   * `session/created` as the first draft. `session/rewound` goes through `rewind`.
   */
  append(
    ownership: Ownership,
    state: SessionState,
    drafts: readonly EventDraft[],
    time: number,
    options?: CallOptions,
  ): Promise<SessionAppendOutcome>

  /** Appends `session/rewound` and folds anew. The caller has checked that no turn is open and nothing is claimed. */
  rewind(
    ownership: Ownership,
    state: SessionState,
    toSeq: number,
    time: number,
    options?: CallOptions,
  ): Promise<RewindOutcome>

  /**
   * A new session whose log is the counted prefix of `source`, ended by `session/end-seed`; boundary rules as in
   * SPEC 2. `source` is the state behind its last durable event; later events of it do not matter. Streams, so the
   * length of the log does not; hidden until complete. On failure what was copied is removed again.
   */
  fork(
    source: SessionState,
    request: { child: SessionId; atSeq?: number; time: number },
    options?: CallOptions,
  ): Promise<ForkOutcome>

  /**
   * The newest counted events before `beforeSeq` (left out: before the end): whole messages, at most `limit` of them
   * and about 1 MiB, but at least one. An assistant message comes with the events up to the next message.
   */
  page(
    sessionId: SessionId,
    request: { beforeSeq?: number; limit: number; skipped: readonly SkippedRange[] },
    options?: CallOptions,
  ): Promise<HistoryPage>

  /** Counted events forwards, `from` included, read in bounded pages. */
  countedEvents(
    sessionId: SessionId,
    request: { skipped: readonly SkippedRange[]; from?: number },
    options?: CallOptions,
  ): AsyncIterable<SessionEvent>

  /** The newest event that carries this id, counted or not; null where the log never had it. */
  find(
    sessionId: SessionId,
    kind: IndexKind,
    id: string,
    skipped: readonly SkippedRange[],
    options?: CallOptions,
  ): Promise<FoundEvent | null>
  /** The event at `seq`; null past the end and for one that this version skips. */
  eventAt(
    sessionId: SessionId,
    seq: number,
    skipped: readonly SkippedRange[],
    options?: CallOptions,
  ): Promise<FoundEvent | null>

  /** Deletes the session, header first. The ownership is spent afterwards. */
  remove(ownership: Ownership, options?: CallOptions): Promise<void>

  /** Compares the stored checkpoint with a cold fold up to its seq. For `verify` and `doctor`. */
  verifyCheckpoint(sessionId: SessionId, options?: CallOptions): Promise<CheckpointVerdict>
}

/** Facts of a new session, as `session/created` states them. */
export type CreatedData = EventData<'session/created'>
