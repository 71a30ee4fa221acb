/* Where the journal of a session lies, as the journal sees it. A chunk is a run of accepted entries under the id of its
   first, written once. Refused entries are one record, replaced as a whole. */
import type { SessionId } from '../../shared/ids.ts'
import type { JournalEntry } from '../../shared/journal.ts'

export interface JournalChunk {
  /** How many accepted entries the session had before this chunk, those that are gone included. */
  before: number
  entries: JournalEntry[]
}

export interface StoredJournal {
  /** Null: nothing was accepted yet. */
  newest: JournalChunk | null
  refused: JournalEntry[]
}

export interface JournalStore {
  /** Where the journal ends; null for a session that does not exist. */
  load(sessionId: SessionId): Promise<StoredJournal | null>
  /** Chunks in order: the one that holds the entry `from`, or the first one behind it, and those that follow. */
  chunks(sessionId: SessionId, from: number, limit: number): Promise<JournalChunk[]>
  refused(sessionId: SessionId): Promise<JournalEntry[]>
  /** On disk a moment later, together with what else is written: nobody waits for a journal. */
  put(sessionId: SessionId, journal: { chunk?: JournalChunk; refused?: readonly JournalEntry[] }): void
  /** Lets go of chunks whose entries all lie below the first `count` accepted ones. */
  drop(sessionId: SessionId, count: number): Promise<void>
}
