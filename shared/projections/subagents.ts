/* The catalog of child sessions (SPEC 3, 9): every subagent this session started, finished ones too, in order of starting. */
import { z } from 'zod'
import { sessionIdSchema } from '../ids.ts'
import type { Projection } from './projection.ts'

const seq = z.int().nonnegative()

export const subagentChildSchema = z.object({
  sessionId: sessionIdSchema,
  label: z.string(),
  mode: z.enum(['foreground', 'background']),
  status: z.enum(['running', 'completed', 'failed', 'killed']),
  startedSeq: seq,
  endedSeq: seq.exactOptional(),
})
export type SubagentChild = z.infer<typeof subagentChildSchema>

export const subagentsProjectionSchema = z.object({ children: z.array(subagentChildSchema) })
export type SubagentsProjection = z.infer<typeof subagentsProjectionSchema>

export const subagents: Projection<SubagentsProjection> = {
  key: 'subagents',
  init: { children: [] },
  apply: (state, event) => {
    switch (event.type) {
      case 'subagent/started': {
        const { sessionId, label, mode } = event.data
        if (state.children.some((child) => child.sessionId === sessionId)) return state
        return { children: [...state.children, { sessionId, label, mode, status: 'running', startedSeq: event.seq }] }
      }
      case 'subagent/ended': {
        const { sessionId, status } = event.data
        const ends = (child: SubagentChild) => child.sessionId === sessionId && child.status === 'running'
        if (!state.children.some(ends)) return state
        return {
          children: state.children.map((child) => (ends(child) ? { ...child, status, endedSeq: event.seq } : child)),
        }
      }
      // Running work never comes along with a fork: it stays with the session that started it.
      case 'session/end-seed': {
        const ended = state.children.filter((child) => child.status !== 'running')
        return ended.length === state.children.length ? state : { children: ended }
      }
      default:
        return state
    }
  },
}
