/* Reading one session's log: bounded pages of decoded events in either direction, and the fold over them (SPEC 2).
   Memory is bounded by one page, whatever the length of the log. Next: `history.ts` and `fork.ts`, which walk pages. */
import { isCounted, skippedAfter, type SkippedRanges } from '../../shared/counted.ts'
import type { SessionId } from '../../shared/ids.ts'
import { decodeCheckpoint, decodeEvent, decodeHeader } from './codec.ts'
import { eventKey } from './keys.ts'
import { LogError, type CallOptions, type LogStore, type StoredBody } from './port.ts'
import {
  emptyState,
  foldEvent,
  stateOf,
  type SessionHeader,
  type SessionState,
  type StoredEvent,
} from './session-state.ts'

/** Records asked for at once: a whole short session, and few enough that one page is parsed in about a millisecond. */
const pageRecords = 256

export interface SpanOptions extends CallOptions {
  /** Records of the first page; later ones double it. For a reader that usually needs few. */
  firstPage?: number
}

export interface SizedEvent {
  stored: StoredEvent
  /** UTF-8 bytes as stored. */
  bytes: number
}

/** The stored events from `from` to `to`, both inclusive, oldest first; ends early where the log ends. */
export async function* forwardPages(
  store: LogStore,
  sessionId: SessionId,
  from: number,
  to: number,
  options?: SpanOptions,
): AsyncGenerator<StoredEvent[]> {
  for (let next = from; next <= to;) {
    const range = { from: next, to, direction: 'forward', limit: pageRecords } as const
    const page = await store.read(sessionId, range, options)
    const last = page.at(-1)
    if (last === undefined) return
    yield page.map(({ seq, body }) => decodeEvent(sessionId, seq, body))
    next = last.seq + 1
  }
}

/** The same, newest first, leaving out what is skipped. */
export async function* backwardPages(
  store: LogStore,
  sessionId: SessionId,
  span: { from: number; to: number; jump: (seq: number) => number },
  options?: SpanOptions,
): AsyncGenerator<Iterable<SizedEvent>> {
  let limit = options?.firstPage ?? pageRecords
  for (let next = span.jump(span.to); next >= span.from;) {
    const range = { from: span.from, to: next, direction: 'backward', limit } as const
    const page = await store.read(sessionId, range, options)
    const last = page.at(-1)
    // A counted event stands at `next`, unless the session is being removed.
    if (last === undefined) throw missing(sessionId, next, 'an event is missing')
    const counted = page.filter(({ seq }) => span.jump(seq) === seq)
    yield decoded(sessionId, counted)
    next = span.jump(last.seq - 1)
    limit = Math.min(limit * 2, pageRecords)
  }
}

/** One after another as they are taken: whoever stops early has not paid for the rest of the page. */
function* decoded(sessionId: SessionId, page: readonly StoredBody[]): Generator<SizedEvent> {
  for (const { seq, body } of page) {
    yield { stored: decodeEvent(sessionId, seq, body), bytes: Buffer.byteLength(body) }
  }
}

/** The header of a listed session. A damaged one is null: the log says what it was. */
export async function readHeader(
  store: LogStore,
  sessionId: SessionId,
  options?: CallOptions,
): Promise<SessionHeader | 'damaged' | null> {
  try {
    const body = await store.header(sessionId, options)
    return body === null ? null : decodeHeader(sessionId, body)
  } catch (error) {
    if (error instanceof LogError && error.code === 'corrupt') return 'damaged'
    throw error
  }
}

/** The state behind the last event, from the checkpoint where there is one that can be believed. */
export async function readState(store: LogStore, sessionId: SessionId, options?: CallOptions): Promise<SessionState> {
  const header = await readHeader(store, sessionId, options)
  if (header === null) throw new LogError('unknown-session', `there is no session ${sessionId}`)
  const lastSeq = header === 'damaged' ? null : header.lastSeq
  const stored = await store.checkpoint(sessionId, options)
  const base = stored === null ? null : decodeCheckpoint(sessionId, stored.seq, stored.body)
  const usable = base !== null && (lastSeq === null || base.lastSeq <= lastSeq)
  const state = await foldUpTo(store, usable ? base : emptyState(sessionId), lastSeq, options)
  if (state.header === null) throw missing(sessionId, 0, 'the log does not begin with session/created')
  return state
}

/** The state behind the event at `to` (null: the last one) as a cold fold of the whole log gives it. */
export async function foldCold(
  store: LogStore,
  sessionId: SessionId,
  to: number | null,
  options?: CallOptions,
): Promise<SessionState> {
  return await foldUpTo(store, emptyState(sessionId), to, options)
}

/** The state at `to` of a session whose rewinds `known` has all seen, from the checkpoint where it is old enough. */
export async function foldFrom(
  store: LogStore,
  checkpoint: SessionState | null,
  known: SessionState,
  to: number,
  options?: CallOptions,
): Promise<SessionState> {
  const usable = checkpoint !== null && checkpoint.lastSeq <= to
  return await foldKnown(store, usable ? checkpoint : emptyState(known.sessionId), known.skipped, to, options)
}

/**
 * Goes on from `base`. A rewind in what is read takes back events that were folded before it, so the fold begins
 * again, knowing every rewind.
 */
async function foldUpTo(
  store: LogStore,
  base: SessionState,
  to: number | null,
  options?: CallOptions,
): Promise<SessionState> {
  const end = to ?? Number.MAX_SAFE_INTEGER
  let state = base
  for await (const page of forwardPages(store, base.sessionId, base.lastSeq + 1, end, options)) {
    for (const stored of page) {
      const { type, seq } = stored.event
      if (type === 'session/rewound' && isCounted(state.skipped, seq)) {
        return await foldKnown(store, base, await readSkipped(store, base, end, options), to, options)
      }
      state = foldEvent(state, stored)
    }
  }
  return complete(state, to)
}

/** Folds up to `to` with all rewinds known: from `base` where they take back nothing of it, else from the beginning. */
async function foldKnown(
  store: LogStore,
  base: SessionState,
  skipped: SkippedRanges,
  to: number | null,
  options?: CallOptions,
): Promise<SessionState> {
  const { sessionId, fold } = base
  const keeps = fold !== null && firstDifference(fold.skipped, skipped) > fold.lastSeq
  let state = keeps ? stateOf(sessionId, { ...fold, skipped }) : emptyState(sessionId, skipped)
  const end = to ?? Number.MAX_SAFE_INTEGER
  for await (const page of forwardPages(store, sessionId, state.lastSeq + 1, end, options)) {
    for (const stored of page) state = foldEvent(state, stored)
  }
  return complete(state, to)
}

async function readSkipped(
  store: LogStore,
  base: SessionState,
  end: number,
  options?: CallOptions,
): Promise<SkippedRanges> {
  let skipped: SkippedRanges = base.skipped
  for await (const page of forwardPages(store, base.sessionId, base.lastSeq + 1, end, options)) {
    for (const { event } of page) skipped = skippedAfter(skipped, event)
  }
  return skipped
}

/** The lowest seq on which two answers to "what is skipped" differ. */
function firstDifference(before: SkippedRanges, after: SkippedRanges): number {
  const index = after.findIndex((range, at) => range.from !== before[at]?.from || range.to !== before[at]?.to)
  const changed = after[index]
  if (changed === undefined) return Number.MAX_SAFE_INTEGER
  return Math.min(changed.from, before[index]?.from ?? changed.from)
}

function complete(state: SessionState, to: number | null): SessionState {
  if (to !== null && state.lastSeq !== to) throw missing(state.sessionId, state.lastSeq + 1, 'an event is missing')
  return state
}

export function missing(sessionId: SessionId, seq: number, why: string): LogError {
  const key = eventKey(sessionId, seq)
  return new LogError('corrupt', `the log of ${sessionId} cannot be read at ${key}: ${why}`, { key })
}
