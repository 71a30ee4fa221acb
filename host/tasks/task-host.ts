/* Background tasks of one host, put together (SPEC 7): what a crash left behind ends before anything is served, its
   tasks are listed again, and closing leaves no process. Knows what depends on what and nothing of tools. */
import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionId } from '../../shared/ids.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import { endLeftovers } from './end-processes.ts'
import type { TaskRecord, TaskRegistry } from './port.ts'
import { folderMark } from './process-table.ts'
import { createProcesses, type Processes } from './processes.ts'
import { createTaskRegistry } from './registry.ts'
import { createSpilledResults, type SpilledResults } from './spilled-results.ts'
import type { ObserveTask } from './task.ts'
import type { TaskRecords } from './task-records.ts'
import { createTerminals, type Terminals } from './terminals.ts'
import { createWatchdog, noWatchdog } from './watchdog.ts'

export interface TaskHostDeps {
  clock: Clock
  logger: Logger
  /** Absolute, private. */
  dataDir: string
  bootId: string
  records: TaskRecords
  observe: ObserveTask
  /** What commands inherit. */
  environment: Readonly<Record<string, string>>
  /** File modes that files of commands do without, as the person's own shell has it. */
  umask: number
  /** File that runs `reaper.ts`; null: no watchdog. */
  reaperFile: string | null
}

export interface TaskHost {
  registry: TaskRegistry
  processes: Processes
  terminals: Terminals
  results: SpilledResults
  /** Tasks of the host before this one whose model was not told how they ended. */
  restored: readonly TaskRecord[]
  /** Ends every task, terminal and command. Idempotent. */
  close(): Promise<void>
}

/** Resolves once nothing of an earlier host runs any more. */
export async function openTaskHost(deps: TaskHostDeps): Promise<TaskHost> {
  const { clock, logger, dataDir, records, environment, umask, reaperFile } = deps
  const folder = folderMark(dataDir)
  const mark = `${folder}:${deps.bootId}:`
  const stored = await records.all()
  await endLeftovers(clock, stored, folder)
  const spillFolder = await emptyFolder(join(dataDir, 'task-output'))

  const watchdog = reaperFile === null ? noWatchdog : createWatchdog({ clock, logger, reaperFile, mark })
  const processes = createProcesses({ clock, mark, environment, watchdog })
  const terminals = createTerminals({ clock, processes, umask, random: shortRandom })
  const results = createSpilledResults({ folder: join(dataDir, 'results'), random: shortRandom })
  const registry = createTaskRegistry({
    clock,
    logger,
    records,
    observe: deps.observe,
    spillFolder,
    random: shortRandom,
    restored: stored,
    endWithOwner: (owner: SessionId) => terminals.disposeOwner(owner),
    disposeWithOwner: (owner: SessionId) => results.disposeOwner(owner),
  })
  return {
    registry,
    processes,
    terminals,
    results,
    restored: stored.flatMap(({ id, owner }) => {
      const record = owner === undefined ? null : registry.find(owner, id)
      return record === null ? [] : [record]
    }),
    async close() {
      // Processes first: whatever ends from now on has the host's short grace.
      await Promise.all([processes.close(), registry.close(), terminals.close()])
      await watchdog.close()
    },
  }
}

/** Output of tasks lives as long as their host: what is found here nobody can read any more. */
async function emptyFolder(path: string): Promise<string> {
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true, mode: 0o700 })
  return path
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 50 random bits: short enough to read aloud, and never the same twice. */
function shortRandom(): string {
  return Array.from(randomBytes(10), (byte) => alphabet.charAt(byte & 31)).join('')
}
