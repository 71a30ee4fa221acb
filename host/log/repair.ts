/* What closes a turn that was cut off (SPEC 2, Repair): pure, so the host appends it when it loads a session and the
   reader of a cold session may show the same without writing. */
import type { EventDraft } from '../../shared/event.ts'
import type { SessionState } from './session-state.ts'

/** Code of the error that stands in for a result nobody will ever know. */
export const interruptedCallCode = 'INTERRUPTED'

const interruptedCallText = 'The host stopped before this call finished. Whether it took effect is unknown.'

/**
 * The events that end what a stopped host left open: an error result for each call without one, the end of the turn,
 * and the end of each child session that was still running. None where nothing is open.
 */
export function repairDrafts(state: SessionState): EventDraft[] {
  return [...turnDrafts(state), ...childDrafts(state)]
}

function childDrafts({ projections }: SessionState): EventDraft[] {
  return projections.subagents.children
    .filter(({ status }) => status === 'running')
    .map(({ sessionId }) => ({ type: 'subagent/ended', data: { sessionId, status: 'failed' } }))
}

function turnDrafts(state: SessionState): EventDraft[] {
  const open = state.openTurn
  if (open === null) return []
  const { turn } = open
  const results = open.calls.map(({ callId, name, step }): EventDraft => ({
    type: 'tool/result',
    data: {
      turn,
      step,
      callId,
      name,
      content: [{ type: 'text', text: interruptedCallText }],
      isError: true,
      error: { code: interruptedCallCode, message: interruptedCallText },
    },
  }))
  return [...results, { type: 'turn/end', data: { turn, reason: 'interrupted' } }]
}
