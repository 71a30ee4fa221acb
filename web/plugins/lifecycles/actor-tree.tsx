/* The tree of actors as of an entry: the host's session with what belongs to it, and the page's own. A search leaves those
   whose name, machine or id holds the words. Only rows in view are drawn. Arrows, Home and End move, and what has the
   focus is what the chart shows. */
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react'
import type { JournalEntry } from '../../../shared/journal.ts'
import { Icon } from '../../icon.tsx'
import { actorNumber, markOf, toneOf } from './actor-facts.ts'
import { actorRows, rowTracks } from './actor-rows.ts'
import { stateWord } from './chart-marks.ts'
import { actorName, type LifecycleText } from './entry-words.ts'
import { type JournalIndex, lastUpTo, sessionMachineId, type Standing, type Track } from './journal-index.ts'
import { lifecycleTexts } from './lifecycle-texts.ts'
import { useRowWindow } from './row-window.ts'

export interface Chosen {
  realm: 'host' | 'browser'
  actorId: string
}

export interface ActorTreeProps {
  index: JournalIndex
  /** Grows with the index, whose identity stays. */
  length: number
  at: number
  /** Asked as of the newest entry only; null: the host has not said who lives. */
  isAlive: ((actorId: string) => boolean) | null
  /** Marks of what lives breathe. */
  isLive: boolean
  page: JournalIndex
  pageLength: number
  chosen: Chosen | null
  onChoose: (chosen: Chosen) => void
}

function matches({ actorId, machine }: Track, query: string, t: LifecycleText): boolean {
  const name = actorName({ machine }, actorNumber({ actorId, machine }), t)
  return [name, machine, actorId].some((text) => text.toLocaleLowerCase().includes(query))
}

export function ActorTree(props: ActorTreeProps) {
  const { index, length, at, isAlive, isLive, page, pageLength, chosen, onChoose } = props
  const t = lifecycleTexts.use()
  const [search, setSearch] = useState('')
  const query = search.trim().toLocaleLowerCase()
  const scroller = useRef<HTMLElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const isSought = useMemo(() => (track: Track) => query === '' || matches(track, query, t), [query, t])
  const actorCount = index.tracks.length
  // The tracks grow in place: their number says when to look again.
  // oxlint-disable-next-line react/exhaustive-deps
  const ordinals = useMemo(() => rowTracks(index, isSought), [index, isSought, actorCount])
  // oxlint-disable-next-line react/exhaustive-deps
  const rows = useMemo(() => actorRows(index, ordinals, at, isAlive), [index, ordinals, at, isAlive, length])
  const session = index.tracks.find(({ machine }) => machine === sessionMachineId)
  const hasSession = session !== undefined && (session.positions[0] ?? 0) <= at && (rows.count > 0 || isSought(session))
  const pageTracks = page.tracks.filter(isSought)
  const { start, end, rowPx, reveal } = useRowWindow({ count: rows.count, scroller, list })
  const order = useOrder({ chosen, hasSession, session, rows, pageTracks, onChoose, reveal, scroller })
  const isChosen = (realm: Chosen['realm'], { actorId }: Track) => chosen?.realm === realm && chosen.actorId === actorId

  function button(realm: Chosen['realm'], track: Track, standing: Standing, last: JournalEntry | undefined) {
    return (
      <ActorButton
        track={track}
        standing={standing}
        last={last}
        isLive={isLive || realm === 'browser'}
        isChosen={isChosen(realm, track)}
        onChoose={() => onChoose({ realm, actorId: track.actorId })}
      />
    )
  }

  const isNothing = !hasSession && rows.count === 0 && pageTracks.length === 0
  return (
    <section ref={scroller} className="life-tree" aria-labelledby="life-actors" onKeyDown={order}>
      <h2 id="life-actors">{t('actors')}</h2>
      <div className="find life-find">
        <Icon name="i-search" />
        <input
          className="input"
          type="search"
          value={search}
          placeholder={t('find')}
          aria-label={t('find')}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {isNothing && <p className="dim life-none">{t(query === '' ? 'noEvents' : 'noneFound')}</p>}
      {(hasSession || rows.count > 0) && (
        <>
          <h3>{t('host')}</h3>
          <ul>
            <li>
              {hasSession &&
                button('host', session, standingOf(index, session, at, isAlive), lastOf(index, session, at))}
              <ul ref={list} className="kids" style={{ height: rows.count * rowPx }}>
                {Array.from({ length: end - start }, (_, offset) => {
                  const row = rows.at(start + offset)
                  if (row === undefined) return null
                  return (
                    <li key={row.track.actorId} className="kid" style={{ top: (start + offset) * rowPx }}>
                      {button('host', row.track, row.standing, index.entry(row.last))}
                    </li>
                  )
                })}
              </ul>
            </li>
          </ul>
        </>
      )}
      {pageTracks.length > 0 && (
        <>
          <h3>{t('browser')}</h3>
          <ul>
            {pageTracks.map((track) => (
              <li key={track.actorId}>{button('browser', track, 'live', lastOf(page, track, pageLength))}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

export function standingOf(
  index: JournalIndex,
  track: Track,
  at: number,
  isAlive: ((actorId: string) => boolean) | null,
): Standing {
  const standing = index.standing(track, at)
  return standing === 'live' && isAlive !== null && !isAlive(track.actorId) ? 'gone' : standing
}

const lastOf = (index: JournalIndex, track: Track, at: number) => index.entry(lastUpTo(track.positions, at))

interface Order {
  chosen: Chosen | null
  hasSession: boolean
  session: Track | undefined
  rows: ReturnType<typeof actorRows>
  pageTracks: readonly Track[]
  onChoose: (chosen: Chosen) => void
  reveal: (row: number) => void
  scroller: { readonly current: HTMLElement | null }
}

/** Keys that move through all actors, drawn or not. */
function useOrder(order: Order): (event: KeyboardEvent) => void {
  const { chosen, hasSession, session, rows, pageTracks, onChoose, reveal, scroller } = order
  const [moved, setMoved] = useState(0)
  useEffect(() => {
    if (moved > 0) scroller.current?.querySelector<HTMLElement>('.actor[aria-pressed=true]')?.focus()
  }, [moved, scroller])
  const before = hasSession ? 1 : 0
  const count = before + rows.count + pageTracks.length

  function place(): number {
    if (chosen === null) return -1
    if (chosen.realm === 'browser') {
      const own = pageTracks.findIndex(({ actorId }) => actorId === chosen.actorId)
      return own < 0 ? -1 : before + rows.count + own
    }
    if (session?.actorId === chosen.actorId) return hasSession ? 0 : -1
    const row = rows.indexOf(chosen.actorId)
    return row < 0 ? -1 : before + row
  }

  return (event) => {
    if (!(event.target instanceof HTMLElement) || !event.target.classList.contains('actor') || count === 0) return
    const at = place()
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const target = Math.min(count - 1, Math.max(0, next))
    const row = target - before
    const own = pageTracks[row - rows.count]
    const track = row < 0 ? session : (own ?? rows.at(row)?.track)
    if (track === undefined) return
    onChoose({ realm: own === undefined ? 'host' : 'browser', actorId: track.actorId })
    if (row >= 0 && own === undefined) reveal(row)
    setMoved((times) => times + 1)
  }
}

interface ActorButtonProps {
  track: Track
  standing: Standing
  /** The entry that made its state. */
  last: JournalEntry | undefined
  isLive: boolean
  isChosen: boolean
  onChoose: () => void
}

const ActorButton = memo(
  function ActorButton({ track, standing, last, isLive, isChosen, onChoose }: ActorButtonProps) {
    const t = lifecycleTexts.use()
    const value = last?.to ?? null
    const mark = markOf(track.machine, value, standing, last)
    const tone = toneOf(mark, standing)
    const state = stateWord(value)
    return (
      <button
        type="button"
        className={`actor tone-${tone}`}
        aria-pressed={isChosen}
        title={track.actorId}
        onClick={onChoose}
      >
        <Icon name={`m-${mark}`} className={isLive && standing === 'live' && mark === 'running' ? 'live' : undefined} />
        <span>{actorName(track, actorNumber(track), t)}</span>
        <small>{standing === 'gone' ? t('gone', { state }) : state}</small>
      </button>
    )
  },
  (left, right) =>
    left.track === right.track &&
    left.standing === right.standing &&
    left.last === right.last &&
    left.isLive === right.isLive &&
    left.isChosen === right.isChosen,
)
