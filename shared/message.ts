/* What people, the host and agents say to each other: messages, their sources, and the rows that wait
   in a session's inbox (SPEC 2, 4, 8). The inbox is process-local; messages are log data. */
import { z } from 'zod'
import {
  callIdSchema,
  inboxItemIdSchema,
  messageIdSchema,
  rpcIdSchema,
  sessionIdSchema,
  taskIdSchema,
  taskSurfaceIdSchema,
  taskSurfaceSubmissionIdSchema,
} from './ids.ts'
import { jsonObjectSchema } from './json.ts'

export const textPartSchema = z.object({ type: z.literal('text'), text: z.string() })
export type TextPart = z.infer<typeof textPartSchema>

export const assistantPartSchema = z.discriminatedUnion('type', [
  textPartSchema,
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  // `arguments` is the model's own text, byte for byte; it may not even be JSON.
  z.object({ type: z.literal('tool-call'), callId: callIdSchema, name: z.string(), arguments: z.string() }),
])
export type AssistantPart = z.infer<typeof assistantPartSchema>

/** Ties a submission's message to the surface it answers. `values` are in field order, normalised. */
export const taskSurfaceCorrelationSchema = z.object({
  version: z.literal(1),
  submissionId: taskSurfaceSubmissionIdSchema,
  callId: callIdSchema,
  surfaceId: taskSurfaceIdSchema,
  values: jsonObjectSchema,
})
export type TaskSurfaceCorrelation = z.infer<typeof taskSurfaceCorrelationSchema>

const userSourceSchema = z.object({
  kind: z.literal('user'),
  rpcId: rpcIdSchema,
  taskSurface: taskSurfaceCorrelationSchema.optional(),
})
const noticeSourceSchema = z.object({
  kind: z.literal('notice'),
  about: z.enum(['task', 'host']),
  taskId: taskIdSchema.optional(),
})
const agentSourceSchema = z.object({ kind: z.literal('agent'), sessionId: sessionIdSchema })

export const messageSourceSchema = z.discriminatedUnion('kind', [
  userSourceSchema,
  noticeSourceSchema,
  agentSourceSchema,
])
export type MessageSource = z.infer<typeof messageSourceSchema>
export type UserSource = z.infer<typeof userSourceSchema>
export type NoticeSource = z.infer<typeof noticeSourceSchema>

export const messageSchema = z.object({
  id: messageIdSchema,
  role: z.literal('user'),
  source: messageSourceSchema,
  content: z.array(textPartSchema),
})
export type Message = z.infer<typeof messageSchema>

export const assistantMessageSchema = z.object({
  id: messageIdSchema,
  role: z.literal('assistant'),
  content: z.array(assistantPartSchema),
})
export type AssistantMessage = z.infer<typeof assistantMessageSchema>

export const placementSchema = z.enum(['queued', 'steering'])
export type Placement = z.infer<typeof placementSchema>

/** Code points of a queue row's one-line preview. */
export const previewLength = 200

/** A message that waits in the inbox. `text` is null where the row may not be edited as text. */
export const queuedMessageSchema = z.object({
  id: inboxItemIdSchema,
  messageId: messageIdSchema,
  placement: placementSchema,
  source: messageSourceSchema,
  content: z.array(textPartSchema),
  preview: z.string(),
  text: z.string().nullable(),
})
export type QueuedMessage = z.infer<typeof queuedMessageSchema>

export const discardReasonSchema = z.enum(['rejected', 'cancelled', 'error', 'removed', 'surface-closed', 'disposed'])
export type DiscardReason = z.infer<typeof discardReasonSchema>

/** Tokens of one model call. */
export const usageSchema = z.object({ inputTokens: z.number().nonnegative(), outputTokens: z.number().nonnegative() })
export type Usage = z.infer<typeof usageSchema>

export const toolErrorSchema = z.object({ code: z.string(), message: z.string() })

/** The text blocks of a message, joined by line feeds. */
export function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.flatMap((part) => (part.type === 'text' && part.text !== undefined ? [part.text] : [])).join('\n')
}
