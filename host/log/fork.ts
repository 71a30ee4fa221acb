/* Copying the counted prefix of a log into a new session (SPEC 2): in chunks, hidden until the last one brings the header,
   so that a copy that is cut off was never there. Which events come along is `shared/fork.ts`. Streams: of the logs only the
   seqs to copy are ever whole in memory. */
import { createForkScan, forkCreated, type ForkChild, type ForkSelection } from '../../shared/fork.ts'
import type { SessionId } from '../../shared/ids.ts'
import { indexEntries } from './codec.ts'
import type { GroupWriter } from './group-writer.ts'
import {
  LogError,
  type Append,
  type AppendOutcome,
  type CallOptions,
  type IndexEntry,
  type LogStore,
  type Ownership,
} from './port.ts'
import { checkpointOf, headerText } from './session-append.ts'
import { forwardPages } from './session-reader.ts'
import { emptyState, foldEvent, type SessionState, type StoredEvent } from './session-state.ts'

export type ForkOutcome =
  /** The child is whole and listed. Its ownership was given back: it is cold. */
  | { kind: 'forked'; state: SessionState }
  /** The anchor lies in an open turn. */
  | { kind: 'fork-unavailable' }
  | Exclude<AppendOutcome, { kind: 'durable' }>

export interface ForkRequest {
  child: SessionId
  atSeq?: number
  time: number
}

/** Bytes of one chunk: well below the limit of an append, so that other sessions never wait long behind a copy. */
const chunkBytes = 512 * 1024

export async function forkSession(
  store: LogStore,
  writer: GroupWriter,
  source: SessionState,
  request: ForkRequest,
  options?: CallOptions,
): Promise<ForkOutcome> {
  const selection = await select(store, source, request.atSeq, options)
  if (!selection.ok) return { kind: 'fork-unavailable' }
  const acquired = await store.acquire(request.child, options)
  if (acquired.kind === 'held') return { kind: 'refused', why: 'owner' }
  if (acquired.kind === 'unavailable') return acquired
  const { ownership } = acquired
  let copied = false
  try {
    const outcome = await copyPrefix(
      store,
      writer,
      source,
      { ownership, copied: selection.copied, time: request.time },
      options,
    )
    copied = outcome.kind === 'forked'
    return outcome
  } finally {
    if (copied) await store.release(ownership)
    // Where even that fails the hidden copy goes when the store opens again.
    else await store.remove(ownership).catch(() => store.release(ownership))
  }
}

async function select(
  store: LogStore,
  { sessionId, skipped, lastSeq }: SessionState,
  atSeq: number | undefined,
  options?: CallOptions,
): Promise<ForkSelection> {
  const scan = createForkScan(skipped, atSeq)
  for await (const page of forwardPages(store, sessionId, 0, lastSeq, options)) {
    if (page.some(({ event }) => scan.next(event) === 'done')) break
  }
  return scan.selection()
}

async function copyPrefix(
  store: LogStore,
  writer: GroupWriter,
  { sessionId: sourceId }: SessionState,
  { ownership, copied, time }: { ownership: Ownership; copied: readonly number[]; time: number },
  options?: CallOptions,
): Promise<ForkOutcome> {
  const copy = createCopy(ownership)
  let next = 0
  for await (const page of forwardPages(store, sourceId, 0, copied.at(-1) ?? 0, options)) {
    for (const stored of page) {
      if (stored.event.seq !== copied[next]) continue
      next += 1
      copy.add(next === 1 ? createdOf(stored, { sourceId, copied, time }) : renumbered(stored, copy.nextSeq()))
      if (copy.bytes() < chunkBytes) continue
      const outcome = await writer.append(copy.takeChunk(false), options)
      if (outcome.kind !== 'durable') return outcome
    }
  }
  copy.add({ kind: 'event', event: { type: 'session/end-seed', seq: copy.nextSeq(), time, data: {} } })
  const outcome = await writer.append(copy.takeChunk(true), options)
  return outcome.kind === 'durable' ? { kind: 'forked', state: copy.state() } : outcome
}

function createdOf(first: StoredEvent, child: Omit<ForkChild, 'source'>): StoredEvent {
  if (first.kind !== 'event' || first.event.type !== 'session/created') {
    throw new LogError('corrupt', 'a log begins with session/created')
  }
  return { kind: 'event', event: forkCreated({ ...child, source: first.event.data }) }
}

/** The same event at its new place, its members in the order they are stored in. */
function renumbered(stored: StoredEvent, seq: number): StoredEvent {
  if (stored.kind === 'event') return { kind: 'event', event: { ...stored.event, seq } }
  return { kind: 'ignorable', event: { ...stored.event, seq } }
}

/** Collects chunks of the child's log and folds it on the way. */
function createCopy(ownership: Ownership) {
  let state = emptyState(ownership.sessionId)
  let bodies: string[] = []
  let index: IndexEntry[] = []
  let firstSeq = 0
  let bytes = 0
  return {
    state: () => state,
    nextSeq: () => state.lastSeq + 1,
    bytes: () => bytes,
    add(stored: StoredEvent) {
      const body = JSON.stringify(stored.event)
      state = foldEvent(state, stored)
      bodies.push(body)
      bytes += Buffer.byteLength(body)
      if (stored.kind === 'event') index.push(...indexEntries(stored.event))
    },
    takeChunk(last: boolean): Append {
      const end = last ? { header: headerText(state), checkpoint: checkpointOf(state) } : { header: null }
      const chunk = { ownership, firstSeq, bodies, index, ...end }
      firstSeq += bodies.length
      bodies = []
      index = []
      bytes = 0
      return chunk
    },
  }
}
