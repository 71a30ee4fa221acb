/* Which events count (SPEC 2, rewind): what stands after `toSeq` and before its `session/rewound` no longer does, nor does
   that event itself. The answer is a short list of skipped ranges, kept merged and in order, so it can be stored,
   extended live by one event, and used to walk a log in either direction.
   An earlier rewind that is itself taken back stays taken back: ranges only grow. */
import { z } from 'zod'

const seq = z.int().nonnegative()

/** Inclusive bounds. */
export const skippedRangeSchema = z.object({ from: seq, to: seq })
export type SkippedRange = z.infer<typeof skippedRangeSchema>

/** Disjoint, not touching, ascending. */
export type SkippedRanges = readonly SkippedRange[]

/** What is skipped once the `session/rewound {toSeq}` at `seq` stands in the log. `toSeq` must be below `seq`. */
export function skipRewound(skipped: SkippedRanges, rewound: { seq: number; toSeq: number }): SkippedRanges {
  let from = rewound.toSeq + 1
  const before = [...skipped]
  for (let last = before.at(-1); last !== undefined && last.to >= from - 1; last = before.at(-1)) {
    from = Math.min(from, last.from)
    before.pop()
  }
  return [...before, { from, to: rewound.seq }]
}

/** First pass of a cold read: every rewind of a log, whatever else it holds. Order of the events matters, gaps do not. */
export function skippedAfter(
  skipped: SkippedRanges,
  event: { type: string; seq: number; data: unknown },
): SkippedRanges {
  if (event.type !== 'session/rewound') return skipped
  const toSeq = rewoundTo(event.data)
  return toSeq === null || toSeq >= event.seq ? skipped : skipRewound(skipped, { seq: event.seq, toSeq })
}

export function isCounted(skipped: SkippedRanges, seq: number): boolean {
  const range = rangeAtOrBefore(skipped, seq)
  return range === null || range.to < seq
}

/** The newest counted seq at or below `seq`, or −1. For reading pages backwards: jumps over a skipped range at once. */
export function countedAtOrBefore(skipped: SkippedRanges, seq: number): number {
  const range = rangeAtOrBefore(skipped, seq)
  return range === null || range.to < seq ? seq : range.from - 1
}

/** The oldest counted seq at or above `seq`. */
export function countedAtOrAfter(skipped: SkippedRanges, seq: number): number {
  const range = rangeAtOrBefore(skipped, seq)
  return range === null || range.to < seq ? seq : range.to + 1
}

function rangeAtOrBefore(skipped: SkippedRanges, seq: number): SkippedRange | null {
  let low = 0
  let high = skipped.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const range = skipped[middle]
    if (range !== undefined && range.from <= seq) low = middle + 1
    else high = middle
  }
  return skipped[low - 1] ?? null
}

function rewoundTo(data: unknown): number | null {
  const read = z.object({ toSeq: seq }).safeParse(data)
  return read.success ? read.data.toSeq : null
}
