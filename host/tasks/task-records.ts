/* What the next host must know of a task (SPEC 7): a port of its own, beside the log. A record stands from before the
   start is reported until the model knows how the task ended, so no task is silently lost: what is found at start-up
   was either cut off, or ended without anybody having told the model. */
import { z } from 'zod'
import { sessionIdSchema, taskIdSchema, type TaskId } from '../../shared/ids.ts'

export const storedTaskSchema = z.object({
  id: taskIdSchema,
  owner: sessionIdSchema.exactOptional(),
  kind: z.string(),
  label: z.string(),
  startedAt: z.number(),
  /** The leader of the task's process group, with the start time the system gave it. */
  process: z.object({ pid: z.int().positive(), startTime: z.string().nullable() }).exactOptional(),
  /** Absent: it was running, or starting, when the host stopped. */
  end: z
    .object({
      status: z.enum(['completed', 'failed', 'killed']),
      detail: z.string().exactOptional(),
      finishedAt: z.number(),
    })
    .optional(),
})
export type StoredTask = z.infer<typeof storedTaskSchema>

/** A call resolves once it is on disk, and rejects where that is not certain. */
export interface TaskRecords {
  put(task: StoredTask): Promise<void>
  remove(id: TaskId): Promise<void>
  /** In no particular order. A record that cannot be read is left out. */
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
