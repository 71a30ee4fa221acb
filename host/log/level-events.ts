/* One page of a session's events out of LevelDB, checked: every record whole, none missing (SPEC 2). */
import type { SessionId } from '../../shared/ids.ts'
import { unseal } from './checksum.ts'
import { eventKey, eventRange, seqOfKey } from './keys.ts'
import type { LevelDatabase } from './level-database.ts'
import { LogError, pageMaxBytes, type ReadRange, type StoredBody } from './port.ts'

export async function readLevelEvents(
  database: LevelDatabase,
  sessionId: SessionId,
  range: ReadRange,
): Promise<StoredBody[]> {
  const { from, to, direction, limit } = range
  if (from > to || limit <= 0) return []
  if (from === to) return await readOne(database, sessionId, from)
  const reverse = direction === 'backward'
  const step = reverse ? -1 : 1
  const entries = await database.scan({
    ...eventRange(sessionId, from, to),
    reverse,
    limit,
    maxBytes: pageMaxBytes,
  })
  const first = entries[0] === undefined ? null : seqOfKey(entries[0][0])
  const start = reverse ? to : from
  // Backwards a page may begin below `to` where the log ends there; that is no gap unless something lies above.
  const begin =
    reverse && first !== null && first < to && !(await hasRecordAfter(database, sessionId, to)) ? first : start
  const page = entries.map(([key, value], index): StoredBody => {
    const seq = begin + index * step
    const body = seqOfKey(key) === seq ? unseal(value) : null
    if (body === null) throw damaged(sessionId, seq)
    return { seq, body }
  })
  const next = begin + page.length * step
  const bytes = entries.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0)
  const ended = page.length < limit && bytes < pageMaxBytes
  if (ended && (await isMissing(database, sessionId, range, next, page.length))) throw damaged(sessionId, next)
  return page
}

/** One record by its key: a third of the crossings that an iterator takes, and lookups by id read no more. */
async function readOne(database: LevelDatabase, sessionId: SessionId, seq: number): Promise<StoredBody[]> {
  const value = await database.get(eventKey(sessionId, seq))
  if (value === undefined) {
    if (await hasRecordAfter(database, sessionId, seq)) throw damaged(sessionId, seq)
    return []
  }
  const body = unseal(value)
  if (body === null) throw damaged(sessionId, seq)
  return [{ seq, body }]
}

/** Whether `next`, where the scan found no more, should be there. */
async function isMissing(
  database: LevelDatabase,
  sessionId: SessionId,
  { from, to, direction }: ReadRange,
  next: number,
  found: number,
): Promise<boolean> {
  if (direction === 'backward') {
    if (next < from) return false
    return found > 0 || (await hasRecordAfter(database, sessionId, to))
  }
  return next <= to && (await hasRecordAfter(database, sessionId, to))
}

async function hasRecordAfter(database: LevelDatabase, sessionId: SessionId, seq: number): Promise<boolean> {
  if (seq >= Number.MAX_SAFE_INTEGER) return false
  const range = eventRange(sessionId, seq + 1, Number.MAX_SAFE_INTEGER)
  const found = await database.scan({ ...range, limit: 1, maxBytes: 1 })
  return found.length > 0
}

function damaged(sessionId: SessionId, seq: number): LogError {
  const key = eventKey(sessionId, seq)
  return new LogError('corrupt', `the record ${key} is damaged or missing`, { key })
}
