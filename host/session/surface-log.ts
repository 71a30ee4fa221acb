/* What the session log says of a Task Surface: the occurrence behind an id, and what a submission id stands
   for. Reads only; starts no actor. */
import type { MessageId, SessionId, TaskSurfaceId, TaskSurfaceSubmissionId } from '../../shared/ids.ts'
import { messageSourceSchema, textOf, type TaskSurfaceCorrelation } from '../../shared/message.ts'
import { openedSurface, type OpenedSurface } from '../../shared/surface/meta.ts'
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import type { SessionLog } from '../log/session-log.ts'
import type { SessionState } from '../log/session-state.ts'

/** A session whose log can be read: a live runtime is one. */
export interface LogReader {
  readonly sessionId: SessionId
  readonly state: SessionState
  readonly deps: { readonly log: SessionLog }
}

/** The shown surface behind an id; null where the log has none that counts, or one that cannot be read. */
export async function readOccurrence(reader: LogReader, surfaceId: TaskSurfaceId): Promise<OpenedSurface | null> {
  const { log } = reader.deps
  const found = await log.find(reader.sessionId, 'surface', surfaceId, reader.state.skipped)
  if (found === null || !found.counted || found.event.type !== 'tool/result') return null
  return openedSurface(found.event.data)
}

/** What was accepted under a submission id. */
export interface Answered {
  /** False once a rewind took the message away. */
  counted: boolean
  messageId: MessageId
  correlation: TaskSurfaceCorrelation
  text: string
  /** The answered surface; null where it can no longer be read. */
  model: TaskSurfaceModelV1 | null
}

export async function readSubmission(
  reader: LogReader,
  submissionId: TaskSurfaceSubmissionId,
): Promise<Answered | null> {
  const { log } = reader.deps
  const found = await log.find(reader.sessionId, 'submission', submissionId, reader.state.skipped)
  if (found === null || found.event.type !== 'user/message') return null
  const { message } = found.event.data
  const source = messageSourceSchema.safeParse(message.source)
  if (!source.success || source.data.kind !== 'user' || source.data.taskSurface === undefined) return null
  const { taskSurface: correlation } = source.data
  const occurrence = await readOccurrence(reader, correlation.surfaceId)
  return {
    counted: found.counted,
    messageId: message.id,
    correlation,
    text: textOf(message.content),
    model: occurrence?.model ?? null,
  }
}
