/* Starting a background task from a tool: how a refusal reads to the model. */
import type { TaskId } from '../../shared/ids.ts'
import type { TaskRegistry, TaskSpec } from '../tasks/port.ts'
import { maxLiveTasks } from '../tasks/registry.ts'
import { ToolFailure } from './tool.ts'

export async function startInBackground(registry: TaskRegistry, spec: TaskSpec): Promise<TaskId> {
  const outcome = await registry.start(spec)
  if (outcome.started) return outcome.id
  switch (outcome.reason) {
    case 'too-many-tasks':
      throw new ToolFailure(
        'TOO_MANY_TASKS',
        `${maxLiveTasks} tasks run already. Wait for one, or end one with task_kill.`,
      )
    case 'closed':
      throw new ToolFailure('HOST_STOPPING', 'The host is stopping, nothing was started.')
  }
}

export function startedText(id: TaskId): string {
  return `Started in the background as task ${id}. You get a notice when it ends; task_output shows what it has written.`
}
