/* A journal store in memory, for tests of what stands above it and of the store contract. Every session exists until it is
   said not to. */
import type { JournalChunk, JournalStore } from '../../host/lifecycles/journal-store.ts'
import type { SessionId } from '../../shared/ids.ts'
import type { JournalEntry } from '../../shared/journal.ts'

interface Stored {
  chunks: Map<string, JournalChunk>
  refused: JournalEntry[]
}

export function createMemoryJournal(exists: (sessionId: SessionId) => boolean = () => true): JournalStore {
  const bySession = new Map<SessionId, Stored>()
  const stored = (sessionId: SessionId): Stored => {
    const known = bySession.get(sessionId) ?? { chunks: new Map(), refused: [] }
    bySession.set(sessionId, known)
    return known
  }
  return {
    async load(sessionId) {
      if (!exists(sessionId)) return null
      const { chunks, refused } = stored(sessionId)
      return structuredClone({ newest: [...chunks.values()].at(-1) ?? null, refused })
    },
    async chunks(sessionId, from, limit) {
      const all = [...stored(sessionId).chunks.values()]
      const holder = all.findLastIndex(({ entries: [first] }) => Number(first?.id) <= from)
      return structuredClone(all.slice(Math.max(holder, 0)).slice(0, limit))
    },
    refused: async (sessionId) => structuredClone(stored(sessionId).refused),
    put(sessionId, { chunk, refused }) {
      const session = stored(sessionId)
      const first = chunk?.entries[0]
      if (chunk !== undefined && first !== undefined) session.chunks.set(first.id, structuredClone(chunk))
      if (refused !== undefined) session.refused = structuredClone([...refused])
    },
    async drop(sessionId, count) {
      const { chunks } = stored(sessionId)
      for (const [key, { before, entries }] of chunks) if (before + entries.length <= count) chunks.delete(key)
    },
  }
}
