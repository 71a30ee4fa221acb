/* The journal of a session in memory, so that the state of every actor at any entry is found without walking through it:
   per actor the positions of its entries and the moments its standing changed, for the whole session the actors that
   lived, with a copy of that set every so many changes. Entries are only added at the end; a position is the number of an
   entry in here, counted from 0. Everything asked "as of" a position includes the entry at it.

   | rule | |
   | --- | --- |
   | once | an entry whose id is not behind the last one is left out |
   | begins-anew | `xstate.init` begins an actor, also one that lived before |
   | gone-with-session | what lives beside the session actor and not past it goes when that ends or begins anew: its
                         process was ended, and nobody was left to say so |
   | tasks-outlive | a task outlives an ended session actor, and goes with one that was cut off |

   Knows no machine: whether a state is one that nothing leads out of is asked. */
import type { JournalEntry } from '../../../shared/journal.ts'
import type { Json } from '../../../shared/json.ts'

/** `unborn`: not yet begun. `over`: in a state nothing leads out of. `gone`: ended with its process, in no such state. */
export type Standing = 'unborn' | 'live' | 'over' | 'gone'

export interface Track {
  readonly ordinal: number
  readonly actorId: string
  readonly machine: string
  /** Positions of its entries, ascending; those that were accepted a second time. */
  readonly positions: readonly number[]
  readonly accepted: readonly number[]
}

interface OwnTrack extends Track {
  positions: number[]
  accepted: number[]
  changes: { at: number; standing: Standing }[]
}

export interface JournalIndex {
  readonly length: number
  /** Actors in the order of their first entry. */
  readonly tracks: readonly Track[]
  entry(position: number): JournalEntry | undefined
  /** The last entry whose id is not behind `id`; -1 where there is none. */
  positionOf(id: string): number
  trackOf(actorId: string): Track | undefined
  /** How many actors had begun. */
  begun(at: number): number
  standing(track: Track, at: number): Standing
  /** Ordinals of those that lived, ascending. */
  live(at: number): readonly number[]
  /** Answers how many entries were new. */
  add(entries: readonly JournalEntry[]): number
}

const changesPerCopy = 64

/** How many of the ascending `numbers` are at most `limit`. */
export function countUpTo<Item>(items: readonly Item[], limit: number, numberOf: (item: Item) => number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && numberOf(item) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

const itself = (position: number): number => position

/** The last of the ascending `positions` that is at most `at`; -1 where there is none. */
export function lastUpTo(positions: readonly number[], at: number): number {
  return positions[countUpTo(positions, at, itself) - 1] ?? -1
}

export function typeOf({ event }: Pick<JournalEntry, 'event'>): string {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return ''
  return typeof event['type'] === 'string' ? event['type'] : ''
}

export const isBeginning = (entry: Pick<JournalEntry, 'event'>): boolean => typeOf(entry) === 'xstate.init'

export const sessionMachineId = 'session'
const taskMachineId = 'task'

export function createJournalIndex(isEnd: (machine: string, state: Json) => boolean): JournalIndex {
  const entries: JournalEntry[] = []
  const tracks: OwnTrack[] = []
  const trackById = new Map<string, OwnTrack>()
  /** Who began or ceased to live, in order, and who lived before every 64th of these. */
  const changes: { at: number; ordinal: number; lives: boolean }[] = []
  const copies: (readonly number[])[] = []
  let living = new Set<number>()

  const standingNow = (track: OwnTrack): Standing => track.changes.at(-1)?.standing ?? 'unborn'

  function change(track: OwnTrack, at: number, standing: Standing): void {
    const before = standingNow(track)
    if (before === standing) return
    track.changes.push({ at, standing })
    if ((before === 'live') === (standing === 'live')) return
    if (changes.length % changesPerCopy === 0) copies.push([...living].toSorted((left, right) => left - right))
    changes.push({ at, ordinal: track.ordinal, lives: standing === 'live' })
    if (standing === 'live') living.add(track.ordinal)
    else living.delete(track.ordinal)
  }

  function trackFor({ actorId, machine }: JournalEntry): OwnTrack {
    const known = trackById.get(actorId)
    if (known !== undefined) return known
    const track = { ordinal: tracks.length, actorId, machine, positions: [], accepted: [], changes: [] }
    tracks.push(track)
    trackById.set(actorId, track)
    return track
  }

  function letGo(session: OwnTrack, at: number, isCutOff: boolean): void {
    for (const ordinal of [...living]) {
      const track = tracks[ordinal]
      if (track === undefined || track === session || (track.machine === taskMachineId && !isCutOff)) continue
      change(track, at, 'gone')
    }
  }

  function addOne(entry: JournalEntry): void {
    const at = entries.length
    entries.push(entry)
    const track = trackFor(entry)
    const ends = isEnd(entry.machine, entry.to)
    if (entry.machine === sessionMachineId && (ends || isBeginning(entry))) {
      letGo(track, at, isBeginning(entry) && standingNow(track) === 'live')
    }
    track.positions.push(at)
    if (entry.accepted) track.accepted.push(at)
    change(track, at, ends ? 'over' : 'live')
  }

  return {
    get length() {
      return entries.length
    },
    tracks,
    entry: (position) => entries[position],
    positionOf: (id) => countUpTo(entries, Number(id), (entry) => Number(entry.id)) - 1,
    trackOf: (actorId) => trackById.get(actorId),
    begun: (at) => countUpTo(tracks, at, ({ positions }) => positions[0] ?? 0),
    standing(track, at) {
      const own = tracks[track.ordinal]
      if (own === undefined) return 'unborn'
      return own.changes[countUpTo(own.changes, at, (one) => one.at) - 1]?.standing ?? 'unborn'
    },
    live(at) {
      const count = countUpTo(changes, at, (one) => one.at)
      const copy = Math.floor(count / changesPerCopy)
      const lived = new Set(copies[copy] ?? living)
      for (const { ordinal, lives } of changes.slice(copy * changesPerCopy, count)) {
        if (lives) lived.add(ordinal)
        else lived.delete(ordinal)
      }
      return [...lived].toSorted((left, right) => left - right)
    },
    add(more) {
      const before = entries.length
      let last = Number(entries.at(-1)?.id ?? -1)
      for (const entry of more) {
        const id = Number(entry.id)
        if (!(id > last)) continue
        addOne(entry)
        last = id
      }
      return entries.length - before
    },
  }
}
