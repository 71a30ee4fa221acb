/* The one LevelDB database of a data folder: opening, private files, losses, and reopening after a failed write
   (SPEC 2). The only file that imports the binding. Knows keys and values as text; the log store and the journal
   store are its users. After a failed write LevelDB refuses every later one, so the database is closed and opened
   again; until that is done every call is `unavailable`. */
import { ClassicLevel } from 'classic-level'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { noFaultPoints, type FaultPoints } from './fault-points.ts'
import { formatKey, lossKey, subjectOfKey, type KeyRange } from './keys.ts'
import { damagedError, judgeFiles } from './level-files.ts'
import { judgeLoss } from './level-loss.ts'
import { LogError } from './port.ts'

export type WriteOperation = { type: 'put'; key: string; value: string } | { type: 'del'; key: string }

export interface Scan extends KeyRange {
  reverse?: boolean
  /** Records at most. */
  limit: number
  /** The page ends behind the record that reaches this many bytes. */
  maxBytes: number
}

/** All calls reject with `LogError`. Values come back as they were written; whoever reads them judges them. */
export interface LevelDatabase {
  readonly directory: string
  /** False while the database reopens and after `close`. */
  isOpen(): boolean
  /**
   * One atomic batch, on disk when it resolves; earlier unsynced writes are on disk then as well. Rejects with
   * `WriteFailed` where the outcome is unknown, with `LogError` where nothing was written.
   */
  write(operations: readonly WriteOperation[]): Promise<void>
  /**
   * Lets operations go along with the next write of anybody, or go by themselves a little later. Lost with the process
   * until then, so only for what decides nothing.
   */
  carry(operations: readonly WriteOperation[]): void
  /** Writes what is carried, if anything. */
  flush(): Promise<void>
  get(key: string): Promise<string | undefined>
  /**
   * The same without leaving the thread. A key that is not there, or was written lately, is answered from memory, in a
   * tenth of the time that a crossing takes; so for small records that a person waits for, one at a time.
   */
  getNow(key: string): string | undefined
  /** One page in key order. A block that cannot be read rejects with `corrupt` and the last key read before it. */
  scan(scan: Scan): Promise<[key: string, value: string][]>
  /** Deletes a range. Not atomic; on disk with the next write. */
  clear(range: KeyRange): Promise<void>
  /** Waits for running calls. Idempotent. */
  close(): Promise<void>
}

/** A batch whose fate is unknown: it may be on disk or not. The database reopens. */
export class WriteFailed extends Error {
  constructor(cause: unknown) {
    super('a write to the database failed', { cause })
    this.name = 'WriteFailed'
  }
}

/** Version of keys and values; a database of a newer one is refused. */
export const storeFormatVersion = 1

/** Bytes LevelDB gathers in memory and in its write-ahead file before it writes a table: short replay at the start. */
const writeBufferBytes = 4 * 1024 * 1024

/** Operations that may wait for a write to go along with. Past it the oldest go: the journal may lose entries. */
const carryMaxOperations = 4096
/** How long they wait for a write of somebody else. */
const carryMs = 100

export interface OpenOptions {
  /** Lets a database open from which LevelDB dropped records. `doctor` asks for it; remembered afterwards. */
  acceptLoss?: boolean
  /** The files were just rebuilt: what is missing among them is known. */
  isRebuilt?: boolean
  faults?: FaultPoints
}

/**
 * Opens the database in `dataFolder`, creating both folders private. Files are private by the umask of the process, which
 * its owner sets: LevelDB makes them from its own threads. Rejects with `locked`, `damaged`, `dropped`, `format` or `unavailable`.
 */
export async function openLevelDatabase(dataFolder: string, options: OpenOptions = {}): Promise<LevelDatabase> {
  const { faults = noFaultPoints } = options
  const directory = databaseFolder(dataFolder)
  await makePrivate(dataFolder, directory)

  let level = await openChecked(directory, options)
  let condition: 'open' | 'reopening' | 'failed' | 'closed' = 'open'
  let reopening: Promise<void> = Promise.resolve()
  let failure: unknown
  let carried: WriteOperation[] = []
  let carryTimer: NodeJS.Timeout | undefined

  /** The open database. A reopening that failed is tried again by the next call, which itself stays unavailable. */
  function opened(): ClassicLevel {
    if (condition === 'open') return level
    if (condition === 'failed') reopen()
    throw new LogError('unavailable', unavailableMessage(condition), { cause: failure })
  }

  function reopen(): void {
    condition = 'reopening'
    reopening = (async () => {
      try {
        await level.close()
        const next = await openChecked(directory, options)
        level = next
        if (condition === 'reopening') condition = 'open'
      } catch (error) {
        failure = error
        if (condition === 'reopening') condition = 'failed'
      }
    })()
  }

  async function write(operations: readonly WriteOperation[]): Promise<void> {
    const target = opened()
    // A chained batch hands each text straight to the binding: half the time of an array of operations.
    const batch = target.batch()
    for (const operation of carried.length === 0 ? operations : [...operations, ...carried]) {
      if (operation.type === 'put') batch.put(operation.key, operation.value)
      else batch.del(operation.key)
    }
    carried = []
    clearTimeout(carryTimer)
    carryTimer = undefined
    const subjects = () => subjectsOf(operations)
    faults.passed('before-batch', subjects)
    try {
      await batch.write({ sync: true })
    } catch (error) {
      failure = error
      if (condition === 'open' && target === level) reopen()
      throw new WriteFailed(error)
    }
    faults.passed('after-batch', subjects)
  }

  async function flush(): Promise<void> {
    if (carried.length > 0) await write([])
  }

  return {
    directory,
    isOpen: () => condition === 'open',
    write,
    carry(operations) {
      carried.push(...operations)
      if (carried.length > carryMaxOperations) carried.splice(0, carried.length - carryMaxOperations)
      carryTimer ??= setTimeout(() => {
        carryTimer = undefined
        // A database that does not answer now takes them along with its next write.
        flush().catch(() => {})
      }, carryMs)
    },
    flush,
    async get(key) {
      const target = opened()
      try {
        return await target.get(key)
      } catch (error) {
        throw readError(error, key)
      }
    },
    getNow(key) {
      const target = opened()
      try {
        return target.getSync(key)
      } catch (error) {
        throw readError(error, key)
      }
    },
    scan: async (scan) => await scanPage(opened(), scan),
    async clear(range) {
      const target = opened()
      try {
        await target.clear(range)
      } catch (error) {
        throw new LogError('unavailable', 'records could not be deleted', { cause: error })
      }
    },
    async close() {
      if (condition === 'open') await flush().catch(() => {})
      clearTimeout(carryTimer)
      condition = 'closed'
      await reopening
      await level.close()
    },
  }
}

function subjectsOf(operations: readonly WriteOperation[]): string[] {
  return [...new Set(operations.flatMap(({ key }) => subjectOfKey(key) ?? []))]
}

/** Lets LevelDB rebuild its manifest from the files it can read; what it cannot read it moves aside. Nobody has it open. */
export async function repairFiles(directory: string): Promise<void> {
  try {
    await ClassicLevel.repair(directory)
  } catch (error) {
    throw openError(error, directory)
  }
}

/** Where the database of a data folder is. */
export function databaseFolder(dataFolder: string): string {
  return join(dataFolder, 'db')
}

async function makePrivate(...folders: string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await chmod(folder, 0o700)
    } catch (error) {
      throw new LogError('unavailable', `the folder ${folder} cannot be used: ${String(error)}`, { cause: error })
    }
  }
}

function unavailableMessage(condition: 'reopening' | 'failed' | 'closed'): string {
  switch (condition) {
    case 'reopening':
      return 'the database is being reopened after a failed write'
    case 'failed':
      return 'the database could not be reopened after a failed write'
    case 'closed':
      return 'the database is closed'
  }
}

/**
 * Opens LevelDB and judges what it says about itself before anything is served. Uncompressed: a flipped bit then spoils
 * the one record it lies in; in a compressed block it would take every session of that block along.
 */
async function openChecked(directory: string, options: OpenOptions): Promise<ClassicLevel> {
  if (options.isRebuilt !== true) await judgeFiles(directory)
  const level = new ClassicLevel(directory, { writeBufferSize: writeBufferBytes, compression: false })
  try {
    await level.open()
  } catch (error) {
    throw openError(error, directory)
  }
  try {
    await readOwnRecords(level, directory)
    await judgeLoss(level, directory, options.acceptLoss ?? false)
    await judgeFormat(level)
  } catch (error) {
    await level.close()
    throw error instanceof LogError ? error : openError(error, directory)
  }
  return level
}

/** Whether the tables can be read at all, before anything is written behind them. */
async function readOwnRecords(level: ClassicLevel, directory: string): Promise<void> {
  try {
    await level.getMany([formatKey, lossKey])
  } catch (error) {
    throw damagedError(directory, error instanceof Error ? error.message : String(error), error)
  }
}

async function judgeFormat(level: ClassicLevel): Promise<void> {
  const stored = await level.get(formatKey)
  if (stored === undefined) return await level.put(formatKey, String(storeFormatVersion), { sync: true })
  const version = Number(stored)
  if (version > storeFormatVersion) {
    throw new LogError('format', `the database has format ${stored}, this version reads up to ${storeFormatVersion}`)
  }
  if (!Number.isInteger(version) || version < 1) {
    throw new LogError('corrupt', 'the format record of the database cannot be read', { key: formatKey })
  }
}

async function scanPage(level: ClassicLevel, scan: Scan): Promise<[string, string][]> {
  const { gte, lt, reverse = false, limit, maxBytes } = scan
  const entries: [string, string][] = []
  let bytes = 0
  try {
    const iterator = level.iterator({ gte, lt, reverse, limit, highWaterMarkBytes: Math.min(maxBytes, chunkBytes) })
    try {
      while (entries.length < limit && bytes < maxBytes) {
        const chunk = await iterator.nextv(limit - entries.length)
        if (chunk.length === 0) break
        for (const entry of chunk) {
          if (bytes >= maxBytes) break
          entries.push(entry)
          bytes += Buffer.byteLength(entry[1])
        }
      }
    } finally {
      await iterator.close()
    }
  } catch (error) {
    throw readError(error, entries.at(-1)?.[0] ?? (reverse ? lt : gte))
  }
  return entries
}

/** Bytes fetched from the binding at once: large enough to make few crossings, small enough not to overshoot a page. */
const chunkBytes = 256 * 1024

function readError(error: unknown, key: string): LogError {
  const code = codeOf(error)
  const closing = code === 'LEVEL_DATABASE_NOT_OPEN' || code === 'LEVEL_ITERATOR_NOT_OPEN'
  if (closing) return new LogError('unavailable', 'the database closed during a read', { cause: error })
  return new LogError('corrupt', `a record at or behind ${key} cannot be read`, { key, cause: error })
}

function openError(error: unknown, directory: string): LogError {
  const cause = error instanceof Error ? error.cause : undefined
  if (codeOf(cause) === 'LEVEL_LOCKED') {
    return new LogError('locked', `another process has the database in ${directory} open`, { cause: error })
  }
  const why = cause instanceof Error ? cause.message : String(error)
  if (codeOf(cause) === 'LEVEL_CORRUPTION') return damagedError(directory, why, error)
  return new LogError('unavailable', `the database in ${directory} cannot be opened: ${why}`, { cause: error })
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
