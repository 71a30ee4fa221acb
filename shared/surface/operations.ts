/* The three operations on a Task Surface and the one record they coordinate by (SPEC 6.4). Refusals are
   results, not errors; the host decides them in the stated order. */
import { z } from 'zod'
import {
  callIdSchema,
  messageIdSchema,
  sessionIdSchema,
  taskSurfaceDismissalIdSchema,
  taskSurfaceIdSchema,
  taskSurfaceSubmissionIdSchema,
} from '../ids.ts'
import { jsonObjectSchema } from '../json.ts'
import type { TaskSurfaceModelV1 } from './model.ts'

/** A submission that is accepted and not yet durable. Process-local: a host restart forgets it. */
export const taskSurfacePendingSubmissionSchema = z.object({
  submissionId: taskSurfaceSubmissionIdSchema,
  messageId: messageIdSchema,
  phase: z.enum(['queued', 'claiming']),
})
export type TaskSurfacePendingSubmission = z.infer<typeof taskSurfacePendingSubmissionSchema>

/** A problem in a model or a submission. `path` is a JSON Pointer; `''` is the whole. */
export const issueSchema = z.object({ path: z.string(), message: z.string() })
export type Issue = z.infer<typeof issueSchema>

export const getActiveTaskSurfaceRequestSchema = z.strictObject({
  sessionId: sessionIdSchema,
  surfaceId: taskSurfaceIdSchema,
})
export type GetActiveTaskSurfaceRequest = z.infer<typeof getActiveTaskSurfaceRequestSchema>

export const submitTaskSurfaceRequestSchema = z.strictObject({
  sessionId: sessionIdSchema,
  surfaceId: taskSurfaceIdSchema,
  submissionId: taskSurfaceSubmissionIdSchema,
  values: jsonObjectSchema,
  note: z.string().optional(),
})
export type SubmitTaskSurfaceRequest = z.infer<typeof submitTaskSurfaceRequestSchema>

export const dismissTaskSurfaceRequestSchema = z.strictObject({
  sessionId: sessionIdSchema,
  surfaceId: taskSurfaceIdSchema,
  dismissalId: taskSurfaceDismissalIdSchema,
})
export type DismissTaskSurfaceRequest = z.infer<typeof dismissTaskSurfaceRequestSchema>

/** `model` is what the host's parser made; a client parses it again and shows a card where it cannot. */
export const getActiveTaskSurfaceResultSchema = z.discriminatedUnion('active', [
  z.object({
    active: z.literal(true),
    callId: callIdSchema,
    surfaceId: taskSurfaceIdSchema,
    model: z.custom<TaskSurfaceModelV1>((value) => typeof value === 'object' && value !== null),
    pending: taskSurfacePendingSubmissionSchema.nullable(),
  }),
  z.object({ active: z.literal(false), reason: z.literal('not-open') }),
])
export type GetActiveTaskSurfaceResult = z.infer<typeof getActiveTaskSurfaceResultSchema>

export const submitTaskSurfaceResultSchema = z.discriminatedUnion('accepted', [
  z.object({ accepted: z.literal(true), messageId: messageIdSchema, phase: z.literal('queued') }),
  z.object({
    accepted: z.literal(false),
    reason: z.enum(['not-open', 'stale', 'invalid-submission', 'submission-pending']),
    issues: z.array(issueSchema).optional(),
  }),
])
export type SubmitTaskSurfaceResult = z.infer<typeof submitTaskSurfaceResultSchema>

export const dismissTaskSurfaceResultSchema = z.discriminatedUnion('dismissed', [
  z.object({ dismissed: z.literal(true), eventSeq: z.int() }),
  z.object({ dismissed: z.literal(false), reason: z.enum(['not-open', 'stale', 'submission-pending']) }),
])
export type DismissTaskSurfaceResult = z.infer<typeof dismissTaskSurfaceResultSchema>
