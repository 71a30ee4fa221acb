/* Background tasks on the wire (SPEC 7, notes): one whole snapshot per change. Four rules: never resume a session,
   fan out what is unowned, stay optional, say nothing about nothing. Output is never read here.
   It also tells the owner's model how a task ended, unless the model knows. */
import type { SessionId } from '../../shared/ids.ts'
import type { TaskRecord, TaskRegistry } from '../tasks/port.ts'
import type { SubscriptionHub } from './hub.ts'

/** Returns the disposer. `notify` brings a notice to the owner's session. */
export function carryTasks(
  registry: TaskRegistry,
  hub: SubscriptionHub,
  notify: (owner: SessionId, record: TaskRecord) => void,
): () => void {
  const publish = (sessionId: SessionId): void => {
    hub.publish(sessionId, { type: 'session/tasks', tasks: registry.list(sessionId) })
  }
  const disposeChanged = registry.onTasksChanged((owner) => {
    if (owner !== undefined) publish(owner)
    else for (const sessionId of hub.sessions()) publish(sessionId)
  })
  const disposeDone = registry.onTaskDone((record) => {
    if (record.owner !== undefined && !record.modelTold) notify(record.owner, record)
  })
  return () => {
    disposeChanged()
    disposeDone()
  }
}

/** The completion notice (SPEC 7): id, kind, label and status, and how to read more. */
export function completionNotice({ id, view, stoppedBy }: TaskRecord): string {
  const { kind, label, status, detail } = view
  const by = status === 'killed' && stoppedBy === 'person' ? ' by the person' : ''
  const why = detail === undefined ? '' : ` (${detail})`
  return `Background task ${id} (${kind}) "${label}" ${status}${by}${why}. task_output shows what it wrote.`
}
