/* Writing a whole log into a new session (SPEC 2): in chunks, hidden until the last one brings the header, so that a copy
   that is cut off was never there. Knows neither where the events come from nor which they are. Streams: one chunk is in
   memory, whatever the length of the log. Next: `fork.ts` and `import.ts`, which bring the events. */
import type { SkippedRanges } from '../../shared/counted.ts'
import type { SessionId } from '../../shared/ids.ts'
import { indexEntries } from './codec.ts'
import type { GroupWriter } from './group-writer.ts'
import type { Append, AppendOutcome, CallOptions, IndexEntry, LogStore, Ownership } from './port.ts'
import { checkpointOf, headerText } from './session-append.ts'
import { emptyState, foldEvent, type SessionState, type StoredEvent } from './session-state.ts'

export type CopyOutcome =
  /** The session is whole and listed. Its ownership was given back: it is cold. */
  { kind: 'copied'; state: SessionState } | Exclude<AppendOutcome, { kind: 'durable' }>

export interface Copy {
  sessionId: SessionId
  /** What the whole copy takes back. */
  skipped: SkippedRanges
  /** Numbered from 0 without a gap, members in the order they are stored in. */
  events: AsyncIterable<StoredEvent>
}

/** Bytes of one chunk: well below the limit of an append, so that other sessions never wait long behind a copy. */
const chunkBytes = 512 * 1024

/** A session that exists is `refused`. Whatever else goes wrong, or throws while reading `events`, leaves nothing behind. */
export async function copyLog(
  store: LogStore,
  writer: GroupWriter,
  { sessionId, skipped, events }: Copy,
  options?: CallOptions,
): Promise<CopyOutcome> {
  const acquired = await store.acquire(sessionId, options)
  if (acquired.kind === 'held') return { kind: 'refused', why: 'owner' }
  if (acquired.kind === 'unavailable') return acquired
  const { ownership } = acquired
  if (!(await isUnused(store, sessionId, options))) {
    await store.release(ownership)
    return { kind: 'refused', why: 'position' }
  }
  let copied = false
  try {
    const chunks = createChunks(ownership, skipped)
    const outcome = await writeChunks(writer, chunks, events, options)
    copied = outcome.kind === 'durable'
    return outcome.kind === 'durable' ? { kind: 'copied', state: chunks.state() } : outcome
  } finally {
    if (copied) await store.release(ownership)
    // Where even that fails the hidden copy goes when the store opens again.
    else await store.remove(ownership).catch(() => store.release(ownership))
  }
}

async function isUnused(store: LogStore, sessionId: SessionId, options?: CallOptions): Promise<boolean> {
  if ((await store.header(sessionId, options)) !== null) return false
  const first = await store.read(sessionId, { from: 0, to: 0, direction: 'forward', limit: 1 }, options)
  return first.length === 0
}

async function writeChunks(
  writer: GroupWriter,
  chunks: ReturnType<typeof createChunks>,
  events: AsyncIterable<StoredEvent>,
  options?: CallOptions,
): Promise<AppendOutcome> {
  for await (const stored of events) {
    chunks.add(stored)
    if (chunks.bytes() < chunkBytes) continue
    const outcome = await writer.append(chunks.take('hidden'), options)
    if (outcome.kind !== 'durable') return outcome
  }
  return await writer.append(chunks.take('last'), options)
}

/** Collects what is still to be written, and folds everything on the way. */
function createChunks(ownership: Ownership, skipped: SkippedRanges) {
  let state = emptyState(ownership.sessionId, skipped)
  let bodies: string[] = []
  let index: IndexEntry[] = []
  let firstSeq = 0
  let bytes = 0
  return {
    state: () => state,
    bytes: () => bytes,
    add(stored: StoredEvent) {
      const body = JSON.stringify(stored.event)
      state = foldEvent(state, stored)
      bodies.push(body)
      bytes += Buffer.byteLength(body)
      if (stored.kind === 'event') index.push(...indexEntries(stored.event))
    },
    take(which: 'hidden' | 'last'): Append {
      const end = which === 'last' ? { header: headerText(state), checkpoint: checkpointOf(state) } : { header: null }
      const chunk = { ownership, firstSeq, bodies, index, ...end }
      firstSeq += bodies.length
      bodies = []
      index = []
      bytes = 0
      return chunk
    },
  }
}
