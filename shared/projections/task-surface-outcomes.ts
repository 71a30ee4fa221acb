/* How the newest surfaces of a session ended (SPEC 3), for transcript rows whose closing event is outside the window. */
import { z } from 'zod'
import { taskSurfaceIdSchema } from '../ids.ts'
import type { Projection } from './projection.ts'
import { closingReason, closingReasonSchema } from './task-surface.ts'

/** Outcomes kept: the value crosses the wire whole with every change. */
export const outcomesKept = 64

export const taskSurfaceOutcomesSchema = z.object({
  /** In order of closing; `seq` is that of the closing event. */
  outcomes: z.array(
    z.object({ surfaceId: taskSurfaceIdSchema, reason: closingReasonSchema, seq: z.int().nonnegative() }),
  ),
})
export type TaskSurfaceOutcomes = z.infer<typeof taskSurfaceOutcomesSchema>

export const taskSurfaceOutcomes: Projection<TaskSurfaceOutcomes> = {
  key: 'taskSurfaceOutcomes',
  init: { outcomes: [] },
  apply: (state, event, before) => {
    const reason = closingReason(before.taskSurface, event)
    const active = before.taskSurface.active
    if (reason === null || active === null) return state
    const outcome = { surfaceId: active.surfaceId, reason, seq: event.seq }
    return { outcomes: [...state.outcomes, outcome].slice(-outcomesKept) }
  },
}
