/* A command as the work of a task (SPEC 7): its own process group, marked, with empty input; output goes to the
   task as it comes, and the group is gone when the task is done. Knows the shell's name and nothing of tools. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../clock.ts'
import { endProcesses } from './end-processes.ts'
import type { TaskEnd, TaskHandle, TaskSpec } from './port.ts'
import { markVariable, startTimeOf } from './process-table.ts'

export interface CommandDeps {
  clock: Clock
  /** Mark of the host's data folder. */
  folderMark: string
  /** What commands inherit; without the host's own secrets and settings. */
  environment: Readonly<Record<string, string>>
}

export interface Command {
  file: string
  args: readonly string[]
  cwd: string
}

/** `run` of a task spec. Rejects when the program cannot be started. */
export function runCommand(deps: CommandDeps, { file, args, cwd }: Command): TaskSpec['run'] {
  return async (handle) => {
    const mark = `${deps.folderMark}:${handle.id}`
    const child = spawn(file, args, {
      cwd,
      env: { ...deps.environment, [markVariable]: mark },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    await once(child, 'spawn')
    const { pid } = child
    if (pid === undefined) throw new Error(`${file} started without a pid`)
    const exited = once(child, 'exit').then(([code, name]) => ({ code: Number(code ?? -1), signal: name }))
    const piped = Promise.all([pipe(child.stdout, handle), pipe(child.stderr, handle)])
    await handle.started({ pid, startTime: startTimeOf(pid) })
    const end = (): Promise<void> => endProcesses(deps.clock, { pid, mark })
    return { done: follow({ exited, piped, end }, handle.signal) }
  }
}

interface Running {
  exited: Promise<{ code: number; signal: unknown }>
  piped: Promise<unknown>
  end: () => Promise<void>
}

async function follow({ exited, piped, end }: Running, stop: AbortSignal): Promise<TaskEnd> {
  if (stop.aborted) void end()
  else stop.addEventListener('abort', () => void end(), { once: true })
  const { code, signal } = await exited
  // Whatever the command left behind holds the pipes open and is seen by nobody: it ends with its task.
  await end()
  await piped
  if (stop.aborted) return { status: 'killed' }
  if (signal !== null) return { status: 'failed', detail: `ended by ${String(signal)}` }
  return code === 0 ? { status: 'completed' } : { status: 'failed', detail: `exit code ${code}` }
}

/** Reads no further than the task takes, so a flood waits in the pipe and not in memory. */
async function pipe(stream: NodeJS.ReadableStream, handle: TaskHandle): Promise<void> {
  try {
    for await (const chunk of stream) await handle.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  } catch {
    // A pipe that breaks ends the output; how the command ended is told by its exit.
  }
}
