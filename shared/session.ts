/* A session as the outside sees it (SPEC 8): the row of the session list and of `session.open`. */
import { z } from 'zod'
import { approvalPolicySchema, parentSchema, toolModeSchema } from './event.ts'
import { sessionIdSchema } from './ids.ts'

/** `updatedAt` is the time of the newest event; the list is sorted by it. Epoch milliseconds. */
export const sessionSchema = z.object({
  id: sessionIdSchema,
  title: z.string(),
  agent: z.string(),
  cwd: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  status: z.enum(['idle', 'running']),
  toolMode: toolModeSchema,
  approval: approvalPolicySchema,
  parent: parentSchema.optional(),
})
export type Session = z.infer<typeof sessionSchema>
