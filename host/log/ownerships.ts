/* Who may append where, within one process: the part of the log port that every single-host store shares.
   Knows positions, not records. An ownership is recognised by identity, so a stale one can never be confused with
   the current one of the same session. */
import type { SessionId } from '../../shared/ids.ts'
import { appendMaxBytes, type Append, type AppendOutcome, type Ownership } from './port.ts'

export interface Owned {
  readonly ownership: Ownership
  /** Where the next append must begin. Advanced when an append is issued, so that no second one takes the place. */
  nextSeq: number
  /** `none`: nothing is stored. `hidden`: a copy whose header is still to come. */
  visibility: 'none' | 'hidden' | 'listed'
}

export interface Ownerships {
  /** Null while somebody holds the session. Call and act on it without an await in between. */
  claim(sessionId: SessionId): Claim | null
  /** The record of a valid ownership; null for a stale one. */
  of(ownership: Ownership): Owned | null
  /** Idempotent. */
  drop(ownership: Ownership): void
}

/** A session that is being acquired: held against others until it is settled. */
export interface Claim {
  grant(nextSeq: number, visibility: Owned['visibility']): Ownership
  abandon(): void
}

export function createOwnerships(): Ownerships {
  const ownedById = new Map<SessionId, Owned | 'claimed'>()
  return {
    claim(sessionId) {
      if (ownedById.has(sessionId)) return null
      ownedById.set(sessionId, 'claimed')
      return {
        grant(nextSeq, visibility) {
          const ownership: Ownership = Object.freeze({ sessionId })
          ownedById.set(sessionId, { ownership, nextSeq, visibility })
          return ownership
        },
        abandon() {
          if (ownedById.get(sessionId) === 'claimed') ownedById.delete(sessionId)
        },
      }
    },
    of(ownership) {
      const owned = ownedById.get(ownership.sessionId)
      return owned !== undefined && owned !== 'claimed' && owned.ownership === ownership ? owned : null
    },
    drop(ownership) {
      const owned = ownedById.get(ownership.sessionId)
      if (owned !== undefined && owned !== 'claimed' && owned.ownership === ownership) {
        ownedById.delete(ownership.sessionId)
      }
    },
  }
}

export interface Admitted {
  kind: 'admitted'
  owned: Owned
  /** The visibility before this append. */
  before: Owned['visibility']
}

/** Checks one append against its ownership and, where it may go ahead, takes its place in the log. */
export function admitAppend(
  ownerships: Ownerships,
  append: Append,
): Admitted | { kind: 'refused'; outcome: AppendOutcome } {
  const owned = ownerships.of(append.ownership)
  if (owned === null) return { kind: 'refused', outcome: { kind: 'refused', why: 'owner' } }
  if (append.firstSeq !== owned.nextSeq) return { kind: 'refused', outcome: { kind: 'refused', why: 'position' } }
  if (bytesOf(append.bodies) > appendMaxBytes) return { kind: 'refused', outcome: { kind: 'refused', why: 'size' } }
  const before = owned.visibility
  owned.nextSeq += append.bodies.length
  if (append.header !== null) owned.visibility = 'listed'
  else if (before === 'none') owned.visibility = 'hidden'
  return { kind: 'admitted', owned, before }
}

/** UTF-8 bytes. */
function bytesOf(bodies: readonly string[]): number {
  let bytes = 0
  for (const body of bodies) bytes += Buffer.byteLength(body)
  return bytes
}
