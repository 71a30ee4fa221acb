/* The tasks a tool may see: those of its session and the unowned ones. */
import { taskIdSchema, type TaskId } from '../../shared/ids.ts'
import type { TaskView } from '../../shared/task.ts'
import type { TaskRecord, TaskRegistry } from '../tasks/port.ts'
import { ToolFailure, type ToolSession } from './tool.ts'

/** Fails with what there is instead: a model that mixed up an id can go on. */
export function ownTask(registry: TaskRegistry, { sessionId }: ToolSession, text: string): TaskRecord & { id: TaskId } {
  const id = taskIdSchema.safeParse(text)
  const record = id.success ? registry.find(sessionId, id.data) : null
  if (record !== null) return record
  const known = registry.list(sessionId).map((task) => task.id)
  const instead = known.length === 0 ? 'This session has no tasks.' : `Tasks of this session: ${known.join(', ')}.`
  throw new ToolFailure('TASK_NOT_FOUND', `There is no task ${text}. ${instead}`)
}

/** One line: what it is and how it stands. */
export function taskLine({ id, kind, label, status, detail }: TaskView): string {
  return `${id} (${kind}) "${label}": ${status}${detail === undefined ? '' : `, ${detail}`}`
}
