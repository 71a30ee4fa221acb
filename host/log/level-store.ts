/* The log port on LevelDB. Owns what records an append is made of and the check of every record it reads back; the
   database behind it owns files, losses and reopening. See `keys.ts` for the layout.
   Invariants: an append is one part of one atomic batch; a session's events have no gap; while the fate of a write
   is open nothing is read or acquired, so nobody folds a log that may still grow behind his back. */
import type { SessionId } from '../../shared/ids.ts'
import { abortable, abortedError, refuseAborted } from './abort.ts'
import { seal, unseal } from './checksum.ts'
import * as keys from './keys.ts'
import {
  openLevelDatabase,
  WriteFailed,
  type LevelDatabase,
  type OpenOptions,
  type WriteOperation,
} from './level-database.ts'
import { readLevelEvents } from './level-events.ts'
import { admitAppend, createOwnerships, type Admitted, type Owned } from './ownerships.ts'
import { LogError, pageMaxBytes, type Append, type AppendOutcome, type CallOptions, type LogStore } from './port.ts'

/** Markers of copies and removals that were cut off, read at once when the store opens. */
const markerPage = 1000

/** The database of a data folder with nothing but the log on it; closing the store closes both. */
export async function openLevelStore({ folder, ...options }: OpenOptions & { folder: string }): Promise<LogStore> {
  const database = await openLevelDatabase(folder, options)
  try {
    const store = await createLevelStore(database)
    return {
      ...store,
      close: async () => {
        await store.close()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens the store on an open database and finishes what was cut off. Closing the store leaves the database open. */
export async function createLevelStore(database: LevelDatabase): Promise<LogStore> {
  const ownerships = createOwnerships()
  /** Writes that a caller gave up on and that still run. */
  let undecided = 0
  let closed = false

  function unavailableCause(): LogError | null {
    if (closed) return new LogError('unavailable', 'the log is closed')
    if (undecided > 0) return new LogError('unavailable', 'the fate of an earlier write is still open')
    if (!database.isOpen()) return new LogError('unavailable', 'the database is not open now')
    return null
  }

  async function reading<Value>(work: () => Promise<Value>, options: CallOptions | undefined): Promise<Value> {
    refuseAborted(options?.signal)
    if (closed || undecided > 0) throw unavailableCause()
    return await abortable(work(), options?.signal)
  }

  async function finish(sessionId: SessionId): Promise<void> {
    await database.clear(keys.sessionRange(sessionId))
    await database.write([{ type: 'del', key: keys.markerKey(sessionId) }])
  }

  /** Where the session stands, after finishing what was cut off in it. */
  async function position(sessionId: SessionId): Promise<Pick<Owned, 'nextSeq' | 'visibility'>> {
    if ((await database.get(keys.markerKey(sessionId))) !== undefined) await finish(sessionId)
    const header = await database.get(keys.headerKey(sessionId))
    const range = keys.eventRange(sessionId, 0, Number.MAX_SAFE_INTEGER)
    const [last] = await database.scan({ ...range, reverse: true, limit: 1, maxBytes: pageMaxBytes })
    const lastSeq = last === undefined ? -1 : keys.seqOfKey(last[0])
    if (lastSeq === null)
      throw new LogError('corrupt', 'the last record has no place in the log', { key: last?.[0] ?? '' })
    const visibility = header !== undefined ? 'listed' : lastSeq >= 0 ? 'hidden' : 'none'
    return { nextSeq: lastSeq + 1, visibility }
  }

  await finishCutOff(database, finish)

  return {
    async acquire(sessionId, options) {
      const cause = abortedError(options?.signal) ?? unavailableCause()
      if (cause !== null) return { kind: 'unavailable', cause }
      const claim = ownerships.claim(sessionId)
      if (claim === null) return { kind: 'held' }
      const work = position(sessionId)
      try {
        const { nextSeq, visibility } = await abortable(work, options?.signal)
        return { kind: 'owned', ownership: claim.grant(nextSeq, visibility) }
      } catch (error) {
        // Held until the work ends, given up or not: it may be deleting leftovers of this very session.
        work.then(claim.abandon, claim.abandon)
        return { kind: 'unavailable', cause: error }
      }
    },

    async release(ownership) {
      ownerships.drop(ownership)
    },

    async appendGroup(appends, options) {
      const cause = abortedError(options?.signal) ?? unavailableCause()
      if (cause !== null) return appends.map(() => ({ kind: 'unavailable', cause }))
      const admissions = appends.map((append) => admitAppend(ownerships, append))
      const operations: WriteOperation[] = []
      for (const [index, append] of appends.entries()) {
        const admission = admissions[index]
        if (admission?.kind === 'admitted') pushOperations(operations, append, admission)
      }
      const outcomes = (admitted: AppendOutcome): AppendOutcome[] =>
        admissions.map((admission) => (admission.kind === 'admitted' ? admitted : admission.outcome))
      if (operations.length === 0) return outcomes({ kind: 'durable' })
      const work = database.write(operations)
      try {
        await abortable(work, options?.signal)
        return outcomes({ kind: 'durable' })
      } catch (error) {
        for (const admission of admissions) {
          if (admission.kind === 'admitted') ownerships.drop(admission.owned.ownership)
        }
        if (!(error instanceof WriteFailed)) {
          undecided += 1
          const decided = () => {
            undecided -= 1
          }
          work.then(decided, decided)
        }
        return outcomes({ kind: 'unknown', cause: error })
      }
    },

    read: (sessionId, range, options) => reading(() => readLevelEvents(database, sessionId, range), options),

    async lookup(sessionId, kind, id, options) {
      refuseAborted(options?.signal)
      const cause = unavailableCause()
      if (cause !== null) throw cause
      const key = keys.indexKey(sessionId, kind, id)
      const value = openRecord(key, database.getNow(key))
      return value === null ? null : Number(value)
    },

    checkpoint: (sessionId, options) =>
      reading(async () => {
        const stored = await database.get(keys.checkpointKey(sessionId))
        const value = stored === undefined ? null : unseal(stored)
        if (value === null) return null
        const separator = value.indexOf('!')
        return { seq: Number(value.slice(0, separator)), body: value.slice(separator + 1) }
      }, options),

    header: (sessionId, options) => reading(() => readRecord(database, keys.headerKey(sessionId)), options),

    headers: ({ after, limit }, options) =>
      reading(async () => {
        const entries = await database.scan({ ...keys.headerRange(after), limit, maxBytes: pageMaxBytes })
        return entries.flatMap(([key, value]) => {
          const sessionId = keys.sessionOfKey(key)
          return sessionId === null ? [] : [{ sessionId, body: unseal(value) }]
        })
      }, options),

    async remove(ownership, options) {
      refuseAborted(options?.signal)
      const cause = unavailableCause()
      if (cause !== null) throw cause
      if (ownerships.of(ownership) === null) throw new LogError('unavailable', 'the ownership is no longer valid')
      const { sessionId } = ownership
      ownerships.drop(ownership)
      // Held until everything is gone, so that nobody begins a session in the middle of its removal.
      const claim = ownerships.claim(sessionId)
      const work = removeSession(database, sessionId, finish, options?.signal)
      work.then(
        () => claim?.abandon(),
        () => claim?.abandon(),
      )
      await abortable(work, options?.signal)
    },

    async close() {
      closed = true
    },
  }
}

async function removeSession(
  database: LevelDatabase,
  sessionId: SessionId,
  finish: (sessionId: SessionId) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await database.write([
      { type: 'del', key: keys.headerKey(sessionId) },
      { type: 'put', key: keys.markerKey(sessionId), value: seal('remove') },
    ])
    refuseAborted(signal)
    await finish(sessionId)
  } catch (error) {
    throw error instanceof LogError ? error : new LogError('unavailable', 'the removal was cut off', { cause: error })
  }
}

async function finishCutOff(database: LevelDatabase, finish: (sessionId: SessionId) => Promise<void>): Promise<void> {
  for (;;) {
    const markers = await database.scan({ ...keys.markerRange, limit: markerPage, maxBytes: pageMaxBytes })
    if (markers.length === 0) return
    for (const [key] of markers) {
      const sessionId = keys.sessionOfKey(key)
      if (sessionId === null) await database.write([{ type: 'del', key }])
      else await finish(sessionId)
    }
  }
}

function pushOperations(operations: WriteOperation[], append: Append, { before }: Admitted): void {
  const { sessionId } = append.ownership
  const put = (key: string, value: string) => operations.push({ type: 'put', key, value: seal(value) })
  append.bodies.forEach((body, index) => put(keys.eventKey(sessionId, append.firstSeq + index), body))
  for (const { kind, id, seq } of append.index) put(keys.indexKey(sessionId, kind, id), String(seq))
  if (append.checkpoint !== undefined) {
    put(keys.checkpointKey(sessionId), `${append.checkpoint.seq}!${append.checkpoint.body}`)
  }
  if (append.header !== null) put(keys.headerKey(sessionId), append.header)
  if (append.header === null && before === 'none') put(keys.markerKey(sessionId), 'copy')
  if (append.header !== null && before === 'hidden') operations.push({ type: 'del', key: keys.markerKey(sessionId) })
}

async function readRecord(database: LevelDatabase, key: string): Promise<string | null> {
  return openRecord(key, await database.get(key))
}

/** One record that is there or not; damaged ones are `corrupt` with the key. */
function openRecord(key: string, stored: string | undefined): string | null {
  if (stored === undefined) return null
  const value = unseal(stored)
  if (value === null) throw new LogError('corrupt', `the record ${key} is damaged`, { key })
  return value
}
