/* On the page of a subagent whose call waits for permission: the request stands in the session its person looks
   at (SPEC 5), so this says where. Known only while this page follows that session too. */
import { useClient } from '../../client.tsx'
import { State } from '../../icon.tsx'
import type { SessionState } from '../../session/session-state.ts'
import { useSession } from '../../session/session-store.ts'
import { Link } from '../../shell/link.tsx'
import type { SessionProps } from '../../slots.ts'
import { createStore, useStore } from '../../store.ts'
import { approvalTexts } from './approval-texts.ts'

const unfollowed = createStore<SessionState | null>(null)

export function ApprovalElsewhere({ session }: SessionProps) {
  const t = approvalTexts.use()
  const { sessions } = useClient()
  const parent = useSession(session, (state) => state.session?.parent)
  const above = useStore(sessions.followed, (map) =>
    parent?.relation === 'subagent' ? map.get(parent.sessionId) : undefined,
  )
  const title = useStore<SessionState | null, string | null>(above ?? unfollowed, (state) =>
    state?.phase === 'live' && state.approvals.some((one) => one.fromSession === session.id)
      ? (state.session?.title ?? null)
      : null,
  )
  if (title === null || parent === undefined) return null
  return (
    <p className="approval-elsewhere" role="status">
      <State mark="m-open" tone="now">
        {t('childWaits')}
      </State>
      <Link to={{ view: 'session', sessionId: parent.sessionId, pane: null }}>{t('decide', { title })}</Link>
    </p>
  )
}
