/* A list of entries, one row each, of which only those in view are drawn. One row is the current one: the last that had
   happened as of the scrubber; those behind it are grey. Arrows, Home, End and Page keys move it. */
import { type KeyboardEvent, memo, useEffect, useId, useRef } from 'react'
import type { JournalEntry } from '../../../shared/journal.ts'
import type { Language } from '../../i18n/i18n.ts'
import { actorNumber } from './actor-facts.ts'
import { actorName, eventWord, exactTime, wayWords } from './entry-words.ts'
import { lifecycleTexts } from './lifecycle-texts.ts'
import { useRowWindow } from './row-window.ts'

export interface EventListProps {
  label: string
  count: number
  entryAt: (row: number) => JournalEntry | undefined
  /** The last row that had happened; -1: none. */
  current: number
  /** False: nothing is marked as the one the picture is of. */
  withActor: boolean
  language: Language
  onChoose: (row: number) => void
}

const pageRows = 10

export function EventList({ label, count, entryAt, current, withActor, language, onChoose }: EventListProps) {
  const t = lifecycleTexts.use()
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const { rowPx, start, end, reveal } = useRowWindow({ count, scroller, list })
  useEffect(() => {
    if (current >= 0) reveal(current)
  }, [current, reveal])
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + pageRows,
      PageUp: current - pageRows,
      Home: 0,
      End: count - 1,
    }[event.key]
    if (next === undefined || count === 0) return
    event.preventDefault()
    onChoose(Math.min(count - 1, Math.max(0, next)))
  }
  if (count === 0) return <p className="dim ev-none">{t('noEvents')}</p>
  const rows = Array.from({ length: end - start }, (_, offset) => start + offset)
  return (
    <div
      ref={scroller}
      className="ev-scroll"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={current >= start && current < end ? `${id}-${current}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div ref={list} className={withActor ? 'ev-list ev-all' : 'ev-list'} role="presentation">
        <div role="presentation" style={{ height: start * rowPx }} />
        {rows.map((row) => {
          const entry = entryAt(row)
          if (entry === undefined) return null
          return (
            <Row
              key={entry.id}
              id={`${id}-${row}`}
              entry={entry}
              row={row}
              count={count}
              when={row === current ? 'current' : row > current ? 'later' : 'before'}
              withActor={withActor}
              language={language}
              onChoose={onChoose}
            />
          )
        })}
        <div role="presentation" style={{ height: Math.max(0, count - end) * rowPx }} />
      </div>
    </div>
  )
}

interface RowProps {
  id: string
  entry: JournalEntry
  row: number
  count: number
  when: 'before' | 'current' | 'later'
  withActor: boolean
  language: Language
  onChoose: (row: number) => void
}

const Row = memo(function Row({ id, entry, row, count, when, withActor, language, onChoose }: RowProps) {
  const t = lifecycleTexts.use()
  const way = wayWords(entry, t)
  return (
    <div
      id={id}
      role="option"
      className={when === 'later' ? 'ev-row later' : 'ev-row'}
      aria-selected={when === 'current'}
      aria-setsize={count}
      aria-posinset={row + 1}
      onClick={() => onChoose(row)}
    >
      <time>{exactTime(entry.at, language)}</time>
      {withActor && <i>{actorName(entry, actorNumber(entry), t)}</i>}
      <b>{eventWord(entry, t)}</b>
      <span title={way}>{entry.accepted ? way : <em>{t('refused')}</em>}</span>
    </div>
  )
})
