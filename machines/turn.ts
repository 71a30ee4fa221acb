/* One turn: model call, tool calls, model call, … end (SPEC 5). It decides what follows a step; the host
   makes the calls. A turn actor exists from its durable `turn/start` to its durable `turn/end`.

     calling ──ANSWERED──▶ acting ──ACTED──▶ calling | ending
        │ ▲                                     │
        │ └──RETRY── waiting ◀──FAILED (transient, attempts left)
        └──FAILED | ANSWERED without calls | INTERRUPT──▶ ending ──ENDED──▶ ended

   | rule | |
   | --- | --- |
   | steering-joins | steering that waits when a step ends gets one more step |
   | conclude | a concluded step ends the turn; steering that waits gets one more step, and its calls are the turn's last |
   | one-answer | a model call is answered or fails once; its answer comes before its results |
   | retry-bound | a transient failure is retried at most `maxAttempts − 1` times in a row |
   | step-bound | no turn makes more than `maxSteps` model calls; one that asks for no further call ends as usual |
   | interrupt | INTERRUPT ends the turn from wherever it is; the first reason stands */
import { assign, setup, type ActorRefFrom } from 'xstate'
import type { TurnEndReason } from '../shared/event.ts'

/** Model calls for one step before a transient failure counts as final: about half a minute of backoff. */
export const maxAttempts = 6
/** Model calls in one turn. A loop that long is a fault of the model, and each call costs money. */
export const maxSteps = 200

export interface TurnContext {
  turn: number
  step: number
  attempt: number
  /** The turn was concluded and goes on for steering alone: no model call follows the calls of a step. */
  last: boolean
  reason: TurnEndReason | null
}

export type TurnMachineEvent =
  /** The model's answer is durable. `stop` says why no tool call may run although some were made. */
  | { type: 'ANSWERED'; calls: number; steering: boolean; stop: 'max-tokens' | 'blocked' | null }
  /** All results of the step are durable. */
  | { type: 'ACTED'; concluded: boolean; steering: boolean }
  | { type: 'FAILED'; transient: boolean }
  | { type: 'RETRY' }
  /** `aborted`: by the person; `interrupted`: the host stops. */
  | { type: 'INTERRUPT'; reason: 'aborted' | 'interrupted' }
  | { type: 'ENDED' }

const isOutOfSteps = ({ context }: { context: TurnContext }): boolean => context.step + 1 >= maxSteps

export const turnMachine = setup({
  types: { context: {} as TurnContext, events: {} as TurnMachineEvent, input: {} as { turn: number } },
  guards: {
    hasStop: ({ event }) => event.type === 'ANSWERED' && event.stop !== null,
    hasCalls: ({ event }) => event.type === 'ANSWERED' && event.calls > 0,
    isOutOfSteps,
    canGoOn: ({ context, event }) => event.type === 'ANSWERED' && event.steering && !isOutOfSteps({ context }),
    isConcluded: ({ context, event }) =>
      event.type === 'ACTED' && (context.last || (event.concluded && (!event.steering || isOutOfSteps({ context })))),
    isConcludedButSteered: ({ event }) => event.type === 'ACTED' && event.concluded && event.steering,
    canRetry: ({ context, event }) => event.type === 'FAILED' && event.transient && context.attempt < maxAttempts,
  },
  actions: {
    nextStep: assign({ step: ({ context }) => context.step + 1, attempt: 1 }),
    lastStep: assign({ step: ({ context }) => context.step + 1, attempt: 1, last: true }),
    nextAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    end: assign({ reason: (_, params: { reason: TurnEndReason }) => params.reason }),
    endByInterrupt: assign({ reason: ({ event }) => (event.type === 'INTERRUPT' ? event.reason : null) }),
    endByStop: assign({ reason: ({ event }) => (event.type === 'ANSWERED' ? event.stop : null) }),
  },
}).createMachine({
  id: 'turn',
  context: ({ input }) => ({ turn: input.turn, step: 0, attempt: 1, last: false, reason: null }),
  initial: 'live',
  states: {
    live: {
      initial: 'calling',
      on: { INTERRUPT: { target: 'ending', actions: 'endByInterrupt' } },
      states: {
        calling: {
          on: {
            ANSWERED: [
              { guard: 'hasStop', target: '#turn.ending', actions: 'endByStop' },
              { guard: 'hasCalls', target: 'acting' },
              { guard: 'canGoOn', target: 'calling', actions: 'nextStep', reenter: true },
              { target: '#turn.ending', actions: { type: 'end', params: { reason: 'completed' } } },
            ],
            FAILED: [
              { guard: 'canRetry', target: 'waiting' },
              { target: '#turn.ending', actions: { type: 'end', params: { reason: 'error' } } },
            ],
          },
        },
        waiting: { on: { RETRY: { target: 'calling', actions: 'nextAttempt' } } },
        acting: {
          on: {
            ACTED: [
              {
                guard: 'isConcluded',
                target: '#turn.ending',
                actions: { type: 'end', params: { reason: 'completed' } },
              },
              { guard: 'isOutOfSteps', target: '#turn.ending', actions: { type: 'end', params: { reason: 'error' } } },
              { guard: 'isConcludedButSteered', target: 'calling', actions: 'lastStep' },
              { target: 'calling', actions: 'nextStep' },
            ],
          },
        },
      },
    },
    ending: { on: { ENDED: 'ended' } },
    ended: { type: 'final' },
  },
})

export type TurnActor = ActorRefFrom<typeof turnMachine>
