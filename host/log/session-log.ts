/* What the host uses of the log, one session at a time: state, append, history, lookups, fork, rewind (SPEC 2).
   Owns the way from events to stored bodies and back; does not know actors, frames or the inbox.
   Every read rejects with `LogError`; a damaged log is `corrupt` with the key, for its session alone.
   Next: `session-state.ts` (the fold), `history.ts`, `fork.ts`, `group-writer.ts`, `port.ts`. */
import { isCounted, type SkippedRanges } from '../../shared/counted.ts'
import type { EventDraft, SessionEvent } from '../../shared/event.ts'
import type { SessionId } from '../../shared/ids.ts'
import { decodeEvent, encodeCheckpoint } from './codec.ts'
import { timerDeadline, withDeadlines, type StartDeadline } from './deadline.ts'
import type { FaultPoints } from './fault-points.ts'
import { forkSession, type ForkOutcome, type ForkRequest } from './fork.ts'
import { createGroupWriter } from './group-writer.ts'
import { historyPage, type HistoryPage } from './history.ts'
import { importLog, type ImportOutcome } from './import.ts'
import { listSessions, type ListedSession } from './listing.ts'
import {
  LogError,
  type AcquireOutcome,
  type AppendOutcome,
  type CallOptions,
  type IndexKind,
  type LogStore,
  type Ownership,
} from './port.ts'
import { rebuildRecords, salvageRecords, type SalvagedRecord } from './rebuild.ts'
import { prepareRewind } from './rewind.ts'
import { prepareAppend } from './session-append.ts'
import { foldCold, forwardPages, readHeader, readState } from './session-reader.ts'
import type { FoundEvent, SessionHeader, SessionState } from './session-state.ts'

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

export type CheckpointVerdict =
  | { kind: 'none' }
  | { kind: 'equal'; seq: number }
  /** The record says something else than the log: `verify` reports it, `rebuild` replaces it. */
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
  fork(source: SessionState, request: ForkRequest, options?: CallOptions): Promise<ForkOutcome>

  /**
   * A session made of events from elsewhere, one parsed JSON value each, as they are and none added. `read` is called
   * twice. Hidden until complete; an illegal log leaves nothing behind.
   */
  import(
    source: { sessionId: SessionId; read: () => AsyncIterable<unknown> },
    options?: CallOptions,
  ): Promise<ImportOutcome>

  /**
   * The newest counted events before `beforeSeq` (left out: before the end): whole messages, at most `limit` of them
   * and about 1 MiB, but at least one. An assistant message comes with the events up to the next message.
   */
  page(
    sessionId: SessionId,
    request: { beforeSeq?: number; limit: number; skipped: SkippedRanges },
    options?: CallOptions,
  ): Promise<HistoryPage>

  /** Counted events forwards, `from` included, read in bounded pages. */
  countedEvents(
    sessionId: SessionId,
    request: { skipped: SkippedRanges; from?: number },
    options?: CallOptions,
  ): AsyncIterable<SessionEvent>

  /** The newest event that carries this id, counted or not; null where the log never had it. */
  find(
    sessionId: SessionId,
    kind: IndexKind,
    id: string,
    skipped: SkippedRanges,
    options?: CallOptions,
  ): Promise<FoundEvent | null>
  /** The event at `seq`; null past the end and for one that this version skips. */
  eventAt(sessionId: SessionId, seq: number, skipped: SkippedRanges, options?: CallOptions): Promise<FoundEvent | null>

  /** Deletes the session, header first. The ownership is spent afterwards. */
  remove(ownership: Ownership, options?: CallOptions): Promise<void>

  /** Compares the stored checkpoint with a cold fold up to its seq. For `verify` and `doctor`. */
  verifyCheckpoint(sessionId: SessionId, options?: CallOptions): Promise<CheckpointVerdict>
  /** Writes header, checkpoint and index anew from the events. For `doctor`; rejects where the events are damaged. */
  rebuild(ownership: Ownership, options?: CallOptions): Promise<AppendOutcome>
  /** Every record in order, from `from` on, a damaged one as its error. For `doctor`; needs neither header nor checkpoint. */
  salvage(sessionId: SessionId, from?: number, options?: CallOptions): AsyncIterable<SalvagedRecord>

  /** Waits for accepted appends. The store stays open. */
  close(): Promise<void>
}

export interface SessionLogDeps {
  store: LogStore
  faults?: FaultPoints
  deadline?: StartDeadline
}

export function createSessionLog({ store: bare, faults, deadline = timerDeadline() }: SessionLogDeps): SessionLog {
  const store = withDeadlines(bare, deadline)
  const writer = createGroupWriter(bare, { deadline, ...(faults === undefined ? {} : { faults }) })

  async function eventAt(sessionId: SessionId, seq: number, skipped: SkippedRanges, options?: CallOptions) {
    const [found] = await store.read(sessionId, { from: seq, to: seq, direction: 'forward', limit: 1 }, options)
    if (found === undefined) return null
    const stored = decodeEvent(sessionId, seq, found.body)
    return stored.kind === 'ignorable' ? null : { seq, event: stored.event, counted: isCounted(skipped, seq) }
  }

  /** A removal takes the header first: what is missing behind it is no damage. */
  async function reading<Value>(sessionId: SessionId, work: Promise<Value>): Promise<Value> {
    try {
      return await work
    } catch (error) {
      const isLoss = error instanceof LogError && error.code === 'corrupt'
      if (!isLoss || (await store.header(sessionId).catch(() => 'damaged')) !== null) throw error
      throw new LogError('unknown-session', `there is no session ${sessionId}`, { cause: error })
    }
  }

  return {
    acquire: (sessionId, options) => store.acquire(sessionId, options),
    release: (ownership) => store.release(ownership),
    list: (options) => listSessions(store, options),
    async header(sessionId, options) {
      const header = await readHeader(store, sessionId, options)
      return header === 'damaged' ? (await readState(store, sessionId, options)).header : header
    },
    readState: (sessionId, options) => reading(sessionId, readState(store, sessionId, options)),

    async append(ownership, state, drafts, time, options) {
      if (drafts.length === 0) return { kind: 'durable', events: [], state }
      const prepared = prepareAppend(ownership, state, drafts, time)
      const outcome = await writer.append(prepared.append, options)
      if (outcome.kind !== 'durable') return outcome
      return { kind: 'durable', events: prepared.events, state: prepared.state }
    },

    async rewind(ownership, state, toSeq, time, options) {
      const prepared = await prepareRewind(store, ownership, state, { toSeq, time }, options)
      if (prepared === null) return { kind: 'invalid-target' }
      const outcome = await writer.append(prepared.append, options)
      return outcome.kind === 'durable' ? { kind: 'rewound', state: prepared.state, text: prepared.text } : outcome
    },

    fork: (source, request, options) => reading(source.sessionId, forkSession(store, writer, source, request, options)),
    import: (source, options) => importLog(store, writer, source, options),
    page: (sessionId, request, options) => reading(sessionId, historyPage(store, sessionId, request, options)),

    async *countedEvents(sessionId, { skipped, from = 0 }, options) {
      for await (const page of forwardPages(store, sessionId, from, Number.MAX_SAFE_INTEGER, options)) {
        for (const stored of page) {
          if (stored.kind === 'event' && isCounted(skipped, stored.event.seq)) yield stored.event
        }
      }
    },

    async find(sessionId, kind, id, skipped, options) {
      const seq = await store.lookup(sessionId, kind, id, options)
      return seq === null ? null : await eventAt(sessionId, seq, skipped, options)
    },
    eventAt,

    remove: (ownership, options) => store.remove(ownership, options),

    async verifyCheckpoint(sessionId, options) {
      const stored = await store.checkpoint(sessionId, options)
      if (stored === null) return { kind: 'none' }
      const { fold } = await foldCold(store, sessionId, stored.seq, options)
      const folded = fold === null ? '' : encodeCheckpoint(fold)
      const { seq, body } = stored
      return body === folded ? { kind: 'equal', seq } : { kind: 'differs', seq, stored: body, folded }
    },
    rebuild: (ownership, options) => rebuildRecords(store, writer, ownership, options),
    salvage: (sessionId, from = 0, options) => salvageRecords(store, sessionId, from, options),
    close: () => writer.close(),
  }
}
