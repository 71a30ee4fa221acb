/* What the popover shows of a session's tasks (SPEC 7, 9): order, kinds, counts, what ended since. Pure. Badge and
   list are read from the same functions, so they cannot disagree. */
import type { TaskView } from '../../../shared/task.ts'
import type { IconName } from '../../icon.tsx'
import { taskTexts } from './task-texts.ts'

export function isLive({ status }: TaskView): boolean {
  return status === 'running' || status === 'stopping'
}

export function isFailed({ status }: TaskView): boolean {
  return status === 'failed'
}

export interface TaskRows {
  /** By start, the first one first: a new row moves nothing. */
  readonly live: readonly TaskView[]
  /** By end, newest first. */
  readonly settled: readonly TaskView[]
}

function endOf(task: TaskView): number {
  return task.finishedAt ?? task.startedAt
}

/** Of two that ended at one moment the one registered later is the newer one. */
export function taskRows(tasks: readonly TaskView[]): TaskRows {
  return {
    live: tasks.filter(isLive).toSorted((left, right) => left.startedAt - right.startedAt),
    settled: tasks
      .filter((task) => !isLive(task))
      .toReversed()
      .toSorted((left, right) => endOf(right) - endOf(left)),
  }
}

export interface Kind {
  icon: IconName
  /** In the language of the page; a kind this client does not know goes by its own name. */
  name: string
  /** The label is a command and not prose. */
  machine: boolean
}

type KnownKind = 'bash' | 'pwsh' | 'pty-send' | 'subagent'

const known: ReadonlyMap<string, { key: `kind_${KnownKind}`; icon: IconName; machine: boolean }> = new Map([
  ['bash', { key: 'kind_bash', icon: 'i-term', machine: true }],
  ['pwsh', { key: 'kind_pwsh', icon: 'i-term', machine: true }],
  ['pty-send', { key: 'kind_pty-send', icon: 'i-term', machine: true }],
  ['subagent', { key: 'kind_subagent', icon: 'i-sub', machine: false }],
])

export function kindOf(kind: string): Kind {
  const one = known.get(kind)
  if (one === undefined) return { icon: 'm-neutral', name: kind, machine: false }
  return { icon: one.icon, name: taskTexts.text(one.key), machine: one.machine }
}

/**
 * The tasks that were live before and are not any more. `following`: nothing was missed between the two, so a task
 * that shows up settled ended just now as well.
 */
export function endedSince(
  before: readonly TaskView[],
  after: readonly TaskView[],
  following: boolean,
): readonly TaskView[] {
  const beforeById = new Map(before.map((task) => [task.id, task]))
  return after.filter((task) => {
    if (isLive(task)) return false
    const old = beforeById.get(task.id)
    return old === undefined ? following : isLive(old)
  })
}
