/* The host a command works with: the one that runs on the data folder, else one that is started and outlives the
   command. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Clock } from '../clock.ts'
import { CommandError } from './command-error.ts'
import { findRunningHost, prepareDataFolder, type RunningHost } from './data-folder.ts'

/** A start loads code, opens the database and listens; another one on the same folder may be half-way. */
const startMs = 20_000
const lookEveryMs = 100

export interface AttachOptions {
  dataDir: string
  /** Program and first arguments of this product's own command. */
  program: readonly [string, ...string[]]
  clock: Clock
}

/** Rejects with `CommandError` where none runs and none can be started. */
export async function attachHost(options: AttachOptions, signal: AbortSignal): Promise<RunningHost> {
  prepareDataFolder(options.dataDir)
  const running = findRunningHost(options.dataDir)
  if (running !== null) return running
  const problem = (await startHost(options, [])) && (await startHost(options, ['--port', '0']))
  // Another command may have started one at the same time: then its note comes.
  const { clock, dataDir } = options
  const begun = clock.now()
  while (!signal.aborted) {
    const host = findRunningHost(dataDir)
    if (host !== null) return host
    if (clock.now() - begun > startMs) break
    await clock.sleep(lookEveryMs, signal)
  }
  throw new CommandError(
    `no host runs on ${dataDir}, and none could be started${problem === null ? '' : `: ${problem}`}`,
  )
}

/** Resolves when it is ready, with null, or has ended before that, with what it said. Its usual port may be taken. */
async function startHost({ dataDir, program }: AttachOptions, more: readonly string[]): Promise<string | null> {
  const [file, ...first] = program
  const args = [...first, 'serve', '--no-open', '--json', '--data', dataDir, ...more]
  // It outlives this process, so what it says goes into a file: a pipe that nobody reads would end it.
  const logFile = join(dataDir, 'host.log')
  const log = openSync(logFile, 'w', 0o600)
  const child = spawn(file, args, { cwd: homedir(), detached: true, stdio: ['ignore', 'pipe', log] })
  closeSync(log)
  const { stdout } = child
  if (stdout === null) return 'it has no output'
  const ready = once(createInterface({ input: stdout }), 'line').then(() => null)
  const ended = once(child, 'exit').then(() => readFileSync(logFile, 'utf8').trim().split('\n').at(-1) ?? '')
  const failed = once(child, 'error').then(([cause]) => String(cause))
  const problem = await Promise.race([ready, ended, failed])
  // After its one line it prints no more, and nothing of it may hold this process.
  stdout.destroy()
  child.unref()
  return problem
}
