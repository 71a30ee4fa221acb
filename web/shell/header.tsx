/* The head of a session: title, agent, how it stands, and what plugins put there. */
import { useState } from 'react'
import { useClient } from '../client.tsx'
import { Icon, State } from '../icon.tsx'
import { standingOf, tokensOf, turnOf } from '../session/session-facts.ts'
import { type SessionHandle, useSession } from '../session/session-store.ts'
import { useStore } from '../store.ts'
import { shortCount } from '../time.ts'
import { Contained } from './contained.tsx'
import { DrawerButton } from './drawer.tsx'
import { Menu } from './menu.tsx'
import { RemoveDialog, RenameDialog } from './session-dialogs.tsx'
import { shellTexts } from './shell-texts.ts'

export function Header({ session }: { session: SessionHandle }) {
  const t = shellTexts.use()
  const named = useSession(session, (state) => state.session?.title ?? '')
  const isKnown = useSession(session, (state) => state.session !== null)
  const title = named === '' && isKnown ? t('untitled') : named
  const agent = useSession(session, (state) => state.session?.agent ?? '')
  return (
    <header className="head">
      <DrawerButton />
      <div className="head-title">
        <h1 title={title}>{title}</h1>
        <p className="head-meta">
          <span className="mono">{agent}</span>
          <Standing session={session} />
          <Usage session={session} />
        </p>
      </div>
      <div className="head-actions" role="group" aria-label={title}>
        <Actions session={session} />
        <SessionMenu session={session} title={title} />
      </div>
    </header>
  )
}

/** What the session has cost so far. */
function Usage({ session }: { session: SessionHandle }) {
  const t = shellTexts.use()
  const { preferences } = useClient()
  const language = useStore(preferences, (state) => state.language)
  const input = useSession(session, (state) => tokensOf(state, 'inputTokens'))
  const output = useSession(session, (state) => tokensOf(state, 'outputTokens'))
  if (input === 0 && output === 0) return null
  const [read, written] = [shortCount(input, language), shortCount(output, language)]
  return <span title={t('tokens', { input, output })}>{t('tokensShort', { input: read, output: written })}</span>
}

function Standing({ session }: { session: SessionHandle }) {
  const t = shellTexts.use()
  const standing = useSession(session, standingOf)
  const turn = useSession(session, turnOf)
  const lastKnown = useSession(session, (state) => state.phase === 'last-known')
  return (
    <>
      <StandingState standing={standing} lastKnown={lastKnown} />
      {turn !== null && <span>{t('turn', { turn })}</span>}
    </>
  )
}

function StandingState({ standing, lastKnown }: { standing: ReturnType<typeof standingOf>; lastKnown: boolean }) {
  const t = shellTexts.use()
  switch (standing) {
    case 'running':
      return lastKnown ? (
        <State mark="m-known" tone="old">
          {t('runningSeen')}
        </State>
      ) : (
        <State mark="m-running" tone="now" live>
          {t('running')}
        </State>
      )
    case 'waiting':
      return (
        <State mark={lastKnown ? 'm-known' : 'm-open'} tone={lastKnown ? 'old' : 'now'}>
          {t('waiting')}
        </State>
      )
    case 'ended-badly':
      return (
        <State mark="m-failed" tone="bad">
          {t('endedBadly')}
        </State>
      )
    case 'idle':
      return <State mark="m-idle">{t('idle')}</State>
    default: {
      const never: never = standing
      return never
    }
  }
}

function Actions({ session }: { session: SessionHandle }) {
  const { slots } = useClient()
  const actions = useStore(slots.entries('conversation.session.header.actions'), (list) => list)
  return actions.map((action) => (
    <Contained key={action.id}>
      <action.component session={session} />
    </Contained>
  ))
}

function SessionMenu({ session, title }: { session: SessionHandle; title: string }) {
  const t = shellTexts.use()
  const { connection, router, slots } = useClient()
  const panes = useStore(slots.entries('session.pane'), (list) => list)
  const up = useStore(connection.state, (state) => state.phase === 'up')
  const [asking, setAsking] = useState<'rename' | 'remove' | null>(null)
  return (
    <>
      <Menu
        className="icon-btn"
        label={t('menu')}
        menuLabel={t('menu')}
        place="below-end"
        items={[
          // Where the header has no room for their actions, these are the way.
          ...panes.map(({ id, title: name, icon }) => ({
            id,
            label: name(),
            icon,
            onSelect: () => router.go({ view: 'session', sessionId: session.id, pane: id }),
          })),
          { id: 'rename', label: t('rename'), icon: 'i-edit', disabled: !up, onSelect: () => setAsking('rename') },
          {
            id: 'remove',
            label: t('remove'),
            icon: 'i-close',
            danger: true,
            disabled: !up,
            onSelect: () => setAsking('remove'),
          },
        ]}
      >
        <Icon name="i-more" />
      </Menu>
      {asking === 'rename' && <RenameDialog session={session} title={title} onClose={() => setAsking(null)} />}
      {asking === 'remove' && <RemoveDialog session={session} title={title} onClose={() => setAsking(null)} />}
    </>
  )
}
