/* The button that opens an inspector, what is agreed to before one opens, and, while one is open, that it is and how to end it.
   Nothing is opened, requested from elsewhere or sent before somebody chose which. */
import { useEffect, useState } from 'react'
import { useClient } from '../../client.tsx'
import { after } from '../../connection/browser-socket.ts'
import { Icon, State } from '../../icon.tsx'
import { loadPart } from '../../load-part.ts'
import { Dialog } from '../../shell/dialog.tsx'
import { type Store, useStore } from '../../store.ts'
import type { InspectorLink, InspectorPlace, openInspector } from './inspector-link.ts'
import { inspectorTexts } from './inspector-texts.ts'
import type { Sources } from './sources.ts'

/** The one open inspector of the page; it goes on when the view is left. */
export type OpenInspector = Store<InspectorLink | null>

const loadLink = loadPart(() => import('./inspector-link.ts'))

export interface InspectorControlProps {
  /** Null for the moment before they are there: the button keeps its place. */
  sources: Sources | null
  inspector: OpenInspector
}

export function InspectorControl({ sources, inspector }: InspectorControlProps) {
  const t = inspectorTexts.use()
  const [isAsking, setAsking] = useState(false)
  const link = useStore(inspector, (state) => state)
  if (link !== null && link.sources.sessionId === sources?.sessionId) return <Watching link={link} />
  return (
    <>
      <button type="button" className="btn btn-sm" disabled={sources === null} onClick={() => setAsking(true)}>
        <Icon name="i-out" />
        {t('open')}
      </button>
      {isAsking && sources !== null && (
        <Choice sources={sources} inspector={inspector} onClose={() => setAsking(false)} />
      )}
    </>
  )
}

function Watching({ link }: { link: InspectorLink }) {
  const t = inspectorTexts.use()
  const phase = useStore(link.phase, (state) => state)
  const isHere = link.place === 'here'
  const waiting = t(isHere ? 'waitingHere' : 'waitingStately')
  const connected = t(isHere ? 'connectedHere' : 'connectedStately')
  return (
    <>
      <span role="status">
        <State mark={phase === 'waiting' ? 'm-claiming' : 'm-running'} tone="now">
          {phase === 'waiting' ? waiting : connected}
        </State>
      </span>
      <button type="button" className="btn btn-sm" onClick={link.end}>
        <Icon name="i-stop" />
        {t('stop')}
      </button>
    </>
  )
}

interface ChoiceProps {
  sources: Sources
  inspector: OpenInspector
  onClose: () => void
}

function Choice({ sources, inspector, onClose }: ChoiceProps) {
  const t = inspectorTexts.use()
  const { announce } = useClient()
  const [part, setPart] = useState<{ openInspector: typeof openInspector } | null>(null)
  const [isBlocked, setBlocked] = useState(false)
  // Before the choice: a browser opens windows within a press only.
  useEffect(() => {
    let isWanted = true
    void loadLink().then((loaded) => isWanted && setPart(loaded))
    return () => {
      isWanted = false
    }
  }, [])

  function choose(place: InspectorPlace): void {
    if (part === null) return
    inspector.getState()?.end()
    const onEnd = () => inspector.getState() === link && inspector.setState(null)
    const link = part.openInspector({ sources, place, window, after, onEnd })
    if (link === null) return setBlocked(true)
    inspector.setState(link)
    announce(t(place === 'here' ? 'waitingHere' : 'waitingStately'))
    onClose()
  }

  const option = (place: InspectorPlace, label: string) => (
    <button type="button" className="btn btn-sm" disabled={part === null} onClick={() => choose(place)}>
      <Icon name="i-out" />
      {label}
    </button>
  )
  return (
    <Dialog
      title={t('title')}
      onClose={onClose}
      actions={
        <button type="button" className="btn btn-quiet" onClick={onClose}>
          {t('cancel')}
        </button>
      }
    >
      <p>{t('lead')}</p>
      <section className="ask-choice" aria-labelledby="inspect-here">
        <h3 id="inspect-here">{t('hereTitle')}</h3>
        <p>{t('hereText')}</p>
        {option('here', t('hereOpen'))}
      </section>
      <section className="ask-choice" aria-labelledby="inspect-stately">
        <h3 id="inspect-stately">{t('statelyTitle')}</h3>
        <p>{t('statelyText')}</p>
        <p>{t('statelySent')}</p>
        <p>{t('statelyNever')}</p>
        {option('stately', t('statelyOpen'))}
      </section>
      {isBlocked && (
        <p className="issue" role="alert">
          <Icon name="m-failed" />
          {t('blocked')}
        </p>
      )}
    </Dialog>
  )
}
