/* Client to host: every method on one screen, params and results (SPEC 8). The same table serves the
   socket and `POST /rpc`; params are strict, so a misspelt key is an error and not a silent default. */
import { z } from 'zod'
import { approvalPolicySchema, sessionEventSchema, toolModeSchema } from '../event.ts'
import { approvalIdSchema, inboxItemIdSchema, messageIdSchema, questionIdSchema, sessionIdSchema } from '../ids.ts'
import { journalEntrySchema } from '../journal.ts'
import { jsonSchema } from '../json.ts'
import { placementSchema } from '../message.ts'
import { questionAnswerSchema } from '../question.ts'
import { sessionSchema } from '../session.ts'
import {
  dismissTaskSurfaceRequestSchema,
  dismissTaskSurfaceResultSchema,
  getActiveTaskSurfaceRequestSchema,
  getActiveTaskSurfaceResultSchema,
  submitTaskSurfaceRequestSchema,
  submitTaskSurfaceResultSchema,
} from '../surface/operations.ts'

/** Characters of a message a person sends and of a title. */
export const messageTextMaxLength = 200_000
export const titleMaxLength = 500

const empty = z.strictObject({})
const ofSession = z.strictObject({ sessionId: sessionIdSchema })
const title = z.string().trim().min(1).max(titleMaxLength)
const agentName = z.string().min(1).max(200)
const limit = z.int().min(1).max(500)
const acceptedSchema = z.discriminatedUnion('accepted', [
  z.object({ accepted: z.literal(true) }),
  z.object({ accepted: z.literal(false), reason: z.enum(['not-pending', 'invalid-answer']) }),
])

export const agentViewSchema = z.object({
  name: z.string(),
  label: z.string(),
  available: z.boolean(),
  why: z.string().optional(),
})
export type AgentView = z.infer<typeof agentViewSchema>

/** The state of one live actor, for `inspect.subscribe`. */
export const actorViewSchema = z.object({
  actorId: z.string(),
  machine: z.string(),
  sessionId: sessionIdSchema.optional(),
  snapshot: jsonSchema,
})
export type ActorView = z.infer<typeof actorViewSchema>

export const queueActionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('edit'), text: z.string().max(messageTextMaxLength) }),
  z.strictObject({ kind: z.literal('remove') }),
  z.strictObject({ kind: z.literal('steer') }),
])
export type QueueAction = z.infer<typeof queueActionSchema>

const pageSchema = { events: z.array(sessionEventSchema), hasMore: z.boolean() }

export const methods = {
  'host.describe': {
    params: empty,
    result: z.object({ version: z.string(), bootId: z.string(), protocol: z.number(), serverTime: z.number() }),
  },
  'agents.list': { params: empty, result: z.object({ agents: z.array(agentViewSchema) }) },
  'session.create': {
    params: z.strictObject({
      agent: agentName.optional(),
      title: title.optional(),
      cwd: z.string().min(1).max(4096).optional(),
      toolMode: toolModeSchema.optional(),
      approval: approvalPolicySchema.optional(),
    }),
    result: z.object({ session: sessionSchema }),
  },
  'session.list': { params: empty, result: z.object({ sessions: z.array(sessionSchema) }) },
  'session.open': {
    params: z.strictObject({ sessionId: sessionIdSchema, limit: limit.optional() }),
    result: z.object({
      session: sessionSchema,
      ...pageSchema,
      lastSeq: z.int(),
      incarnation: z.string(),
      n: z.int().nonnegative(),
    }),
  },
  'session.close': { params: ofSession, result: empty },
  'session.history': {
    params: z.strictObject({
      sessionId: sessionIdSchema,
      beforeSeq: z.int().nonnegative().optional(),
      limit: limit.optional(),
    }),
    result: z.object(pageSchema),
  },
  'session.configure': {
    params: z.strictObject({
      sessionId: sessionIdSchema,
      approval: approvalPolicySchema.optional(),
      toolMode: toolModeSchema.optional(),
      agent: agentName.optional(),
    }),
    result: z.object({ session: sessionSchema }),
  },
  'session.rename': { params: z.strictObject({ sessionId: sessionIdSchema, title }), result: empty },
  'session.remove': { params: ofSession, result: empty },
  'session.interrupt': { params: ofSession, result: empty },
  'session.send': {
    params: z.strictObject({
      sessionId: sessionIdSchema,
      messageId: messageIdSchema,
      text: z.string().max(messageTextMaxLength),
      placement: placementSchema.optional(),
    }),
    result: z.object({ messageId: messageIdSchema, placement: placementSchema }),
  },
  'session.updateQueue': {
    params: z.strictObject({ sessionId: sessionIdSchema, itemId: inboxItemIdSchema, action: queueActionSchema }),
    result: empty,
  },
  'session.fork': {
    params: z.strictObject({ sessionId: sessionIdSchema, atSeq: z.int().nonnegative().optional() }),
    result: z.object({ session: sessionSchema }),
  },
  'session.rewind': {
    params: z.strictObject({ sessionId: sessionIdSchema, toSeq: z.int().nonnegative() }),
    result: z.object({ lastSeq: z.int(), text: z.string().optional() }),
  },
  'taskSurface.getActive': { params: getActiveTaskSurfaceRequestSchema, result: getActiveTaskSurfaceResultSchema },
  'taskSurface.submit': { params: submitTaskSurfaceRequestSchema, result: submitTaskSurfaceResultSchema },
  'taskSurface.dismiss': { params: dismissTaskSurfaceRequestSchema, result: dismissTaskSurfaceResultSchema },
  'question.answer': {
    params: z.strictObject({
      sessionId: sessionIdSchema,
      questionId: questionIdSchema,
      answers: z.array(questionAnswerSchema).max(4).nullable(),
    }),
    result: acceptedSchema,
  },
  'approval.decide': {
    params: z.strictObject({
      sessionId: sessionIdSchema,
      approvalId: approvalIdSchema,
      decision: z.enum(['allow', 'deny']),
      remember: z.boolean().optional(),
    }),
    result: acceptedSchema,
  },
  'data.export': {
    params: z.strictObject({ sessionId: sessionIdSchema, fromSeq: z.int().nonnegative().optional() }),
    /** `line`: one event as it is stored. `nextSeq` is null behind the last record. */
    result: z.object({
      records: z.array(
        z.union([z.object({ seq: z.int(), line: z.string() }), z.object({ seq: z.int(), damaged: z.string() })]),
      ),
      nextSeq: z.int().nullable(),
    }),
  },
  'data.import': {
    /** `file`: absolute, on the machine of the host. */
    params: z.strictObject({ file: z.string().min(1).max(4096), sessionId: sessionIdSchema.optional() }),
    result: z.object({ session: sessionSchema }),
  },
  'data.verify': {
    params: ofSession,
    result: z.object({
      events: z.int(),
      broken: z.array(z.object({ seq: z.int(), rule: z.string(), message: z.string() })),
    }),
  },
  'inspect.machines': { params: empty, result: z.object({ machines: z.array(jsonSchema) }) },
  'inspect.subscribe': {
    params: z.strictObject({ sessionId: sessionIdSchema.optional() }),
    result: z.object({ actors: z.array(actorViewSchema) }),
  },
  'inspect.unsubscribe': { params: z.strictObject({ sessionId: sessionIdSchema.optional() }), result: empty },
  'inspect.journal': {
    params: z.strictObject({
      sessionId: sessionIdSchema,
      afterId: z.string().max(64).optional(),
      limit: limit.optional(),
    }),
    result: z.object({ entries: z.array(journalEntrySchema), hasMore: z.boolean() }),
  },
} as const

export type MethodName = keyof typeof methods
export type Params<Name extends MethodName> = z.infer<(typeof methods)[Name]['params']>
export type Result<Name extends MethodName> = z.infer<(typeof methods)[Name]['result']>

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name)
}
