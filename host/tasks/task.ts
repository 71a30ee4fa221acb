/* One task as the registry holds it: its actor, its output, and how it looks from outside. */
import { createActor } from 'xstate'
import { statusOf, taskMachine, type TaskActor } from '../../machines/task.ts'
import type { SessionId, TaskId } from '../../shared/ids.ts'
import { taskLabelLength, type TaskView } from '../../shared/task.ts'
import { oneLine } from './one-line.ts'
import type { TaskRecord } from './port.ts'
import type { Leader } from './process-table.ts'
import { TaskOutputBuffer } from './task-output.ts'
import type { StoredTask } from './task-records.ts'

export interface Task {
  id: TaskId
  owner: SessionId | undefined
  kind: string
  label: string
  startedAt: number
  actor: TaskActor
  output: TaskOutputBuffer
  stop: AbortController
  leader: Leader | undefined
  /** Set once the producer is done, shortly before the actor settles. */
  end: StoredTask['end']
  /** How it looks for good: a settled task changes no more, and is looked at with every change of another. */
  settledView: TaskView | undefined
  /** Resolves when nothing of the task is alive: it has settled, or never came to run. */
  over: Promise<void>
  release: () => void
  /** Writes of the record, one after the other. */
  recording: Promise<void>
}

/** What a task is made of: a new one, or one that is restored. */
export interface TaskOrigin {
  id: TaskId
  owner?: SessionId
  kind: string
  label: string
  startedAt: number
  outputLimitBytes?: number
}

/** The machine of a task's actor, seen by those who look at lifecycles. */
export type ObserveTask = (
  machine: typeof taskMachine,
  actorId: string,
  owner: SessionId | undefined,
) => typeof taskMachine

/** `outputPath`: where output goes that does not fit in memory. */
export function createTask(origin: TaskOrigin, outputPath: string, observe: ObserveTask): Task {
  const { id, owner, kind, label, startedAt } = origin
  let release = (): void => {}
  const over = new Promise<void>((resolve) => {
    release = resolve
  })
  const name = `task:${id}`
  const input = { taskId: id, owner: owner ?? null }
  const actor = createActor(observe(taskMachine, name, owner), { id: name, input })
  actor.start()
  return {
    id,
    owner,
    kind,
    label: oneLine(label, taskLabelLength),
    startedAt,
    actor,
    output: new TaskOutputBuffer(outputPath, origin.outputLimitBytes),
    stop: new AbortController(),
    leader: undefined,
    end: undefined,
    settledView: undefined,
    over,
    release,
    recording: Promise.resolve(),
  }
}

export function isLive({ actor, settledView }: Task): boolean {
  return settledView === undefined && actor.getSnapshot().matches('live')
}

export function storedOf({ id, owner, kind, label, startedAt, leader, end }: Task): StoredTask {
  return {
    id,
    ...(owner !== undefined && { owner }),
    kind,
    label,
    startedAt,
    ...(leader !== undefined && { process: leader }),
    ...(end !== undefined && { end }),
  }
}

/** `end` counts once the actor has settled: a view never mixes the two. */
export function viewOf(task: Task): TaskView {
  if (task.settledView !== undefined) return task.settledView
  const { id, kind, label, startedAt, actor, end } = task
  const view = { id, kind, label, status: statusOf(actor.getSnapshot()), startedAt }
  if (end === undefined || isLive(task)) return view
  const { detail, finishedAt } = end
  task.settledView = { ...view, ...(detail !== undefined && { detail }), finishedAt }
  return task.settledView
}

export function recordOf(task: Task): TaskRecord {
  const { stoppedBy, modelTold } = task.actor.getSnapshot().context
  return { id: task.id, owner: task.owner, view: viewOf(task), stoppedBy, modelTold }
}
