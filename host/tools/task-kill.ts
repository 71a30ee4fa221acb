/* `task_kill`: ends a background task and all it started (SPEC 5, 7). The model asked for it, so no notice follows. */
import { z } from 'zod'
import type { TaskView } from '../../shared/task.ts'
import type { TaskRegistry } from '../tasks/port.ts'
import { ownTask, taskLine } from './own-task.ts'
import { defineTool, type Tool } from './tool.ts'

/** A task that is asked first and killed after its grace period is gone within this. */
const waitMs = 5_000

const inputSchema = z.strictObject({
  taskId: z.string(),
  reason: z.string().max(500).optional().describe('Why, in a few words for the person.'),
})

interface Killed {
  view: TaskView
  /** False: it had ended before. */
  asked: boolean
}

export function createTaskKill({ registry }: { registry: TaskRegistry }): Tool {
  return defineTool<z.infer<typeof inputSchema>, Killed>({
    name: 'task_kill',
    description: 'End a background task of this session, with every process it started.',
    input: inputSchema,
    async execute({ taskId }, { session, signal, onLogged }) {
      const { id } = ownTask(registry, session, taskId)
      const asked = registry.kill(id, 'model')
      // A model that asked for the end needs no news of it, even where its call was cut off.
      onLogged((succeeded) => (asked || succeeded) && registry.told(id))
      await registry.wait(id, waitMs, signal)
      return { view: ownTask(registry, session, taskId).view, asked }
    },
    render(_, { view, asked }) {
      if (!asked && view.finishedAt !== undefined) return `${taskLine(view)}. It had ended before.`
      return view.finishedAt === undefined ? `${taskLine(view)}. It has been told to end.` : taskLine(view)
    },
    presentationMeta: (_, { view: { id, status } }) => ({ taskId: id, status }),
  })
}
