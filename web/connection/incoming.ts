/* What arrives on the socket, checked by schema: a frame, a response, or something this page cannot read.
   Pure. Rule C-SCHEMA: nothing unchecked goes further. */
import { z } from 'zod'
import { type SessionId, sessionIdSchema } from '../../shared/ids.ts'
import {
  type HostFrame,
  hostFrameSchema,
  type InspectFrame,
  inspectFrameSchema,
  type SessionFrame,
  sessionFrameSchema,
} from '../../shared/protocol/frames.ts'

/** A counted frame of a newer host. It is passed on, because the numbers behind it must still add up. */
export type UnreadableFrame = { type: 'unreadable'; sessionId: SessionId; incarnation: string; n: number }
export type AnyFrame = HostFrame | SessionFrame | InspectFrame | UnreadableFrame

const responseSchema = z.union([
  z.object({
    id: z.number().nullable(),
    error: z.object({
      code: z.number(),
      message: z.string(),
      data: z.object({ code: z.string().optional() }).optional().catch(undefined),
    }),
  }),
  z.object({ id: z.number(), result: z.unknown() }),
])
export type Response = z.infer<typeof responseSchema>

const typedSchema = z.looseObject({ type: z.string() })
const countedSchema = z.object({ sessionId: sessionIdSchema, incarnation: z.string(), n: z.int() })

export type Incoming =
  | { kind: 'frame'; frame: AnyFrame }
  | { kind: 'response'; response: Response }
  | { kind: 'unreadable' }

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function schemaFor(type: string) {
  if (type.startsWith('host/')) return hostFrameSchema
  return type === 'actor/inspect' ? inspectFrameSchema : sessionFrameSchema
}

export function parseIncoming(text: string): Incoming {
  const value = parseJson(text)
  const typed = typedSchema.safeParse(value)
  if (!typed.success) {
    const response = responseSchema.safeParse(value)
    return response.success ? { kind: 'response', response: response.data } : { kind: 'unreadable' }
  }
  const frame = schemaFor(typed.data.type).safeParse(value)
  if (frame.success) return { kind: 'frame', frame: frame.data }
  const counted = countedSchema.safeParse(value)
  return counted.success ? { kind: 'frame', frame: { type: 'unreadable', ...counted.data } } : { kind: 'unreadable' }
}
