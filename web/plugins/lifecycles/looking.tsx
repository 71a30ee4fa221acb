/* The view itself: actors, the chart of the chosen one, its events, and the scrubber. What is shown is a function of the journal
   and of the entry the scrubber stands at; at its end that is the newest one, as it comes. Knows nothing of where entries
   come from: a host in the client, a window in the inspector's own page. */
import '../../styles/lifecycles.css'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { type Chart, chartOf } from '../../../machines/chart.ts'
import { machineDefinitions } from '../../../machines/definitions.ts'
import type { Language } from '../../i18n/i18n.ts'
import { type ReadableStore, useStore } from '../../store.ts'
import { actorNumber } from './actor-facts.ts'
import { ActorTree, type Chosen } from './actor-tree.tsx'
import { ChartPane } from './chart-pane.tsx'
import { actorName, eventWord, exactTime } from './entry-words.ts'
import { EventPane, type Which } from './event-pane.tsx'
import type { FeedState, JournalFeed } from './journal-feed.ts'
import { type JournalIndex, sessionMachineId, type Track } from './journal-index.ts'
import { lifecycleTexts } from './lifecycle-texts.ts'
import type { RecorderState } from './page-recorder.ts'
import { Scrubber } from './scrubber.tsx'

/** The page's own machines, drawn as they are here. */
function pageCharts(): ReadonlyMap<string, Chart> {
  return new Map(
    machineDefinitions()
      .map(chartOf)
      .map((chart) => [chart.id, chart]),
  )
}

/** Whom the chart shows until somebody was chosen: an open surface, else the session. */
function firstChoice(index: JournalIndex, at: number): Track | undefined {
  const surfaces = index.live(at).flatMap((ordinal) => {
    const track = index.tracks[ordinal]
    return track?.machine === 'surface' ? [track] : []
  })
  return surfaces.at(-1) ?? index.tracks.find(({ machine }) => machine === sessionMachineId) ?? index.tracks[0]
}

export interface LookingProps {
  feed: ReadableStore<FeedState> & Pick<JournalFeed, 'tryAgain'>
  /** Actors of a page, which have no journal. */
  recorder: ReadableStore<RecorderState>
  language: Language
}

export function Looking({ feed, recorder, language }: LookingProps) {
  const t = lifecycleTexts.use()
  const { phase, index, length, alive, charts } = useStore(feed, (state) => state)
  const page = useStore(recorder, (state) => state)
  const own = useMemo(() => pageCharts(), [])
  /** The id of the entry the scrubber stands at; null: the end, as it comes. */
  const [cursor, setCursor] = useState<string | null>(null)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [which, setWhich] = useState<Which>('actor')
  const at = cursor === null ? length - 1 : Math.max(0, index.positionOf(cursor))
  const isEnd = at === length - 1
  const isAlive = useMemo(
    () => (isEnd && alive !== null ? (actorId: string) => alive.has(actorId) : null),
    [isEnd, alive],
  )
  const first = chosen === null ? firstChoice(index, at) : undefined
  const firstId = phase === 'live' ? first?.actorId : undefined
  // Chosen once: a surface that closes while one looks at it stays in view.
  useEffect(() => {
    if (firstId !== undefined) setChosen({ realm: 'host', actorId: firstId })
  }, [firstId])
  const shown: Chosen | null = chosen ?? (first === undefined ? null : { realm: 'host', actorId: first.actorId })

  const go = useCallback(
    (position: number | null, isFollowing: boolean) => {
      const entry = index.entry(position ?? index.length - 1)
      setCursor(position === null || position >= index.length - 1 ? null : (entry?.id ?? null))
      if (isFollowing && entry !== undefined) setChosen({ realm: 'host', actorId: entry.actorId })
    },
    [index],
  )
  const entry = index.entry(at)
  const isOfPage = shown?.realm === 'browser'
  const source = isOfPage ? page.index : index
  const track = shown === null ? undefined : source.trackOf(shown.actorId)
  const upTo = isOfPage ? page.length - 1 : at
  const chart = track === undefined ? undefined : (isOfPage ? own : charts).get(track.machine)
  return (
    <div className="life" aria-busy={phase === 'loading'}>
      <ActorTree
        index={index}
        length={length}
        at={at}
        isAlive={isAlive}
        isLive={cursor === null && phase === 'live'}
        page={page.index}
        pageLength={page.length}
        chosen={shown}
        onChoose={setChosen}
      />
      <ChartPane
        index={source}
        track={track}
        at={upTo}
        chart={chart}
        isAlive={isOfPage ? null : isAlive}
        phase={phase}
        count={length}
        onTryAgain={feed.tryAgain}
      />
      <EventPane
        index={source}
        length={isOfPage ? page.length : length}
        at={upTo}
        track={track}
        chart={chart}
        chartOfMachine={(machine) => charts.get(machine)}
        isOfPage={isOfPage}
        which={isOfPage ? 'actor' : which}
        onWhich={setWhich}
        language={language}
        onGo={go}
      />
      <Scrubber
        count={length}
        at={at}
        isLive={cursor === null}
        actor={entry === undefined ? '' : actorName(entry, actorNumber(entry), t)}
        event={entry === undefined ? '' : eventWord(entry, t)}
        time={entry === undefined ? '' : exactTime(entry.at, language)}
        onGo={(position) => go(position, which === 'all')}
      />
    </div>
  )
}
