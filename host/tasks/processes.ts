/* The processes that tasks and tools start (SPEC 7): each command leads a group of its own, carries a mark, reads
   from an empty input, and is over only when nothing it started runs any more. Knows how to start and to end them and
   nothing of what they are for. Whatever still runs when the host closes ends with it. */
import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../clock.ts'
import { endProcesses, graceMs, hostGraceMs } from './end-processes.ts'
import { leaderOf, markVariable, type Leader } from './process-table.ts'
import type { Watchdog } from './watchdog.ts'

export interface Command {
  file: string
  args: readonly string[]
  cwd: string
  /** Beside what every command inherits. */
  env?: Readonly<Record<string, string>>
}

export interface CommandEnd {
  /** Null where a signal ended it. */
  code: number | null
  signal: string | null
}

export interface RunOptions {
  /** Names the command in its mark, unlike all others; left out, it gets a name. */
  name?: string
  /** Takes the output as it comes. The command waits while the promise is open. */
  write(chunk: Uint8Array): Promise<void>
  /** Takes what the command writes to its standard error; left out, that is output as well. */
  writeError?: (chunk: Uint8Array) => Promise<void>
  /** Gets the command's standard input once it runs; left out, the command reads from an empty one. */
  speak?: (input: Writable) => void
  /** Ends the command. */
  stop: AbortSignal
}

export interface RunningCommand {
  leader: Leader
  /** Resolves when nothing of the command runs any more and its output is complete. Never rejects. */
  done: Promise<CommandEnd>
}

export interface Processes {
  /** Rejects when the program cannot be started. */
  run(command: Command, options: RunOptions): Promise<RunningCommand>
  /** For processes that are started elsewhere, such as by a pty. */
  environmentFor(name: string): Record<string, string>
  /** Ends what carries that name, and the leader's group. Resolves when none is left. */
  end(name: string, leader: Leader): Promise<void>
  /** Ends whatever runs. Idempotent. */
  close(): Promise<void>
}

export interface ProcessesDeps {
  clock: Clock
  /** Begins every mark: `<data folder>:<boot of the host>:`. */
  mark: string
  /** What commands inherit; without what belongs to the host alone. */
  environment: Readonly<Record<string, string>>
  watchdog: Watchdog
}

/** How long output may take to arrive once nothing of the command is known to run: a pipe holds 64 KiB. */
const drainMs = 2_000

export function createProcesses({ clock, mark, environment, watchdog }: ProcessesDeps): Processes {
  const running = new Set<Promise<unknown>>()
  const closing = new AbortController()
  let unnamed = 0

  const environmentFor = (name: string) => ({ ...environment, [markVariable]: mark + name })
  const end = (name: string, leader: Leader) =>
    endProcesses(clock, { mark: mark + name, leader }, closing.signal.aborted ? hostGraceMs : graceMs)

  /** Until it has settled, `close` waits for it. */
  function tracked<Value>(work: Promise<Value>): Promise<Value> {
    const settled: Promise<unknown> = work.then(
      () => running.delete(settled),
      () => running.delete(settled),
    )
    running.add(settled)
    return work
  }

  async function start({ file, args, cwd, env = {} }: Command, how: RunOptions): Promise<RunningCommand> {
    const { write, writeError = write, speak, stop, name = `run-${(unnamed += 1)}` } = how
    closing.signal.throwIfAborted()
    watchdog.watch()
    const options = {
      cwd,
      env: { ...environmentFor(name), ...env, [markVariable]: mark + name },
      detached: true,
    } as const
    const child =
      speak === undefined
        ? spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
        : spawn(file, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
    const exited = new Promise<CommandEnd>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      // Stays: an emitter without a listener for its errors takes the host down.
      child.on('error', reject)
    })
    if (child.pid === undefined) throw new Error(`${file} started without a pid`)
    const leader = await leaderOf(child.pid)
    const piped = [pipe(child.stdout, write), pipe(child.stderr, writeError)]
    if (child.stdin !== null) speak?.(child.stdin)

    const finish = async (): Promise<CommandEnd> => {
      const cut = AbortSignal.any([stop, closing.signal])
      const ending = whenAborted(cut).then(() => end(name, leader))
      const { code, signal } = await exited
      // What the command left behind holds its pipes open and is seen by nobody: it ends with the command.
      await (cut.aborted ? ending : end(name, leader))
      const drained = new AbortController()
      const patience = clock.sleep(drainMs, drained.signal)
      await Promise.race([Promise.all(piped), patience])
      drained.abort()
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
      return { code, signal }
    }
    return { leader, done: tracked(finish()) }
  }

  return {
    run: (command, options) => tracked(start(command, options)),
    environmentFor,
    end,
    async close() {
      closing.abort(new Error('the host is stopping'))
      while (running.size > 0) await Promise.all(running)
    },
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Reads no further than is taken, so a flood waits in the pipe and not in memory. */
async function pipe(stream: Readable, write: RunOptions['write']): Promise<void> {
  try {
    for await (const chunk of stream) await write(chunk)
  } catch {
    // A pipe that breaks ends the output; how the command ended is told by its exit.
  }
}
