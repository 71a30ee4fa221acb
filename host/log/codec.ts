/* Events, headers and checkpoints as stored text, and back (SPEC 2). The text is canonical: one value has one spelling,
   members in the order of their schema. Stored text is checked here, once; behind this file everything is typed. */
import {
  logFormatVersion,
  parseEvent,
  sessionEventSchema,
  type EventDraft,
  type SessionEvent,
} from '../../shared/event.ts'
import { readFoldState, type FoldState } from '../../shared/fold.ts'
import type { SessionId } from '../../shared/ids.ts'
import { taskSurfaceCorrelationSchema } from '../../shared/message.ts'
import { openedSurface } from '../../shared/surface/meta.ts'
import { eventKey, headerKey } from './keys.ts'
import { LogError, type IndexEntry } from './port.ts'
import {
  sessionHeaderSchema,
  stateOf,
  type SessionHeader,
  type SessionState,
  type StoredEvent,
} from './session-state.ts'

export interface EncodedEvent {
  event: SessionEvent
  body: string
}

/**
 * An event as it will be stored, and exactly as a reader will get it back: a member that is `undefined` or unknown is
 * gone from both. A draft that is no legal event is a bug of the caller and throws.
 */
export function encodeEvent(draft: EventDraft, seq: number, time: number): EncodedEvent {
  const plain: unknown = JSON.parse(JSON.stringify({ type: draft.type, seq, time, data: draft.data }))
  const event = sessionEventSchema.parse(plain)
  return { event, body: JSON.stringify(event) }
}

/** The event stored at `seq`. Text that is no event, or one of another place, is `corrupt`. */
export function decodeEvent(sessionId: SessionId, seq: number, body: string): StoredEvent {
  const key = eventKey(sessionId, seq)
  const parsed = parseEvent(parseJson(body, key))
  if (parsed.kind === 'refused')
    throw new LogError('corrupt', `the event ${key} cannot be read: ${parsed.message}`, { key })
  if (parsed.event.seq !== seq)
    throw new LogError('corrupt', `the event ${key} carries seq ${parsed.event.seq}`, { key })
  return parsed
}

export function encodeHeader(header: SessionHeader): string {
  return JSON.stringify(header)
}

/** `corrupt` where the text is no header of this session, `format` where a newer version wrote it. */
export function decodeHeader(sessionId: SessionId, body: string): SessionHeader {
  const key = headerKey(sessionId)
  const value = parseJson(body, key)
  if (isNewerFormat(value))
    throw new LogError('format', `the session ${sessionId} was written by a newer version`, { key })
  const parsed = sessionHeaderSchema.safeParse(value)
  if (!parsed.success || parsed.data.sessionId !== sessionId) {
    throw new LogError('corrupt', `the header ${key} cannot be read`, { key, cause: parsed.error })
  }
  return parsed.data
}

/** The state behind `fold.lastSeq`; the fold carries its own version. */
export function encodeCheckpoint(fold: FoldState): string {
  return JSON.stringify(fold)
}

/** The state of a checkpoint; null for one that this version cannot use. It is derived data, so nothing is lost. */
export function decodeCheckpoint(sessionId: SessionId, seq: number, body: string): SessionState | null {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return null
  }
  const fold = readFoldState(value)
  return fold === null || fold.lastSeq !== seq ? null : stateOf(sessionId, fold)
}

/** Every id of an event that may be looked up later. */
export function indexEntries(event: SessionEvent): IndexEntry[] {
  const { seq } = event
  switch (event.type) {
    case 'tool/result': {
      const opened = openedSurface(event.data)
      return opened === null ? [] : [{ kind: 'surface', id: opened.surfaceId, seq }]
    }
    case 'user/message':
    case 'steering/message': {
      const { id, source } = event.data.message
      const correlation = taskSurfaceCorrelationSchema.safeParse(
        'taskSurface' in source ? source.taskSurface : undefined,
      )
      const message: IndexEntry = { kind: 'message', id, seq }
      return correlation.success ? [message, { kind: 'submission', id: correlation.data.submissionId, seq }] : [message]
    }
    case 'task-surface/dismissed':
      return [{ kind: 'dismissal', id: event.data.dismissalId, seq }]
    default:
      return []
  }
}

function isNewerFormat(value: unknown): boolean {
  const format = typeof value === 'object' && value !== null && 'format' in value ? value.format : null
  return typeof format === 'number' && format > logFormatVersion
}

function parseJson(body: string, key: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    throw new LogError('corrupt', `the record ${key} is no JSON`, { key, cause: error })
  }
}
