/* The lifecycles of one session, and the bar above them. Watches the host and the page's own actors as long as it is mounted, and
   longer only where an inspector was opened from here and goes on. */
import { useEffect, useState } from 'react'
import { type Client, useClient } from '../../client.tsx'
import { State } from '../../icon.tsx'
import type { SessionHandle } from '../../session/session-store.ts'
import { mainId } from '../../shell/drawer.tsx'
import { useStore } from '../../store.ts'
import { actionTexts } from './action-texts.ts'
import { InspectorControl, type OpenInspector } from './inspector-control.tsx'
import { warmUp } from './layouts.ts'
import { lifecycleTexts } from './lifecycle-texts.ts'
import { Looking } from './looking.tsx'
import { createSources, type Sources } from './sources.ts'

export interface LifecyclesViewProps {
  session: SessionHandle
  inspector: OpenInspector
}

export function LifecyclesView({ session, inspector }: LifecyclesViewProps) {
  const client = useClient()
  const language = useStore(client.preferences, (state) => state.language)
  const sources = useSources(session, inspector, client)
  return (
    <>
      <Bar session={session} sources={sources} inspector={inspector} />
      {sources === null ? (
        <div className="life" />
      ) : (
        <Looking feed={sources.feed} recorder={sources.recorder} language={language} />
      )}
    </>
  )
}

function useSources(
  session: SessionHandle,
  inspector: OpenInspector,
  { connection, pageActors, now }: Client,
): Sources | null {
  const [sources, setSources] = useState<Sources | null>(null)
  const { id: sessionId } = session
  useEffect(() => {
    warmUp()
    const watched = inspector.getState()?.sources
    const own = watched?.sessionId === sessionId ? watched : createSources(sessionId, { connection, pageActors, now })
    const letGo = own.hold()
    setSources(own)
    return () => {
      letGo()
      setSources(null)
    }
  }, [sessionId, inspector, connection, pageActors, now])
  return sources
}

interface BarProps extends LifecyclesViewProps {
  sources: Sources | null
}

function Bar({ session, sources, inspector }: BarProps) {
  const t = lifecycleTexts.use()
  const title = actionTexts.use()
  const { router } = useClient()
  const leave = () => {
    router.go({ view: 'session', sessionId: session.id, pane: null })
    document.getElementById(mainId)?.focus()
  }
  return (
    <div className="bar">
      <State mark="i-life">{title('title')}</State>
      <span className="grow dim fold-away">{t('lead')}</span>
      <InspectorControl sources={sources} inspector={inspector} />
      <button type="button" className="btn btn-sm" onClick={leave}>
        {t('back')}
      </button>
    </div>
  )
}
