/* Which events a fork copies, and the log it begins with (SPEC 2). The copy is a counted prefix that ends outside a turn:
   at the first `turn/end` at or after the anchor, and on over standalone events up to the next `turn/start`. */
import { isCounted, skippedAfter } from './counted.ts'
import type { SkippedRanges } from './counted.ts'
import type { EventData, EventOf, IgnorableEvent, SessionEvent } from './event.ts'
import type { SessionId } from './ids.ts'

export type StoredEvent = SessionEvent | IgnorableEvent

export type ForkSelection =
  /** Source seqs in order. The first is 0, whose place the child's own `session/created` takes. */
  { ok: true; copied: number[] } | { ok: false; code: 'fork-unavailable' }

/** `atSeq` left out: the last completed turn. Refused when the anchor stands in an open turn. */
export function forkSelection(events: Iterable<StoredEvent>, atSeq?: number): ForkSelection {
  const log = [...events]
  let skipped: SkippedRanges = []
  for (const event of log) skipped = skippedAfter(skipped, event)
  const scan = createForkScan(skipped, atSeq)
  for (const event of log) if (scan.next(event) === 'done') break
  return scan.selection()
}

/** The same in pages: feed every event in order until `done`, then ask. `skipped` is that of the whole log. */
export interface ForkScan {
  next(event: { type: string; seq: number }): 'more' | 'done'
  selection(): ForkSelection
}

export function createForkScan(skipped: SkippedRanges, atSeq?: number): ForkScan {
  const copied: number[] = []
  /** How many of `copied` stand before the turn that is open now, if one is. */
  let whole = 0
  let openSince: number | null = null
  let reached = false
  let done = false
  return {
    next: (event) => {
      if (done) return 'done'
      if (!isCounted(skipped, event.seq) || leftBehind.has(event.type)) return 'more'
      if (event.type === 'turn/start') {
        if (reached) {
          done = true
          return 'done'
        }
        openSince = event.seq
      }
      copied.push(event.seq)
      if (event.type === 'turn/end') {
        openSince = null
        reached = atSeq !== undefined && event.seq >= atSeq
      }
      if (openSince === null) whole = copied.length
      return 'more'
    },
    selection: () => {
      const inOpenTurn = !reached && atSeq !== undefined && openSince !== null && atSeq >= openSince
      return inOpenTurn ? { ok: false, code: 'fork-unavailable' } : { ok: true, copied: copied.slice(0, whole) }
    },
  }
}

const leftBehind: ReadonlySet<string> = new Set(['session/rewound', 'session/end-seed'])

export interface ForkChild {
  /** `session/created` of the source. */
  readonly source: EventData<'session/created'>
  readonly sourceId: SessionId
  readonly copied: readonly number[]
  readonly time: number
}

/** The child's own first event. Its title, agent and folder are the source's; copied events change them as they did there. */
export function forkCreated({ source, sourceId, copied, time }: ForkChild): EventOf<'session/created'> {
  const parent = { sessionId: sourceId, seq: copied.at(-1) ?? 0, relation: 'fork' as const }
  return { type: 'session/created', seq: 0, time, data: { ...source, parent } }
}

/** The child's whole log. `events` yields the copied events behind 0, in order; they keep their time and get new seqs. */
export function* forkEvents(child: ForkChild, events: Iterable<StoredEvent>): Generator<StoredEvent> {
  yield forkCreated(child)
  let seq = 1
  for (const event of events) yield { ...event, seq: seq++ }
  yield { type: 'session/end-seed', seq, time: child.time, data: {} }
}
