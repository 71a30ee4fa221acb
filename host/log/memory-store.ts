/* The log port in memory, for tests and for sessions nobody wants to keep: what it promises is what LevelDB promises,
   shown by one contract suite. The medium outlives a store, so that closing and opening again can be tested. */
import type { SessionId } from '../../shared/ids.ts'
import { abortedError, refuseAborted } from './abort.ts'
import { admitAppend, createOwnerships, type Admitted, type Owned } from './ownerships.ts'
import {
  LogError,
  pageMaxBytes,
  type Append,
  type AppendOutcome,
  type CallOptions,
  type LogStore,
  type ReadRange,
  type StoredBody,
} from './port.ts'

interface StoredSession {
  header: string | null
  /** `copy` and `remove` are unfinished work, done when a store opens. */
  marker: 'none' | 'copy' | 'remove'
  bodies: string[]
  seqByIndexKey: Map<string, number>
  checkpoint: { seq: number; body: string } | null
}

export interface MemoryMedium {
  readonly sessionsById: Map<SessionId, StoredSession>
}

export function createMemoryMedium(): MemoryMedium {
  return { sessionsById: new Map() }
}

export function createMemoryStore({ sessionsById }: MemoryMedium = createMemoryMedium()): LogStore {
  const ownerships = createOwnerships()
  let closed = false

  for (const sessionId of [...sessionsById.keys()]) position(sessionId)

  function closedError(): LogError | null {
    return closed ? new LogError('unavailable', 'the log is closed') : null
  }

  async function reading<Value>(work: () => Value, options: CallOptions | undefined): Promise<Value> {
    refuseAborted(options?.signal)
    const cause = closedError()
    if (cause !== null) throw cause
    return work()
  }

  /** Where the session stands, after finishing what was cut off in it. */
  function position(sessionId: SessionId): Pick<Owned, 'nextSeq' | 'visibility'> {
    const stored = sessionsById.get(sessionId)
    if (stored !== undefined && stored.marker !== 'none') sessionsById.delete(sessionId)
    const kept = sessionsById.get(sessionId)
    if (kept === undefined) return { nextSeq: 0, visibility: 'none' }
    return { nextSeq: kept.bodies.length, visibility: kept.header === null ? 'hidden' : 'listed' }
  }

  function store(append: Append, { before }: Admitted): void {
    const { sessionId } = append.ownership
    const stored = sessionsById.get(sessionId) ?? emptySession()
    sessionsById.set(sessionId, stored)
    stored.bodies.push(...append.bodies)
    for (const { kind, id, seq } of append.index) stored.seqByIndexKey.set(`${kind}!${id}`, seq)
    if (append.checkpoint !== undefined) stored.checkpoint = { ...append.checkpoint }
    if (append.header !== null) {
      stored.header = append.header
      stored.marker = 'none'
    } else if (before === 'none') {
      stored.marker = 'copy'
    }
  }

  return {
    async acquire(sessionId, options) {
      const cause = abortedError(options?.signal) ?? closedError()
      if (cause !== null) return { kind: 'unavailable', cause }
      const claim = ownerships.claim(sessionId)
      if (claim === null) return { kind: 'held' }
      const { nextSeq, visibility } = position(sessionId)
      return { kind: 'owned', ownership: claim.grant(nextSeq, visibility) }
    },

    async release(ownership) {
      ownerships.drop(ownership)
    },

    async appendGroup(appends, options) {
      const cause = abortedError(options?.signal) ?? closedError()
      if (cause !== null) return appends.map(() => ({ kind: 'unavailable', cause }))
      return appends.map((append): AppendOutcome => {
        const admission = admitAppend(ownerships, append)
        if (admission.kind === 'refused') return admission.outcome
        store(append, admission)
        return { kind: 'durable' }
      })
    },

    read: (sessionId, range, options) =>
      reading(() => readPage(sessionsById.get(sessionId)?.bodies ?? [], range), options),

    lookup: (sessionId, kind, id, options) =>
      reading(() => sessionsById.get(sessionId)?.seqByIndexKey.get(`${kind}!${id}`) ?? null, options),

    checkpoint: (sessionId, options) => reading(() => sessionsById.get(sessionId)?.checkpoint ?? null, options),

    header: (sessionId, options) => reading(() => sessionsById.get(sessionId)?.header ?? null, options),

    headers: ({ after, limit }, options) =>
      reading(() => {
        const listed = [...sessionsById].filter(
          ([id, { header }]) => header !== null && (after === undefined || id > after),
        )
        const sorted = listed.toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit)
        return sorted.map(([sessionId, { header }]) => ({ sessionId, body: header }))
      }, options),

    async remove(ownership, options) {
      refuseAborted(options?.signal)
      const cause = closedError()
      if (cause !== null) throw cause
      const stored = sessionsById.get(ownership.sessionId)
      if (ownerships.of(ownership) === null) throw new LogError('unavailable', 'the ownership is no longer valid')
      ownerships.drop(ownership)
      if (stored === undefined) return
      stored.header = null
      stored.marker = 'remove'
      // The header is gone first; a removal that is given up here is finished when the session is next touched.
      await Promise.resolve()
      refuseAborted(options?.signal)
      if (sessionsById.get(ownership.sessionId) === stored) sessionsById.delete(ownership.sessionId)
    },

    async close() {
      closed = true
    },
  }
}

function emptySession(): StoredSession {
  return { header: null, marker: 'none', bodies: [], seqByIndexKey: new Map(), checkpoint: null }
}

function readPage(bodies: readonly string[], { from, to, direction, limit }: ReadRange): StoredBody[] {
  const page: StoredBody[] = []
  const step = direction === 'forward' ? 1 : -1
  let bytes = 0
  for (let seq = step > 0 ? from : Math.min(to, bodies.length - 1); seq >= from && seq <= to; seq += step) {
    const body = bodies[seq]
    if (body === undefined || page.length >= limit || bytes >= pageMaxBytes) break
    page.push({ seq, body })
    bytes += Buffer.byteLength(body)
  }
  return page
}
