/* What an inspector is fed from, made by hand: the state of a feed and of a recorder, and the stream that reads them. */
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import { chartOf } from '../../../../machines/chart.ts'
import { machineDefinitions } from '../../../../machines/definitions.ts'
import type { JournalEntry } from '../../../../shared/journal.ts'
import type { Json } from '../../../../shared/json.ts'
import { isEndOf } from '../../../../web/plugins/lifecycles/chart-marks.ts'
import { createInspectionStream } from '../../../../web/plugins/lifecycles/inspection-stream.ts'
import type { FeedState } from '../../../../web/plugins/lifecycles/journal-feed.ts'
import { createJournalIndex } from '../../../../web/plugins/lifecycles/journal-index.ts'
import type { RecorderState } from '../../../../web/plugins/lifecycles/page-recorder.ts'
import { createStore } from '../../../../web/store.ts'

const configs = new Map(machineDefinitions().map((config) => [chartOf(config).id, config]))
export const charts = new Map(machineDefinitions().map((config) => [chartOf(config).id, chartOf(config)]))
export const newIndex = () =>
  createJournalIndex((machine, value) => {
    const chart = charts.get(machine)
    return chart !== undefined && isEndOf(chart, value)
  })

export function openSources(phase: FeedState['phase'] = 'live') {
  let index = newIndex()
  const alive = new Set<string>()
  const snapshots = new WeakMap<JournalEntry, Json>()
  const shown = (now: FeedState['phase']): FeedState => ({
    phase: now,
    index,
    length: index.length,
    alive: null,
    charts,
  })
  const state = createStore(shown(phase))
  const recorder = createStore<RecorderState>({ index: newIndex(), length: 0 })
  const feed = {
    getState: state.getState,
    subscribe: state.subscribe,
    configOf: (machine: string) => configs.get(machine),
    snapshotOf: (entry: JournalEntry) => snapshots.get(entry),
    tryAgain: () => {},
    dispose: () => {},
  }
  return {
    feed,
    recorder: { getState: recorder.getState, subscribe: recorder.subscribe, dispose: () => {} },
    index: () => index,
    add(entries: readonly JournalEntry[], now: FeedState['phase'] = 'live') {
      index.add(entries)
      state.setState(shown(now))
    },
    /** As the feed reads another life of the host. */
    anew(entries: readonly JournalEntry[]) {
      index = newIndex()
      index.add(entries)
      state.setState(shown('live'))
    },
    /** As the feed lets the older half go. */
    trim(kept: readonly JournalEntry[]) {
      index = newIndex()
      index.add(kept)
      state.setState(shown('live'))
    },
    say(entry: JournalEntry, snapshot: Json) {
      snapshots.set(entry, snapshot)
    },
    leave(...actorIds: string[]) {
      state.setState({
        ...shown('live'),
        alive: new Set(
          [...alive, ...index.tracks.map((track) => track.actorId)].filter((id) => !actorIds.includes(id)),
        ),
      })
    },
    addOfPage(entries: readonly JournalEntry[]) {
      const { index: own } = recorder.getState()
      own.add(entries)
      recorder.setState({ index: own, length: own.length })
    },
  }
}

export type Sent = StatelyInspectionEvent

export function openStream(scene: ReturnType<typeof openSources>) {
  const sent: Sent[] = []
  const { feed, recorder } = scene
  const ownConfig = (machine: string) => configs.get(machine)
  const stream = createInspectionStream({ feed, recorder, ownConfig, send: (event) => sent.push(event) })
  return { stream, sent, take: () => sent.splice(0) }
}
