/* Events as entries of the record. */
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../shared/event.ts'
import { blocksOf, boundaryBefore, type Entry } from '../../../web/transcript/blocks.ts'
import * as a from './samples.ts'

const entriesOf = (events: SessionEvent[]): Entry[] => blocksOf(events, []).flatMap((block) => block.entries)

function short(entry: Entry): string {
  switch (entry.kind) {
    case 'turn':
      return `turn ${entry.turn}`
    case 'said':
      return `${entry.event.type === 'steering/message' ? 'steered' : 'said'} ${entry.text}`
    case 'answer':
      return `answer ${entry.text}${entry.endSeq === null ? '' : ` end ${entry.endSeq}`}`
    case 'tool':
      return `tool ${entry.use.callId} ${entry.use.call === null ? '-' : 'called'} ${entry.use.result === null ? '-' : 'done'}`
    case 'end':
      return `end ${entry.event.data.reason}`
    default: {
      const never: never = entry
      return never
    }
  }
}

const turn = [
  a.turnStart(1),
  a.said(2, 'm1', 'Measure it'),
  a.answered(3, 'x1', 'I look.', ['c1', 'c2']),
  a.toolCall(4, 'c1'),
  a.toolResult(5, 'c1'),
  a.toolCall(6, 'c2'),
  a.steered(7, 'm2', 'lag, too'),
  a.answered(8, 'x2', 'Both are slow.', [], 1, 1),
  a.turnEnd(9),
]

describe('entries', () => {
  it('T-ENTRY: a turn reads as it happened; the last words carry its end', () => {
    expect(entriesOf([a.created(), ...turn]).map(short)).toEqual([
      'turn 1',
      'said Measure it',
      'answer I look.',
      'tool c1 called done',
      'tool c2 called -',
      'steered lag, too',
      'answer Both are slow. end 9',
    ])
  })

  it.each(['aborted', 'blocked', 'error', 'max-tokens', 'interrupted'])(
    'T-END: a turn that ended as %s says so',
    (reason) => {
      expect(entriesOf([a.turnStart(1), a.turnEnd(2, 1, reason)]).map(short)).toEqual(['turn 1', `end ${reason}`])
    },
  )

  it('T-ENTRY: a message without words draws no empty answer', () => {
    expect(entriesOf([a.turnStart(1), a.answered(2, 'x', '  ', ['c1'])]).map(short)).toEqual(['turn 1', 'tool c1 - -'])
  })

  it('T-ENTRY: a call whose message is outside the window still has its row', () => {
    expect(entriesOf([a.toolCall(4, 'c9'), a.toolResult(5, 'c9')]).map(short)).toEqual(['tool c9 called done'])
  })

  it('T-ENTRY: a result whose call is unknown draws nothing', () => {
    expect(entriesOf([a.toolResult(5, 'c9')])).toEqual([])
  })

  it('T-ENTRY: reasoning alone is an entry', () => {
    const message = { id: 'x', role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] }
    const [entry] = entriesOf([a.event(1, 'assistant/message', { turn: 1, step: 0, message })])
    expect(entry).toMatchObject({ kind: 'answer', text: '', reasoning: 'hm' })
  })
})

describe('blocks', () => {
  it('T-SAME: blocks whose events are the same stay the same objects; the changed one is new', () => {
    const events = [a.created(), ...turn, a.turnStart(10, 2)]
    const first = blocksOf(events, [])
    const second = blocksOf([...events, a.said(11, 'm3')], first)
    expect(second.slice(0, -1)).toEqual(first.slice(0, -1))
    expect(second.slice(0, -1).every((block, index) => block === first[index])).toBe(true)
    expect(second.at(-1)).not.toBe(first.at(-1))
  })

  it('T-SAME: an earlier page changes no block behind it', () => {
    const later = [a.turnStart(10, 2), a.said(11, 'm3')]
    const first = blocksOf(later, [])
    const second = blocksOf([a.created(), ...turn, ...later], first)
    expect(second.at(-1)).toBe(first[0])
  })

  it('T-SAME: a rewound and rewritten turn is not taken for the old one', () => {
    const old = blocksOf([a.turnStart(1), a.said(2, 'm1', 'old')], [])
    const [block] = blocksOf([a.turnStart(1), a.said(2, 'm1', 'new')], old)
    expect(block?.entries.map(short)).toEqual(['turn 1', 'said new'])
  })

  it('T-OPEN: the open turn is known, and closed by its end', () => {
    expect(blocksOf(turn.slice(0, 4), []).at(-1)?.openTurn).toBe(1)
    expect(blocksOf(turn, []).at(-1)?.openTurn).toBeNull()
  })

  it('T-LONG: a turn of hundreds of calls is several blocks, no step of it in two', () => {
    const steps = Array.from({ length: 100 }, (_, step) => [
      a.answered(10 + step * 3, `x${step}`, `step ${step}`, [`c${step}`], 1, step),
      a.toolCall(11 + step * 3, `c${step}`),
      a.toolResult(12 + step * 3, `c${step}`),
    ]).flat()
    const blocks = blocksOf([a.turnStart(1), a.said(2, 'm'), ...steps], [])
    expect(blocks.length).toBeGreaterThan(3)
    expect(Math.max(...blocks.map((block) => block.events.length))).toBeLessThan(70)
    const tools = blocks.flatMap((block) => block.entries).filter((entry) => entry.kind === 'tool')
    expect(tools.every((entry) => entry.kind === 'tool' && entry.use.result !== null)).toBe(true)
    expect(new Set(blocks.map((block) => block.key)).size).toBe(blocks.length)
  })
})

describe('rewind', () => {
  const blocks = blocksOf(
    [a.created(), ...turn, a.event(10, 'session/title', { title: 'x' }), a.turnStart(11, 2), a.said(12, 'm3')],
    [],
  )

  it('T-REWIND: before the first turn stands the beginning', () => {
    expect(boundaryBefore(blocks, 1)).toBe(0)
  })

  it('T-REWIND: before a later turn stands the newest event outside of turns', () => {
    expect(boundaryBefore(blocks, 2)).toBe(10)
  })

  it('T-REWIND: what is not loaded is no boundary', () => {
    expect(boundaryBefore(blocksOf([a.turnStart(11, 2)], []), 0)).toBeNull()
    expect(boundaryBefore(blocksOf([a.said(12, 'm3')], []), 0)).toBeNull()
  })
})
