/* Background tasks of a session (SPEC 7, 9): a header action with the count of live ones, and the list under it.
   Reads the session's mirror and asks the host nothing; while the list is shut no timer runs. Rules: TASK-NONE,
   TASK-BADGE, TASK-ORDER, TASK-FAIL, TASK-FOLD, TASK-TICK, TASK-SAID. Next: `task-rows.ts`, `task-row.tsx`. */
import { useEffect, useRef } from 'react'
import type { TaskView } from '../../../shared/task.ts'
import type { Client } from '../../client.tsx'
import { type SessionHandle, useSession } from '../../session/session-store.ts'
import { useHostTime } from '../../shell/host-time.ts'
import { Popover } from '../../shell/popover.tsx'
import { RowsHeading, SettledList } from '../../shell/settled-list.tsx'
import { shellTexts } from '../../shell/shell-texts.ts'
import type { Scope } from '../../slots.ts'
import { LiveTask, SettledTask } from './task-row.tsx'
import { endedSince, isFailed, isLive, taskRows } from './task-rows.ts'
import { taskTexts } from './task-texts.ts'

export function registerTasks(scope: Scope, { announce }: Pick<Client, 'announce'>): void {
  scope.register('conversation.session.header.actions', {
    id: 'tasks',
    order: 10,
    component: ({ session }) => <TasksAction session={session} announce={announce} />,
  })
}

function TasksAction({ session, announce }: { session: SessionHandle; announce: (text: string) => void }) {
  const t = taskTexts.use()
  const tasks = useSession(session, (state) => state.tasks)
  const lastKnown = useSession(session, (state) => state.phase !== 'live')
  useSaidEnds(session, announce)
  if (tasks.length === 0) return null
  return (
    <Popover
      icon="i-tasks"
      title={t('title')}
      count={<Badge count={tasks.filter(isLive).length} lastKnown={lastKnown} />}
      listLabel={t('list')}
    >
      <Tasks tasks={tasks} lastKnown={lastKnown} />
    </Popover>
  )
}

function Badge({ count, lastKnown }: { count: number; lastKnown: boolean }) {
  const t = taskTexts.use()
  if (count === 0) return null
  return (
    <span className={lastKnown ? 'badge badge-old' : 'badge'}>
      {count}
      <span className="vh"> {lastKnown ? t('runningSeen') : t('running')}</span>
    </span>
  )
}

function Tasks({ tasks, lastKnown }: { tasks: readonly TaskView[]; lastKnown: boolean }) {
  const t = shellTexts.use()
  const { live, settled } = taskRows(tasks)
  const at = useHostTime(!lastKnown && live.length > 0)
  return (
    <>
      {live.length > 0 && (
        <>
          <RowsHeading words={t('live')} count={live.length} />
          <ul>
            {live.map((task) => (
              <LiveTask key={task.id} task={task} at={at} lastKnown={lastKnown} />
            ))}
          </ul>
        </>
      )}
      {settled.length > 0 && (
        <SettledList settled={settled} must={isFailed} draw={(task) => <SettledTask key={task.id} task={task} />} />
      )}
    </>
  )
}

/** Characters of a label that are read out. */
const saidAtMost = 120

function cut(label: string): string {
  const points = Array.from(label)
  return points.length <= saidAtMost ? label : `${points.slice(0, saidAtMost).join('')}…`
}

/** Pure: what is read out about tasks that ended; null: nothing. */
function saidOf(ended: readonly TaskView[]): string | null {
  const { text } = taskTexts
  const [only] = ended
  if (only === undefined) return null
  if (ended.length > 1) {
    const failed = ended.filter(isFailed).length
    return text(failed > 0 ? 'saidManyFailed' : 'saidMany', { count: ended.length, failed })
  }
  const label = cut(only.label)
  if (only.status === 'failed') return text('said_failed', { label, detail: only.detail ?? '' }).trim()
  return text(only.status === 'killed' ? 'said_killed' : 'said_completed', { label })
}

/** Ends are said, nothing else: starting and stopping are seen. */
function useSaidEnds(session: SessionHandle, announce: (text: string) => void): void {
  const tasks = useSession(session, (state) => state.tasks)
  const epoch = useSession(session, (state) => state.epoch)
  const before = useRef({ tasks, epoch })
  useEffect(() => {
    const said = saidOf(endedSince(before.current.tasks, tasks, before.current.epoch === epoch))
    before.current = { tasks, epoch }
    if (said !== null) announce(said)
  }, [tasks, epoch, announce])
}
