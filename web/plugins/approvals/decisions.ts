/* Decisions on their way, per session: kept while the page follows the session, so that leaving a view and coming
   back neither sends twice nor shows again what is over. */
import type { ApprovalId } from '../../../shared/ids.ts'
import type { PendingApproval } from '../../session/session-state.ts'
import type { SessionHandle } from '../../session/session-store.ts'
import { createStore, type ReadableStore } from '../../store.ts'

/** `over`: the host said that nobody waits for this any more; its own frame may still be on the way. */
export type Progress = 'open' | 'sending' | 'over'

export interface Decisions extends ReadableStore<ReadonlyMap<ApprovalId, Progress>> {
  of(approvalId: ApprovalId): Progress
  set(approvalId: ApprovalId, progress: Progress): void
  /** Forgets every approval but these. */
  keepOnly(approvalIds: readonly ApprovalId[]): void
}

export function createDecisions(): Decisions {
  const state = createStore<ReadonlyMap<ApprovalId, Progress>>(new Map())
  return {
    ...state,
    of: (approvalId) => state.getState().get(approvalId) ?? 'open',
    set: (approvalId, progress) => state.setState(new Map(state.getState()).set(approvalId, progress)),
    keepOnly(approvalIds) {
      const kept = [...state.getState()].filter(([id]) => approvalIds.includes(id))
      if (kept.length !== state.getState().size) state.setState(new Map(kept))
    },
  }
}

/** What still waits for a decision, in the order it was asked for. */
export function waitingIn(session: SessionHandle, decisions: Decisions): PendingApproval[] {
  return session.getState().approvals.filter(({ approvalId }) => decisions.of(approvalId) !== 'over')
}
