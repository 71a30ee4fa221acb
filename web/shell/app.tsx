/* The page: session list beside one main pane, chosen by the address. Next: `conversation.tsx`. */
import { lazy, type MouseEvent, Suspense, useEffect } from 'react'
import type { SessionId } from '../../shared/ids.ts'
import { useClient } from '../client.tsx'
import { composerFieldId } from '../composer/composer.tsx'
import { loadPart } from '../load-part.ts'
import { useStore } from '../store.ts'
import { Conversation } from './conversation.tsx'
import { DrawerProvider, mainId, useDrawer } from './drawer.tsx'
import { Link } from './link.tsx'
import { MessagePage } from './message-page.tsx'
import { NewSession } from './new-session.tsx'
import { shellTexts } from './shell-texts.ts'
import { Side } from './side.tsx'

const Settings = lazy(loadPart(async () => ({ default: (await import('./settings.tsx')).Settings })))

export function App() {
  return (
    <DrawerProvider>
      <Frame />
    </DrawerProvider>
  )
}

function Frame() {
  const t = shellTexts.use()
  const { open, close } = useDrawer()
  const { router } = useClient()
  const writes = useStore(router, (route) => route.view === 'new' || (route.view === 'session' && route.pane === null))
  // The scrim is drawn by the frame itself, so a press on it has the frame as its target.
  const onPress = (event: MouseEvent) => {
    if (open && event.target === event.currentTarget) close()
  }
  return (
    <div className="app" data-drawer={open ? 'open' : undefined} onClick={onPress}>
      <a className="skip" href={`#${mainId}`} onClick={skipToDesk}>
        {writes ? t('skip') : t('skipContent')}
      </a>
      <Side />
      <main id={mainId} className="main" tabIndex={-1} inert={open}>
        <Pane />
      </main>
      <Announcer />
    </div>
  )
}

/** To the message field, to what has taken its place, or to the page itself. */
function skipToDesk(event: MouseEvent): void {
  event.preventDefault()
  const field = document.getElementById(composerFieldId)
  const taken = document.querySelector<HTMLElement>('.take h2')
  const target = taken ?? field ?? document.getElementById(mainId)
  target?.focus()
}

function Pane() {
  const t = shellTexts.use()
  const { router, connection } = useClient()
  const route = useStore(router, (state) => state)
  const refused = useStore(connection.state, (state) => state.phase === 'refused')
  useTitle()
  if (refused) {
    return (
      <MessagePage title={t('refusedTitle')} text={t('refusedText')}>
        <button type="button" className="btn" onClick={connection.tryNow}>
          {t('checkAgain')}
        </button>
      </MessagePage>
    )
  }
  switch (route.view) {
    case 'new':
      return <NewSession />
    case 'settings':
      return (
        <Suspense fallback={null}>
          <Settings />
        </Suspense>
      )
    case 'session':
      return <Followed key={route.sessionId} sessionId={route.sessionId} pane={route.pane} />
    case 'unknown':
      return (
        <MessagePage title={t('unknownTitle')} text="">
          <Link className="btn" to={{ view: 'new' }}>
            {t('newSession')}
          </Link>
        </MessagePage>
      )
    default: {
      const never: never = route
      return never
    }
  }
}

function Followed({ sessionId, pane }: { sessionId: SessionId; pane: string | null }) {
  const { sessions } = useClient()
  const session = useStore(sessions.followed, (followed) => followed.get(sessionId))
  return session === undefined ? null : <Conversation session={session} pane={pane} />
}

function useTitle(): void {
  const { router, sessions } = useClient()
  const current = useStore(router, (route) => (route.view === 'session' ? route.sessionId : null))
  const title = useStore(sessions.list, (list) => list.sessions.find((one) => one.id === current)?.title ?? null)
  useEffect(() => {
    document.title = title === null ? 'Task Surface' : `${title} · Task Surface`
  }, [title])
}

function Announcer() {
  const { announcement } = useClient()
  const recent = useStore(announcement, (state) => state.recent)
  return (
    <div className="vh" aria-live="polite">
      {/* The same sentence twice is two announcements. */}
      {recent.map(({ text, count }) => (
        <p key={count}>{text}</p>
      ))}
    </div>
  )
}
