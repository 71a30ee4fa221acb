/* One tool call that waits for a person's permission (SPEC 5).

     pending ──ALLOW──▶ allowed      pending ──DENY──▶ denied      pending ──CANCEL──▶ cancelled

   | rule | |
   | --- | --- |
   | first-decision | the first decision wins: a resolved approval accepts nothing |
   | silence | silence is no consent: only ALLOW allows, whatever else happens denies or cancels */
import { setup, type ActorRefFrom, type SnapshotFrom } from 'xstate'
import type { ApprovalId, CallId } from '../shared/ids.ts'

export type ApprovalMachineEvent = { type: 'ALLOW' } | { type: 'DENY' } | { type: 'CANCEL' }

export const approvalMachine = setup({
  types: {
    context: {} as { approvalId: ApprovalId; callId: CallId },
    events: {} as ApprovalMachineEvent,
    input: {} as { approvalId: ApprovalId; callId: CallId },
  },
}).createMachine({
  id: 'approval',
  context: ({ input }) => ({ approvalId: input.approvalId, callId: input.callId }),
  initial: 'pending',
  states: {
    pending: { on: { ALLOW: 'allowed', DENY: 'denied', CANCEL: 'cancelled' } },
    allowed: { type: 'final' },
    denied: { type: 'final' },
    cancelled: { type: 'final' },
  },
})

export type ApprovalActor = ActorRefFrom<typeof approvalMachine>
export type ApprovalSnapshot = SnapshotFrom<typeof approvalMachine>
export type ApprovalOutcome = 'allow' | 'deny' | 'cancelled'

const outcomeByState = { allowed: 'allow', denied: 'deny', cancelled: 'cancelled' } as const

/** Null while the person is waited for. */
export function outcomeOf({ value }: ApprovalSnapshot): ApprovalOutcome | null {
  return value === 'pending' ? null : outcomeByState[value]
}
