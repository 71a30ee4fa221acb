/* One `ask_user_question` call that waits for a person (SPEC 5).

     pending ──ANSWER──▶ answered      pending ──DECLINE──▶ declined      pending ──CANCEL──▶ cancelled

   | rule | |
   | --- | --- |
   | first-answer | the first valid answer wins: a resolved question accepts nothing |
   | silence | silence is no answer: only ANSWER answers, whatever else happens cancels */
import { setup, type ActorRefFrom, type SnapshotFrom } from 'xstate'
import type { CallId, QuestionId } from '../shared/ids.ts'

export type QuestionMachineEvent = { type: 'ANSWER' } | { type: 'DECLINE' } | { type: 'CANCEL' }

export const questionMachine = setup({
  types: {
    context: {} as { questionId: QuestionId; callId: CallId },
    events: {} as QuestionMachineEvent,
    input: {} as { questionId: QuestionId; callId: CallId },
  },
}).createMachine({
  id: 'question',
  context: ({ input }) => ({ questionId: input.questionId, callId: input.callId }),
  initial: 'pending',
  states: {
    pending: { on: { ANSWER: 'answered', DECLINE: 'declined', CANCEL: 'cancelled' } },
    answered: { type: 'final' },
    declined: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

export type QuestionActor = ActorRefFrom<typeof questionMachine>
export type QuestionSnapshot = SnapshotFrom<typeof questionMachine>
export type QuestionOutcome = 'answered' | 'declined' | 'cancelled'

/** Null while the person is waited for. */
export function outcomeOf(snapshot: QuestionSnapshot): QuestionOutcome | null {
  return snapshot.value === 'pending' ? null : snapshot.value
}
