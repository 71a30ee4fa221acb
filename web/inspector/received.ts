/* What was received, as the lifecycles view reads it: one journal of the actors of a host, one of those of a page. An entry is what a
   snapshot tells; where an actor was before is remembered here. Pure but for the order in which it is called.

   | rule | |
   | --- | --- |
   | registered | an actor nobody registered is shown by its id |
   | again | a registration of a known actor is an entry only where it stands elsewhere than it was last seen |
   | inferred | the protocol does not say that an event was refused: it was where nothing changed and the chart has no arrow for it |
   | stopped | what stops without an event of its own is not alive any more, and no entry |
   | bounded | of more than twice what a host keeps, the older half is let go | */
import { type Chart, chartOf } from '../../machines/chart.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import { type Json, jsonSchema } from '../../shared/json.ts'
import { ancestorsOf, isEndOf, leavesOf } from '../plugins/lifecycles/chart-marks.ts'
import { type FeedState, keptEntries } from '../plugins/lifecycles/journal-feed.ts'
import { createJournalIndex, type JournalIndex } from '../plugins/lifecycles/journal-index.ts'
import { type RecorderState, watchedFromHere } from '../plugins/lifecycles/page-recorder.ts'
import { createStore, type ReadableStore } from '../store.ts'
import { type Inspection, inspectionSchema } from './inspection-schema.ts'

export interface Received {
  readonly feed: ReadableStore<FeedState>
  readonly page: ReadableStore<RecorderState>
  /** Messages in the order they came; whatever is no inspection event is left out. */
  take(messages: readonly unknown[]): void
  /** Whoever told all this has said that it ends. */
  lose(): void
}

/** Machines of the client's page; everything else is on the host's side. */
const pageMachines: ReadonlySet<string> = new Set(['connection', 'dock', 'composer'])
const beginning = 'xstate.init'
const stop = 'xstate.stop'

interface Actor {
  actorId: string
  machine: string
  value: Json
}

export function createReceived(now: () => number): Received {
  const actors = new Map<string, Actor>()
  const charts = new Map<string, Chart>()
  const alive = new Set<string>()
  let lastId = 0
  let host = newIndex()
  let page = newIndex()
  let phase: FeedState['phase'] = 'live'
  const feedState = createStore(hostState())
  const pageState = createStore(currentPage())

  function newIndex(): JournalIndex {
    return createJournalIndex((machine, value) => {
      const chart = charts.get(machine)
      return chart !== undefined && isEndOf(chart, value)
    })
  }
  function hostState(): FeedState {
    return { phase, index: host, length: host.length, alive: new Set(alive), charts: new Map(charts) }
  }
  function currentPage(): RecorderState {
    return { index: page, length: page.length }
  }

  function add(actor: Actor, event: Json, from: Json, to: Json, at: string | undefined): void {
    lastId += 1
    const { actorId, machine } = actor
    const accepted = from === null || JSON.stringify(from) !== JSON.stringify(to) || hasArrow(machine, from, event)
    const when = Number(at)
    const entry = { id: String(lastId), at: when > 0 ? when : now(), actorId, machine, event, from, to, accepted }
    if (pageMachines.has(machine)) page.add([entry])
    else host.add([entry])
    actor.value = to
  }

  function hasArrow(machine: string, value: Json, event: Json): boolean {
    const chart = charts.get(machine)
    if (chart === undefined || typeof event !== 'object' || event === null || Array.isArray(event)) return true
    const froms = new Set(leavesOf(value).flatMap((leaf) => [leaf, ...ancestorsOf(leaf)]))
    return chart.edges.some((edge) => froms.has(edge.from) && edge.event === event['type'])
  }

  function machineOf({ name, definition }: { name: string; definition?: string | undefined }): string {
    try {
      const chart = chartOf(jsonSchema.parse(JSON.parse(definition ?? '')))
      if (!charts.has(chart.id)) charts.set(chart.id, chart)
      return chart.id
    } catch {
      // Actors of other logic have no chart.
      return name
    }
  }

  function noteStatus(actorId: string, status: string): void {
    if (status === 'active') alive.add(actorId)
    else alive.delete(actorId)
  }

  function register(told: Extract<Inspection, { type: '@xstate.actor' }>, isBeginning: boolean): void {
    const { sessionId: actorId, snapshot } = told
    noteStatus(actorId, snapshot.status)
    const known = actors.get(actorId)
    const actor = known ?? { actorId, machine: machineOf(told), value: null }
    actors.set(actorId, actor)
    // It begins with the next message, which says so.
    if (isBeginning) return
    const isSame = known !== undefined && JSON.stringify(known.value) === JSON.stringify(snapshot.value)
    if (!isSame) add(actor, { type: watchedFromHere }, null, snapshot.value, told.createdAt)
  }

  function move({ sessionId: actorId, event, snapshot, createdAt }: Extract<Inspection, { type: '@xstate.snapshot' }>) {
    noteStatus(actorId, snapshot.status)
    if (event.type === stop) return
    const actor = actors.get(actorId) ?? { actorId, machine: actorId, value: null }
    actors.set(actorId, actor)
    const from = event.type === beginning ? null : actor.value
    add(actor, jsonSchema.catch({ type: event.type }).parse(event), from, snapshot.value, createdAt)
  }

  function letOldGo(): void {
    if (host.length <= 2 * keptEntries) return
    const old = host
    host = newIndex()
    host.add(entriesFrom(old, old.length - keptEntries))
  }

  return {
    feed: feedState,
    page: pageState,
    take(messages) {
      const told = messages.flatMap((message) => {
        const parsed = inspectionSchema.safeParse(message)
        return parsed.success ? [parsed.data] : []
      })
      if (told.length === 0) return
      for (const [at, one] of told.entries()) {
        const next = told[at + 1]
        if (one.type === '@xstate.actor') register(one, isBeginningOf(next, one.sessionId))
        if (one.type === '@xstate.snapshot') move(one)
      }
      letOldGo()
      phase = 'live'
      feedState.setState(hostState())
      pageState.setState(currentPage())
    },
    lose() {
      phase = 'lost'
      feedState.setState(hostState())
    },
  }
}

function isBeginningOf(next: Inspection | undefined, actorId: string): boolean {
  return next?.type === '@xstate.event' && next.sessionId === actorId && next.event.type === beginning
}

function entriesFrom(index: JournalIndex, from: number): JournalEntry[] {
  return Array.from({ length: index.length - from }, (_, offset) => index.entry(from + offset)).flatMap((entry) =>
    entry === undefined ? [] : [entry],
  )
}
