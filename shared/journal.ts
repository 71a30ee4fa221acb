/* One transition of one actor, for people who look at lifecycles (SPEC 10). Payloads are reduced to ids and sizes. */
import { z } from 'zod'
import { sessionIdSchema } from './ids.ts'
import { jsonSchema } from './json.ts'

export const journalEntrySchema = z.object({
  id: z.string(),
  at: z.number(),
  actorId: z.string(),
  machine: z.string(),
  sessionId: sessionIdSchema.optional(),
  event: jsonSchema,
  from: jsonSchema,
  to: jsonSchema,
  accepted: z.boolean(),
})
export type JournalEntry = z.infer<typeof journalEntrySchema>
