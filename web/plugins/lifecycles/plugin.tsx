/* Puts the lifecycles view into a session: a header action, and the pane at `/s/<session>/lifecycles`, loaded when it is
   opened first. Ending the scope takes both out; an open view is unmounted and lets go of what it watched, and an inspector
   that was opened from it ends. */
import { lazy, Suspense } from 'react'
import type { Client } from '../../client.tsx'
import { Icon } from '../../icon.tsx'
import { loadPart } from '../../load-part.ts'
import type { SessionHandle } from '../../session/session-store.ts'
import { Link } from '../../shell/link.tsx'
import type { Scope } from '../../slots.ts'
import { createStore, useStore } from '../../store.ts'
import { actionTexts } from './action-texts.ts'
import type { OpenInspector } from './inspector-control.tsx'

const paneId = 'lifecycles'

const View = lazy(loadPart(async () => ({ default: (await import('./lifecycles-view.tsx')).LifecyclesView })))

export function registerLifecycles(scope: Scope, { router }: Pick<Client, 'router'>): void {
  const inspector: OpenInspector = createStore<ReturnType<OpenInspector['getState']>>(null)
  scope.onDispose(() => inspector.getState()?.end())
  scope.register('conversation.session.header.actions', {
    id: paneId,
    order: 30,
    component: ({ session }) => <LifecyclesAction session={session} router={router} />,
  })
  scope.register('session.pane', {
    id: paneId,
    order: 10,
    title: () => actionTexts.text('title'),
    icon: 'i-life',
    component: ({ session }) => (
      <Suspense fallback={<div className="page" />}>
        <View key={session.id} session={session} inspector={inspector} />
      </Suspense>
    ),
  })
}

function LifecyclesAction({ session, router }: { session: SessionHandle } & Pick<Client, 'router'>) {
  const t = actionTexts.use()
  const isOpen = useStore(router, (route) => route.view === 'session' && route.pane === paneId)
  return (
    <Link
      className="act fold-away"
      to={{ view: 'session', sessionId: session.id, pane: paneId }}
      aria-current={isOpen ? 'page' : undefined}
      title={t('title')}
    >
      <Icon name="i-life" />
      <span className="act-label">{t('title')}</span>
    </Link>
  )
}
