/* Which actors the tree lists as of an entry, and in which order: those that live, newest first, then those that do not
   any more, newest first. Nothing here walks through all actors: the rows are counted, and each is found when it is
   drawn. The session itself stands above them and is no row. Pure. */
import { countUpTo, type JournalIndex, lastUpTo, sessionMachineId, type Standing, type Track } from './journal-index.ts'

export interface ActorRow {
  track: Track
  standing: Standing
  /** The entry its state is that of. */
  last: number
}
export interface ActorRows {
  readonly count: number
  at(row: number): ActorRow | undefined
  /** Where an actor stands; -1: it is no row. */
  indexOf(actorId: string): number
}

/** Who is a row at all, ascending: every actor but the session, or those among them that were searched for. */
export function rowTracks(index: JournalIndex, isSought: (track: Track) => boolean): readonly number[] {
  return index.tracks.filter((track) => track.machine !== sessionMachineId && isSought(track)).map((one) => one.ordinal)
}

/**
 * `isAlive` is asked for those that live as of the newest entry only where the host has said who does; what it does not
 * know has gone with its process.
 */
export function actorRows(
  index: JournalIndex,
  ordinals: readonly number[],
  at: number,
  isAlive: ((actorId: string) => boolean) | null,
): ActorRows {
  const begun = countUpTo(ordinals, index.begun(at) - 1, (ordinal) => ordinal)
  const live = index.live(at).filter((ordinal) => {
    const track = index.tracks[ordinal]
    const isRow = ordinals[countUpTo(ordinals, ordinal, (one) => one) - 1] === ordinal
    return isRow && track !== undefined && (isAlive === null || isAlive(track.actorId))
  })
  /** Where they stand among the begun ones, newest first. */
  const places = live.map((ordinal) => begun - countUpTo(ordinals, ordinal, (one) => one)).toReversed()

  function ordinalAt(row: number): number | undefined {
    if (row < live.length) return live[live.length - 1 - row]
    let place = row - live.length
    for (const taken of places) {
      if (taken > place) break
      place += 1
    }
    return place < begun ? ordinals[begun - 1 - place] : undefined
  }

  return {
    count: begun,
    at(row) {
      const track = index.tracks[ordinalAt(row) ?? -1]
      if (track === undefined) return undefined
      const standing = index.standing(track, at)
      const isLost = standing === 'live' && isAlive !== null && !isAlive(track.actorId)
      return { track, standing: isLost ? 'gone' : standing, last: lastUpTo(track.positions, at) }
    },
    indexOf(actorId) {
      const track = index.trackOf(actorId)
      if (track === undefined) return -1
      const upTo = countUpTo(ordinals, track.ordinal, (one) => one)
      if (ordinals[upTo - 1] !== track.ordinal || upTo > begun) return -1
      const place = begun - upTo
      const livePlace = places.indexOf(place)
      if (livePlace >= 0) return livePlace
      return place + places.filter((taken) => taken > place).length
    },
  }
}
