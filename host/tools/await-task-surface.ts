/* `await_task_surface`: how a Task Surface ended, for agents that run elsewhere and are not called again when the person
   answers (SPEC 11). It answers at once; whoever serves such an agent waits before calling it. Not advertised to models
   of this host: the answer is their next message anyway. */
import { z } from 'zod'
import { taskSurfaceIdSchema, type SessionId, type TaskSurfaceId } from '../../shared/ids.ts'
import type { SurfaceOutcome } from '../session/surface-outcome.ts'
import { defineTool, ToolFailure, type Tool } from './tool.ts'

export const awaitTaskSurfaceTool = 'await_task_surface'

export function createAwaitTaskSurface(deps: {
  readOutcome: (sessionId: SessionId, surfaceId: TaskSurfaceId) => Promise<SurfaceOutcome>
}): Tool {
  return defineTool<{ surfaceId: TaskSurfaceId }, SurfaceOutcome>({
    name: awaitTaskSurfaceTool,
    description: 'How a surface that was shown has ended, or that it is still open.',
    input: z.strictObject({ surfaceId: taskSurfaceIdSchema }),
    concurrencySafe: true,
    async execute({ surfaceId }, { session }) {
      const outcome = await deps.readOutcome(session.sessionId, surfaceId)
      if (outcome.kind === 'unknown') {
        throw new ToolFailure(
          'SURFACE_NOT_FOUND',
          `The session ${session.sessionId} has shown no surface ${surfaceId}.`,
        )
      }
      return outcome
    },
    render: ({ surfaceId }, outcome) => outcomeText(surfaceId, outcome),
    // `messageSeq`: the message whose text the content holds, so that it is not told twice.
    presentationMeta: ({ surfaceId }, outcome) => ({
      surfaceId,
      outcome: outcome.kind,
      ...('seq' in outcome && { messageSeq: outcome.seq }),
    }),
  })
}

function outcomeText(surfaceId: TaskSurfaceId, outcome: SurfaceOutcome): string {
  switch (outcome.kind) {
    case 'open':
      return `The surface ${surfaceId} is still open: the person has not answered yet. Call ${awaitTaskSurfaceTool} again.`
    case 'submitted':
      return `The person submitted the surface. Their answer:\n\n${outcome.text}`
    case 'bypassed':
      return `The person did not fill in the surface and wrote this instead; it is closed:\n\n${outcome.text}`
    case 'dismissed':
      return 'The person dismissed the surface without an answer. It is closed; do not take that for consent.'
    case 'superseded':
      return 'Another surface took the place of this one. It is closed without an answer.'
    case 'closed':
      return `The surface ${surfaceId} was closed long ago; what was said about it stands in the session.`
    case 'unknown':
      return `There is no surface ${surfaceId}.`
  }
}
