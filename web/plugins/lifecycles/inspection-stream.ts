/* The lifecycles of a session as one stream of inspection events. Tells a viewer that just came everything it has to know, and then
   each entry as it comes. Knows no window.

   | rule | |
   | --- | --- |
   | nothing-unasked | before the first viewer came nothing is told |
   | late-viewer | each viewer that comes gets every actor that ever was registered in full, and the last few entries; behind
                     these each actor stands where it stands now |
   | in-order | an actor is registered before anything else is told of it; entries are told in their order, each once |
   | read-first | the host's actors are told once its journal was read to the end |
   | begins-anew | another journal (the host was started again) is told from the beginning |
   | gone-is-told | an actor that went with its process, and said nothing, is told as stopped | */
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import type { JournalEntry } from '../../../shared/journal.ts'
import type { Json } from '../../../shared/json.ts'
import type { ReadableStore } from '../../store.ts'
import { actorEvent, eventEvent, eventOf, type Moment, snapshotEvent, type Subject } from './inspection-events.ts'
import type { JournalFeed } from './journal-feed.ts'
import { isBeginning, type JournalIndex, lastUpTo, sessionMachineId, type Track, typeOf } from './journal-index.ts'
import { type RecorderState, watchedFromHere } from './page-recorder.ts'

export interface InspectionStream {
  /** A viewer came. */
  tellAll(): void
  dispose(): void
}

export interface InspectionStreamDeps {
  feed: JournalFeed
  recorder: ReadableStore<RecorderState>
  /** Of a machine of the page. */
  ownConfig: (machine: string) => Json | undefined
  send: (event: StatelyInspectionEvent) => void
}

/** Entries that a viewer that just came gets beside the actors: what the official adapter keeps as well. */
export const toldAgain = 200

interface Realm {
  index: () => JournalIndex
  configOf: (machine: string) => Json | undefined
  snapshotOf: (entry: JournalEntry) => Json | undefined
  isAlive: (actorId: string) => boolean
}

export function createInspectionStream({ feed, recorder, ownConfig, send }: InspectionStreamDeps): InspectionStream {
  const host = createTeller(send, {
    index: () => feed.getState().index,
    configOf: feed.configOf,
    snapshotOf: feed.snapshotOf,
    isAlive: (actorId) => feed.getState().alive?.has(actorId) ?? true,
  })
  const page = createTeller(send, {
    index: () => recorder.getState().index,
    configOf: ownConfig,
    snapshotOf: () => undefined,
    isAlive: () => true,
  })
  let isAsked = false
  const isRead = () => feed.getState().phase !== 'loading'
  const disposers = [
    feed.subscribe(() => isAsked && isRead() && host.tellNew()),
    recorder.subscribe(() => isAsked && page.tellNew()),
  ]
  return {
    tellAll() {
      isAsked = true
      host.forget()
      page.forget()
      if (isRead()) host.tellNew()
      page.tellNew()
    },
    dispose() {
      isAsked = false
      for (const work of disposers) work()
    },
  }
}

function createTeller(send: (event: StatelyInspectionEvent) => void, realm: Realm) {
  /** The last entry that was told, and of which journal. */
  let told: { index: JournalIndex; entry: JournalEntry } | null = null
  const registered = new Set<string>()
  /** Told as active, with what was told last. */
  const active = new Map<string, { subject: Subject; moment: Moment }>()

  function subjectOf({ actorId, machine }: JournalEntry | Track): Subject {
    const session = realm.index().tracks.find((track) => track.machine === sessionMachineId)
    return { actorId, machine, parentId: session?.actorId === actorId ? undefined : session?.actorId }
  }

  function momentOf(entry: JournalEntry, at: number): Moment {
    const index = realm.index()
    const track = index.trackOf(entry.actorId)
    const standing = track === undefined ? 'live' : index.standing(track, at)
    return { at: entry.at, value: entry.to, standing, sent: realm.snapshotOf(entry) }
  }

  function note(subject: Subject, moment: Moment): void {
    if (moment.standing === 'live') active.set(subject.actorId, { subject, moment })
    else active.delete(subject.actorId)
  }

  function register(subject: Subject, moment: Moment): void {
    send(actorEvent(subject, realm.configOf(subject.machine), moment))
    registered.add(subject.actorId)
    note(subject, moment)
  }

  function tell(entry: JournalEntry, at: number): void {
    const subject = subjectOf(entry)
    const moment = momentOf(entry, at)
    const isSeenOnly = typeOf(entry) === watchedFromHere
    if (isBeginning(entry) || isSeenOnly || !registered.has(entry.actorId)) register(subject, moment)
    if (isSeenOnly) return
    send(eventEvent(subject, entry))
    send(snapshotEvent(subject, eventOf(entry), moment))
    note(subject, moment)
  }

  function tellGone(): void {
    const index = realm.index()
    for (const [actorId, { subject, moment }] of [...active]) {
      const track = index.trackOf(actorId)
      if (track !== undefined && index.standing(track, index.length - 1) === 'live' && realm.isAlive(actorId)) continue
      active.delete(actorId)
      send(snapshotEvent(subject, { type: 'xstate.stop' }, { ...moment, standing: 'gone' }))
    }
  }

  function tellFrom(position: number): void {
    const index = realm.index()
    for (let at = position; at < index.length; at += 1) {
      const entry = index.entry(at)
      if (entry === undefined) continue
      tell(entry, at)
      told = { index, entry }
    }
    tellGone()
  }

  function forget(): void {
    told = null
    registered.clear()
    active.clear()
  }

  function tellAll(): void {
    const index = realm.index()
    forget()
    const from = Math.max(0, index.length - toldAgain)
    const before = index.tracks.filter(({ positions }) => (positions[0] ?? from) < from)
    const first = before.findIndex(({ machine }) => machine === sessionMachineId)
    // Whoever others belong to comes first.
    for (const track of [...before.slice(first, first + 1), ...before]) {
      const entry = index.entry(lastUpTo(track.positions, from - 1))
      if (entry !== undefined && !registered.has(track.actorId)) register(subjectOf(track), momentOf(entry, from - 1))
    }
    tellFrom(from)
  }

  return {
    /** The viewer knows nothing. */
    forget,
    tellNew() {
      const index = realm.index()
      if (told === null) return tellAll()
      const at = index.positionOf(told.entry.id)
      const same = index.entry(at)
      const isSame = told.index === index || JSON.stringify(same) === JSON.stringify(told.entry)
      if (isSame) tellFrom(at + 1)
      else tellAll()
    },
  }
}
