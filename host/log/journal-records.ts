/* The journal's records in the one LevelDB database of a data folder (SPEC 10). Owns how they are stored and which can be
   read. A damaged chunk costs its entries, never the journal: it is passed over with a warning. What was put is read
   back at once: reading writes what is still carried. */
import { z } from 'zod'
import type { SessionId } from '../../shared/ids.ts'
import { journalEntrySchema, type JournalEntry } from '../../shared/journal.ts'
import type { JournalChunk, JournalStore } from '../lifecycles/journal-store.ts'
import type { Logger } from '../logger.ts'
import { seal, unseal } from './checksum.ts'
import { decodeChunk, encodeChunk } from './journal-chunk.ts'
import { headerKey, journalKey, journalRange, refusedKey } from './keys.ts'
import type { LevelDatabase, WriteOperation } from './level-database.ts'
import { pageMaxBytes } from './port.ts'

const entriesSchema = z.array(journalEntrySchema)

/** Chunks looked at by one `drop`: as many as a journal may gain between two. */
const dropPage = 64

export function createJournalRecords(database: LevelDatabase, logger: Logger): JournalStore {
  function read<Value>(key: string, stored: string, decode: (json: unknown) => Value | null): Value | null {
    const value = decode(parsedJson(unseal(stored)))
    if (value === null) logger.warn({ key }, 'a record of the journal cannot be read')
    return value
  }

  const chunkOf = (sessionId: SessionId, [key, stored]: readonly [string, string]) =>
    read(key, stored, (json) => decodeChunk(sessionId, json))

  async function refused(sessionId: SessionId): Promise<JournalEntry[]> {
    await database.flush()
    const key = refusedKey(sessionId)
    const stored = await database.get(key)
    return stored === undefined ? [] : (read(key, stored, (json) => entriesSchema.safeParse(json).data ?? null) ?? [])
  }

  return {
    async load(sessionId) {
      await database.flush()
      if ((await database.get(headerKey(sessionId))) === undefined) return null
      const page = { ...journalRange(sessionId), reverse: true, limit: 1, maxBytes: pageMaxBytes }
      const [newest] = await database.scan(page)
      return {
        newest: newest === undefined ? null : chunkOf(sessionId, newest),
        refused: await refused(sessionId),
      }
    },

    async chunks(sessionId, from, limit) {
      await database.flush()
      const all = journalRange(sessionId)
      const before = {
        gte: all.gte,
        lt: journalKey(sessionId, from + 1),
        reverse: true,
        limit: 1,
        maxBytes: pageMaxBytes,
      }
      const [holder] = await database.scan(before)
      const page = { gte: holder?.[0] ?? all.gte, lt: all.lt, limit, maxBytes: Number.MAX_SAFE_INTEGER }
      const stored = await database.scan(page)
      return stored.flatMap((record) => chunkOf(sessionId, record) ?? [])
    },

    refused,

    put(sessionId, journal) {
      const operations: WriteOperation[] = []
      const put = (key: string, value: string) => operations.push({ type: 'put', key, value: seal(value) })
      const [first] = journal.chunk?.entries ?? []
      if (journal.chunk !== undefined && first !== undefined)
        put(journalKey(sessionId, Number(first.id)), encodeChunk(journal.chunk))
      if (journal.refused !== undefined) put(refusedKey(sessionId), JSON.stringify(journal.refused))
      database.carry(operations)
    },

    async drop(sessionId, count) {
      const page = { ...journalRange(sessionId), limit: dropPage, maxBytes: pageMaxBytes }
      const gone = (await database.scan(page)).flatMap((record): WriteOperation[] => {
        const [key] = record
        const chunk = chunkOf(sessionId, record)
        return chunk === null || isBelow(chunk, count) ? [{ type: 'del', key }] : []
      })
      database.carry(gone)
    },
  }
}

function isBelow({ before, entries }: JournalChunk, count: number): boolean {
  return before + entries.length <= count
}

function parsedJson(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
