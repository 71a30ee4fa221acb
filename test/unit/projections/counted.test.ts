import { fc } from '../../harness/property.ts'
import { expect, it } from 'vitest'
import type { SkippedRanges } from '../../../shared/counted.ts'
import { countedAtOrAfter, countedAtOrBefore, isCounted, skippedAfter, skipRewound } from '../../../shared/counted.ts'

/** Steps of a log: an ordinary event, or a rewind that goes back by so many. */
const steps = fc.array(fc.option(fc.nat(20), { nil: null }), { maxLength: 60 })

/** What counts, by the words of the contract alone. */
function play(log: readonly (number | null)[]): { skipped: SkippedRanges; counted: boolean[] } {
  let skipped: SkippedRanges = []
  const counted: boolean[] = [true]
  for (const [index, back] of log.entries()) {
    const seq = index + 1
    if (back === null) {
      counted.push(true)
      continue
    }
    const toSeq = Math.max(0, seq - 1 - back)
    skipped = skipRewound(skipped, { seq, toSeq })
    for (let at = toSeq + 1; at < seq; at++) counted[at] = false
    counted.push(false)
  }
  return { skipped, counted }
}

it('2 rewind: what stands after toSeq and before the rewind does not count, nor does the rewind', () => {
  fc.assert(
    fc.property(steps, (log) => {
      const { skipped, counted } = play(log)
      expect(counted.map((_, seq) => isCounted(skipped, seq))).toStrictEqual(counted)
    }),
  )
})

it('2 rewind: ranges are disjoint, ascending and do not touch', () => {
  fc.assert(
    fc.property(steps, (log) => {
      let end = -1
      for (const { from, to } of play(log).skipped) {
        expect(from).toBeGreaterThan(end + (end < 0 ? 0 : 1))
        expect(to).toBeGreaterThanOrEqual(from)
        end = to
      }
    }),
  )
})

it('2 history: walking either way meets the counted events and no other', () => {
  fc.assert(
    fc.property(steps, (log) => {
      const { skipped, counted } = play(log)
      const expected = counted.flatMap((counts, seq) => (counts ? [seq] : []))
      const backwards: number[] = []
      for (let seq = countedAtOrBefore(skipped, log.length); seq >= 0; seq = countedAtOrBefore(skipped, seq - 1))
        backwards.push(seq)
      const forwards: number[] = []
      for (let seq = countedAtOrAfter(skipped, 0); seq <= log.length; seq = countedAtOrAfter(skipped, seq + 1))
        forwards.push(seq)
      expect(backwards.toReversed()).toStrictEqual(expected)
      expect(forwards).toStrictEqual(expected)
    }),
  )
})

it('2 rewind: a first pass over a log finds the same ranges, and leaves out a rewind that is none', () => {
  const events = [
    { type: 'session/created', seq: 0, data: {} },
    { type: 'session/title', seq: 1, data: {} },
    { type: 'session/rewound', seq: 2, data: { toSeq: 0 } },
    { type: 'session/rewound', seq: 3, data: { toSeq: 3 } },
    { type: 'session/rewound', seq: 4, data: { toSeq: -1 } },
    { type: 'session/rewound', seq: 5, data: null },
  ]
  expect(events.reduce<SkippedRanges>(skippedAfter, [])).toStrictEqual([{ from: 1, to: 2 }])
})
