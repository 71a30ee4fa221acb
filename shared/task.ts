/* A background task as clients see it (SPEC 7). Owner, "the model was told" and output limits stay on the host. */
import { z } from 'zod'
import { taskIdSchema } from './ids.ts'

/** Code points of a label and of a detail on the wire. */
export const taskLabelLength = 500
export const taskDetailLength = 200

export const taskViewSchema = z.object({
  id: taskIdSchema,
  kind: z.string(),
  label: z.string(),
  status: z.enum(['running', 'stopping', 'completed', 'killed', 'failed']),
  detail: z.string().optional(),
  startedAt: z.number(),
  finishedAt: z.number().optional(),
})
export type TaskView = z.infer<typeof taskViewSchema>
