/* `task_list`: the background tasks of this session (SPEC 5). Looking at the list takes no output and does not count
   as having been told of an end. */
import { z } from 'zod'
import type { TaskView } from '../../shared/task.ts'
import type { TaskRegistry } from '../tasks/port.ts'
import { taskLine } from './own-task.ts'
import { defineTool, type Tool } from './tool.ts'

export function createTaskList({ registry }: { registry: TaskRegistry }): Tool {
  return defineTool<Record<string, never>, TaskView[]>({
    name: 'task_list',
    description: 'List the background tasks of this session, with id, kind, label and status.',
    input: z.strictObject({}),
    concurrencySafe: true,
    execute: (_, { session }) => registry.list(session.sessionId),
    render: (_, tasks) => (tasks.length === 0 ? 'There are no background tasks.' : tasks.map(taskLine).join('\n')),
  })
}
