/* What became of a Task Surface, by the log alone (SPEC 6.3), and waiting for it. Starts no actor and asks no clock
   but the caller's: it looks again whenever something of the session has become durable, so it outlives reloads. */
import type { SessionId, TaskSurfaceId } from '../../shared/ids.ts'
import { textOf } from '../../shared/message.ts'
import { untilAborted } from '../until-aborted.ts'
import type { SessionDirectory } from './session-directory.ts'
import { readOccurrence, type LogReader } from './surface-log.ts'

export type SurfaceOutcome =
  | { kind: 'open' }
  /** `seq`: of the person's message. */
  | { kind: 'submitted' | 'bypassed'; text: string; seq: number }
  | { kind: 'dismissed' | 'superseded' }
  /** Closed so long ago that only the transcript says how. */
  | { kind: 'closed' }
  /** This session never showed it, or a rewind took it back. */
  | { kind: 'unknown' }

export async function readOutcome(reader: LogReader, surfaceId: TaskSurfaceId): Promise<SurfaceOutcome> {
  const { projections, skipped } = reader.state
  if (projections.taskSurface.active?.surfaceId === surfaceId) return { kind: 'open' }
  const outcome = projections.taskSurfaceOutcomes.outcomes.find((closed) => closed.surfaceId === surfaceId)
  if (outcome === undefined) {
    return { kind: (await readOccurrence(reader, surfaceId)) === null ? 'unknown' : 'closed' }
  }
  const { reason, seq } = outcome
  if (reason === 'dismissed' || reason === 'superseded') return { kind: reason }
  const found = await reader.deps.log.eventAt(reader.sessionId, seq, skipped)
  if (found?.event.type !== 'user/message') return { kind: 'closed' }
  return { kind: reason, text: textOf(found.event.data.message.content), seq }
}

/** The outcome once it is no longer `open`, or `open` when `signal` aborts. Rejects like a read where the session is gone. */
export async function waitForOutcome(
  directory: SessionDirectory,
  { sessionId, surfaceId }: { sessionId: SessionId; surfaceId: TaskSurfaceId },
  signal: AbortSignal,
): Promise<SurfaceOutcome> {
  const { hub } = directory.deps
  let changed = (): void => {}
  const unwatch = hub.watch(sessionId, () => changed())
  try {
    for (;;) {
      // Before the look: what becomes durable during it must not be missed.
      const next = new Promise<void>((resolve) => {
        changed = resolve
      })
      const state = await directory.state(sessionId)
      const outcome = await readOutcome({ sessionId, state, deps: directory.deps }, surfaceId)
      if (outcome.kind !== 'open') return outcome
      if ((await untilAborted(next, signal)) === 'aborted') return { kind: 'open' }
    }
  } finally {
    unwatch()
  }
}
