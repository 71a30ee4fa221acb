/* Events, headers and checkpoints as stored text, and back (SPEC 2). The text is canonical: one value has one
   spelling. Stored text is checked here, once; behind this file everything is typed. */
import { z } from 'zod'
import { approvalPolicySchema, parentSchema, toolModeSchema } from '../../shared/event.ts'
import { sessionIdSchema } from '../../shared/ids.ts'

/** The small record per session that listing and opening read. Derivable from the log. */
export const sessionHeaderSchema = z.object({
  format: z.int().positive(),
  sessionId: sessionIdSchema,
  /** Own title, else the first line of the first message; empty before that. */
  title: z.string(),
  agent: z.string(),
  cwd: z.string(),
  createdAt: z.number(),
  /** Time of the newest event. */
  updatedAt: z.number(),
  toolMode: toolModeSchema,
  approval: approvalPolicySchema,
  parent: parentSchema.optional(),
  lastSeq: z.int().nonnegative(),
})
export type SessionHeader = z.infer<typeof sessionHeaderSchema>
