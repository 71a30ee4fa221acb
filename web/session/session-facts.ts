/* Questions about a session that several views ask. Pure. */
import { z } from 'zod'
import type { EventOf } from '../../shared/event.ts'
import { callIdSchema, type TaskSurfaceId, taskSurfaceIdSchema } from '../../shared/ids.ts'
import { type Usage, usageSchema } from '../../shared/message.ts'
import { projectionOf, type SessionState } from './session-state.ts'

const taskSurfaceSchema = z.object({
  active: z.object({ callId: callIdSchema, surfaceId: taskSurfaceIdSchema }).nullable(),
})

/** The open surface; null: none, or not known yet. */
export function activeSurfaceOf(state: SessionState): TaskSurfaceId | null {
  const value = projectionOf(state, 'taskSurface')
  if (value === undefined) return null
  const parsed = taskSurfaceSchema.safeParse(value)
  return parsed.success ? (parsed.data.active?.surfaceId ?? null) : null
}

export type Standing = 'running' | 'waiting' | 'idle' | 'ended-badly'

/** How the session stands for a person. An open surface waits for them, a question all the more. */
export function standingOf(state: SessionState): Standing {
  if (state.questions.length > 0 || state.approvals.length > 0) return 'waiting'
  if (state.status.status === 'running') return 'running'
  if (activeSurfaceOf(state) !== null) return 'waiting'
  return lastEnd(state)?.data.reason === 'error' ? 'ended-badly' : 'idle'
}

/** The end of the newest turn; null while it runs, or when none is loaded. */
function lastEnd(state: SessionState): EventOf<'turn/end'> | null {
  const last = state.events.findLast((event) => event.type === 'turn/end' || event.type === 'turn/start')
  return last?.type === 'turn/end' ? last : null
}

const usageProjection = usageSchema.catch({ inputTokens: 0, outputTokens: 0 })

/** Tokens read and written in this session so far; 0 also where the agent does not say. */
export function tokensOf(state: SessionState, way: keyof Usage): number {
  return usageProjection.parse(projectionOf(state, 'usage'))[way]
}

/** The turn that runs, or the last one; null before the first. */
export function turnOf(state: SessionState): number | null {
  if (state.status.turn !== null) return state.status.turn
  const last = state.events.findLast((event) => event.type === 'turn/start')
  return last?.type === 'turn/start' ? last.data.turn : null
}
