/* A new session whose log is the counted prefix of another (SPEC 2). Which events come along is `shared/fork.ts`; writing
   them is `copy.ts`. Of the logs only the seqs to copy are ever whole in memory. */
import { createForkScan, forkCreated, type ForkChild, type ForkSelection } from '../../shared/fork.ts'
import type { SessionId } from '../../shared/ids.ts'
import { copyLog } from './copy.ts'
import type { GroupWriter } from './group-writer.ts'
import { LogError, type AppendOutcome, type CallOptions, type LogStore } from './port.ts'
import { forwardPages, missing } from './session-reader.ts'
import type { SessionState, StoredEvent } from './session-state.ts'

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

export async function forkSession(
  store: LogStore,
  writer: GroupWriter,
  source: SessionState,
  { child, atSeq, time }: ForkRequest,
  options?: CallOptions,
): Promise<ForkOutcome> {
  const selection = await select(store, source, atSeq, options)
  if (!selection.ok) return { kind: 'fork-unavailable' }
  const plan = { sourceId: source.sessionId, copied: selection.copied, time }
  const copy = { sessionId: child, skipped: [], events: childEvents(store, plan, options) }
  const outcome = await copyLog(store, writer, copy, options)
  return outcome.kind === 'copied' ? { kind: 'forked', state: outcome.state } : outcome
}

async function select(
  store: LogStore,
  { sessionId, skipped, lastSeq }: SessionState,
  atSeq: number | undefined,
  options?: CallOptions,
): Promise<ForkSelection> {
  const scan = createForkScan(skipped, atSeq)
  let next = 0
  for await (const page of forwardPages(store, sessionId, 0, lastSeq, options)) {
    if (page.some(({ event }) => scan.next(event) === 'done')) return scan.selection()
    next += page.length
  }
  if (next <= lastSeq) throw missing(sessionId, next, 'an event is missing')
  return scan.selection()
}

/** The child's log: its own beginning, the copied events at their new places, and the end of the seed. */
async function* childEvents(
  store: LogStore,
  plan: Omit<ForkChild, 'source'>,
  options?: CallOptions,
): AsyncGenerator<StoredEvent> {
  const { sourceId, copied, time } = plan
  let seq = 0
  for await (const page of forwardPages(store, sourceId, 0, copied.at(-1) ?? 0, options)) {
    for (const stored of page) {
      if (stored.event.seq !== copied[seq]) continue
      yield seq === 0 ? createdOf(stored, plan) : renumbered(stored, seq)
      seq += 1
    }
  }
  const lost = copied[seq]
  // Never a child that ends where the reading ended.
  if (lost !== undefined) throw missing(sourceId, lost, 'an event is missing')
  yield { kind: 'event', event: { type: 'session/end-seed', seq, time, data: {} } }
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
