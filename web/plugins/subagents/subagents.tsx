/* The children a session's agent started (SPEC 3, 9): a header action with their number, and the tree under it,
   finished ones too. A child's own page is its transcript, read only. Next: `catalog.ts`, `child-row.tsx`. */
import { useClient } from '../../client.tsx'
import { type SessionHandle, useSession } from '../../session/session-store.ts'
import { useHostTime } from '../../shell/host-time.ts'
import { Popover } from '../../shell/popover.tsx'
import { RowsHeading, SettledList } from '../../shell/settled-list.tsx'
import { shellTexts } from '../../shell/shell-texts.ts'
import type { Scope } from '../../slots.ts'
import { useStore } from '../../store.ts'
import { catalogOf, type Child, childrenOf, countOf, hasFailed } from './catalog.ts'
import { ChildRow } from './child-row.tsx'
import { subagentTexts } from './subagent-texts.ts'

export function registerSubagents(scope: Scope): void {
  scope.register('conversation.session.header.actions', { id: 'subagents', order: 20, component: SubagentsAction })
}

function SubagentsAction({ session }: { session: SessionHandle }) {
  const t = subagentTexts.use()
  const { sessions } = useClient()
  const all = useStore(sessions.list, (list) => list.sessions)
  const value = useSession(session, (state) => state.projections.get('subagents')?.value)
  const children = childrenOf(value, all)
  if (children.length === 0) return null
  return (
    <Popover
      icon="i-sub"
      title={t('title')}
      count={<span className="num">{countOf(children)}</span>}
      listLabel={t('list')}
    >
      <Subagents session={session} tree={children} />
    </Popover>
  )
}

function Subagents({ session, tree }: { session: SessionHandle; tree: readonly Child[] }) {
  const t = shellTexts.use()
  const { sessions } = useClient()
  const listed = useStore(sessions.list, (list) => list.ready)
  const lastKnown = useSession(session, (state) => state.phase !== 'live')
  const { live, settled } = catalogOf(tree)
  const at = useHostTime(!lastKnown && live.length > 0)
  const draw = (child: Child) => (
    <ChildRow key={child.sessionId} child={child} at={at} lastKnown={lastKnown} listed={listed} />
  )
  return (
    <>
      {live.length > 0 && (
        <>
          <RowsHeading words={t('live')} count={countOf(live)} />
          <ul>{live.map(draw)}</ul>
        </>
      )}
      {settled.length > 0 && (
        <SettledList settled={settled} must={hasFailed} size={(child) => countOf([child])} draw={draw} />
      )}
    </>
  )
}
