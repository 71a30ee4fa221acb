/* The session list: newest activity first, today's above the rest, found by title or agent. A row tells how
   its session stands as far as this page knows it. */
import { useState } from 'react'
import type { Session } from '../../shared/session.ts'
import { useClient } from '../client.tsx'
import type { Language } from '../i18n/i18n.ts'
import { Icon, type IconName, State } from '../icon.tsx'
import { type Standing, standingOf } from '../session/session-facts.ts'
import type { SessionStore } from '../session/session-store.ts'
import { createStore, useStore } from '../store.ts'
import { ago, isSameDay, useNow } from '../time.ts'
import { drawerCloseId, useDrawer } from './drawer.tsx'
import { Link } from './link.tsx'
import { Menu } from './menu.tsx'
import { shellTexts } from './shell-texts.ts'

export function Side() {
  const t = shellTexts.use()
  const { close } = useDrawer()
  const { router } = useClient()
  const onNew = useStore(router, (route) => route.view === 'new')
  return (
    <nav className="side" aria-label={t('sessions')}>
      <div className="brand">
        <Icon name="brand" />
        <span>Task Surface</span>
        <button
          id={drawerCloseId}
          type="button"
          className="icon-btn icon-btn-sm only-narrow"
          aria-label={t('closeList')}
          onClick={() => close()}
        >
          <Icon name="i-close" />
        </button>
      </div>
      <Link
        className="btn"
        to={{ view: 'new' }}
        onClick={() => close('chosen')}
        aria-current={onNew ? 'page' : undefined}
      >
        <Icon name="i-plus" />
        {t('newSession')}
      </Link>
      <Sessions />
      <Foot />
    </nav>
  )
}

/** The list says "2 min": once a minute is often enough. */
const renewedEveryMs = 30_000

/** Children that an agent started are reached from their parent, not from the list. */
function isListed(session: Session): boolean {
  return session.parent?.relation !== 'subagent'
}

function matches(session: Session, wanted: string): boolean {
  const words = wanted.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const text = `${session.title} ${session.agent}`.toLocaleLowerCase()
  return words.every((word) => text.includes(word))
}

function Sessions() {
  const t = shellTexts.use()
  const { sessions, now } = useClient()
  const { ready, sessions: all } = useStore(sessions.list, (list) => list)
  const [wanted, setWanted] = useState('')
  const time = useNow(now, renewedEveryMs, true)
  const listed = all.filter(isListed)
  const found = listed.filter((session) => matches(session, wanted))
  const today = found.filter((session) => isSameDay(session.updatedAt, time) || session.updatedAt > time)
  const earlier = found.filter((session) => !today.includes(session))
  return (
    <>
      {listed.length > 0 && (
        <div className="find">
          <Icon name="i-search" />
          <input
            className="input"
            type="search"
            placeholder={t('find')}
            aria-label={t('find')}
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
        </div>
      )}
      <div className="sess-list">
        <Group title={t('today')} sessions={today} now={time} />
        <Group title={t('earlier')} sessions={earlier} now={time} />
        {ready && listed.length === 0 && <p className="none">{t('noSessions')}</p>}
        {listed.length > 0 && found.length === 0 && (
          <p className="none" role="status">
            {t('noneFound')}
          </p>
        )}
      </div>
    </>
  )
}

function Group({ title, sessions, now }: { title: string; sessions: readonly Session[]; now: number }) {
  const { sessions: registry, preferences, router } = useClient()
  const language = useStore(preferences, (state) => state.language)
  const followed = useStore(registry.followed, (map) => map)
  const current = useStore(router, (route) => (route.view === 'session' ? route.sessionId : null))
  if (sessions.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {sessions.map((session) => (
          <li key={session.id}>
            <Row
              session={session}
              store={followed.get(session.id) ?? null}
              current={session.id === current}
              now={now}
              language={language}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

const unfollowed = createStore(null)

/** Pure: what a row shows of a session that is followed, else what the list says. */
function useStanding(session: Session, store: SessionStore | null): { standing: Standing; lastKnown: boolean } {
  const { connection } = useClient()
  const up = useStore(connection.state, (state) => state.phase === 'up')
  const followed = useStore<ReturnType<SessionStore['getState']> | null, Standing | null>(
    store ?? unfollowed,
    (state) => (state === null || state.session === null ? null : standingOf(state)),
  )
  return { standing: followed ?? session.status, lastKnown: !up }
}

function markOf(standing: Standing, lastKnown: boolean): { mark: IconName; live: boolean; className: string } {
  switch (standing) {
    case 'running':
      return { mark: lastKnown ? 'm-known' : 'm-running', live: !lastKnown, className: 'sess' }
    case 'waiting':
      return { mark: 'm-open', live: false, className: 'sess sess-wait' }
    case 'ended-badly':
      return { mark: 'm-failed', live: false, className: 'sess sess-bad' }
    case 'idle':
      return { mark: 'm-idle', live: false, className: 'sess' }
    default: {
      const never: never = standing
      return never
    }
  }
}

interface RowProps {
  session: Session
  store: SessionStore | null
  current: boolean
  now: number
  language: Language
}

function Row({ session, store, current, now, language }: RowProps) {
  const t = shellTexts.use()
  const { close } = useDrawer()
  const { standing, lastKnown } = useStanding(session, store)
  const { mark, live, className } = markOf(standing, lastKnown)
  const title = session.title === '' ? t('untitled') : session.title
  const words = {
    running: lastKnown ? t('runningSeen') : t('running'),
    waiting: t('waiting'),
    'ended-badly': t('endedBadly'),
    idle: t('idle'),
  }
  return (
    <Link
      className={className}
      to={{ view: 'session', sessionId: session.id, pane: null }}
      aria-current={current ? 'page' : undefined}
      onClick={() => close('chosen')}
    >
      <Icon name={mark} className={live ? 'live' : undefined} />
      <span className="sess-title" title={title}>
        {title}
      </span>
      <time dateTime={new Date(session.updatedAt).toISOString()}>{ago(session.updatedAt, now, language)}</time>
      <span className="sess-meta">
        {words[standing]} · <span className="mono">{session.agent}</span>
      </span>
    </Link>
  )
}

function Foot() {
  const t = shellTexts.use()
  const { preferences } = useClient()
  const { close } = useDrawer()
  const theme = useStore(preferences, (state) => state.theme)
  return (
    <div className="side-foot">
      <ConnectionState />
      <Menu
        className="icon-btn icon-btn-sm"
        label={t('theme')}
        menuLabel={t('theme')}
        place="above-end"
        items={(['system', 'light', 'dark'] as const).map((one) => ({
          id: one,
          label: t(one),
          checked: one === theme,
          onSelect: () => preferences.set({ theme: one }),
        }))}
      >
        <Icon name="i-theme" />
      </Menu>
      <Link
        className="icon-btn icon-btn-sm"
        to={{ view: 'settings' }}
        aria-label={t('settings')}
        title={t('settings')}
        onClick={() => close('chosen')}
      >
        <Icon name="i-gear" />
      </Link>
    </div>
  )
}

function ConnectionState() {
  const t = shellTexts.use()
  const { connection } = useClient()
  const { phase, everUp } = useStore(connection.state, (state) => state)
  if (phase === 'up') return <State mark="m-completed">{t('connected')}</State>
  if (phase === 'refused') {
    return (
      <State mark="m-warn" tone="warn">
        {t('noAccess')}
      </State>
    )
  }
  if (!everUp && phase === 'connecting') return <State mark="m-known">{t('connecting')}</State>
  return (
    <State mark="m-warn" tone="warn">
      {t('reconnecting')}
    </State>
  )
}
