/* One session in the main pane: header, connection bar, record, desk. A pane that a plugin registered stands
   in the record's place. */
import { useState } from 'react'
import { useClient } from '../client.tsx'
import type { SessionPhase } from '../session/session-state.ts'
import { type SessionStore, useSession } from '../session/session-store.ts'
import { useStore } from '../store.ts'
import { Transcript } from '../transcript/transcript.tsx'
import { useNow } from '../time.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { Console } from './console.tsx'
import { Contained } from './contained.tsx'
import { Header } from './header.tsx'
import { Link } from './link.tsx'
import { MessagePage } from './message-page.tsx'
import { shellTexts } from './shell-texts.ts'

export function Conversation({ session, pane }: { session: SessionStore; pane: string | null }) {
  const { slots } = useClient()
  const phase = useSession(session, (state) => state.phase)
  const known = useSession(session, (state) => state.session !== null)
  const panes = useStore(slots.entries('session.pane'), (list) => list)
  const shown = pane === null ? undefined : panes.find((one) => one.id === pane)
  if (phase === 'missing' || phase === 'refused') return <NotServed session={session} phase={phase} />
  return (
    <>
      <Header session={session} />
      <ConnectionBar />
      {known && shown !== undefined && (
        <Contained>
          <shown.component session={session} />
        </Contained>
      )}
      {known && shown === undefined && (
        <>
          <Transcript session={session} />
          <Console session={session} />
        </>
      )}
      {!known && <Opening />}
    </>
  )
}

/** Said only when it takes long enough to be noticed. */
const noticedAfterMs = 400

function Opening() {
  const t = shellTexts.use()
  const { now } = useClient()
  const [since] = useState(now)
  const time = useNow(now, noticedAfterMs, true)
  return (
    <div className="page" role="status">
      {time - since >= noticedAfterMs && <p className="dim">{t('opening')}</p>}
    </div>
  )
}

function NotServed({ session, phase }: { session: SessionStore; phase: SessionPhase }) {
  const t = shellTexts.use()
  const problem = useSession(session, (state) => state.problem)
  if (phase === 'missing') {
    return (
      <MessagePage title={t('missingTitle')} text={t('missingText')}>
        <Link className="btn" to={{ view: 'new' }}>
          {t('newSession')}
        </Link>
      </MessagePage>
    )
  }
  return (
    <MessagePage title={t('unreadableTitle')} text={problem ?? ''}>
      <button type="button" className="btn" onClick={session.open}>
        {t('openAgain')}
      </button>
    </MessagePage>
  )
}
