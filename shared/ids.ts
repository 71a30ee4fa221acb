/* Every id of the product: non-empty, at most 128 characters, a closed alphabet, never a prototype key
   (SPEC 2). Branded, so that one kind of id is never passed for another; the brand is given only by
   these schemas, at a border or where the host mints an id. */
import { z } from 'zod'
import { prototypeKeys } from './json.ts'

/** Ids are keys of the log, so their length bounds every key. */
const id = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'an id is 1 to 128 characters out of A-Z a-z 0-9 . _ : -')
  .refine((value) => !prototypeKeys.has(value), 'this id is reserved')

export const sessionIdSchema = id.brand<'SessionId'>()
export const messageIdSchema = id.brand<'MessageId'>()
export const inboxItemIdSchema = id.brand<'InboxItemId'>()
export const callIdSchema = id.brand<'CallId'>()
export const taskSurfaceIdSchema = id.brand<'TaskSurfaceId'>()
export const taskSurfaceSubmissionIdSchema = id.brand<'TaskSurfaceSubmissionId'>()
export const taskSurfaceDismissalIdSchema = id.brand<'TaskSurfaceDismissalId'>()
export const taskIdSchema = id.brand<'TaskId'>()
export const questionIdSchema = id.brand<'QuestionId'>()
export const approvalIdSchema = id.brand<'ApprovalId'>()
/** The JSON-RPC id of the request that carried a message, as text. Any string: outside clients choose it. */
export const rpcIdSchema = z.string().max(256).brand<'RpcId'>()

export type SessionId = z.infer<typeof sessionIdSchema>
export type MessageId = z.infer<typeof messageIdSchema>
export type InboxItemId = z.infer<typeof inboxItemIdSchema>
export type CallId = z.infer<typeof callIdSchema>
export type TaskSurfaceId = z.infer<typeof taskSurfaceIdSchema>
export type TaskSurfaceSubmissionId = z.infer<typeof taskSurfaceSubmissionIdSchema>
export type TaskSurfaceDismissalId = z.infer<typeof taskSurfaceDismissalIdSchema>
export type TaskId = z.infer<typeof taskIdSchema>
export type QuestionId = z.infer<typeof questionIdSchema>
export type ApprovalId = z.infer<typeof approvalIdSchema>
export type RpcId = z.infer<typeof rpcIdSchema>
