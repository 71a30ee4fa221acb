/* `taskSurface.getActive` (SPEC 6.4): the open occurrence by the log, joined with the pending record of the live
   session. Starts no actor. */
import type { GetActiveTaskSurfaceRequest, GetActiveTaskSurfaceResult } from '../../shared/surface/operations.ts'
import type { SessionDirectory } from './session-directory.ts'
import { readOccurrence } from './surface-log.ts'

const notOpen: GetActiveTaskSurfaceResult = { active: false, reason: 'not-open' }

export async function readActive(
  directory: SessionDirectory,
  { sessionId, surfaceId }: GetActiveTaskSurfaceRequest,
): Promise<GetActiveTaskSurfaceResult> {
  for (;;) {
    const state = await directory.state(sessionId)
    if (state.projections.taskSurface.active?.surfaceId !== surfaceId) return notOpen
    const occurrence = await readOccurrence({ sessionId, state, deps: directory.deps }, surfaceId)
    const runtime = directory.live(sessionId)
    // The state may have moved while the log was read: the pending record belongs to the newer one.
    if (runtime !== undefined && runtime.state.lastSeq !== state.lastSeq) continue
    if (occurrence === null) return notOpen
    const { callId, model } = occurrence
    return { active: true, callId, surfaceId, model, pending: runtime?.surfaces.pending ?? null }
  }
}
