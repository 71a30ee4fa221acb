/* What path enumeration sends to each machine (`paths.ts`): few payloads, but of every kind that decides something.
   Ids called foreign belong to nobody, a repeated one was sent before. Each model is bounded, by its payloads or by
   `stopsAt`; how many paths come of it is held in `test/model/paths.test.ts`. */
import type { AnyStateMachine } from 'xstate'
import {
  approvalIdSchema,
  callIdSchema,
  inboxItemIdSchema,
  messageIdSchema,
  questionIdSchema,
  sessionIdSchema,
  taskIdSchema,
  taskSurfaceIdSchema,
  taskSurfaceSubmissionIdSchema,
} from '../shared/ids.ts'
import { approvalMachine } from './approval.ts'
import { composerMachine } from './composer.ts'
import { connectionMachine } from './connection.ts'
import type { PathModel } from './paths.ts'
import { questionMachine } from './question.ts'
import { sessionMachine, type InboxRow } from './session.ts'
import { surfaceMachine } from './surface.ts'
import { taskMachine } from './task.ts'
import { turnMachine } from './turn.ts'

const callId = callIdSchema.parse('call-1')
const surfaceId = taskSurfaceIdSchema.parse('surface-1')
const submissionId = taskSurfaceSubmissionIdSchema.parse('submission-1')
const otherSubmissionId = taskSurfaceSubmissionIdSchema.parse('submission-2')
const [firstMessage, secondMessage, thirdMessage, foreignMessage] = [
  messageIdSchema.parse('message-1'),
  messageIdSchema.parse('message-2'),
  messageIdSchema.parse('message-3'),
  messageIdSchema.parse('message-foreign'),
]

export const surfacePaths: PathModel<typeof surfaceMachine> = {
  machine: surfaceMachine,
  input: { surfaceId, callId },
  events: () => [
    { type: 'SUBMIT', submissionId, messageId: firstMessage },
    { type: 'SUBMIT', submissionId: otherSubmissionId, messageId: secondMessage },
    { type: 'CLAIM' },
    { type: 'COMMIT' },
    { type: 'DISCARD', reason: 'cancelled' },
    { type: 'DISMISS' },
    { type: 'BYPASS' },
    { type: 'SUPERSEDE' },
    { type: 'REMOVE' },
  ],
}

const ordinaryRow: InboxRow = {
  itemId: inboxItemIdSchema.parse('item-1'),
  messageId: firstMessage,
  placement: 'queued',
  answers: null,
}
const answerRow: InboxRow = {
  itemId: inboxItemIdSchema.parse('item-2'),
  messageId: secondMessage,
  placement: 'queued',
  answers: { surfaceId, submissionId },
}
const steeringRow: InboxRow = {
  itemId: inboxItemIdSchema.parse('item-3'),
  messageId: thirdMessage,
  placement: 'steering',
  answers: null,
}
const foreignItem = inboxItemIdSchema.parse('item-foreign')

/** A session in which these rows come, go and may come again. */
const sessionPathsWith = (possible: readonly InboxRow[]): PathModel<typeof sessionMachine> => ({
  machine: sessionMachine,
  events: ({ context: { rows, claimed } }) => {
    const present = new Set([...rows, ...(claimed === null ? [] : [claimed])].map(({ itemId }) => itemId))
    const itemIds = [...possible.map(({ itemId }) => itemId), foreignItem]
    return [
      ...possible.filter(({ itemId }) => !present.has(itemId)).map((row) => ({ type: 'ENQUEUE', row }) as const),
      ...itemIds.map((itemId) => ({ type: 'EDIT', itemId }) as const),
      ...itemIds.map((itemId) => ({ type: 'STEER', itemId }) as const),
      ...itemIds.map((itemId) => ({ type: 'REMOVE', itemId }) as const),
      { type: 'WAKE' },
      { type: 'CLAIM' },
      { type: 'ISSUE' },
      { type: 'COMMIT' },
      { type: 'DISCARD' },
      { type: 'JOIN' },
      { type: 'INTERRUPT' },
      { type: 'TURN_ENDED' },
      { type: 'CONFIGURE' },
      { type: 'REWIND' },
      { type: 'RESUME' },
      { type: 'END' },
    ]
  },
  stopsAt: ({ context: { wakes } }) => wakes > 0,
})

export const sessionPaths = sessionPathsWith([ordinaryRow, answerRow, steeringRow])
const sessionPathsOfOneRow = sessionPathsWith([answerRow])

export const turnPaths: PathModel<typeof turnMachine> = {
  machine: turnMachine,
  input: { turn: 1 },
  events: () => [
    { type: 'ANSWERED', calls: 0, steering: false, stop: null },
    { type: 'ANSWERED', calls: 0, steering: true, stop: null },
    { type: 'ANSWERED', calls: 1, steering: false, stop: null },
    { type: 'ANSWERED', calls: 1, steering: false, stop: 'max-tokens' },
    { type: 'ANSWERED', calls: 0, steering: true, stop: 'blocked' },
    { type: 'ACTED', concluded: false, steering: false },
    { type: 'ACTED', concluded: false, steering: true },
    { type: 'ACTED', concluded: true, steering: false },
    { type: 'ACTED', concluded: true, steering: true },
    { type: 'FAILED', transient: true },
    { type: 'FAILED', transient: false },
    { type: 'RETRY' },
    { type: 'INTERRUPT', reason: 'aborted' },
    { type: 'INTERRUPT', reason: 'interrupted' },
    { type: 'ENDED' },
  ],
  stopsAt: ({ context: { step, attempt } }) => step > 2 || attempt > 2,
}

export const questionPaths: PathModel<typeof questionMachine> = {
  machine: questionMachine,
  input: { questionId: questionIdSchema.parse('question-1'), callId },
  events: () => [{ type: 'ANSWER' }, { type: 'DECLINE' }, { type: 'CANCEL' }],
}

export const approvalPaths: PathModel<typeof approvalMachine> = {
  machine: approvalMachine,
  input: { approvalId: approvalIdSchema.parse('approval-1'), callId },
  events: () => [{ type: 'ALLOW' }, { type: 'DENY' }, { type: 'CANCEL' }],
}

export const taskPaths: PathModel<typeof taskMachine> = {
  machine: taskMachine,
  input: { taskId: taskIdSchema.parse('bash-1'), owner: sessionIdSchema.parse('session-1') },
  events: () => [
    { type: 'KILL', by: 'model' },
    { type: 'KILL', by: 'person' },
    { type: 'KILL', by: 'host' },
    { type: 'SETTLE', status: 'completed' },
    { type: 'SETTLE', status: 'failed' },
    { type: 'SETTLE', status: 'killed' },
    { type: 'TOLD' },
  ],
}

export const connectionPaths: PathModel<typeof connectionMachine> = {
  machine: connectionMachine,
  events: () => [
    { type: 'HELLO', bootId: 'boot-1', version: '1.0.0' },
    { type: 'HELLO', bootId: 'boot-2', version: '1.0.0' },
    { type: 'CLOSED', at: 1000, random: 0 },
    { type: 'SILENT', at: 1000, random: 0 },
    { type: 'REFUSED' },
    { type: 'RETRY_DUE' },
    { type: 'TRY_NOW' },
    { type: 'WOKEN' },
    { type: 'DOUBT' },
    { type: 'ANSWERED' },
  ],
  stopsAt: ({ context: { failures } }) => failures > 2,
}
const connectionPathsOfOneBoot: PathModel<typeof connectionMachine> = {
  ...connectionPaths,
  events: (snapshot) =>
    connectionPaths.events(snapshot).filter((event) => event.type !== 'HELLO' || event.bootId === 'boot-1'),
  stopsAt: ({ context: { failures } }) => failures > 1,
}

export const composerPaths: PathModel<typeof composerMachine> = {
  machine: composerMachine,
  events: () => [
    { type: 'SEND', messageId: firstMessage },
    { type: 'SEND', messageId: secondMessage },
    { type: 'FOUND', messageIds: [firstMessage, secondMessage] },
    { type: 'FOUND', messageIds: [] },
    ...[firstMessage, secondMessage, foreignMessage].flatMap(
      (messageId) =>
        [
          { type: 'ACCEPTED', messageId },
          { type: 'REFUSED', messageId },
          { type: 'SETTLED', messageId },
          { type: 'LOST', messageId },
        ] as const,
    ),
    { type: 'RESEND' },
  ],
}

export interface NamedPaths {
  /** For shortest paths, edges and refusals. */
  all: PathModel<AnyStateMachine>
  /** For simple paths: as many payloads as those allow. */
  simple: PathModel<AnyStateMachine>
}

/** By machine, as the command line knows them. */
export const pathModels: Readonly<Record<string, NamedPaths>> = {
  session: { all: sessionPaths, simple: sessionPathsOfOneRow },
  turn: { all: turnPaths, simple: turnPaths },
  surface: { all: surfacePaths, simple: surfacePaths },
  question: { all: questionPaths, simple: questionPaths },
  approval: { all: approvalPaths, simple: approvalPaths },
  task: { all: taskPaths, simple: taskPaths },
  connection: { all: connectionPaths, simple: connectionPathsOfOneBoot },
  composer: { all: composerPaths, simple: composerPaths },
}
