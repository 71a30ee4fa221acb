/* One row of the task list: what runs, how it stands, how long it took. The detail shows for failures alone. A
   label that two lines cannot hold opens by a press, so a keyboard reads it whole. */
import { memo, type ReactNode, useCallback, useState } from 'react'
import type { TaskView } from '../../../shared/task.ts'
import { useClient } from '../../client.tsx'
import { Icon, State } from '../../icon.tsx'
import { useStore } from '../../store.ts'
import { moment, stopwatch, took } from '../../time.ts'
import { kindOf } from './task-rows.ts'
import { taskTexts } from './task-texts.ts'

/** `at`: the host's time of what is shown; with `lastKnown` it stands still. */
export const LiveTask = memo(function LiveTask({
  task,
  at,
  lastKnown,
}: {
  task: TaskView
  at: number
  lastKnown: boolean
}) {
  const seconds = Math.max(0, Math.floor((at - task.startedAt) / 1000))
  return (
    <Row
      task={task}
      lastKnown={lastKnown}
      ended={null}
      lasted={<time dateTime={`PT${seconds}S`}>{stopwatch(seconds * 1000)}</time>}
    />
  )
})

export const SettledTask = memo(function SettledTask({ task }: { task: TaskView }) {
  const t = taskTexts.use()
  const { preferences, now } = useClient()
  const language = useStore(preferences, (state) => state.language)
  const { finishedAt, startedAt, detail, status } = task
  const ended = finishedAt === undefined ? null : t('ended', { time: moment(finishedAt, now(), language) })
  const ms = Math.max(0, (finishedAt ?? startedAt) - startedAt)
  const lasted = finishedAt === undefined ? null : <time dateTime={`PT${ms / 1000}S`}>{took(ms)}</time>
  return (
    <Row task={task} lastKnown={false} ended={ended} lasted={lasted}>
      {status === 'failed' && detail !== undefined && <p className="task-detail">{detail}</p>}
    </Row>
  )
})

interface RowProps {
  task: TaskView
  lastKnown: boolean
  ended: string | null
  lasted: ReactNode
  children?: ReactNode
}

function Row({ task, lastKnown, ended, lasted, children }: RowProps) {
  // The name of a kind comes from outside of React, so the language must be one of the row's inputs.
  taskTexts.use()
  const kind = kindOf(task.kind)
  return (
    <li className="task">
      <Icon name={kind.icon} />
      <Label text={task.label} className={kind.machine ? 'task-label' : 'task-label prose'} />
      <Standing task={task} lastKnown={lastKnown} />
      <div className="task-line">
        <span className="task-meta">
          {kind.name} · <span className="mono">{task.id}</span>
          {ended !== null && ` · ${ended}`}
        </span>
        {lasted}
      </div>
      {children}
    </li>
  )
}

function Label({ text, className }: { text: string; className: string }) {
  const [open, setOpen] = useState(false)
  const [clamped, setClamped] = useState(false)
  const measure = useCallback((node: HTMLElement | null) => {
    if (node === null) return
    const look = () => setClamped(node.scrollHeight > node.clientHeight + 1)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(node)
    return () => observer.disconnect()
  }, [])
  const label = (
    <span ref={measure} className={open ? `${className} task-whole` : className}>
      {text}
    </span>
  )
  if (!clamped && !open) return label
  return (
    <button type="button" className="task-open" aria-expanded={open} onClick={() => setOpen(!open)}>
      {label}
    </button>
  )
}

function Standing({ task, lastKnown }: { task: TaskView; lastKnown: boolean }) {
  const t = taskTexts.use()
  switch (task.status) {
    case 'running':
    case 'stopping': {
      const stopping = task.status === 'stopping'
      if (lastKnown) {
        return (
          <State mark="m-known" tone="old">
            {stopping ? t('stoppingSeen') : t('runningSeen')}
          </State>
        )
      }
      return stopping ? (
        <State mark="m-stopping" tone="warn">
          {t('stopping')}
        </State>
      ) : (
        <State mark="m-running" tone="now" live>
          {t('running')}
        </State>
      )
    }
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
    default: {
      const never: never = task.status
      return never
    }
  }
}
