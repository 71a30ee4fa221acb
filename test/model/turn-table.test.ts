import { maxAttempts, maxSteps, turnMachine, type TurnMachineEvent } from '../../machines/turn.ts'
import { describeTable, type Definition, type StateOf } from './transition-table.ts'

const rules = ['steering-joins', 'conclude', 'one-answer', 'retry-bound', 'step-bound', 'interrupt'] as const

const said = { type: 'ANSWERED', calls: 0, steering: false, stop: null } as const
const called = { ...said, calls: 2 } as const
const acted = { type: 'ACTED', concluded: false, steering: false } as const
const concluded = { ...acted, concluded: true } as const
const failed = { type: 'FAILED', transient: true } as const
const failedForGood = { type: 'FAILED', transient: false } as const
const retry = { type: 'RETRY' } as const
const interrupt = { type: 'INTERRUPT', reason: 'aborted' } as const
const stopHost = { type: 'INTERRUPT', reason: 'interrupted' } as const

const times = (count: number, ...events: readonly TurnMachineEvent[]): TurnMachineEvent[] =>
  Array.from({ length: count }, () => events).flat()

/** The step in progress is the last one that the bound allows. */
const atBound = times(maxSteps - 1, called, acted)
/** The last attempt of a step. */
const atLastAttempt = times(maxAttempts - 1, failed, retry)
/** A concluded step whose steering gets one more. */
const inLastStep = [called, { ...concluded, steering: true }] as const

const interrupts = [
  { rule: 'interrupt', to: 'ending', context: { reason: 'aborted' } },
  { rule: 'interrupt', when: 'the host stops', event: stopHost, to: 'ending', context: { reason: 'interrupted' } },
] as const

const definition = {
  file: 'turn.ts',
  rules,
  reach: {
    'live.calling': [],
    'live.waiting': [failed],
    'live.acting': [called],
    ending: [interrupt],
    ended: [interrupt, { type: 'ENDED' }],
  },
  samples: {
    ANSWERED: said,
    ACTED: acted,
    FAILED: failed,
    RETRY: retry,
    INTERRUPT: interrupt,
    ENDED: { type: 'ENDED' },
  },
  table: {
    'live.calling': {
      ANSWERED: [
        { rule: 'one-answer', when: 'no calls', to: 'ending', context: { reason: 'completed' } },
        { rule: 'one-answer', when: 'calls', event: called, to: 'live.acting' },
        {
          rule: 'one-answer',
          when: 'calls of a cut-off answer never run',
          event: { ...called, stop: 'max-tokens' },
          to: 'ending',
          context: { reason: 'max-tokens' },
        },
        {
          rule: 'one-answer',
          when: 'a refusal ends the turn, steering or not',
          event: { ...said, steering: true, stop: 'blocked' },
          to: 'ending',
          context: { reason: 'blocked' },
        },
        {
          rule: 'steering-joins',
          when: 'steering',
          after: [failed, retry],
          event: { ...said, steering: true },
          to: 'live.calling',
          context: { step: 1, attempt: 1 },
        },
        { rule: 'steering-joins', when: 'calls first', event: { ...called, steering: true }, to: 'live.acting' },
        {
          rule: 'steering-joins',
          when: 'steering in the step that steering got',
          after: inLastStep,
          event: { ...said, steering: true },
          to: 'live.calling',
          context: { step: 2, attempt: 1, last: true },
        },
        { rule: 'conclude', when: 'calls in the last step', after: inLastStep, event: called, to: 'live.acting' },
        { rule: 'step-bound', when: 'at the bound', after: atBound, to: 'ending', context: { reason: 'completed' } },
        {
          rule: 'step-bound',
          when: 'at the bound, steering',
          after: atBound,
          event: { ...said, steering: true },
          to: 'ending',
          context: { reason: 'completed' },
        },
        { rule: 'step-bound', when: 'at the bound, calls', after: atBound, event: called, to: 'live.acting' },
      ],
      ACTED: { rule: 'one-answer', to: null },
      FAILED: [
        { rule: 'retry-bound', when: 'transient', to: 'live.waiting' },
        {
          rule: 'retry-bound',
          when: 'for good',
          event: failedForGood,
          to: 'ending',
          context: { reason: 'error' },
        },
        {
          rule: 'retry-bound',
          when: 'transient, last attempt',
          after: atLastAttempt,
          to: 'ending',
          context: { reason: 'error' },
        },
        {
          rule: 'retry-bound',
          when: 'transient, first attempt of a later step',
          after: [...atLastAttempt, called, acted],
          to: 'live.waiting',
        },
      ],
      RETRY: { rule: 'retry-bound', to: null },
      INTERRUPT: interrupts,
      ENDED: { rule: 'interrupt', to: null },
    },
    'live.waiting': {
      ANSWERED: { rule: 'one-answer', to: null },
      ACTED: { rule: 'one-answer', to: null },
      FAILED: { rule: 'one-answer', to: null },
      RETRY: [
        { rule: 'retry-bound', to: 'live.calling', context: { attempt: 2 } },
        {
          rule: 'conclude',
          when: 'in the last step',
          after: [retry, ...inLastStep, failed],
          to: 'live.calling',
          context: { attempt: 2 },
        },
      ],
      INTERRUPT: interrupts,
      ENDED: { rule: 'interrupt', to: null },
    },
    'live.acting': {
      ANSWERED: { rule: 'one-answer', to: null },
      ACTED: [
        { rule: 'one-answer', to: 'live.calling', context: { step: 1 } },
        {
          rule: 'steering-joins',
          when: 'steering',
          event: { ...acted, steering: true },
          to: 'live.calling',
          context: { step: 1 },
        },
        {
          rule: 'conclude',
          when: 'concluded',
          event: concluded,
          to: 'ending',
          context: { reason: 'completed' },
        },
        {
          rule: 'conclude',
          when: 'concluded, steering',
          event: { ...concluded, steering: true },
          to: 'live.calling',
          context: { step: 1, last: true },
        },
        {
          rule: 'conclude',
          when: 'in the last step, whatever its calls say and whoever steers',
          after: [{ ...concluded, steering: true }, called],
          event: { ...acted, steering: true },
          to: 'ending',
          context: { reason: 'completed' },
        },
        {
          rule: 'step-bound',
          when: 'at the bound',
          after: [acted, ...times(maxSteps - 2, called, acted), called],
          to: 'ending',
          context: { reason: 'error' },
        },
        {
          rule: 'step-bound',
          when: 'at the bound, concluded, steering',
          after: [acted, ...times(maxSteps - 2, called, acted), called],
          event: { ...concluded, steering: true },
          to: 'ending',
          context: { reason: 'completed' },
        },
      ],
      FAILED: { rule: 'one-answer', to: null },
      RETRY: { rule: 'retry-bound', to: null },
      INTERRUPT: interrupts,
      ENDED: { rule: 'interrupt', to: null },
    },
    ending: {
      ANSWERED: { rule: 'interrupt', to: null },
      ACTED: { rule: 'interrupt', to: null },
      FAILED: { rule: 'interrupt', to: null },
      RETRY: { rule: 'interrupt', to: null },
      INTERRUPT: { rule: 'interrupt', when: 'the first reason stands', event: stopHost, to: null },
      ENDED: { rule: 'interrupt', to: 'ended' },
    },
    ended: {
      ANSWERED: { rule: 'interrupt', to: null },
      ACTED: { rule: 'interrupt', to: null },
      FAILED: { rule: 'interrupt', to: null },
      RETRY: { rule: 'interrupt', to: null },
      INTERRUPT: { rule: 'interrupt', to: null },
      ENDED: { rule: 'interrupt', to: null },
    },
  },
} satisfies Definition<typeof turnMachine, StateOf<typeof turnMachine>, (typeof rules)[number]>

describeTable(turnMachine, definition, { turn: 3 })
