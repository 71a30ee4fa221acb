/* What a window may be told by `@statelyai/inspect`, as far as it is shown. Messages come from another page: anything else is no
   inspection event. */
import { z } from 'zod'
import { jsonSchema } from '../../shared/json.ts'

const base = z.object({ sessionId: z.string().min(1), createdAt: z.string().optional() })
const eventSchema = z.record(z.string(), z.unknown()).and(z.object({ type: z.string() }))
const snapshotSchema = z
  .object({ status: z.string().catch('active'), value: jsonSchema.catch(null) })
  .catch({ status: 'active', value: null })

export const inspectionSchema = z.discriminatedUnion('type', [
  base.extend({
    type: z.literal('@xstate.actor'),
    name: z.string().catch(''),
    definition: z.string().optional().catch(undefined),
    snapshot: snapshotSchema,
  }),
  base.extend({ type: z.literal('@xstate.event'), event: eventSchema }),
  base.extend({ type: z.literal('@xstate.snapshot'), event: eventSchema, snapshot: snapshotSchema }),
])
export type Inspection = z.infer<typeof inspectionSchema>
