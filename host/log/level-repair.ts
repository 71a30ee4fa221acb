/* What `doctor` does with a database that cannot be opened (SPEC 2): keeps the damaged files, has LevelDB build a manifest
   from the tables and write-ahead files that can be read, and sees to it that no session is lost to view. */
import { cp } from 'node:fs/promises'
import type { SessionId } from '../../shared/ids.ts'
import { eventRange, headerKey, markerKey, prefixRange, sessionOfKey } from './keys.ts'
import { databaseFolder, openLevelDatabase, repairFiles, type LevelDatabase } from './level-database.ts'

/**
 * Answers where the damaged files are kept. `name` tells one keeping from another. What was dropped counts as accepted.
 * Rejects with `LogError` where nothing can be rebuilt.
 */
export async function repairDatabase(dataFolder: string, name: string): Promise<string> {
  const directory = databaseFolder(dataFolder)
  const kept = `${directory}-${name}`
  await cp(directory, kept, { recursive: true, errorOnExist: true, force: false })
  await repairFiles(directory)
  const database = await openLevelDatabase(dataFolder, { acceptLoss: true, isRebuilt: true })
  try {
    await listHeaderless(database)
  } finally {
    await database.close()
  }
  return kept
}

/** A session whose header was lost gets an unreadable one: that is listed, and derived from the log. */
async function listHeaderless(database: LevelDatabase): Promise<void> {
  const all = prefixRange('s!')
  for (let gte = all.gte; ;) {
    const [next] = await database.scan({ gte, lt: all.lt, limit: 1, maxBytes: 1 })
    if (next === undefined) return
    const prefix = next[0].slice(0, next[0].indexOf('!', 2) + 1)
    const sessionId = sessionOfKey(prefix.slice(0, -1))
    if (sessionId !== null && (await isLost(database, sessionId))) {
      await database.write([{ type: 'put', key: headerKey(sessionId), value: 'lost' }])
    }
    gte = prefixRange(prefix).lt
  }
}

async function isLost(database: LevelDatabase, sessionId: SessionId): Promise<boolean> {
  if ((await database.get(headerKey(sessionId))) !== undefined) return false
  // A copy or a removal that was cut off: nobody misses it.
  if ((await database.get(markerKey(sessionId))) !== undefined) return false
  const events = eventRange(sessionId, 0, Number.MAX_SAFE_INTEGER)
  return (await database.scan({ ...events, limit: 1, maxBytes: 1 })).length > 0
}
