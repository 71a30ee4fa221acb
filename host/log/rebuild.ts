/* What `doctor` needs of a damaged session (SPEC 2): reading past bad records, and writing derived records anew. Nothing
   here changes an event. */
import type { SessionId } from '../../shared/ids.ts'
import { decodeEvent, indexEntries } from './codec.ts'
import type { GroupWriter } from './group-writer.ts'
import {
  LogError,
  type AppendOutcome,
  type CallOptions,
  type IndexEntry,
  type LogStore,
  type Ownership,
} from './port.ts'
import { checkpointOf, headerText } from './session-append.ts'
import { foldCold, forwardPages } from './session-reader.ts'
import type { StoredEvent } from './session-state.ts'

export type SalvagedRecord =
  | { kind: 'read'; seq: number; stored: StoredEvent }
  /** Damaged or missing; `error.key` says which record. */
  | { kind: 'damaged'; seq: number; error: LogError }

/** Index entries of one append. */
const chunkEntries = 1000
/** Records read at once while nothing is damaged. */
const salvagePageRecords = 256

export async function* salvageRecords(
  store: LogStore,
  sessionId: SessionId,
  from: number,
  options?: CallOptions,
): AsyncGenerator<SalvagedRecord> {
  for (let seq = from; ;) {
    const page = await salvagePage(store, sessionId, seq, options)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    seq = last.seq + 1
  }
}

/** Many records at once while they are good; past a bad one, one by one to the next page. */
async function salvagePage(
  store: LogStore,
  sessionId: SessionId,
  from: number,
  options?: CallOptions,
): Promise<SalvagedRecord[]> {
  const range = { from, to: from + salvagePageRecords - 1, direction: 'forward', limit: salvagePageRecords } as const
  try {
    const page = await store.read(sessionId, range, options)
    return page.map(({ seq, body }) => ({ kind: 'read', seq, stored: decodeEvent(sessionId, seq, body) }))
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'corrupt') throw error
  }
  const records: SalvagedRecord[] = []
  for (let seq = from; seq <= range.to; seq += 1) {
    const record = await salvageOne(store, sessionId, seq, options)
    if (record === null) break
    records.push(record)
  }
  return records
}

/** One record at a time, so that a bad one takes no other along. Null behind the end of the log. */
async function salvageOne(
  store: LogStore,
  sessionId: SessionId,
  seq: number,
  options?: CallOptions,
): Promise<SalvagedRecord | null> {
  try {
    const [found] = await store.read(sessionId, { from: seq, to: seq, direction: 'forward', limit: 1 }, options)
    return found === undefined ? null : { kind: 'read', seq, stored: decodeEvent(sessionId, seq, found.body) }
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'corrupt') throw error
    return { kind: 'damaged', seq, error }
  }
}

/** Header, checkpoint and index as the events say. Rejects with `corrupt` where the events themselves are damaged. */
export async function rebuildRecords(
  store: LogStore,
  writer: GroupWriter,
  ownership: Ownership,
  options?: CallOptions,
): Promise<AppendOutcome> {
  const { sessionId } = ownership
  const state = await foldCold(store, sessionId, null, options)
  const nothing = { ownership, firstSeq: state.lastSeq + 1, bodies: [], header: null }
  let index: IndexEntry[] = []
  for await (const page of forwardPages(store, sessionId, 0, state.lastSeq, options)) {
    for (const stored of page) if (stored.kind === 'event') index.push(...indexEntries(stored.event))
    if (index.length < chunkEntries) continue
    const outcome = await writer.append({ ...nothing, index }, options)
    if (outcome.kind !== 'durable') return outcome
    index = []
  }
  return await writer.append({ ...nothing, index, header: headerText(state), checkpoint: checkpointOf(state) }, options)
}
