/* Every projection of a session, in the order their frames go out (SPEC 3), and how one event is folded into all of them.
   Next: `../fold.ts`, which folds a whole log. */
import { z } from 'zod'
import type { SessionEvent } from '../event.ts'
import type { Json } from '../json.ts'
import { subagents, subagentsProjectionSchema } from './subagents.ts'
import { taskSurfaceOutcomes, taskSurfaceOutcomesSchema } from './task-surface-outcomes.ts'
import { taskSurface, taskSurfaceProjectionSchema } from './task-surface.ts'
import { title, titleProjectionSchema } from './title.ts'
import { usage, usageProjectionSchema } from './usage.ts'

export const projectionValuesSchema = z.object({
  taskSurface: taskSurfaceProjectionSchema,
  taskSurfaceOutcomes: taskSurfaceOutcomesSchema,
  title: titleProjectionSchema,
  usage: usageProjectionSchema,
  subagents: subagentsProjectionSchema,
})
export type ProjectionValues = z.infer<typeof projectionValuesSchema>
export type ProjectionKey = keyof ProjectionValues

export const projectionKeys = [
  'taskSurface',
  'taskSurfaceOutcomes',
  'title',
  'usage',
  'subagents',
] as const satisfies readonly ProjectionKey[]

export const initialProjections: ProjectionValues = {
  taskSurface: taskSurface.init,
  taskSurfaceOutcomes: taskSurfaceOutcomes.init,
  title: title.init,
  usage: usage.init,
  subagents: subagents.init,
}

/** `event` must be counted. The same reference, of the whole or of one value, means that nothing changed. */
export function applyProjections(values: ProjectionValues, event: SessionEvent): ProjectionValues {
  const next: ProjectionValues = {
    taskSurface: taskSurface.apply(values.taskSurface, event, values),
    taskSurfaceOutcomes: taskSurfaceOutcomes.apply(values.taskSurfaceOutcomes, event, values),
    title: title.apply(values.title, event, values),
    usage: usage.apply(values.usage, event, values),
    subagents: subagents.apply(values.subagents, event, values),
  }
  return projectionKeys.some((key) => next[key] !== values[key]) ? next : values
}

/** The `session/projection` frames that a step asks for: every value that is not the one it was. */
export function changedProjections(
  before: ProjectionValues,
  after: ProjectionValues,
): { key: ProjectionKey; value: Json }[] {
  return projectionKeys.filter((key) => before[key] !== after[key]).map((key) => ({ key, value: after[key] }))
}
