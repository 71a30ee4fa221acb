/* Host to client on the socket: every frame on one screen (SPEC 8). Responses have `id`, frames have `type`.
   Live session frames carry `incarnation` and `n`; baseline frames carry neither. `PROTOCOL.md` says who
   sends what when. */
import { z } from 'zod'
import { sessionEventSchema } from '../event.ts'
import {
  approvalIdSchema,
  callIdSchema,
  inboxItemIdSchema,
  messageIdSchema,
  questionIdSchema,
  sessionIdSchema,
  taskSurfaceIdSchema,
} from '../ids.ts'
import { journalEntrySchema } from '../journal.ts'
import { jsonSchema } from '../json.ts'
import { discardReasonSchema, queuedMessageSchema } from '../message.ts'
import { questionSchema } from '../question.ts'
import { sessionSchema } from '../session.ts'
import { taskSurfacePendingSubmissionSchema } from '../surface/operations.ts'
import { taskViewSchema } from '../task.ts'

/** Version of methods and frames together; `test/contract/wire-version.test.ts` keeps it honest. */
export const wireProtocolVersion = 1

export const hostFrameSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('host/hello'), bootId: z.string(), version: z.string(), serverTime: z.number() }),
  z.object({ type: z.literal('host/session-added'), session: sessionSchema }),
  z.object({ type: z.literal('host/session-updated'), session: sessionSchema }),
  z.object({ type: z.literal('host/session-removed'), sessionId: sessionIdSchema }),
])
export type HostFrame = z.infer<typeof hostFrameSchema>

const retrySchema = z.object({ attempt: z.int().positive(), waitMs: z.number().nonnegative(), why: z.string() })
export type Retry = z.infer<typeof retrySchema>

const session = {
  sessionId: sessionIdSchema,
  incarnation: z.string().optional(),
  n: z.int().nonnegative().optional(),
}

export const sessionFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session/subscribed'),
    sessionId: sessionIdSchema,
    lastSeq: z.int(),
    incarnation: z.string(),
    n: z.int().nonnegative(),
  }),
  z.object({ type: z.literal('session/event'), ...session, event: sessionEventSchema }),
  // Offset 0 replaces what is shown of that part, else the text is appended there. UTF-16 units.
  z.object({
    type: z.literal('session/stream'),
    ...session,
    turn: z.int().positive(),
    step: z.int().nonnegative(),
    messageId: messageIdSchema,
    offset: z.int().nonnegative(),
    part: z.enum(['text', 'reasoning']),
    text: z.string(),
  }),
  z.object({
    type: z.literal('session/status'),
    ...session,
    status: z.enum(['idle', 'running']),
    turn: z.int().positive().optional(),
    retry: retrySchema.optional(),
  }),
  z.object({ type: z.literal('session/queue'), ...session, items: z.array(queuedMessageSchema) }),
  z.object({
    type: z.literal('session/discarded'),
    ...session,
    itemId: inboxItemIdSchema,
    messageId: messageIdSchema,
    reason: discardReasonSchema,
    why: z.string().optional(),
    text: z.string().nullable(),
  }),
  z.object({ type: z.literal('session/projection'), ...session, key: z.string(), value: jsonSchema, seq: z.int() }),
  z.object({
    type: z.literal('session/task-surface'),
    ...session,
    surfaceId: taskSurfaceIdSchema,
    pending: taskSurfacePendingSubmissionSchema.nullable(),
  }),
  z.object({ type: z.literal('session/tasks'), ...session, tasks: z.array(taskViewSchema) }),
  z.object({
    type: z.literal('question/requested'),
    ...session,
    questionId: questionIdSchema,
    callId: callIdSchema,
    questions: z.array(questionSchema),
  }),
  z.object({
    type: z.literal('question/resolved'),
    ...session,
    questionId: questionIdSchema,
    outcome: z.enum(['answered', 'declined', 'cancelled']),
  }),
  z.object({
    type: z.literal('approval/requested'),
    ...session,
    approvalId: approvalIdSchema,
    callId: callIdSchema,
    tool: z.string(),
    summary: z.string(),
    input: jsonSchema,
    fromSession: sessionIdSchema.optional(),
  }),
  z.object({
    type: z.literal('approval/resolved'),
    ...session,
    approvalId: approvalIdSchema,
    outcome: z.enum(['allow', 'deny', 'cancelled']),
  }),
])
export type SessionFrame = z.infer<typeof sessionFrameSchema>

export const inspectFrameSchema = z.object({
  type: z.literal('actor/inspect'),
  entry: journalEntrySchema,
  snapshot: jsonSchema.optional(),
})
export type InspectFrame = z.infer<typeof inspectFrameSchema>

export const frameSchema = z.union([hostFrameSchema, sessionFrameSchema, inspectFrameSchema])
export type Frame = z.infer<typeof frameSchema>

/** A session frame as the session makes it: the subscription hub adds `sessionId`, `incarnation` and `n`. */
export type SessionFrameBody = SessionFrame extends infer One
  ? One extends { type: string }
    ? Omit<One, 'sessionId' | 'incarnation' | 'n'>
    : never
  : never
