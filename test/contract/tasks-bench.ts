/* A task host with real processes on folders of its own, and an eye on the system that shares no code with it:
   processes are found by a word in their command line. Whatever a test leaves behind is ended with it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { systemClock } from '../../host/clock.ts'
import { silentLogger } from '../../host/logger.ts'
import { childEnvironment } from '../../host/tasks/child-environment.ts'
import type { TaskRecord } from '../../host/tasks/port.ts'
import { runCommand } from '../../host/tasks/run-command.ts'
import { openTaskHost, type TaskHost, type TaskHostDeps } from '../../host/tasks/task-host.ts'
import { createMemoryTaskRecords } from '../../host/tasks/task-records.ts'
import { throughShell } from '../../host/tasks/through-shell.ts'
import { sessionIdSchema, type SessionId, type TaskId } from '../../shared/ids.ts'

export const owner = sessionIdSchema.parse('s-owner')
export const stranger = sessionIdSchema.parse('s-stranger')
const never = new AbortController().signal

export interface TaskBench {
  host: TaskHost
  dataDir: string
  /** Folder of the commands. */
  cwd: string
  /** In the command line of everything that `sleeper` starts. */
  word: string
  /** A command that sleeps for long and can be found by the word. */
  sleeper: string
  /** Starts a bash task; throws where that is refused. */
  start(command: string, more?: { owner?: SessionId; label?: string; outputLimitBytes?: number }): Promise<TaskId>
  /** Waits for the end of a task. */
  ended(id: TaskId, who?: SessionId): Promise<TaskRecord>
  /** Everything a task wrote. */
  output(id: TaskId): Promise<string>
  /** Pids with the word in their command line. */
  running(): number[]
  /** Ends the host and whatever is left, and removes the folders. */
  close(): Promise<void>
}

/** Closed with the test that opens it. */

export async function openTaskBench(deps: Partial<TaskHostDeps> = {}): Promise<TaskBench> {
  const bench = await createTaskBench(deps)
  onTestFinished(bench.close)
  return bench
}

/** For whoever closes it. */
export async function createTaskBench(deps: Partial<TaskHostDeps> = {}): Promise<TaskBench> {
  const root = mkdtempSync(join(tmpdir(), 'task-surface-tasks-'))
  const [dataDir, cwd] = [deps.dataDir ?? join(root, 'data'), join(root, 'work')]
  for (const folder of [dataDir, cwd]) mkdirSync(folder, { recursive: true })
  const host = await openTaskHost({
    clock: systemClock,
    logger: silentLogger,
    dataDir,
    bootId: `boot-${randomBytes(4).toString('hex')}`,
    records: createMemoryTaskRecords(),
    observe: (machine) => machine,
    environment: childEnvironment(systemEnvironment()),
    umask: 0o022,
    reaperFile: null,
    ...deps,
  })
  const { word, sleeper, running } = createSleeper()
  const { registry, processes } = host
  return {
    host,
    dataDir,
    cwd,
    word,
    sleeper,
    running,
    async close() {
      await host.close()
      for (const pid of running()) endHard(pid)
      rmSync(root, { recursive: true, force: true })
    },
    async start(command, more = {}) {
      const shell = throughShell(0o022, { file: 'bash', args: ['-c', command], cwd })
      const spec = { kind: 'bash', label: command, owner, ...more, run: runCommand(processes, shell) }
      const outcome = await registry.start(spec)
      if (!outcome.started) throw new Error(outcome.reason)
      return outcome.id
    },
    async ended(id, who = owner) {
      const record = await registry.wait(id, 30_000, never)
      if (record?.view.finishedAt === undefined)
        throw new Error(`${id} does not end: ${JSON.stringify(registry.list(who))}`)
      return record
    },
    async output(id) {
      let text = ''
      for (;;) {
        const read = await registry.read(id, 1024 * 1024)
        text += read.text
        if (!read.more) return text
      }
    },
  }
}

/** A command that can be recognised from outside. */
export function createSleeper(): Pick<TaskBench, 'word' | 'sleeper' | 'running'> {
  const word = `4${BigInt(`0x${randomBytes(6).toString('hex')}`)}`
  return { word, sleeper: `sleep ${word}`, running: () => pidsWith(word) }
}

/** Living processes whose arguments name `word`. A zombie has no command line. */
export function pidsWith(word: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'latin1')
      return line.startsWith('sleep\0') && line.includes(word) ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

export async function untilRunning(bench: Pick<TaskBench, 'running'>, count: number): Promise<void> {
  await vi.waitFor(
    () => {
      const found = bench.running().length
      if (found !== count) throw new Error(`${found} of ${count} sleepers run`)
    },
    { timeout: 10_000, interval: 10 },
  )
}

export function endHard(pid: number): void {
  // To the system 0 means the whole group of the caller.
  if (pid <= 1) throw new Error(`${pid} is nobody to end`)
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

/** What a shell needs; a test run has no secrets to keep. */
function systemEnvironment(): Record<string, string | undefined> {
  // oxlint-disable-next-line node/no-process-env
  const { PATH, HOME, LANG } = process.env
  return { PATH, HOME, LANG }
}
