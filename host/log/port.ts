/* The log port: what the product asks of any store of session logs (SPEC 2). It promises no more than a
   shared store for several hosts could keep: ownership is presented with every append, an append ends in
   one of four ways, reads are bounded pages, and bodies are opaque text.
   Nothing here knows events; `codec.ts` turns events into bodies, `session-log.ts` reads them back. */
import type { SessionId } from '../../shared/ids.ts'

/** Proof that this host may append to one session. Opaque; a store recognises only those it gave out. */
export interface Ownership {
  readonly sessionId: SessionId
}

export type AcquireOutcome =
  | { kind: 'owned'; ownership: Ownership }
  /** Another host (or another runtime of this one) holds the session. */
  | { kind: 'held' }
  | { kind: 'unavailable'; cause: unknown }

/** What may be looked up by id without reading the log. The newest seq wins where an id occurs twice. */
export type IndexKind = 'surface' | 'submission' | 'message' | 'dismissal'

export interface IndexEntry {
  kind: IndexKind
  id: string
  seq: number
}

/** Events of one session that become durable together or not at all. */
export interface Append {
  ownership: Ownership
  /** The seq of `bodies[0]`; must follow the last stored one. */
  firstSeq: number
  bodies: readonly string[]
  /**
   * Replaces the session's header. Null keeps a session that is being copied hidden until its last chunk: what is
   * still hidden when the store opens, or is acquired again, is deleted. Null leaves a header that exists as it is.
   */
  header: string | null
  index: readonly IndexEntry[]
  /** Projection values as of `seq`; replaces the session's earlier checkpoint. */
  checkpoint?: { seq: number; body: string }
}

export type AppendOutcome =
  | { kind: 'durable' }
  /** Nothing was written: the position is taken or not reached yet, or the ownership is no longer valid. */
  | { kind: 'refused'; why: 'position' | 'owner' | 'size' }
  /** Nothing was written: the store cannot be reached now. */
  | { kind: 'unavailable'; cause: unknown }
  /** Written or not: the session must be folded again from the log before it answers anything. */
  | { kind: 'unknown'; cause: unknown }

export interface StoredBody {
  seq: number
  body: string
}

export interface ReadRange {
  /** Inclusive bounds. */
  from: number
  to: number
  direction: 'forward' | 'backward'
  /** Records at most; a page may also end earlier by size, never empty while records remain. */
  limit: number
}

export interface StoredHeader {
  sessionId: SessionId
  /** Null for a damaged record: the session still exists, and its header can be derived from its log. */
  body: string | null
}

export interface CallOptions {
  signal?: AbortSignal
}

/** Every call may be aborted by its signal; reads reject with `LogError`. */
export interface LogStore {
  acquire(sessionId: SessionId, options?: CallOptions): Promise<AcquireOutcome>
  /** Gives an ownership back. Idempotent; never rejects. */
  release(ownership: Ownership): Promise<void>
  /** One outcome per append, in order. A refused one never fails the others. Resolves once on disk. */
  appendGroup(appends: readonly Append[], options?: CallOptions): Promise<AppendOutcome[]>
  read(sessionId: SessionId, range: ReadRange, options?: CallOptions): Promise<StoredBody[]>
  lookup(sessionId: SessionId, kind: IndexKind, id: string, options?: CallOptions): Promise<number | null>
  checkpoint(sessionId: SessionId, options?: CallOptions): Promise<{ seq: number; body: string } | null>
  /** Null for an unknown or hidden session. */
  header(sessionId: SessionId, options?: CallOptions): Promise<string | null>
  /** Headers in order of session id, after the given one. */
  headers(page: { after?: SessionId; limit: number }, options?: CallOptions): Promise<StoredHeader[]>
  /**
   * Deletes the header first, then everything else; one that was cut off is finished when the store opens. Spends the
   * ownership; one that is not valid is `unavailable`.
   */
  remove(ownership: Ownership, options?: CallOptions): Promise<void>
  close(): Promise<void>
}

/** Bytes of one append's bodies together; forks and imports go in chunks below it. */
export const appendMaxBytes = 8 * 1024 * 1024

/** Bytes after which a page of records ends; one record may be larger and then is a page of its own. */
export const pageMaxBytes = 1024 * 1024

export type LogErrorCode =
  /** Another process has the database open. */
  | 'locked'
  /** The store does not answer now: closed, reopening, failed to open, aborted. */
  | 'unavailable'
  /** A record cannot be read or is missing; the key says which. */
  | 'corrupt'
  /** The store dropped records when it opened and waits for `doctor`. */
  | 'dropped'
  /** The database cannot be opened as it is; `doctor` may rebuild it from what is readable. */
  | 'damaged'
  /** Written by a newer version. */
  | 'format'
  | 'unknown-session'

export class LogError extends Error {
  readonly code: LogErrorCode
  readonly key: string | undefined

  constructor(code: LogErrorCode, message: string, options?: { key?: string; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'LogError'
    this.code = code
    this.key = options?.key
  }
}
