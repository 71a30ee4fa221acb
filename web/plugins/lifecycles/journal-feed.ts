/* What the host tells about the lifecycles of one session while somebody looks: the machines, who lives, the journal page
   by page, then every entry as it happens. Made when the view opens, disposed when it closes; nothing is asked or kept in
   between.

   | rule | |
   | --- | --- |
   | subscribe-first | frames are asked for before the journal is read and wait for its end: no entry falls between |
   | read-on | a new connection reads on behind the last known entry |
   | boot-anew | another life of the host may have lost the newest entries and given their ids to others: all is read again |
   | bounded | of more than twice what the host keeps, the older half is let go |
   | as-sent | what the host sent of an actor beside an entry is kept with that entry, and goes with it | */
import { type Chart, chartOf } from '../../../machines/chart.ts'
import type { SessionId } from '../../../shared/ids.ts'
import type { JournalEntry } from '../../../shared/journal.ts'
import type { Json } from '../../../shared/json.ts'
import type { Connection } from '../../connection/connection.ts'
import type { AnyFrame } from '../../connection/incoming.ts'
import { isUnsettled } from '../../connection/rpc.ts'
import { createStore, type ReadableStore } from '../../store.ts'
import { isEndOf } from './chart-marks.ts'
import { createJournalIndex, isBeginning, type JournalIndex, sessionMachineId } from './journal-index.ts'

export interface FeedState {
  /** `lost`: what is shown is the last known; `failed`: the host did not answer, it can be asked again. */
  readonly phase: 'loading' | 'live' | 'lost' | 'failed'
  readonly index: JournalIndex
  /** Grows with the index. */
  readonly length: number
  /** Whom the host calls alive; null before it said so. */
  readonly alive: ReadonlySet<string> | null
  readonly charts: ReadonlyMap<string, Chart>
}

export interface JournalFeed extends ReadableStore<FeedState> {
  /** The config of a machine as the host runs it; undefined before it was read. */
  configOf(machine: string): Json | undefined
  /** The whole snapshot an entry led to, reduced; undefined where the host never sent it: the journal has states only. */
  snapshotOf(entry: JournalEntry): Json | undefined
  tryAgain(): void
  dispose(): void
}

export interface JournalFeedDeps {
  sessionId: SessionId
  connection: Pick<Connection, 'state' | 'requester' | 'onFrame'>
  /** Calls back before the next paint; frames are drawn together. */
  soon: (work: () => void) => () => void
}

const pageLength = 500
/** The host's own bound of a session's journal. */
export const keptEntries = 10_000

export function createJournalFeed({ sessionId, connection, soon }: JournalFeedDeps): JournalFeed {
  const { requester } = connection
  let charts: ReadonlyMap<string, Chart> = new Map()
  let configs: ReadonlyMap<string, Json> = new Map()
  const snapshots = new WeakMap<JournalEntry, Json>()
  /** Of those who lived when frames were asked for: as they stood then. */
  let standing: ReadonlyMap<string, Json> = new Map()
  let index = newIndex()
  let alive: Set<string> | null = null
  /** Frames that wait for the end of the journal; null once it was read. */
  let waiting: JournalEntry[] | null = []
  let attempt = 0
  let isUp = false
  /** The life of the host whose journal was read. */
  let readBootId: string | null = null
  let cancelShow: (() => void) | null = null
  const state = createStore<FeedState>({ phase: 'loading', index, length: 0, alive, charts })

  function newIndex(): JournalIndex {
    return createJournalIndex((machine: string, value: Json) => {
      const chart = charts.get(machine)
      return chart !== undefined && isEndOf(chart, value)
    })
  }

  function show(phase: FeedState['phase']): void {
    cancelShow?.()
    cancelShow = null
    state.setState({ phase, index, length: index.length, alive: alive === null ? null : new Set(alive), charts })
  }

  async function read(own: number): Promise<void> {
    if (charts.size === 0) {
      const { machines } = await requester.call('inspect.machines', {})
      const drawn = machines.map((config) => ({ config, chart: chartOf(config) }))
      charts = new Map(drawn.map(({ chart }) => [chart.id, chart]))
      configs = new Map(drawn.map(({ config, chart }) => [chart.id, config]))
      // Made before it was known which states end an actor.
      index = newIndex()
    }
    const { bootId } = await requester.call('host.describe', {})
    const { actors } = await requester.call('inspect.subscribe', { sessionId })
    if (own !== attempt) return
    alive = new Set(actors.map(({ actorId }) => actorId))
    standing = new Map(actors.map(({ actorId, snapshot }) => [actorId, snapshot]))
    const isSameBoot = readBootId === bootId
    const next = isSameBoot ? index : newIndex()
    const isFirst = index.length === 0
    if (isFirst) index = next
    for (let hasMore = true; hasMore;) {
      const afterId = next.entry(next.length - 1)?.id
      const params = { sessionId, limit: pageLength, ...(afterId !== undefined && { afterId }) }
      const page = await requester.call('inspect.journal', params)
      if (own !== attempt) return
      next.add(page.entries)
      hasMore = page.hasMore && page.entries.length > 0
      if (isFirst) show('loading')
    }
    next.add(waiting ?? [])
    waiting = null
    index = next
    readBootId = bootId
    letOldGo()
    show('live')
  }

  function begin(): void {
    attempt += 1
    const own = attempt
    waiting = []
    read(own).catch((error: unknown) => {
      if (own !== attempt) return
      show(isUnsettled(error) && !isUp ? 'lost' : 'failed')
    })
  }

  function letOldGo(): void {
    if (index.length <= 2 * keptEntries) return
    const old = index
    index = newIndex()
    index.add(Array.from({ length: keptEntries }, (_, at) => old.entry(old.length - keptEntries + at)).flatMap(whole))
  }

  function noteAlive(entry: JournalEntry): void {
    if (alive === null) return
    if (isBeginning(entry)) alive.add(entry.actorId)
    const chart = charts.get(entry.machine)
    if (entry.machine !== sessionMachineId || chart === undefined || !isEndOf(chart, entry.to)) return
    for (const actorId of [...alive]) if (!actorId.startsWith('task:')) alive.delete(actorId)
  }

  function receive(frame: AnyFrame): void {
    if (frame.type !== 'actor/inspect' || frame.entry.sessionId !== sessionId) return
    noteAlive(frame.entry)
    if (frame.snapshot !== undefined) snapshots.set(frame.entry, frame.snapshot)
    if (waiting !== null) {
      waiting.push(frame.entry)
      return
    }
    if (index.add([frame.entry]) === 0) return
    letOldGo()
    cancelShow ??= soon(() => show('live'))
  }

  function connectionChanged(): void {
    const up = connection.state.getState().phase === 'up'
    if (up === isUp) return
    isUp = up
    if (up) return begin()
    attempt += 1
    waiting = []
    show(index.length === 0 && state.getState().phase === 'loading' ? 'loading' : 'lost')
  }

  const disposers = [connection.onFrame(receive), connection.state.subscribe(connectionChanged)]
  connectionChanged()

  return {
    getState: state.getState,
    subscribe: state.subscribe,
    configOf: (machine) => configs.get(machine),
    snapshotOf(entry) {
      const sent = snapshots.get(entry)
      if (sent !== undefined) return sent
      const last = index.trackOf(entry.actorId)?.positions.at(-1)
      return last !== undefined && index.entry(last) === entry ? standing.get(entry.actorId) : undefined
    },
    tryAgain: begin,
    dispose() {
      attempt += 1
      cancelShow?.()
      cancelShow = null
      for (const work of disposers) work()
      if (isUp) requester.request('inspect.unsubscribe', { sessionId }, () => {})
    },
  }
}

function whole(entry: JournalEntry | undefined): JournalEntry[] {
  return entry === undefined ? [] : [entry]
}
