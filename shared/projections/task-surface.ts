/* Which surface of a session is open (SPEC 6.3): the one owner of the rules that open and close it from the log. Queued and
   claiming are not in the log; `machines/` knows them. At most one is open; a newer opening supersedes. */
import { z } from 'zod'
import type { SessionEvent } from '../event.ts'
import { callIdSchema, taskSurfaceIdSchema } from '../ids.ts'
import type { TaskSurfaceId } from '../ids.ts'
import { taskSurfaceCorrelationSchema } from '../message.ts'
import { openedSurface } from '../surface/meta.ts'
import type { Projection } from './projection.ts'

export const taskSurfaceProjectionSchema = z.object({
  active: z.object({ callId: callIdSchema, surfaceId: taskSurfaceIdSchema }).nullable(),
})
export type TaskSurfaceProjection = z.infer<typeof taskSurfaceProjectionSchema>

export const closingReasonSchema = z.enum(['submitted', 'dismissed', 'bypassed', 'superseded'])
export type ClosingReason = z.infer<typeof closingReasonSchema>

export const taskSurface: Projection<TaskSurfaceProjection> = {
  key: 'taskSurface',
  init: { active: null },
  apply: (state, event) => {
    const opened = event.type === 'tool/result' ? openedSurface(event.data) : null
    if (opened !== null) return { active: { callId: opened.callId, surfaceId: opened.surfaceId } }
    return closingReason(state, event) === null ? state : { active: null }
  },
}

/** Why `event` closes the active surface; null when it does not. */
export function closingReason(state: TaskSurfaceProjection, event: SessionEvent): ClosingReason | null {
  if (state.active === null) return null
  switch (event.type) {
    case 'tool/result':
      return openedSurface(event.data) === null ? null : 'superseded'
    case 'task-surface/dismissed':
      return event.data.surfaceId === state.active.surfaceId ? 'dismissed' : null
    case 'user/message': {
      const { source } = event.data.message
      if (source.kind !== 'user') return null
      return answeredSurface(source) === state.active.surfaceId ? 'submitted' : 'bypassed'
    }
    default:
      return null
  }
}

/** The surface that a message of this source answers. */
function answeredSurface(source: object): TaskSurfaceId | null {
  if (!('taskSurface' in source)) return null
  const read = taskSurfaceCorrelationSchema.safeParse(source.taskSurface)
  return read.success ? read.data.surfaceId : null
}
