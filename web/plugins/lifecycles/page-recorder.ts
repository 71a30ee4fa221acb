/* The page's own actors, recorded while somebody looks: connection, dock and composer have no journal, so this knows what
   happened since the view was opened. Switches XState's inspection on for as long as it lives. Rules: looks-only a failure
   in here never reaches an actor; reduced, as on the host: ids, words and sizes. */
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { isMachineSnapshot } from 'xstate'
import type { SessionId } from '../../../shared/ids.ts'
import type { JournalEntry } from '../../../shared/journal.ts'
import { type Json, jsonSchema } from '../../../shared/json.ts'
import { reduced } from '../../../shared/reduced.ts'
import type { PageActor, PageActors } from '../../page-actors.ts'
import { createStore, type ReadableStore } from '../../store.ts'
import { createJournalIndex, type JournalIndex } from './journal-index.ts'

export interface RecorderState {
  readonly index: JournalIndex
  readonly length: number
}

export interface PageRecorder extends ReadableStore<RecorderState> {
  dispose(): void
}

export interface PageRecorderDeps {
  sessionId: SessionId
  pageActors: PageActors
  now: () => number
  soon: (work: () => void) => () => void
}

/** Says where an actor stood when looking began; no machine has such an event. */
export const watchedFromHere = 'watched'

const keptEntries = 500

export function createPageRecorder({ sessionId, pageActors, now, soon }: PageRecorderDeps): PageRecorder {
  /** What each watched actor was in last, and how to stop watching it. */
  const watched = new Map<PageActor, { actorId: string; value: Json; stop: () => void }>()
  let index = newIndex()
  let lastId = 0
  let cancelShow: (() => void) | null = null
  const state = createStore<RecorderState>({ index, length: 0 })

  function newIndex(): JournalIndex {
    return createJournalIndex(() => false)
  }

  function add(entry: Omit<JournalEntry, 'id' | 'at'>): void {
    lastId += 1
    index.add([{ id: String(lastId), at: now(), ...entry }])
    if (index.length > 2 * keptEntries) startAgain()
    cancelShow ??= soon(() => {
      cancelShow = null
      state.setState({ index, length: index.length })
    })
  }

  function startAgain(): void {
    index = newIndex()
    for (const [{ machine }, { actorId, value }] of watched) addFirst(machine, actorId, value)
  }

  function addFirst(machine: string, actorId: string, value: Json): void {
    add({ actorId, machine, sessionId, event: { type: watchedFromHere }, from: null, to: value, accepted: true })
  }

  function watch(page: PageActor): void {
    const { machine, actor } = page
    const actorId = page.sessionId === null ? machine : `${machine}:${page.sessionId}`
    let isAccepted = false
    const own = { actorId, value: valueOf(actor), stop: () => {} }
    watched.set(page, own)
    const see = (seen: InspectionEvent) => {
      if (seen.type === '@xstate.microstep') isAccepted ||= seen._transitions.length > 0
      if (seen.type !== '@xstate.snapshot' || seen.actorRef !== actor || seen.event.type === 'xstate.stop') return
      const from = own.value
      own.value = valueOf(actor)
      const event = reduced(seen.event)
      add({ actorId, machine, sessionId, event, from, to: own.value, accepted: isAccepted })
      isAccepted = false
    }
    const subscription = actor.system.inspect((seen: InspectionEvent) => {
      try {
        see(seen)
      } catch {
        // XState would end the actor that is looked at.
      }
    })
    own.stop = () => subscription.unsubscribe()
    addFirst(machine, actorId, own.value)
  }

  function follow(): void {
    const wanted = pageActors.list.getState().filter((one) => one.sessionId === null || one.sessionId === sessionId)
    for (const [page, { stop }] of [...watched]) {
      if (wanted.includes(page)) continue
      stop()
      watched.delete(page)
    }
    for (const page of wanted) if (!watched.has(page)) watch(page)
  }

  follow()
  const stopFollowing = pageActors.list.subscribe(follow)

  return {
    getState: state.getState,
    subscribe: state.subscribe,
    dispose() {
      stopFollowing()
      cancelShow?.()
      for (const { stop } of watched.values()) stop()
      watched.clear()
    },
  }
}

function valueOf(actor: AnyActorRef): Json {
  const snapshot: unknown = actor.getSnapshot()
  const parsed = isMachineSnapshot(snapshot) ? jsonSchema.safeParse(snapshot.value) : undefined
  return parsed?.success === true ? parsed.data : null
}
