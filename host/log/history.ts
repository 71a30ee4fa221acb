/* History pages (SPEC 2, 8): whole messages, backwards from a position. A unit is one message with the events behind
   it up to the next message, so an assistant message comes with its tool events. Reads no more of the log than one
   page of records past what it answers. */
import { countedAtOrBefore, type SkippedRanges } from '../../shared/counted.ts'
import type { SessionEvent } from '../../shared/event.ts'
import type { SessionId } from '../../shared/ids.ts'
import type { CallOptions, LogStore } from './port.ts'
import { backwardPages } from './session-reader.ts'

export interface HistoryPage {
  /** Counted events, oldest first. */
  events: SessionEvent[]
  /** Counted events stand before the first of these. */
  hasMore: boolean
}

/** Stored bytes after which a page ends; a single larger message still comes whole. */
export const historyMaxBytes = 1024 * 1024

/** Records per message that a first read asks for: a message seldom has more events around it. */
const recordsPerMessage = 4

export async function historyPage(
  store: LogStore,
  sessionId: SessionId,
  request: { beforeSeq?: number; limit: number; skipped: SkippedRanges },
  options?: CallOptions,
): Promise<HistoryPage> {
  const { beforeSeq, limit, skipped } = request
  const to = beforeSeq === undefined ? Number.MAX_SAFE_INTEGER : beforeSeq - 1
  const page = createPage(limit)
  const span = { from: 0, to, jump: (seq: number) => countedAtOrBefore(skipped, seq) }
  const firstPage = Math.min(limit, 64) * recordsPerMessage
  for await (const records of backwardPages(store, sessionId, span, { ...options, firstPage })) {
    for (const { stored, bytes } of records) {
      // An event of a newer version has no place on the wire.
      if (stored.kind === 'ignorable') continue
      if (!page.take(stored.event, bytes)) return page.close(true)
    }
  }
  return page.close(false)
}

/** Collects events newest first. `take` answers false once the unit in hand must wait for the next page. */
function createPage(limit: number) {
  const units: SessionEvent[][] = []
  let pageBytes = 0
  let unit: SessionEvent[] = []
  let unitBytes = 0

  function take(event: SessionEvent, bytes: number): boolean {
    unit.push(event)
    unitBytes += bytes
    if (units.length > 0 && pageBytes + unitBytes > historyMaxBytes) return false
    if (!isMessage(event)) return true
    if (units.length >= limit) return false
    units.push(unit)
    pageBytes += unitBytes
    unit = []
    unitBytes = 0
    return true
  }

  return {
    take,
    /** `cut`: the unit in hand waits for the next page. Else the log ended: what stands before its first message comes too. */
    close(cut: boolean): HistoryPage {
      if (!cut && unit.length > 0) units.push(unit)
      return { events: units.flat().reverse(), hasMore: cut }
    },
  }
}

function isMessage(event: SessionEvent): boolean {
  return event.type === 'user/message' || event.type === 'steering/message' || event.type === 'assistant/message'
}
