/* Whether the files of a database are all there, judged before LevelDB opens it (SPEC 2): where its `CURRENT` is gone it
   begins an empty database and deletes the tables of the old one, and where its write-ahead file is gone it opens without
   what was in there, both without a word. Everything else that is missing or torn it says itself. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LogError } from './port.ts'

/** The manifest of a database that has never been opened again: it may have been cut off while it was made. */
const firstManifest = 'MANIFEST-000001'

/** Rejects with `damaged`. A folder without a database passes. */
export async function judgeFiles(directory: string): Promise<void> {
  const names = new Set(await namesIn(directory))
  const tables = [...names].filter((name) => /\.(ldb|sst)$/.test(name))
  const logs = [...names].filter((name) => name.endsWith('.log'))
  if (!names.has('CURRENT')) {
    if (tables.length + logs.length > 0) throw damagedError(directory, 'its file CURRENT is missing')
    return
  }
  const manifest = (await readFile(join(directory, 'CURRENT'), 'utf8').catch(() => '')).trimEnd()
  if (!/^MANIFEST-\d+$/.test(manifest)) throw damagedError(directory, 'its file CURRENT names no manifest')
  if (!names.has(manifest)) throw damagedError(directory, `its file ${manifest} is missing`)
  if (logs.length === 0 && (manifest !== firstManifest || tables.length > 0)) {
    throw damagedError(directory, 'its write-ahead file (.log) is missing')
  }
}

export function damagedError(directory: string, why: string, cause?: unknown): LogError {
  const advice = 'run "task-surface doctor" to see what can be saved'
  return new LogError('damaged', `the database in ${directory} is damaged: ${why}; ${advice}`, { cause })
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new LogError('unavailable', `the folder ${directory} cannot be read`, { cause: error })
  }
}
