/* One transition of one actor, for people who look at lifecycles (SPEC 10). Payloads are reduced to ids and sizes. */
import { z } from 'zod'
import { sessionIdSchema } from './ids.ts'
import { jsonSchema } from './json.ts'

export const journalEntrySchema = z.object({
  /** Digits; entries of one session sort by it as numbers, and never share one. */
  id: z.string(),
  at: z.number(),
  actorId: z.string(),
  machine: z.string(),
  sessionId: sessionIdSchema.optional(),
  /** `{type, …, cause?}`. `xstate.init` begins an actor, with `from` null; `cause` is `{seq}` of the durable event it rests on. */
  event: jsonSchema,
  /** State values, as XState writes them. */
  from: jsonSchema,
  to: jsonSchema,
  /** False: the machine refused the event and `to` is `from`. */
  accepted: z.boolean(),
})
export type JournalEntry = z.infer<typeof journalEntrySchema>
