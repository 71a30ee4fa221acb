/* The dock's machine, cell by cell: every state × every event, with the state afterwards and the effects. */
import { expect, test } from 'vitest'
import { createActor, initialTransition, transition } from 'xstate'
import { dockMachine, type DockMachineEvent, readsInVain } from '../../../../machines/dock.ts'
import {
  messageIdSchema,
  taskSurfaceDismissalIdSchema,
  taskSurfaceIdSchema,
  taskSurfaceSubmissionIdSchema,
} from '../../../../shared/ids.ts'

const surfaceId = taskSurfaceIdSchema.parse('S1')
const otherSurface = taskSurfaceIdSchema.parse('S2')
const submissionId = taskSurfaceSubmissionIdSchema.parse('try-1')
const laterTry = taskSurfaceSubmissionIdSchema.parse('try-2')
const dismissalId = taskSurfaceDismissalIdSchema.parse('bye-1')
const messageId = messageIdSchema.parse('m1')
const queuedPending = { submissionId, messageId, phase: 'queued' } as const
const claimingPending = { submissionId, messageId, phase: 'claiming' } as const
const issue = { path: '/values/a', message: 'must be answered' }

const identity = { type: 'IDENTITY', surfaceId, attempt: null, touched: false } as const
const other = { type: 'IDENTITY', surfaceId: otherSurface, attempt: null, touched: false } as const
const nobody = { type: 'IDENTITY', surfaceId: null, attempt: null, touched: false } as const
const up = { type: 'UP' } as const
const free = { type: 'READ', surfaceId, open: true, readable: true, pending: null } as const
const freeUnreadable = { ...free, readable: false } as const
const readQueued = { ...free, pending: queuedPending } as const
const readClaiming = { ...free, pending: claimingPending } as const
const notOpen = { type: 'READ', surfaceId, open: false } as const
const readFailed = { type: 'READ_FAILED', surfaceId } as const
const edited = { type: 'EDITED', path: '/values/a' } as const
const submit = { type: 'SUBMIT', submissionId } as const
const invalid = { type: 'INVALID', issues: [issue] } as const
const accepted = { type: 'ACCEPTED', submissionId, messageId } as const
const refused = { type: 'REFUSED', submissionId, reason: 'stale', issues: [] } as const
const submitFailed = { type: 'SUBMIT_FAILED', submissionId } as const
const dismiss = { type: 'DISMISS', dismissalId } as const
const pushQueued = { type: 'PENDING', surfaceId, pending: queuedPending } as const
const pushClaiming = { type: 'PENDING', surfaceId, pending: claimingPending } as const
const pushNone = { type: 'PENDING', surfaceId, pending: null } as const
const discarded = { type: 'DISCARDED', messageId, reason: 'removed', why: null } as const
const bypassed = { type: 'OUTCOME', surfaceId, reason: 'bypassed' } as const
const submitted = { type: 'OUTCOME', surfaceId, reason: 'submitted' } as const

const opened = [up, identity, free] as const
const attempted = [...opened, submit] as const

const reach: Record<string, readonly DockMachineEvent[]> = {
  absent: [up],
  loading: [up, identity],
  unreadable: [up, identity, freeUnreadable],
  editing: opened,
  rejected: [...opened, invalid],
  returned: [...attempted, accepted, free],
  submitting: attempted,
  checking: [...attempted, submitFailed],
  dismissing: [...opened, dismiss],
  queued: [...attempted, accepted],
  claiming: [...attempted, accepted, pushClaiming],
  ended: [...opened, edited, nobody],
}

const events: Record<string, DockMachineEvent> = {
  'IDENTITY same': identity,
  'IDENTITY other': other,
  'IDENTITY none': nobody,
  'READ free': free,
  'READ unreadable': freeUnreadable,
  'READ queued': readQueued,
  'READ claiming': readClaiming,
  'READ not open': notOpen,
  'READ of another': { ...free, surfaceId: otherSurface },
  READ_FAILED: readFailed,
  'READ_FAILED of another': { ...readFailed, surfaceId: otherSurface },
  RETRY_DUE: { type: 'RETRY_DUE' },
  EDITED: edited,
  SUBMIT: submit,
  INVALID: invalid,
  ACCEPTED: accepted,
  'ACCEPTED another': { ...accepted, submissionId: laterTry },
  'REFUSED stale': refused,
  'REFUSED invalid': { ...refused, reason: 'invalid-submission', issues: [issue] },
  'REFUSED pending': { ...refused, reason: 'submission-pending' },
  'REFUSED another': { ...refused, submissionId: laterTry },
  SUBMIT_FAILED: submitFailed,
  'SUBMIT_FAILED another': { ...submitFailed, submissionId: laterTry },
  DISMISS: dismiss,
  DISMISSED: { type: 'DISMISSED', dismissalId },
  DISMISS_REFUSED: { type: 'DISMISS_REFUSED', dismissalId },
  DISMISS_FAILED: { type: 'DISMISS_FAILED', dismissalId },
  'PENDING queued': pushQueued,
  'PENDING claiming': pushClaiming,
  'PENDING none': pushNone,
  'PENDING of another': { ...pushQueued, surfaceId: otherSurface },
  ROW_CHANGED: { type: 'ROW_CHANGED' },
  DISCARDED: discarded,
  'DISCARDED another': { ...discarded, messageId: messageIdSchema.parse('m2') },
  'OUTCOME bypassed': bypassed,
  'OUTCOME submitted': submitted,
  'OUTCOME of another': { ...bypassed, surfaceId: otherSurface },
  UP: up,
  DOWN: { type: 'DOWN' },
  ACKNOWLEDGE: { type: 'ACKNOWLEDGE' },
}

function pathOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) throw new Error('not a state value')
  return pathOf(Object.values(value)[0])
}

function after(path: readonly DockMachineEvent[]) {
  let [snapshot] = initialTransition(dockMachine)
  for (const event of path) [snapshot] = transition(dockMachine, snapshot, event)
  return snapshot
}

/** `state: effects` afterwards; `–` where the machine does nothing at all. */
function cell(path: readonly DockMachineEvent[], event: DockMachineEvent): string {
  const before = after(path)
  if (!before.can(event)) return '–'
  const [next, effects] = transition(dockMachine, before, event)
  const same = pathOf(next.value) === pathOf(before.value)
  return [same ? 'same' : pathOf(next.value), ...effects.map(({ type }) => type)].join(' ')
}

test.each(Object.entries(reach))('dock: %s is reached', (state, path) => {
  expect(pathOf(after(path).value)).toBe(state)
})

const columns = Object.keys(reach)

const table: Record<string, string> = {
  // absent | loading | unreadable | editing | rejected | returned | submitting | checking | dismissing | queued | claiming | ended
  'IDENTITY same': 'loading read | – | – | – | – | – | – | – | – | – | – | loading read',
  'IDENTITY other':
    'loading read | same read | loading read | loading read | loading read | loading read | loading read | loading read | loading read | loading read | loading read | loading read',
  'IDENTITY none': '– | absent | absent | absent | absent | ended | ended | ended | absent | ended | ended | –',
  'READ free':
    '– | editing | same | same | same | same | – | rejected | same | returned keepAttempt | returned keepAttempt | –',
  'READ unreadable':
    '– | unreadable | same | same | same | same | – | rejected | same | unreadable keepAttempt | unreadable keepAttempt | –',
  'READ queued': '– | queued | queued | queued | queued | queued | queued | queued | queued | same | queued | –',
  'READ claiming':
    '– | claiming | claiming | claiming | claiming | claiming | claiming | claiming | claiming | claiming | same | –',
  'READ not open': '– | absent | absent | absent | absent | ended | ended | ended | absent | ended | ended | –',
  'READ of another': '– | – | – | – | – | – | – | – | – | – | – | –',
  READ_FAILED:
    '– | same retryLater | same retryLater | same retryLater | same retryLater | same retryLater | same retryLater | same retryLater | same retryLater | same retryLater | same retryLater | –',
  'READ_FAILED of another': '– | – | – | – | – | – | – | – | – | – | – | –',
  RETRY_DUE:
    '– | same read | same read | same read | same read | same read | same read | same read | same read | same read | same read | –',
  EDITED: '– | – | – | same keepAttempt | same keepAttempt | same keepAttempt | – | – | – | – | – | –',
  SUBMIT:
    '– | – | – | submitting keepAttempt sendSubmission | submitting keepAttempt sendSubmission | submitting keepAttempt sendSubmission | – | – | – | – | – | –',
  INVALID: '– | – | – | rejected | same | rejected | – | – | – | – | – | –',
  ACCEPTED:
    '– | same read | same read | same read | same read | same read | queued read | same read | same read | same read | same read | –',
  'ACCEPTED another':
    '– | same read | same read | same read | same read | same read | same read | same read | same read | same read | same read | –',
  'REFUSED stale':
    '– | same read | same read | same read | same read | same read | checking keepAttempt read | same read | same read | same read | same read | –',
  'REFUSED invalid':
    '– | same read | same read | same read | same read | same read | rejected keepAttempt read | same read | same read | same read | same read | –',
  'REFUSED pending':
    '– | same read | same read | same read | same read | same read | checking keepAttempt read | same read | same read | same read | same read | –',
  'REFUSED another':
    '– | same read | same read | same read | same read | same read | same read | same read | same read | same read | same read | –',
  SUBMIT_FAILED:
    '– | same read | same read | same read | same read | same read | checking read | same read | same read | same read | same read | –',
  'SUBMIT_FAILED another':
    '– | same read | same read | same read | same read | same read | same read | same read | same read | same read | same read | –',
  DISMISS:
    '– | – | dismissing sendDismissal | dismissing sendDismissal | dismissing sendDismissal | dismissing sendDismissal | – | – | – | – | – | –',
  DISMISSED:
    '– | same read | same read | same read | same read | same read | same read | same read | absent | same read | same read | –',
  DISMISS_REFUSED:
    '– | same read | same read | same read | same read | same read | same read | same read | editing read | same read | same read | –',
  DISMISS_FAILED:
    '– | same read | same read | same read | same read | same read | same read | same read | rejected read | same read | same read | –',
  'PENDING queued':
    '– | queued read | queued read | queued read | queued read | queued read | queued read | queued read | queued read | same read | queued read | –',
  'PENDING claiming':
    '– | claiming read | claiming read | claiming read | claiming read | claiming read | claiming read | claiming read | claiming read | claiming read | same read | –',
  'PENDING none':
    '– | same read | same read | same read | same read | same read | same read | same read | same read | same read | same read | –',
  'PENDING of another': '– | – | – | – | – | – | – | – | – | – | – | –',
  ROW_CHANGED:
    '– | same read | same read | same read | same read | same read | same read | same read | same read | same read | same read | –',
  DISCARDED: '– | – | – | – | – | same | – | – | – | same read | same read | –',
  'DISCARDED another': '– | – | – | – | – | – | – | – | – | – | – | –',
  'OUTCOME bypassed': '– | absent | absent | absent | absent | ended | ended | ended | absent | ended | ended | same',
  'OUTCOME submitted':
    '– | absent | absent | absent | absent | absent | absent | absent | absent | absent | absent | absent',
  'OUTCOME of another': '– | – | – | – | – | – | – | – | – | – | – | –',
  UP: 'same | same read | same read | same read | same read | same read | same read | same read | same read | same read | same read | same',
  DOWN: 'same | same | same | same | same | same | same | same | same | same | same | same',
  ACKNOWLEDGE: '– | – | – | – | – | – | – | – | – | – | – | absent',
}

test.each(Object.entries(events))('dock: %s does in every state what the table says', (name, event) => {
  expect(
    Object.values(reach)
      .map((path) => cell(path, event))
      .join(' | '),
  ).toBe(table[name])
})

test('dock: the table has a row for every event of the machine and a column for every state', () => {
  expect(Object.keys(table)).toEqual(Object.keys(events))
  expect(new Set(Object.values(events).map(({ type }) => type))).toEqual(new Set(dockMachine.events))
  expect(columns).toHaveLength(12)
})

const contextAfter = (...path: DockMachineEvent[]) => after(path).context

test('attempt-keeps-id a retry after silence keeps its id, an edit ends it', () => {
  const silent = [...attempted, submitFailed, free] as const
  expect(contextAfter(...silent)).toMatchObject({ attempt: submissionId, trouble: { kind: 'no-answer' } })
  const again = { type: 'SUBMIT', submissionId: laterTry } as const
  expect(contextAfter(...silent, again).attempt).toBe(submissionId)
  expect(contextAfter(...silent, edited, again).attempt).toBe(laterTry)
})

test('attempt-keeps-id an attempt found in storage is retried under its id after a reload', () => {
  const found = { ...identity, attempt: submissionId, touched: true } as const
  expect(pathOf(after([up, found, free]).value)).toBe('returned')
  expect(contextAfter(up, found, free, { type: 'SUBMIT', submissionId: laterTry }).attempt).toBe(submissionId)
})

test.each([
  ['a refusal', [refused, free]],
  ['issues', [{ ...refused, reason: 'invalid-submission', issues: [issue] }]],
  ['a discard', [accepted, discarded, free]],
] as const)('stale-ends-attempt after %s the next attempt takes a new id', (_, answers) => {
  const again = { type: 'SUBMIT', submissionId: laterTry } as const
  expect(contextAfter(...attempted, ...answers).attempt).toBeNull()
  expect(contextAfter(...attempted, ...answers, again).attempt).toBe(laterTry)
})

test('lock-until-read an answer asked before the attempt does not unlock it', () => {
  expect(pathOf(after([...attempted, free]).value)).toBe('submitting')
})

test('lock-until-read neither a push of nothing nor a discard unlocks, the reading after it does', () => {
  const path = [...attempted, accepted, pushNone, discarded] as const
  expect(pathOf(after(path).value)).toBe('queued')
  expect(after([...path, free]).context.trouble).toEqual({ kind: 'discarded', messageId, reason: 'removed', why: null })
})

test('never-stuck a form whose attempt is in doubt comes back after readings that fail', () => {
  const failures = Array.from({ length: readsInVain }, () => readFailed)
  expect(pathOf(after([...attempted, submitFailed, ...failures.slice(1)]).value)).toBe('checking')
  const given = after([...attempted, submitFailed, ...failures])
  expect(pathOf(given.value)).toBe('rejected')
  // A later answer that finds it pending locks it again.
  expect(pathOf(transition(dockMachine, given, readQueued)[0].value)).toBe('queued')
})

test('never-stuck a form in doubt stays locked while the connection is gone, whatever fails', () => {
  const failures = Array.from({ length: readsInVain + 2 }, () => readFailed)
  expect(pathOf(after([...attempted, { type: 'DOWN' }, submitFailed, ...failures]).value)).toBe('checking')
})

test.each([
  ['refused', { type: 'DISMISS_REFUSED', dismissalId }, null],
  ['failed', { type: 'DISMISS_FAILED', dismissalId }, { kind: 'not-dismissed' }],
] as const)(
  'never-stuck a dismissal that is %s gives an unreadable surface back as unreadable',
  (_, answer, trouble) => {
    const given = after([up, identity, freeUnreadable, dismiss, answer])
    expect(pathOf(given.value)).toBe('unreadable')
    expect(given.context.trouble).toEqual(trouble)
  },
)

test('no-link-no-send without a connection nothing is sent and everything can be typed', () => {
  const offline = after([...opened, { type: 'DOWN' }])
  for (const event of [submit, dismiss, invalid]) expect(offline.can(event)).toBe(false)
  expect(offline.can(edited)).toBe(true)
})

test('own-answers a discard of another message changes no words', () => {
  const returned = [...attempted, accepted, free] as const
  const foreign = { ...discarded, messageId: messageIdSchema.parse('m2') } as const
  expect(contextAfter(...returned, foreign).trouble).toEqual(contextAfter(...returned).trouble)
  expect(contextAfter(...returned, discarded).trouble).toMatchObject({ reason: 'removed' })
})

test('says-ended issues go as their answers are edited', () => {
  const two = { type: 'INVALID', issues: [issue, { path: '/note', message: 'x' }, { path: '', message: 'y' }] } as const
  expect(contextAfter(...opened, two, edited).issues).toEqual([{ path: '/note', message: 'x' }])
})

test('dock: its snapshot is plain JSON', () => {
  const actor = createActor(dockMachine).start()
  for (const event of attempted) actor.send(event)
  expect(JSON.parse(JSON.stringify(actor.getPersistedSnapshot()))).toMatchObject({ context: { attempt: submissionId } })
})
