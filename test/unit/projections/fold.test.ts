import { fc } from '../../harness/property.ts'
import { describe, expect, it } from 'vitest'
import { isCounted } from '../../../shared/counted.ts'
import { parseEvent } from '../../../shared/event.ts'
import type { ParsedEvent } from '../../../shared/event.ts'
import type { FoldState } from '../../../shared/fold.ts'
import { foldEvent, foldLog, readFoldState } from '../../../shared/fold.ts'
import { projectionKeys } from '../../../shared/projections/registry.ts'
import { arbitraryLog } from './arbitrary-log.ts'
import { foldLive } from './fold-live.ts'

const created = { type: 'session/created', data: { agent: 'demo', cwd: '/w' } }
const log = (...drafts: readonly { type: string; data: unknown }[]): ParsedEvent[] =>
  drafts.map((draft, seq) => parseEvent({ ...draft, seq, time: 1000 + seq }))
const stateOf = (events: Iterable<ParsedEvent>): FoldState => {
  const folded = foldLog(events)
  if (!folded.ok) throw new Error(`refused at ${folded.index}: ${folded.message}`)
  return folded.state
}

describe('3 fold', () => {
  it('cold and live give the same bytes, at every length of a log', () => {
    fc.assert(
      fc.property(arbitraryLog, (events) => {
        for (let length = 1; length <= events.length; length++) {
          const prefix = events.slice(0, length)
          expect(JSON.stringify(foldLive(prefix))).toBe(JSON.stringify(stateOf(prefix)))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('a checkpoint read back goes on to the same bytes', () => {
    fc.assert(
      fc.property(arbitraryLog, fc.nat(), (events, at) => {
        const length = 1 + (at % events.length)
        const stored = readFoldState(JSON.parse(JSON.stringify(stateOf(events.slice(0, length)))))
        if (stored === null) throw new Error('the checkpoint was not readable')
        let state = stored
        for (const parsed of events.slice(length)) {
          const step = foldEvent(state, parsed)
          // From here the log must be read again; the other property covers it.
          if (step.kind === 'refold') return
          if (step.kind === 'refused') throw new Error(step.message)
          state = step.state
        }
        expect(JSON.stringify(state)).toBe(JSON.stringify(stateOf(events)))
      }),
    )
  })

  it('is the fold of what counts: leaving rewound events out changes no value but their place', () => {
    fc.assert(
      fc.property(arbitraryLog, (events) => {
        const state = stateOf(events)
        const kept = events.filter((_, seq) => isCounted(state.skipped, seq))
        const renumbered = kept.flatMap((parsed, seq) =>
          parsed.kind === 'refused' ? [] : [parseEvent({ ...parsed.event, seq })],
        )
        const alone = stateOf(renumbered)
        const placeOf = (seq: number) =>
          kept.findIndex((parsed) => parsed.kind !== 'refused' && parsed.event.seq === seq)
        expect(alone.values.taskSurface).toStrictEqual(state.values.taskSurface)
        expect(alone.values.title).toStrictEqual(state.values.title)
        expect(alone.values.usage).toStrictEqual(state.values.usage)
        expect(alone.values.taskSurfaceOutcomes.outcomes).toStrictEqual(
          state.values.taskSurfaceOutcomes.outcomes.map((outcome) => ({ ...outcome, seq: placeOf(outcome.seq) })),
        )
        expect(alone.openTurn?.calls).toStrictEqual(state.openTurn?.calls)
      }),
    )
  })

  it('never changes a state it was given, and keeps the reference of every value that did not change', () => {
    fc.assert(
      fc.property(arbitraryLog, (events) => {
        let state = stateOf(events.slice(0, 1))
        for (const parsed of events.slice(1)) {
          const before = JSON.stringify(state)
          const step = foldEvent(state, parsed)
          expect(JSON.stringify(state)).toBe(before)
          if (step.kind !== 'folded') return
          for (const key of projectionKeys) {
            const changed = JSON.stringify(step.state.values[key]) !== JSON.stringify(state.values[key])
            if (!changed && key !== 'taskSurface') expect(step.state.values[key]).toBe(state.values[key])
          }
          state = step.state
        }
      }),
    )
  })
})

describe('2 illegal logs', () => {
  const title = { type: 'session/title', data: { title: 'x' } }
  it.each<[string, ParsedEvent[], number]>([
    ['an empty log', [], 0],
    ['another event first', log(title), 0],
    ['an ignorable event first', [parseEvent({ type: 'x', seq: 0, time: 1, data: {}, ignorable: true })], 0],
    ['a first seq of 1', [parseEvent({ ...created, seq: 1, time: 1 })], 0],
    ['a second session/created', log(created, title, created), 2],
    ['a gap', [...log(created, title), parseEvent({ ...title, seq: 3, time: 1 })], 2],
    ['a repeated seq', [...log(created, title), parseEvent({ ...title, seq: 1, time: 1 })], 2],
    ['an unknown type', log(created, { type: 'x/y', data: {} }), 1],
    [
      'an unknown type in a rewound range',
      log(created, { type: 'x/y', data: {} }, { type: 'session/rewound', data: { toSeq: 0 } }),
      1,
    ],
    [
      'a known type that says it is ignorable',
      [...log(created), parseEvent({ type: 'session/title', seq: 1, time: 1, data: {}, ignorable: true })],
      1,
    ],
    ['a malformed event', log(created, { type: 'turn/start', data: { turn: 'one' } }), 1],
    ['a rewind to itself', log(created, { type: 'session/rewound', data: { toSeq: 1 } }), 1],
    ['a rewind to what is still to come', log(created, { type: 'session/rewound', data: { toSeq: 9 } }, title), 1],
    [
      'a dismissal of another version',
      log(created, {
        type: 'task-surface/dismissed',
        data: { version: 2, surfaceId: 's', callId: 'c', dismissalId: 'd' },
      }),
      1,
    ],
    ['something that is no event', [...log(created), parseEvent(null)], 1],
  ])('%s is refused where it is', (_, events, index) => {
    expect(foldLog(events)).toMatchObject({ ok: false, index })
  })
})

describe('2 repair: the open turn', () => {
  const start = { type: 'turn/start', data: { turn: 3 } }
  const asks = (...callIds: string[]) => ({
    type: 'assistant/message',
    data: {
      turn: 3,
      step: 2,
      message: {
        id: 'a',
        role: 'assistant',
        content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'bash', arguments: '{}' })),
      },
    },
  })
  const call = (callId: string) => ({
    type: 'tool/call',
    data: { turn: 3, step: 2, callId, name: 'bash', arguments: {} },
  })
  const result = (callId: string) => ({
    type: 'tool/result',
    data: { turn: 3, step: 2, callId, name: 'bash', content: [] },
  })
  const end = { type: 'turn/end', data: { turn: 3, reason: 'completed' } }

  it('names every call without a result, asked for or begun, each once and in order', () => {
    const { openTurn } = stateOf(log(created, start, asks('a', 'b', 'c'), call('a'), call('d'), result('b')))
    expect(openTurn).toStrictEqual({
      turn: 3,
      startedSeq: 1,
      calls: ['a', 'c', 'd'].map((callId) => ({ callId, name: 'bash', step: 2 })),
    })
  })

  it('is none after its end or before a rewind took it away, and its number stays used up', () => {
    expect(stateOf(log(created, start, call('a'), end))).toMatchObject({ openTurn: null, lastTurn: 3 })
    expect(stateOf(log(created, start, call('a'), { type: 'session/rewound', data: { toSeq: 0 } }))).toMatchObject({
      openTurn: null,
      lastTurn: 3,
    })
  })
})

it('2 turns: the highest number stays the last one, whatever order an imported log has them in', () => {
  const turn = (number: number) => [
    { type: 'turn/start', data: { turn: number } },
    { type: 'turn/end', data: { turn: number, reason: 'completed' } },
  ]
  expect(stateOf(log(created, ...turn(7), ...turn(2)))).toMatchObject({ lastTurn: 7, openTurn: null })
})

describe('2 session configuration', () => {
  it('has its defaults, follows session/configured, and goes back with a rewind', () => {
    const events = log(
      created,
      { type: 'session/configured', data: { approval: 'auto', toolMode: 'both' } },
      { type: 'session/configured', data: { agent: 'x/y' } },
    )
    expect(stateOf(events.slice(0, 1)).config).toStrictEqual({
      agent: 'demo',
      cwd: '/w',
      toolMode: 'native',
      approval: 'ask',
      createdAt: 1000,
    })
    expect(stateOf(events).config).toMatchObject({ agent: 'x/y', toolMode: 'both', approval: 'auto' })
    const rewound = parseEvent({ type: 'session/rewound', seq: 3, time: 2000, data: { toSeq: 1 } })
    expect(stateOf([...events, rewound])).toMatchObject({
      config: { agent: 'demo', approval: 'auto' },
      lastSeq: 3,
      updatedAt: 2000,
    })
  })
})

it('2 checkpoints: one of another version, or of no version, is not used', () => {
  const state = stateOf(log(created))
  expect(readFoldState(state)).toStrictEqual(state)
  expect(readFoldState({ ...state, version: 0 })).toBeNull()
  expect(readFoldState(null)).toBeNull()
})
