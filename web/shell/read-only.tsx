/* In place of the message field where nobody writes: a subagent takes its orders from the session that started it. */
import { useClient } from '../client.tsx'
import { composerTexts } from '../composer/composer-texts.ts'
import { Icon } from '../icon.tsx'
import { type SessionHandle, useSession } from '../session/session-store.ts'
import { useStore } from '../store.ts'
import { Link } from './link.tsx'

export function ReadOnly({ session }: { session: SessionHandle }) {
  const t = composerTexts.use()
  const { sessions } = useClient()
  const parent = useSession(session, (state) => state.session?.parent)
  const title = useStore(sessions.list, (list) => list.sessions.find((one) => one.id === parent?.sessionId)?.title)
  return (
    <p className="read-only">
      <Icon name="i-lock" />
      <span>
        {t('readOnly')}{' '}
        {parent !== undefined && title !== undefined && (
          <Link to={{ view: 'session', sessionId: parent.sessionId, pane: null }}>{t('backTo', { title })}</Link>
        )}
      </span>
    </p>
  )
}
