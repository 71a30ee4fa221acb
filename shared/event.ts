/* The events of a session log (SPEC 2): `{ type, seq, time, data }`, `seq` contiguous from 0, `time` in
   epoch milliseconds. The log is the only authority, so this file is its format: bump
   `logFormatVersion` when a change here makes older logs read differently.
   Next: `counted.ts` (what a rewind took away), `projections/`. */
import { z } from 'zod'
import { callIdSchema, sessionIdSchema, taskSurfaceDismissalIdSchema, taskSurfaceIdSchema } from './ids.ts'
import { jsonSchema } from './json.ts'
import {
  assistantMessageSchema,
  messageSchema,
  messageSourceSchema,
  textPartSchema,
  toolErrorSchema,
  usageSchema,
} from './message.ts'

export const logFormatVersion = 1

export const toolModeSchema = z.enum(['native', 'code', 'both'])
export type ToolMode = z.infer<typeof toolModeSchema>
export const approvalPolicySchema = z.enum(['ask', 'auto'])
export type ApprovalPolicy = z.infer<typeof approvalPolicySchema>

export const parentSchema = z.object({
  sessionId: sessionIdSchema,
  seq: z.int().nonnegative(),
  relation: z.enum(['fork', 'subagent']),
})
export type Parent = z.infer<typeof parentSchema>

export const turnEndReasonSchema = z.enum(['completed', 'aborted', 'blocked', 'error', 'max-tokens', 'interrupted'])
export type TurnEndReason = z.infer<typeof turnEndReasonSchema>

/** A user message as stored. The source is an open union on `kind`: a kind this version does not know is kept as it is. */
const storedMessageSchema = messageSchema.extend({
  source: z.union([messageSourceSchema, z.looseObject({ kind: z.string() })]),
})

const turn = z.int().positive()
const step = z.int().nonnegative()

const dataSchemas = {
  'session/created': z.object({
    title: z.string().optional(),
    agent: z.string(),
    cwd: z.string(),
    toolMode: toolModeSchema.optional(),
    approval: approvalPolicySchema.optional(),
    parent: parentSchema.optional(),
  }),
  'session/title': z.object({ title: z.string() }),
  'session/end-seed': z.object({}),
  'session/rewound': z.object({ toSeq: z.int().nonnegative() }),
  'session/configured': z.object({
    approval: approvalPolicySchema.optional(),
    toolMode: toolModeSchema.optional(),
    agent: z.string().optional(),
  }),
  'turn/start': z.object({ turn }),
  'turn/end': z.object({ turn, reason: turnEndReasonSchema, error: z.string().optional() }),
  'user/message': z.object({ message: storedMessageSchema }),
  'steering/message': z.object({ message: storedMessageSchema }),
  'assistant/message': z.object({
    turn,
    step,
    message: assistantMessageSchema,
    usage: usageSchema.optional(),
    interrupted: z.boolean().optional(),
  }),
  'tool/call': z.object({ turn, step, callId: callIdSchema, name: z.string(), arguments: jsonSchema }),
  'tool/result': z.object({
    turn,
    step,
    callId: callIdSchema,
    name: z.string(),
    content: z.array(textPartSchema),
    isError: z.boolean().optional(),
    error: toolErrorSchema.optional(),
    meta: jsonSchema.optional(),
  }),
  'task-surface/dismissed': z.object({
    version: z.literal(1),
    surfaceId: taskSurfaceIdSchema,
    callId: callIdSchema,
    dismissalId: taskSurfaceDismissalIdSchema,
  }),
  'approval/decided': z.object({
    callId: callIdSchema,
    decision: z.enum(['allow', 'deny']),
    remember: z.boolean().optional(),
  }),
  'subagent/started': z.object({
    sessionId: sessionIdSchema,
    callId: callIdSchema.optional(),
    label: z.string(),
    mode: z.enum(['foreground', 'background']),
  }),
  'subagent/ended': z.object({ sessionId: sessionIdSchema, status: z.enum(['completed', 'failed', 'killed']) }),
} as const

export type EventType = keyof typeof dataSchemas
export type EventData<Type extends EventType> = z.infer<(typeof dataSchemas)[Type]>

export type EventOf<Type extends EventType> = { type: Type; seq: number; time: number; data: EventData<Type> }

/** One event of a session log. */
export type SessionEvent = { [Type in EventType]: EventOf<Type> }[EventType]

/** An event that still has no place in a log. */
export type EventDraft = { [Type in EventType]: { type: Type; data: EventData<Type> } }[EventType]

/** An event of a newer format that says it may be skipped. Kept, never folded. */
export type IgnorableEvent = { type: string; seq: number; time: number; data: unknown; ignorable: true }

const envelope = { seq: z.int().nonnegative(), time: z.number().nonnegative() }

function eventSchemaOf<Type extends EventType>(type: Type) {
  return z.object({ type: z.literal(type), ...envelope, data: dataSchemas[type] })
}

export const sessionEventSchema = z.discriminatedUnion('type', [
  eventSchemaOf('session/created'),
  eventSchemaOf('session/title'),
  eventSchemaOf('session/end-seed'),
  eventSchemaOf('session/rewound'),
  eventSchemaOf('session/configured'),
  eventSchemaOf('turn/start'),
  eventSchemaOf('turn/end'),
  eventSchemaOf('user/message'),
  eventSchemaOf('steering/message'),
  eventSchemaOf('assistant/message'),
  eventSchemaOf('tool/call'),
  eventSchemaOf('tool/result'),
  eventSchemaOf('task-surface/dismissed'),
  eventSchemaOf('approval/decided'),
  eventSchemaOf('subagent/started'),
  eventSchemaOf('subagent/ended'),
])

const ignorableEventSchema = z.object({ type: z.string(), ...envelope, data: z.unknown(), ignorable: z.literal(true) })

export type ParsedEvent =
  | { kind: 'event'; event: SessionEvent }
  | { kind: 'ignorable'; event: IgnorableEvent }
  | { kind: 'refused'; message: string }

/** Reads one stored event. A known type must have its shape; an unknown one must say `ignorable: true` (SPEC 2). */
export function parseEvent(value: unknown): ParsedEvent {
  const known = sessionEventSchema.safeParse(value)
  if (known.success) return { kind: 'event', event: known.data }
  const ignorable = ignorableEventSchema.safeParse(value)
  if (ignorable.success && !Object.hasOwn(dataSchemas, ignorable.data.type))
    return { kind: 'ignorable', event: ignorable.data }
  return { kind: 'refused', message: z.prettifyError(known.error) }
}
