/* The chosen actor: its name, its state and its last transition in words, and the chart with the same in it. */
import { useMemo } from 'react'
import type { Chart } from '../../../machines/chart.ts'
import type { JournalEntry } from '../../../shared/journal.ts'
import { State } from '../../icon.tsx'
import { actorNumber, markOf, toneOf } from './actor-facts.ts'
import { standingOf } from './actor-tree.tsx'
import { marksOf, noMarks, stateWord } from './chart-marks.ts'
import { actorName, eventWord, type LifecycleText, throughOf } from './entry-words.ts'
import type { FeedState } from './journal-feed.ts'
import { isBeginning, type JournalIndex, lastUpTo, type Standing, type Track } from './journal-index.ts'
import { lifecycleTexts } from './lifecycle-texts.ts'
import { watchedFromHere } from './page-recorder.ts'
import { Statechart } from './statechart.tsx'
import { typeOf } from './journal-index.ts'

export interface ChartPaneProps {
  index: JournalIndex
  track: Track | undefined
  at: number
  chart: Chart | undefined
  isAlive: ((actorId: string) => boolean) | null
  phase: FeedState['phase']
  /** Entries read so far. */
  count: number
  onTryAgain: () => void
}

export function ChartPane({ index, track, at, chart, isAlive, phase, count, onTryAgain }: ChartPaneProps) {
  const t = lifecycleTexts.use()
  const last = track === undefined ? undefined : index.entry(lastUpTo(track.accepted, at))
  const standing = track === undefined ? 'unborn' : standingOf(index, track, at, isAlive)
  const marks = useMemo(
    () => (chart === undefined || last === undefined ? noMarks : marksOf(chart, last)),
    [chart, last],
  )
  const name = chart === undefined ? '' : chartName(chart, last, standing, t)
  return (
    <section className="life-chart" aria-labelledby="life-chart">
      <div className="chart-top">
        <h2 id="life-chart">{track === undefined ? t('chart') : actorName(track, actorNumber(track), t)}</h2>
        {track !== undefined && <Standings track={track} last={last} standing={standing} />}
        <Phase phase={phase} count={count} onTryAgain={onTryAgain} />
      </div>
      {chart !== undefined && <Statechart key={chart.id} chart={chart} marks={marks} name={name} />}
      {chart === undefined && (
        <div className="chart-frame">
          <div className="chart-box">
            <p className="dim chart-wait">{nothingDrawn(track, phase, t)}</p>
          </div>
        </div>
      )}
    </section>
  )
}

function nothingDrawn(track: Track | undefined, phase: FeedState['phase'], t: LifecycleText): string {
  if (track !== undefined) return t('noChart')
  return phase === 'live' || phase === 'lost' ? t('empty') : ''
}

function Phase({ phase, count, onTryAgain }: Pick<ChartPaneProps, 'phase' | 'count' | 'onTryAgain'>) {
  const t = lifecycleTexts.use()
  switch (phase) {
    case 'live':
      return null
    case 'loading':
      return (
        <span className="dim" role="status">
          {count === 0 ? t('loading') : t('loadingCount', { count })}
        </span>
      )
    case 'lost':
      return (
        <State mark="m-known" tone="old">
          {t('lost')}
        </State>
      )
    case 'failed':
      return (
        <>
          <State mark="m-warn" tone="warn">
            {t('failed')}
          </State>
          <button type="button" className="btn btn-sm" onClick={onTryAgain}>
            {t('tryAgain')}
          </button>
        </>
      )
    default: {
      const never: never = phase
      return never
    }
  }
}

function Standings({ track, last, standing }: { track: Track; last: JournalEntry | undefined; standing: Standing }) {
  const t = lifecycleTexts.use()
  if (last === undefined) return <span className="dim">{t('notBegun')}</span>
  const mark = markOf(track.machine, last.to, standing, last)
  const state = stateWord(last.to)
  return (
    <>
      <State mark={`m-${mark}`} tone={toneOf(mark, standing)}>
        {standing === 'gone' ? t('gone', { state }) : state}
      </State>
      <LastWords entry={last} />
    </>
  )
}

function LastWords({ entry }: { entry: JournalEntry }) {
  const t = lifecycleTexts.use()
  if (typeOf(entry) === watchedFromHere) return null
  if (isBeginning(entry)) return <span className="dim">{t('begun')}</span>
  const from = entry.from === null ? '–' : stateWord(entry.from)
  return (
    <span className="dim">
      {t('last')}
      <span className="mono">{eventWord(entry, t)}</span>
      {from === stateWord(entry.to) ? t('lastStay') : t('lastFrom', { from })}
    </span>
  )
}

function chartName(chart: Chart, last: JournalEntry | undefined, standing: Standing, t: LifecycleText): string {
  const name = t('chartName', { machine: chart.id })
  if (last === undefined) return `${name} ${t('notBegun')}.`
  const to = stateWord(last.to)
  const current = t(standing === 'gone' ? 'chartLastSeen' : 'chartCurrent', { state: to })
  return `${name} ${current} ${lastTransition(chart, last, to, t)}`.trim()
}

function lastTransition(chart: Chart, entry: JournalEntry, to: string, t: LifecycleText): string {
  if (isBeginning(entry)) return t('chartBegun')
  if (entry.from === null) return ''
  const event = eventWord(entry, t)
  const from = stateWord(entry.from)
  if (from === to) return t('chartStay', { event })
  const via = throughOf(entry, chart).join(', ')
  return via === '' ? t('chartLast', { event, from, to }) : t('chartVia', { event, from, via, to })
}
