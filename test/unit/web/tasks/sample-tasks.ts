/* Task views as a host sends them. */
import { type TaskView, taskViewSchema } from '../../../../shared/task.ts'

export function task(id: string, change: object = {}): TaskView {
  return taskViewSchema.parse({ id, kind: 'bash', label: `run ${id}`, status: 'running', startedAt: 1_000, ...change })
}

export const ended = (id: string, finishedAt: number, change: object = {}): TaskView =>
  task(id, { status: 'completed', finishedAt, ...change })

export const tasksFrame = (...tasks: TaskView[]) => ({ type: 'session/tasks', tasks })

export const idsOf = (tasks: readonly TaskView[]): string[] => tasks.map(({ id }) => id)
