import { getMicrosteps, initialTransition, transition } from 'xstate'
import { expect, it } from 'vitest'
import { pendingOf, surfaceMachine, type SurfaceMachineEvent } from '../../machines/surface.ts'
import { ids } from './model-ids.ts'
import { describeTable, pathOf, type Definition, type StateOf } from './transition-table.ts'

const rules = ['one-submission', 'no-dismiss-pending', 'discard-reopens', 'close-by-log', 'closed-once'] as const

/** `discarded` is only passed through; the last test looks inside. */
type State = Exclude<StateOf<typeof surfaceMachine>, 'live.discarded'>

const submit = { type: 'SUBMIT', submissionId: ids.submission, messageId: ids.message } as const
const submitAgain = { type: 'SUBMIT', submissionId: ids.secondSubmission, messageId: ids.secondMessage } as const
const cancelled = { type: 'DISCARD', reason: 'cancelled' } as const
const submission = { submissionId: ids.submission, messageId: ids.message }

const closing = {
  BYPASS: { rule: 'close-by-log', to: 'closed', context: { submission: null, closed: 'bypassed' } },
  SUPERSEDE: { rule: 'close-by-log', to: 'closed', context: { submission: null, closed: 'superseded' } },
  REMOVE: { rule: 'closed-once', to: 'closed', context: { submission: null, closed: 'removed' } },
} as const

const definition = {
  file: 'surface.ts',
  rules,
  reach: {
    'live.open': [],
    'live.queued': [submit],
    'live.claiming': [submit, { type: 'CLAIM' }],
    closed: [{ type: 'DISMISS' }],
  },
  samples: {
    SUBMIT: submit,
    CLAIM: { type: 'CLAIM' },
    COMMIT: { type: 'COMMIT' },
    DISCARD: cancelled,
    DISMISS: { type: 'DISMISS' },
    BYPASS: { type: 'BYPASS' },
    SUPERSEDE: { type: 'SUPERSEDE' },
    REMOVE: { type: 'REMOVE' },
  },
  table: {
    'live.open': {
      SUBMIT: [
        { rule: 'one-submission', to: 'live.queued', context: { submission } },
        {
          rule: 'discard-reopens',
          when: 'after a discard',
          after: [submit, cancelled],
          event: submitAgain,
          to: 'live.queued',
          context: {
            submission: { submissionId: ids.secondSubmission, messageId: ids.secondMessage },
            discarded: null,
          },
        },
      ],
      CLAIM: { rule: 'one-submission', to: null },
      COMMIT: { rule: 'close-by-log', to: null },
      DISCARD: { rule: 'discard-reopens', to: null },
      DISMISS: [
        { rule: 'close-by-log', to: 'closed', context: { closed: 'dismissed' } },
        {
          rule: 'discard-reopens',
          when: 'after a discard',
          after: [submit, { type: 'CLAIM' }, cancelled],
          to: 'closed',
          context: { closed: 'dismissed' },
        },
      ],
      ...closing,
    },
    'live.queued': {
      SUBMIT: [
        { rule: 'one-submission', to: null },
        { rule: 'one-submission', when: 'another submission', event: submitAgain, to: null },
      ],
      CLAIM: { rule: 'one-submission', to: 'live.claiming' },
      COMMIT: { rule: 'close-by-log', when: 'not claimed yet', to: null },
      DISCARD: { rule: 'discard-reopens', to: 'live.open', context: { submission: null, discarded: 'cancelled' } },
      DISMISS: { rule: 'no-dismiss-pending', to: null },
      ...closing,
    },
    'live.claiming': {
      SUBMIT: [
        { rule: 'one-submission', to: null },
        { rule: 'one-submission', when: 'another submission', event: submitAgain, to: null },
      ],
      CLAIM: { rule: 'one-submission', to: null },
      COMMIT: { rule: 'close-by-log', to: 'closed', context: { submission: null, closed: 'submitted' } },
      DISCARD: { rule: 'discard-reopens', to: 'live.open', context: { submission: null, discarded: 'cancelled' } },
      DISMISS: { rule: 'no-dismiss-pending', to: null },
      ...closing,
    },
    closed: {
      SUBMIT: { rule: 'closed-once', to: null },
      CLAIM: { rule: 'closed-once', to: null },
      COMMIT: { rule: 'closed-once', to: null },
      DISCARD: { rule: 'closed-once', to: null },
      DISMISS: { rule: 'closed-once', to: null },
      BYPASS: { rule: 'closed-once', to: null },
      SUPERSEDE: { rule: 'closed-once', to: null },
      REMOVE: { rule: 'closed-once', to: null },
    },
  },
} satisfies Definition<typeof surfaceMachine, State, (typeof rules)[number]>

const input = { surfaceId: ids.surface, callId: ids.call }

describeTable(surfaceMachine, definition, input)

function after(...events: readonly SurfaceMachineEvent[]) {
  let [snapshot] = initialTransition(surfaceMachine, input)
  for (const event of events) [snapshot] = transition(surfaceMachine, snapshot, event)
  return snapshot
}

it.each([[[submit]], [[submit, { type: 'CLAIM' } as const]]])(
  'discard-reopens: a discard passes `discarded`, which reports its reason, and falls back to open: %j',
  (events) => {
    const passed = getMicrosteps(surfaceMachine, after(...events), cancelled).map(([snapshot]) => [
      pathOf(snapshot.value),
      snapshot.context.discarded,
    ])
    expect(passed).toEqual([
      ['live.discarded', 'cancelled'],
      ['live.open', 'cancelled'],
    ])
  },
)

it('one-submission: what the wire calls pending is the submission and its phase, and nothing else', () => {
  expect(pendingOf(after())).toBeNull()
  expect(pendingOf(after(submit))).toEqual({ ...submission, phase: 'queued' })
  expect(pendingOf(after(submit, { type: 'CLAIM' }))).toEqual({ ...submission, phase: 'claiming' })
  expect(pendingOf(after(submit, cancelled))).toBeNull()
  expect(pendingOf(after(submit, { type: 'BYPASS' }))).toBeNull()
})
