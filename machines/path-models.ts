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
  taskSurfaceDismissalIdSchema,
  taskSurfaceIdSchema,
  taskSurfaceSubmissionIdSchema,
} from '../shared/ids.ts'
import { approvalMachine } from './approval.ts'
import { composerMachine } from './composer.ts'
import { connectionMachine } from './connection.ts'
import { dockMachine, readsInVain } from './dock.ts'
import type { PathModel } from './paths.ts'
import { questionMachine } from './question.ts'
import { maxWakes, sessionMachine, type InboxRow } from './session.ts'
import { surfaceMachine } from './surface.ts'
import { taskMachine } from './task.ts'
import { maxAttempts, maxSteps, turnMachine } from './turn.ts'

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
      { type: 'CALL' },
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

const wakingEvents = new Set<string>(['WAKE', 'ISSUE', 'COMMIT', 'TURN_ENDED', 'CLAIM'])

/** Turns that notices begin, one more than may be. */
const sessionPathsOfWakes: PathModel<typeof sessionMachine> = {
  ...sessionPaths,
  events: (snapshot) => sessionPaths.events(snapshot).filter(({ type }) => wakingEvents.has(type)),
  stopsAt: ({ context: { wakes } }) => wakes > maxWakes,
}

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

const callingEvents = [
  { type: 'ANSWERED', calls: 1, steering: false, stop: null },
  { type: 'ACTED', concluded: false, steering: false },
] as const
const failingEvents = [{ type: 'FAILED', transient: true }, { type: 'RETRY' }] as const

const turnPathsOfTwoSteps: PathModel<typeof turnMachine> = {
  ...turnPaths,
  stopsAt: ({ context: { step, attempt } }) => step > 1 || attempt > 1,
}

/** A turn that asks for call after call, up to its last step, and one whose call fails time after time. */
const turnPathsAtTheLimits: PathModel<typeof turnMachine> = {
  ...turnPaths,
  events: (snapshot) => {
    const { step, attempt } = snapshot.context
    if (step >= maxSteps - 1) {
      return turnPaths.events(snapshot).filter(({ type }) => type === 'ANSWERED' || type === 'ACTED')
    }
    if (attempt > 1 || step === 0) return [...failingEvents, ...callingEvents]
    return callingEvents
  },
  stopsAt: ({ context: { step, attempt, reason } }) =>
    attempt > maxAttempts || (step > 0 && (attempt > 1 || reason !== null)),
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

const foreignSurfaceId = taskSurfaceIdSchema.parse('surface-foreign')
const dismissalId = taskSurfaceDismissalIdSchema.parse('dismissal-1')
const pendingAs = (phase: 'queued' | 'claiming') => ({ submissionId, messageId: firstMessage, phase }) as const
const issue = { path: '/values/answer', message: 'must be answered' }

/** Everything the dock may hear: its own surface and attempt, another surface, another attempt, a lost connection. */
export const dockPathsOfAll: PathModel<typeof dockMachine> = {
  machine: dockMachine,
  events: () => [
    { type: 'UP' },
    { type: 'DOWN' },
    { type: 'IDENTITY', surfaceId, attempt: null, touched: false },
    { type: 'IDENTITY', surfaceId, attempt: submissionId, touched: true },
    { type: 'IDENTITY', surfaceId: null, attempt: null, touched: false },
    ...[surfaceId, foreignSurfaceId].flatMap(
      (of) =>
        [
          { type: 'READ', surfaceId: of, open: true, readable: true, pending: null },
          { type: 'READ', surfaceId: of, open: true, readable: false, pending: null },
          { type: 'READ', surfaceId: of, open: true, readable: true, pending: pendingAs('queued') },
          { type: 'READ', surfaceId: of, open: true, readable: true, pending: pendingAs('claiming') },
          { type: 'READ', surfaceId: of, open: false },
          { type: 'READ_FAILED', surfaceId: of },
          { type: 'PENDING', surfaceId: of, pending: pendingAs('queued') },
          { type: 'PENDING', surfaceId: of, pending: pendingAs('claiming') },
          { type: 'PENDING', surfaceId: of, pending: null },
          { type: 'OUTCOME', surfaceId: of, reason: 'submitted' },
          { type: 'OUTCOME', surfaceId: of, reason: 'bypassed' },
        ] as const,
    ),
    { type: 'RETRY_DUE' },
    { type: 'EDITED', path: '/values/answer' },
    { type: 'SUBMIT', submissionId },
    { type: 'INVALID', issues: [issue] },
    ...[submissionId, otherSubmissionId].flatMap(
      (of) =>
        [
          { type: 'ACCEPTED', submissionId: of, messageId: firstMessage },
          { type: 'REFUSED', submissionId: of, reason: 'stale', issues: [] },
          { type: 'REFUSED', submissionId: of, reason: 'invalid-submission', issues: [issue] },
          { type: 'SUBMIT_FAILED', submissionId: of },
        ] as const,
    ),
    { type: 'DISMISS', dismissalId },
    { type: 'DISMISSED', dismissalId },
    { type: 'DISMISS_REFUSED', dismissalId },
    { type: 'DISMISS_FAILED', dismissalId },
    { type: 'ROW_CHANGED' },
    ...[firstMessage, foreignMessage].map(
      (messageId) => ({ type: 'DISCARDED', messageId, reason: 'removed', why: null }) as const,
    ),
    { type: 'ACKNOWLEDGE' },
  ],
  stopsAt: (snapshot) => snapshot.context.failedReads > 0 || snapshot.matches('ended'),
}

/** What one page hears that is alone with its session: pushes are about its own attempt, and what is lost stays lost. */
const dockPaths: PathModel<typeof dockMachine> = {
  ...dockPathsOfAll,
  events: (snapshot) => {
    const { attempt } = snapshot.context
    return dockPathsOfAll.events(snapshot).filter((event) => {
      const isOfStrangers = 'pending' in event && event.pending !== null && attempt === null
      const isTooLate = event.type === 'READ' && event.open && !event.readable && !snapshot.matches({ live: 'loading' })
      const isFound = event.type === 'IDENTITY' && event.attempt !== null
      return !isOfStrangers && !isTooLate && !isFound
    })
  },
  stopsAt: (snapshot) =>
    dockPathsOfAll.stopsAt?.(snapshot) === true || (!snapshot.context.connected && !snapshot.matches('absent')),
}

const visitEvents = new Set<string>(['UP', 'IDENTITY', 'READ', 'SUBMIT', 'ACCEPTED', 'DISMISS', 'DISMISSED', 'OUTCOME'])

/** Few enough for all simple paths: a form is sent, answered and gone. */
const dockPathsOfOneVisit: PathModel<typeof dockMachine> = {
  ...dockPaths,
  events: (snapshot) => dockPaths.events(snapshot).filter(({ type }) => visitEvents.has(type)),
}

const needsConnection = new Set<string>(['RETRY_DUE', 'DISMISS', 'INVALID', 'SUBMIT'])
const beyondEvents = new Set<string>(['DOWN', 'EDITED', 'SUBMIT', 'DISMISS', 'INVALID'])

/** What `dockPaths` leaves out: an attempt found in storage, a lost connection, reading in vain, what has ended. */
const dockPathsBeyond: PathModel<typeof dockMachine> = {
  ...dockPathsOfAll,
  events: (snapshot) => {
    const all = dockPathsOfAll.events(snapshot)
    const own = all.filter((event) => !('surfaceId' in event) || event.surfaceId !== foreignSurfaceId)
    const { connected, touched } = snapshot.context
    if (snapshot.matches('ended')) return all
    if (snapshot.matches('absent')) return own.filter(({ type }) => type === 'UP' || type === 'IDENTITY')
    if (!connected) return own.filter(({ type }) => needsConnection.has(type))
    const isEnding = snapshot.matches({ live: { open: 'editing' } }) && touched
    return [
      ...own.filter((event) => {
        if (event.type === 'READ') return event.open && event.pending === null
        if (event.type === 'ACCEPTED' || event.type === 'SUBMIT_FAILED') return event.submissionId === submissionId
        if (event.type === 'READ_FAILED') return snapshot.matches({ live: 'checking' })
        if (event.type === 'PENDING')
          return event.pending?.phase === 'claiming' && snapshot.matches({ live: 'pending' })
        return event.type === 'OUTCOME' ? isEnding && event.reason === 'bypassed' : beyondEvents.has(event.type)
      }),
      { type: 'IDENTITY', surfaceId: foreignSurfaceId, attempt: null, touched: false },
    ]
  },
  stopsAt: ({ context: { surfaceId: of, failedReads } }) => of === foreignSurfaceId || failedReads > readsInVain,
}

export interface NamedPaths {
  /** For shortest paths, edges and refusals. */
  all: PathModel<AnyStateMachine>
  /** For simple paths: as many payloads as those allow. */
  simple: PathModel<AnyStateMachine>
  /** For edges and refusals beyond the bounds of `all`, each by a way of its own. */
  beyond?: PathModel<AnyStateMachine>
}

/** By machine, as the command line knows them. */
export const pathModels: Readonly<Record<string, NamedPaths>> = {
  session: { all: sessionPaths, simple: sessionPathsOfOneRow, beyond: sessionPathsOfWakes },
  turn: { all: turnPaths, simple: turnPathsOfTwoSteps, beyond: turnPathsAtTheLimits },
  surface: { all: surfacePaths, simple: surfacePaths },
  question: { all: questionPaths, simple: questionPaths },
  approval: { all: approvalPaths, simple: approvalPaths },
  task: { all: taskPaths, simple: taskPaths },
  connection: { all: connectionPaths, simple: connectionPathsOfOneBoot },
  composer: { all: composerPaths, simple: composerPaths },
  dock: { all: dockPaths, simple: dockPathsOfOneVisit, beyond: dockPathsBeyond },
}
