/* Events beside the chart: those of the chosen actor, or of all actors of the session in the order they happened, and
   under them one transition whole. Choosing a row moves the scrubber there. */
import { useState } from 'react'
import type { Chart } from '../../../machines/chart.ts'
import type { Language } from '../../i18n/i18n.ts'
import { EntryDetails } from './entry-details.tsx'
import { EventList } from './event-list.tsx'
import { countUpTo, type JournalIndex, type Track } from './journal-index.ts'
import { lifecycleTexts } from './lifecycle-texts.ts'

export type Which = 'actor' | 'all'

export interface EventPaneProps {
  index: JournalIndex
  length: number
  at: number
  track: Track | undefined
  chart: Chart | undefined
  chartOfMachine: (machine: string) => Chart | undefined
  isOfPage: boolean
  which: Which
  onWhich: (which: Which) => void
  language: Language
  /** A position of the journal; with `isFollowing` the chart goes to the actor of that entry. */
  onGo: (position: number | null, isFollowing: boolean) => void
}

export function EventPane(props: EventPaneProps) {
  const { index, length, at, track, chart, chartOfMachine, isOfPage, which, onWhich, language, onGo } = props
  const t = lifecycleTexts.use()
  const isAll = which === 'all'
  /** The page's own actors have no scrubber: a row of theirs is only looked at. */
  const [looked, setLooked] = useState<{ actorId: string; row: number } | null>(null)
  const positions = track?.positions ?? []
  const count = isAll ? length : positions.length
  const positionOf = (row: number) => (isAll ? row : (positions[row] ?? -1))
  const upTo = isAll ? at : countUpTo(positions, at, (position) => position) - 1
  const current = isOfPage && looked !== null && looked.actorId === track?.actorId ? Math.min(looked.row, upTo) : upTo
  const choose = (row: number) => {
    if (!isOfPage) return onGo(positionOf(row), isAll)
    if (track !== undefined) setLooked(row === count - 1 ? null : { actorId: track.actorId, row })
  }
  const entry = index.entry(positionOf(current))
  const title = t(isAll ? 'allEvents' : 'events')
  return (
    <section className="life-events" aria-labelledby="life-events">
      <div className="ev-head">
        <h2 id="life-events">{title}</h2>
        {isOfPage ? null : <Switch which={which} onWhich={onWhich} />}
      </div>
      {isOfPage && <p className="dim ev-note">{t('liveOnly')}</p>}
      <div className="ev-body">
        <EventList
          key={isAll ? 'all' : track?.actorId}
          label={title}
          count={count}
          entryAt={(row) => index.entry(positionOf(row))}
          current={current}
          withActor={isAll}
          language={language}
          onChoose={choose}
        />
        {entry !== undefined && (
          <EntryDetails
            entry={entry}
            chart={isAll ? chartOfMachine(entry.machine) : chart}
            isJournalled={!isOfPage}
            language={language}
          />
        )}
      </div>
    </section>
  )
}

function Switch({ which, onWhich }: { which: Which; onWhich: (which: Which) => void }) {
  const t = lifecycleTexts.use()
  return (
    <div className="seg seg-sm" role="radiogroup" aria-label={t('whose')}>
      {(['actor', 'all'] as const).map((one) => (
        <label key={one}>
          <input type="radio" name="life-which" checked={which === one} onChange={() => onWhich(one)} />
          {t(one === 'actor' ? 'ofThis' : 'ofAll')}
        </label>
      ))}
    </div>
  )
}
