/* What survives a crash of the host about running tasks (SPEC 7): a port of its own, beside the log. A record
   stands from the start of a task to its settlement, so whatever is found at start-up was cut off. */
import { z } from 'zod'
import { sessionIdSchema, taskIdSchema, type TaskId } from '../../shared/ids.ts'

export const storedTaskSchema = z.object({
  id: taskIdSchema,
  owner: sessionIdSchema.optional(),
  kind: z.string(),
  label: z.string(),
  startedAt: z.number(),
  /** The leader of the task's process group, with the start time the system gave it. */
  process: z.object({ pid: z.int().positive(), startTime: z.string().nullable() }).optional(),
})
export type StoredTask = z.infer<typeof storedTaskSchema>

export interface TaskRecords {
  put(task: StoredTask): Promise<void>
  remove(id: TaskId): Promise<void>
  all(): Promise<StoredTask[]>
}

/** For compositions without a store. */
export function createMemoryTaskRecords(): TaskRecords {
  const taskById = new Map<TaskId, StoredTask>()
  return {
    put: async (task) => void taskById.set(task.id, task),
    remove: async (id) => void taskById.delete(id),
    all: async () => [...taskById.values()],
  }
}
