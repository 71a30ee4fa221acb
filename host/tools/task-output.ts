/* `task_output`: what a background task has written since the last call (SPEC 5, 7). The only reader of the registry's
   consuming cursor. Seeing the end here counts as having been told of it, once the result is on disk. */
import { z } from 'zod'
import type { TaskView } from '../../shared/task.ts'
import type { TaskOutput, TaskRegistry } from '../tasks/port.ts'
import { ownTask, taskLine } from './own-task.ts'
import { defineTool, ToolFailure, type Tool } from './tool.ts'

const defaultTimeoutMs = 30_000
const maxTimeoutMs = 10 * 60_000
/** What a model can read at once without losing its thread. */
const readBytes = 32 * 1024

const inputSchema = z.strictObject({
  taskId: z.string(),
  wait: z.boolean().optional().describe('Wait until the task has ended, or until timeoutMs has passed.'),
  timeoutMs: z.int().min(0).max(maxTimeoutMs).optional().describe('How long to wait; 30 seconds if left out.'),
})

interface Seen {
  view: TaskView
  output: TaskOutput
}

export function createTaskOutput({ registry }: { registry: TaskRegistry }): Tool {
  return defineTool<z.infer<typeof inputSchema>, Seen>({
    name: 'task_output',
    description:
      'Read what a background task has written since you last read it, and how it stands. Output is handed out once. ' +
      'Use wait to wait for its end.',
    input: inputSchema,
    // Two calls at once would tear the output of one task in two.
    concurrencySafe: false,
    async execute({ taskId, wait = false, timeoutMs = defaultTimeoutMs }, { session, signal, onLogged }) {
      const { id } = ownTask(registry, session, taskId)
      if (wait) await registry.wait(id, timeoutMs, signal)
      // An interrupted call is not read by anybody: it must not use up output or the news of the end.
      if (signal.aborted) throw new ToolFailure('INTERRUPTED', 'The call was interrupted; nothing was read.')
      const { view } = ownTask(registry, session, taskId)
      const output = await registry.read(id, readBytes)
      // Until the result is on disk the model may never read it.
      if (view.finishedAt !== undefined) onLogged((succeeded) => succeeded && registry.told(id))
      return { view, output }
    },
    render: (_, { view, output: { text, droppedBytes, more } }) =>
      [
        taskLine(view),
        ...(droppedBytes > 0 ? [`[${droppedBytes} bytes were dropped: too much waited to be read]`] : []),
        text === '' ? (view.finishedAt === undefined ? '(nothing new)' : '(nothing more)') : `\n${text}`,
        ...(more ? ['\n[more waits: call task_output again]'] : []),
      ].join('\n'),
    presentationMeta: (_, { view: { id, status } }) => ({ taskId: id, status }),
  })
}
