import { fc } from '../../harness/property.ts'
import { describe, expect, it } from 'vitest'
import { parseEvent } from '../../../shared/event.ts'
import type { ParsedEvent } from '../../../shared/event.ts'
import { foldLog } from '../../../shared/fold.ts'
import type { StoredEvent } from '../../../shared/fork.ts'
import { createForkScan, forkEvents, forkSelection } from '../../../shared/fork.ts'
import { sessionIdSchema } from '../../../shared/ids.ts'
import { arbitraryLog } from './arbitrary-log.ts'

const stored = (log: readonly ParsedEvent[]): StoredEvent[] =>
  log.flatMap((parsed) => (parsed.kind === 'refused' ? [] : [parsed.event]))
const sourceId = sessionIdSchema.parse('source')

function childOf(events: readonly StoredEvent[], copied: readonly number[]): StoredEvent[] {
  const first = parseEvent(events[0])
  if (first.kind !== 'event' || first.event.type !== 'session/created') throw new Error('no session/created')
  const wanted = new Set(copied.slice(1))
  return [
    ...forkEvents(
      { source: first.event.data, sourceId, copied, time: 5000 },
      events.filter((event) => wanted.has(event.seq)),
    ),
  ]
}

describe('2 fork', () => {
  it('of any log at any place is a legal log of counted events that ends outside a turn', () => {
    fc.assert(
      fc.property(arbitraryLog, fc.option(fc.nat(60), { nil: undefined }), (log, at) => {
        const events = stored(log)
        const atSeq = at === undefined ? undefined : at % log.length
        const selection = forkSelection(events, atSeq)
        const source = foldLog(log)
        if (!source.ok) throw new Error(source.message)
        if (!selection.ok) {
          expect(source.state.openTurn).not.toBeNull()
          expect(atSeq).toBeGreaterThanOrEqual(source.state.openTurn?.startedSeq ?? Infinity)
          return
        }
        const child = childOf(events, selection.copied)
        const folded = foldLog(child.map(parseEvent))
        if (!folded.ok) throw new Error(folded.message)
        expect(folded.state.openTurn).toBeNull()
        expect(folded.state.skipped).toStrictEqual([])
        expect(folded.state.config.parent).toStrictEqual({
          sessionId: 'source',
          seq: selection.copied.at(-1),
          relation: 'fork',
        })
        expect(child.slice(1, -1).map((event) => event.type)).not.toContain('session/rewound')
        if (atSeq === undefined && source.state.openTurn === null) {
          expect(folded.state.values.taskSurface).toStrictEqual(source.state.values.taskSurface)
          expect(folded.state.values.usage).toStrictEqual(source.state.values.usage)
        }
        // A fork of the fork copies the same events again.
        const again = forkSelection(child)
        expect(again.ok && again.copied).toStrictEqual(selection.copied.map((_, index) => index))
      }),
      { numRuns: 300 },
    )
  })

  const log = (...types: string[]): StoredEvent[] =>
    stored(
      types.map((type, seq) => {
        const turn = types.slice(0, seq + 1).filter((one) => one === 'turn/start').length
        const data = {
          'session/created': { agent: 'demo', cwd: '/w' },
          'turn/start': { turn },
          'turn/end': { turn, reason: 'completed' },
          'session/title': { title: 't' },
        }
        return parseEvent({ type, seq, time: seq, data: Object.entries(data).find(([name]) => name === type)?.[1] })
      }),
    )

  it.each<[string, StoredEvent[], number | undefined, number[]]>([
    ['without any turn: everything', log('session/created', 'session/title'), undefined, [0, 1]],
    ['without any turn, anchored: everything', log('session/created', 'session/title'), 0, [0, 1]],
    ['an open first turn: up to it', log('session/created', 'session/title', 'turn/start'), undefined, [0, 1]],
    ['anchored before an open first turn: up to it', log('session/created', 'session/title', 'turn/start'), 0, [0, 1]],
    [
      'anchored before the first turn: with it',
      log('session/created', 'session/title', 'turn/start', 'turn/end'),
      1,
      [0, 1, 2, 3],
    ],
    [
      'standalone events up to the next turn come along',
      log('session/created', 'turn/start', 'turn/end', 'session/title', 'session/title', 'turn/start', 'turn/end'),
      1,
      [0, 1, 2, 3, 4],
    ],
    [
      'anchored on a standalone event between turns: the next turn',
      log('session/created', 'turn/start', 'turn/end', 'session/title', 'turn/start', 'turn/end'),
      3,
      [0, 1, 2, 3, 4, 5],
    ],
  ])('%s', (_, events, atSeq, copied) => {
    expect(forkSelection(events, atSeq)).toStrictEqual({ ok: true, copied })
  })

  it('stops reading at the turn after the one asked for', () => {
    const scan = createForkScan([], 1)
    const events = log('session/created', 'turn/start', 'turn/end', 'session/title', 'turn/start', 'turn/end')
    expect(events.map((event) => scan.next(event))).toStrictEqual(['more', 'more', 'more', 'more', 'done', 'done'])
    expect(scan.selection()).toStrictEqual({ ok: true, copied: [0, 1, 2, 3] })
  })

  it('keeps the times of what it copies and takes its own for what it begins and ends with', () => {
    const events = log('session/created', 'turn/start', 'turn/end')
    expect(childOf(events, [0, 1, 2]).map((event) => event.time)).toStrictEqual([5000, 1, 2, 5000])
  })
})
