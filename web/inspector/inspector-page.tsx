/* The inspector's own page: what it received, drawn as the lifecycles view draws it. A receiver only: it has no connection to a host
   and tells nothing to anybody but that it is there. */
import { useEffect } from 'react'
import type { Language } from '../i18n/i18n.ts'
import { State } from '../icon.tsx'
import { Looking } from '../plugins/lifecycles/looking.tsx'
import { useStore } from '../store.ts'
import { pageTexts } from './inspector-texts.ts'
import type { Received } from './received.ts'

export interface InspectorPageProps {
  received: Received
  language: Language
  /** Nobody opened this window, so nobody tells it anything. */
  isAlone: boolean
}

const nothingToDo = () => {}

export function InspectorPage({ received: { feed, page }, language, isAlone }: InspectorPageProps) {
  const t = pageTexts.use()
  const phase = useStore(feed, (state) => state.phase)
  const isEmpty = useStore(feed, ({ length }) => length === 0) && isAlone
  useEffect(() => {
    document.title = `${t('title')} · Task Surface`
  }, [t])
  return (
    <main className="main inspector">
      <div className="bar">
        <h1>
          <State mark="i-life">{t('title')}</State>
        </h1>
        <span className="grow dim fold-away">{t('lead')}</span>
        {!isEmpty && (
          <span role="status">
            <State mark={phase === 'lost' ? 'm-known' : 'm-running'} tone={phase === 'lost' ? 'old' : 'now'}>
              {t(phase === 'lost' ? 'ended' : 'watching')}
            </State>
          </span>
        )}
      </div>
      {isEmpty ? (
        <div className="inspector-alone">
          <p>{t('alone')}</p>
          <p className="dim">{t('how')}</p>
          <a className="btn" href="/">
            {t('home')}
          </a>
        </div>
      ) : (
        <Looking feed={{ ...feed, tryAgain: nothingToDo }} recorder={page} language={language} />
      )}
    </main>
  )
}
