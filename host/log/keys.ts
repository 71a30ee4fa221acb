/* Where each record lies in the LevelDB database (SPEC 2). All keys of one session but header and marker share a
   prefix, so its events are one contiguous range in order of seq, and removing it is one range.
   `!` sorts before every character of an id, so composite keys sort by id first.

     !format             store format version
     !loss               what LevelDB dropped when it opened, and whether that was accepted
     h!<session>         header: the session exists and is listed
     m!<session>         marker of an unfinished copy or removal
     t!<task>            background task whose model is not told yet, owned by the task record store
     s!<session>!c       checkpoint
     s!<session>!e!<seq> event
     s!<session>!i!<kind>!<id>  seq of the newest event that carries the id
     s!<session>!j!<id>  chunk of journal entries, by the id of its first one
     s!<session>!r       refused journal entries; both owned by the journal store and removed with the session */
import { sessionIdSchema, type SessionId, type TaskId } from '../../shared/ids.ts'
import type { IndexKind } from './port.ts'

/** Half-open: `gte` belongs to the range, `lt` does not. */
export interface KeyRange {
  gte: string
  lt: string
}

export const formatKey = '!format'
export const lossKey = '!loss'

/** Digits of a seq in a key: enough for every safe integer, so keys sort as numbers do. */
const seqWidth = 16

export const headerKey = (sessionId: SessionId) => `h!${sessionId}`
export const markerKey = (sessionId: SessionId) => `m!${sessionId}`
export const taskKey = (taskId: TaskId) => `t!${taskId}`
export const checkpointKey = (sessionId: SessionId) => `s!${sessionId}!c`
export const eventKey = (sessionId: SessionId, seq: number) => `${eventPrefix(sessionId)}${seqText(seq)}`
export const indexKey = (sessionId: SessionId, kind: IndexKind, id: string) => `s!${sessionId}!i!${kind}!${id}`
export const journalKey = (sessionId: SessionId, id: number) => `s!${sessionId}!j!${seqText(id)}`
export const journalRange = (sessionId: SessionId) => prefixRange(`s!${sessionId}!j!`)
export const refusedKey = (sessionId: SessionId) => `s!${sessionId}!r`

const eventPrefix = (sessionId: SessionId) => `s!${sessionId}!e!`
const seqText = (seq: number) => String(seq).padStart(seqWidth, '0')

/** Everything that starts with `prefix`, which ends in `!`. */
export function prefixRange(prefix: string): KeyRange {
  return { gte: prefix, lt: `${prefix.slice(0, -1)}"` }
}

export const markerRange = prefixRange('m!')
export const taskRange = prefixRange('t!')
export const sessionRange = (sessionId: SessionId) => prefixRange(`s!${sessionId}!`)

/** Events `from` to `to`, both inclusive. */
export function eventRange(sessionId: SessionId, from: number, to: number): KeyRange {
  const prefix = eventPrefix(sessionId)
  const past = to >= Number.MAX_SAFE_INTEGER ? prefixRange(prefix).lt : `${prefix}${seqText(to + 1)}`
  return { gte: `${prefix}${seqText(from)}`, lt: past }
}

export function headerRange(after: SessionId | undefined): KeyRange {
  const all = prefixRange('h!')
  return after === undefined ? all : { gte: `${headerKey(after)}!`, lt: all.lt }
}

/** The seq an event key ends in; null for anything that is no seq. */
export function seqOfKey(key: string): number | null {
  const digits = key.slice(-seqWidth)
  return /^[0-9]{16}$/.test(digits) && key.at(-seqWidth - 1) === '!' ? Number(digits) : null
}

/** What a record is about, for whoever follows writes: a session, or `tasks`; null for what decides nothing. */
export function subjectOfKey(key: string): string | null {
  if (key.startsWith('t!')) return 'tasks'
  const [, sessionId, kind] = /^[hms]!([^!]+)(?:!([a-z]))?/.exec(key) ?? []
  return sessionId === undefined || kind === 'j' || kind === 'r' ? null : sessionId
}

/** The session a header or marker key names; null where it is no id. */
export function sessionOfKey(key: string): SessionId | null {
  const parsed = sessionIdSchema.safeParse(key.slice(2))
  return parsed.success ? parsed.data : null
}
