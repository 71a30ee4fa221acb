/* The command sequences of `test/fixtures/sequences.json`, read strictly: a member that the runner would not look at is
   an error here, so that no expectation is passed over in silence. Names that begin with `host:` are values the host
   makes; `sequence-bindings.ts` ties them to what was seen. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { jsonObjectSchema, jsonSchema } from '../../shared/json.ts'

const sessionName = z.enum(['A', 'B'])
export type SessionName = z.infer<typeof sessionName>

const of = { session: sessionName.optional() }
const row = { ...of, messageId: z.string().optional(), submissionId: z.string().optional() }

const commandSchema = z.discriminatedUnion('cmd', [
  z.strictObject({
    cmd: z.literal('send'),
    ...of,
    messageId: z.string(),
    text: z.string(),
    placement: z.enum(['queued', 'steering']).optional(),
  }),
  z.strictObject({
    cmd: z.literal('submit'),
    ...of,
    surface: z.string(),
    submissionId: z.string(),
    values: jsonObjectSchema,
    note: z.string().optional(),
  }),
  z.strictObject({ cmd: z.literal('dismiss'), ...of, surface: z.string(), dismissalId: z.string() }),
  z.strictObject({ cmd: z.literal('getActive'), ...of, surface: z.string() }),
  z.strictObject({ cmd: z.literal('interrupt'), ...of }),
  z.strictObject({ cmd: z.literal('fork'), ...of, to: sessionName, atTurn: z.int().positive().optional() }),
  z.strictObject({
    cmd: z.literal('rewind'),
    ...of,
    toTurn: z.int().nonnegative().optional(),
    toStart: z.int().positive().optional(),
    toDismissal: z.string().optional(),
  }),
  z.strictObject({ cmd: z.literal('remove'), ...row }),
  z.strictObject({ cmd: z.literal('edit'), ...row, text: z.string() }),
  z.strictObject({ cmd: z.literal('steer'), ...row }),
  z.strictObject({ cmd: z.literal('show'), ...of, surfaces: z.array(z.string()).nonempty() }),
  z.strictObject({ cmd: z.literal('endTurn'), ...of }),
  z.strictObject({ cmd: z.literal('failTurn'), ...of }),
  z.strictObject({ cmd: z.literal('claim'), ...of }),
  z.strictObject({ cmd: z.literal('commit'), ...of }),
  z.strictObject({ cmd: z.literal('refuse'), ...of }),
  z.strictObject({ cmd: z.literal('restart') }),
])
export type Command = z.infer<typeof commandSchema>
export type CommandOf<Name extends Command['cmd']> = Extract<Command, { cmd: Name }>

const pendingSchema = z.strictObject({
  submissionId: z.string(),
  messageId: z.string(),
  phase: z.enum(['queued', 'claiming']),
})

const expectedEventSchema = z.strictObject({
  type: z.string(),
  session: sessionName.optional(),
  messageId: z.string().optional(),
  text: z.string().optional(),
  surface: z.string().optional(),
  submissionId: z.string().optional(),
  values: jsonObjectSchema.optional(),
  dismissalId: z.string().optional(),
  error: z.string().optional(),
  reason: z.string().optional(),
})
export type ExpectedEvent = z.infer<typeof expectedEventSchema>

const expectedDiscardSchema = z.strictObject({
  messageId: z.string(),
  reason: z.string(),
  text: z.string().optional(),
})
export type ExpectedDiscard = z.infer<typeof expectedDiscardSchema>

const expectedPushSchema = z.strictObject({ surface: z.string(), pending: pendingSchema.nullable() })
export type ExpectedPush = z.infer<typeof expectedPushSchema>

const expectedStateSchema = z.strictObject({
  running: z.boolean(),
  queue: z.array(z.strictObject({ messageId: z.string(), placement: z.enum(['queued', 'steering']) })),
  active: z.strictObject({ surface: z.string(), pending: pendingSchema.nullable() }).nullable(),
})
export type ExpectedState = z.infer<typeof expectedStateSchema>

const stepSchema = z.strictObject({
  command: commandSchema,
  reply: z.record(z.string(), jsonSchema),
  then: z.partialRecord(sessionName, expectedStateSchema),
  passing: z.boolean().optional(),
  appended: z.array(expectedEventSchema).optional(),
  discarded: z.array(expectedDiscardSchema).optional(),
  pushes: z.array(expectedPushSchema).optional(),
})
export type Step = z.infer<typeof stepSchema>

const caseSchema = z.strictObject({
  name: z.string(),
  title: z.string(),
  rule: z.string(),
  gate: z.boolean(),
  steps: z.array(stepSchema).min(1),
})
export type SequenceCase = z.infer<typeof caseSchema>

function readFixture(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8'))
}

export function sequenceCases(): SequenceCase[] {
  return z.array(caseSchema).nonempty().parse(readFixture('sequences.json'))
}

/** The models by symbolic id. */
export function surfaceModels(): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(readFixture('surfaces.json'))
}

export function restarts({ steps }: SequenceCase): boolean {
  return steps.some(({ command }) => command.cmd === 'restart')
}
