/* One transition, whole: event, states, what it rests on, and the payload as the journal keeps it. */
import { useId } from 'react'
import type { Chart } from '../../../machines/chart.ts'
import type { JournalEntry } from '../../../shared/journal.ts'
import { State } from '../../icon.tsx'
import type { Language } from '../../i18n/i18n.ts'
import { actorNumber } from './actor-facts.ts'
import { stateWord } from './chart-marks.ts'
import { actorName, causeOf, eventWord, exactTime, payloadJson, throughOf } from './entry-words.ts'
import { lifecycleTexts } from './lifecycle-texts.ts'

export interface EntryDetailsProps {
  entry: JournalEntry
  chart: Chart | undefined
  /** Entries of the page's own actors have no number and rest on nothing. */
  isJournalled: boolean
  language: Language
}

export function EntryDetails({ entry, chart, isJournalled, language }: EntryDetailsProps) {
  const t = lifecycleTexts.use()
  const title = useId()
  const through = throughOf(entry, chart)
  const cause = causeOf(entry)
  const payload = payloadJson(entry)
  return (
    <section className="ev-details" aria-labelledby={title} tabIndex={0}>
      <h3 id={title}>{t('details')}</h3>
      <dl>
        <dt>{t('event')}</dt>
        <dd className="mono">{eventWord(entry, t)}</dd>
        <dt>{t('actor')}</dt>
        <dd>
          {actorName(entry, actorNumber(entry), t)} <span className="mono dim">{entry.actorId}</span>
        </dd>
        <dt>{t('outcome')}</dt>
        <dd>
          {entry.accepted ? (
            <State mark="m-completed">{t('accepted')}</State>
          ) : (
            <State mark="m-removed" tone="warn">
              {t('refusedLong')}
            </State>
          )}
        </dd>
        <dt>{t('from')}</dt>
        <dd className="mono">{entry.from === null ? '–' : stateWord(entry.from)}</dd>
        {through.length > 0 && (
          <>
            <dt>{t('through')}</dt>
            <dd className="mono">{through.join(', ')}</dd>
          </>
        )}
        <dt>{t('to')}</dt>
        <dd className="mono">{stateWord(entry.to)}</dd>
        <dt>{t('when')}</dt>
        <dd className="mono">{exactTime(entry.at, language)}</dd>
        {isJournalled && (
          <>
            <dt>{t('cause')}</dt>
            <dd>
              {cause === null ? <span className="dim">{t('causeNone')}</span> : <span className="mono">{cause}</span>}
            </dd>
            <dt>{t('entryId')}</dt>
            <dd className="mono">{entry.id}</dd>
          </>
        )}
        <dt>{t('payload')}</dt>
        <dd>{payload === null ? <span className="dim">{t('payloadNone')}</span> : <pre>{payload}</pre>}</dd>
      </dl>
    </section>
  )
}
