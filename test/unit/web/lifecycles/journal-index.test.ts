/* What was when, found without walking: held against a walk, on random journals. */
import { fc } from '../../../harness/property.ts'
import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../../../shared/journal.ts'
import { actorRows, rowTracks } from '../../../../web/plugins/lifecycles/actor-rows.ts'
import {
  countUpTo,
  createJournalIndex,
  isBeginning,
  type JournalIndex,
  lastUpTo,
  type Standing,
} from '../../../../web/plugins/lifecycles/journal-index.ts'
import { begin, entriesOf, type Step } from './journals.ts'

const isEnd = (_machine: string, state: unknown) => state === 'closed'

function indexOf(steps: readonly Step[]): JournalIndex {
  const index = createJournalIndex(isEnd)
  index.add(entriesOf(steps))
  return index
}

function standingOf(index: JournalIndex, actorId: string, at: number): Standing {
  const track = index.trackOf(actorId)
  return track === undefined ? 'unborn' : index.standing(track, at)
}

/** The same by walking through everything up to there. */
function walked(entries: readonly JournalEntry[], at: number): Map<string, Standing> {
  const standing = new Map<string, Standing>()
  for (const entry of entries.slice(0, at + 1)) {
    const { actorId, machine, to } = entry
    const ends = isEnd(machine, to)
    if (machine === 'session' && (ends || isBeginning(entry))) {
      const isCutOff = isBeginning(entry) && standing.get(actorId) === 'live'
      for (const [id, was] of standing) {
        const stays = id === actorId || was !== 'live' || (id.startsWith('task') && !isCutOff)
        if (!stays) standing.set(id, 'gone')
      }
    }
    standing.set(actorId, ends ? 'over' : 'live')
  }
  return standing
}

const step = fc
  .tuple(
    fc.constantFrom(
      'session:s',
      ...['turn', 'surface', 'task'].flatMap((name) => [1, 2, 3, 4].map((n) => `${name}:${n}`)),
    ),
    fc.constantFrom('xstate.init', 'GO', 'GO', 'STOP'),
    fc.boolean(),
  )
  .map(([actorId, type, accepted]): Step => ({ actorId, type, to: type === 'STOP' ? 'closed' : 'open', accepted }))
const journals = fc.array(step, { minLength: 1, maxLength: 400 })

describe('journal index', () => {
  it('LIFE-AT: the standing of every actor as of every entry is that of a walk', () => {
    fc.assert(
      fc.property(journals, (steps) => {
        const index = indexOf(steps)
        const entries = entriesOf(steps)
        for (let at = 0; at < entries.length; at += 7) {
          const expected = walked(entries, at)
          const alive = [...expected].flatMap(([id, standing]) => (standing === 'live' ? [id] : []))
          expect(new Set(index.live(at).map((ordinal) => index.tracks[ordinal]?.actorId))).toEqual(new Set(alive))
          expect(index.begun(at)).toBe(expected.size)
          for (const { actorId } of index.tracks) {
            expect([actorId, standingOf(index, actorId, at)]).toEqual([actorId, expected.get(actorId) ?? 'unborn'])
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('LIFE-AT: adding piece by piece gives what adding at once gives', () => {
    const steps = fc.sample(journals, { numRuns: 1, seed: 7 })[0] ?? []
    const entries = entriesOf(steps)
    const index = createJournalIndex(isEnd)
    for (const entry of entries) index.add([entry])
    const whole = indexOf(steps)
    for (const at of entries.keys()) expect(index.live(at)).toEqual(whole.live(at))
  })

  it('LIFE-ONCE: an entry that is known already, or older than the newest, is left out', () => {
    const entries = entriesOf([begin('session:s'), begin('turn:1'), { actorId: 'turn:1', to: 'open' }])
    const index = createJournalIndex(isEnd)
    expect(index.add(entries)).toBe(3)
    expect(index.add(entries.slice(1))).toBe(0)
    expect([index.length, index.positionOf('2'), index.positionOf('0'), index.positionOf('99')]).toEqual([3, 1, -1, 2])
  })

  it('LIFE-GONE: what a crash cut off is gone when the session begins anew, tasks as well', () => {
    const index = indexOf([begin('session:s'), begin('turn:1'), begin('task:1'), begin('session:s')])
    expect(['turn:1', 'task:1'].map((id) => standingOf(index, id, 2))).toEqual(['live', 'live'])
    expect(['session:s', 'turn:1', 'task:1'].map((id) => standingOf(index, id, 3))).toEqual(['live', 'gone', 'gone'])
  })

  it('LIFE-GONE: an ended session takes what belongs to it along, a task outlives it', () => {
    const end = { actorId: 'session:s', type: 'END', to: 'closed' }
    const index = indexOf([begin('session:s'), begin('surface:1'), begin('task:1'), end, begin('session:s')])
    expect(['surface:1', 'task:1'].map((id) => standingOf(index, id, 3))).toEqual(['gone', 'live'])
    expect(standingOf(index, 'task:1', 4)).toBe('live')
  })

  it('LIFE-ANEW: an actor that begins again lives again', () => {
    const index = indexOf([begin('session:s'), begin('surface:1'), begin('session:s'), begin('surface:1')])
    expect([1, 2, 3].map((at) => standingOf(index, 'surface:1', at))).toEqual(['live', 'gone', 'live'])
    expect(index.tracks.map(({ actorId }) => actorId)).toEqual(['session:s', 'surface:1'])
  })

  it('LIFE-REFUSED: a refused entry is one of its actor, and none of those that moved it', () => {
    const index = indexOf([begin('turn:1'), { actorId: 'turn:1', to: 'open', accepted: false }])
    const track = index.trackOf('turn:1')
    expect([track?.positions, track?.accepted]).toEqual([[0, 1], [0]])
    expect(lastUpTo(track?.accepted ?? [], 1)).toBe(0)
  })

  it('LIFE-STEP: a step costs the same in a journal a hundred times as long', () => {
    const lookups = (length: number) => {
      let asked = 0
      const items = Array.from({ length }, (_, at) => at)
      countUpTo(items, length / 3, (item) => {
        asked += 1
        return item
      })
      return asked
    }
    expect(lookups(100_000) - lookups(1_000)).toBeLessThanOrEqual(8)
  })
})

describe('actor rows', () => {
  function expected(index: JournalIndex, at: number, isSought: (id: string) => boolean): string[] {
    const begun = index.tracks.slice(0, index.begun(at)).filter((track) => track.machine !== 'session')
    const rows = begun.filter(({ actorId }) => isSought(actorId)).toReversed()
    const lives = rows.filter((track) => index.standing(track, at) === 'live')
    return [...lives, ...rows.filter((track) => !lives.includes(track))].map(({ actorId }) => actorId)
  }

  it('LIFE-ROWS: what lives stands first, both newest first, whatever is searched for', () => {
    fc.assert(
      fc.property(journals, fc.constantFrom('', 'task', '2'), (steps, query) => {
        const index = indexOf(steps)
        const isSought = (id: string) => id.includes(query)
        const ordinals = rowTracks(index, ({ actorId }) => isSought(actorId))
        for (let at = 0; at < index.length; at += 11) {
          const rows = actorRows(index, ordinals, at, null)
          const shown = Array.from({ length: rows.count }, (_, row) => rows.at(row)?.track.actorId)
          expect(shown).toEqual(expected(index, at, isSought))
          expect(shown.map((actorId) => rows.indexOf(actorId ?? ''))).toEqual([...shown.keys()])
        }
      }),
      { numRuns: 40 },
    )
  })

  it('LIFE-ALIVE: whom the host does not know any more stands among those that are gone', () => {
    const index = indexOf([begin('session:s'), begin('turn:1'), begin('turn:2')])
    const rows = actorRows(
      index,
      rowTracks(index, () => true),
      2,
      (id) => id === 'turn:1',
    )
    expect([0, 1].map((row) => [rows.at(row)?.track.actorId, rows.at(row)?.standing])).toEqual([
      ['turn:1', 'live'],
      ['turn:2', 'gone'],
    ])
  })
})
