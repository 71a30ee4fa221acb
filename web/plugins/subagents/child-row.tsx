/* One child session in the tree, and its own children under it. Its name opens its transcript. */
import { useClient } from '../../client.tsx'
import { Icon, State } from '../../icon.tsx'
import { Link } from '../../shell/link.tsx'
import { useStore } from '../../store.ts'
import { moment, stopwatch, took } from '../../time.ts'
import type { Child } from './catalog.ts'
import { subagentTexts } from './subagent-texts.ts'

export interface ChildRowProps {
  child: Child
  /** The host's time of what is shown; with `lastKnown` it stands still. */
  at: number
  lastKnown: boolean
  /** The whole list has come, so what is not in it is gone. */
  listed: boolean
}

export function ChildRow(props: ChildRowProps) {
  const { child, at, lastKnown, listed } = props
  return (
    <li className="task-branch">
      <div className="task">
        <Icon name="i-sub" />
        {child.session === null ? (
          <span className="task-label prose">{child.label}</span>
        ) : (
          <Link className="task-label prose" to={{ view: 'session', sessionId: child.sessionId, pane: null }}>
            {child.label}
          </Link>
        )}
        <Standing child={child} lastKnown={lastKnown} />
        <div className="task-line">
          <Meta child={child} gone={listed && child.session === null} />
          <Lasted child={child} at={at} />
        </div>
      </div>
      {child.children.length > 0 && (
        <ul className="task-kids">
          {child.children.map((one) => (
            <ChildRow key={one.sessionId} child={one} at={at} lastKnown={lastKnown} listed={listed} />
          ))}
        </ul>
      )}
    </li>
  )
}

function Meta({ child, gone }: { child: Child; gone: boolean }) {
  const t = subagentTexts.use()
  const { preferences, now } = useClient()
  const language = useStore(preferences, (state) => state.language)
  const { mode, session, status } = child
  const parts = [
    mode === null ? null : t(mode),
    session === null || status === 'running' ? null : t('ended', { time: moment(session.updatedAt, now(), language) }),
    gone ? t('gone') : null,
  ]
  return <span className="task-meta">{parts.filter((part) => part !== null).join(' · ')}</span>
}

function Lasted({ child, at }: { child: Child; at: number }) {
  if (child.session === null) return null
  const { createdAt, updatedAt } = child.session
  const ms = Math.max(0, (child.status === 'running' ? at : updatedAt) - createdAt)
  return <time dateTime={`PT${Math.floor(ms / 1000)}S`}>{child.status === 'running' ? stopwatch(ms) : took(ms)}</time>
}

function Standing({ child, lastKnown }: { child: Child; lastKnown: boolean }) {
  const t = subagentTexts.use()
  switch (child.status) {
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
    case 'completed':
      return <State mark="m-completed">{t('completed')}</State>
    case 'killed':
      return <State mark="m-killed">{t('killed')}</State>
    case 'failed':
      return (
        <State mark="m-failed" tone="bad">
          {t('failed')}
        </State>
      )
    case 'idle':
      return <State mark="m-idle">{t('idle')}</State>
    default: {
      const never: never = child.status
      return never
    }
  }
}
