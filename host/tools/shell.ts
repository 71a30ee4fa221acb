/* `bash` and `pwsh`: one command in the session's folder (SPEC 5). In the foreground the call waits and hands back
   the output; in the background it is a task. Either way the command reads from an empty input, and what it started
   ends with it. */
import { stat } from 'node:fs/promises'
import { z } from 'zod'
import type { TaskId } from '../../shared/ids.ts'
import type { Json } from '../../shared/json.ts'
import type { Clock } from '../clock.ts'
import type { TaskRegistry } from '../tasks/port.ts'
import type { Command, CommandEnd, Processes } from '../tasks/processes.ts'
import { runCommand } from '../tasks/run-command.ts'
import type { SpilledResults } from '../tasks/spilled-results.ts'
import { throughShell } from '../tasks/through-shell.ts'
import { trimmedEnd } from '../trimmed.ts'
import { plainlyShown } from './approval-text.ts'
import { startedText, startInBackground } from './background.ts'
import { OutputCapture, type Captured } from './output-capture.ts'
import { defineTool, ToolFailure, type Tool, type ToolExecution } from './tool.ts'

const defaultTimeoutMs = 2 * 60_000
const maxTimeoutMs = 10 * 60_000
/** Below what the system takes as one argument. */
const maxCommandBytes = 100 * 1024

export interface ShellDeps {
  clock: Clock
  registry: TaskRegistry
  processes: Processes
  results: SpilledResults
  umask: number
}

const inputSchema = z.strictObject({
  command: z
    .string()
    .min(1)
    .refine((command) => !command.includes('\0'), 'a command has no NUL character')
    .refine(
      (command) => Buffer.byteLength(command) <= maxCommandBytes,
      `a command has at most ${maxCommandBytes} bytes; write a file and run that`,
    ),
  description: z.string().max(200).optional().describe('What it does, in a few words for the person.'),
  timeoutMs: z
    .int()
    .min(1)
    .max(maxTimeoutMs)
    .optional()
    .describe('Ends the command after so long. In the foreground 2 minutes if left out; in the background no limit.'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Returns a task id at once. For servers, watchers and whatever takes long.'),
})
type Input = z.infer<typeof inputSchema>

type Value =
  | { kind: 'ended'; end: CommandEnd; output: Captured; timedOutAfterMs: number | null }
  | { kind: 'started'; taskId: TaskId }

interface Shell {
  name: 'bash' | 'pwsh'
  title: string
  /** The program, and its arguments before the command. */
  file: string
  args: readonly string[]
}

const how =
  'in the folder of the session. It has no input and no terminal. Output comes back when it is done, standard error ' +
  'included, with the exit code. What it leaves running is ended with it: use run_in_background for that.'

export function createBash(deps: ShellDeps): Tool {
  return createShell(deps, { name: 'bash', title: `Run a bash command ${how}`, file: 'bash', args: ['-c'] })
}

/** `file`: where PowerShell lies on this machine. */
export function createPwsh(deps: ShellDeps, file: string): Tool {
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command']
  return createShell(deps, { name: 'pwsh', title: `Run a PowerShell command ${how}`, file, args })
}

function createShell(deps: ShellDeps, shell: Shell): Tool {
  return defineTool<Input, Value>({
    name: shell.name,
    description: shell.title,
    input: inputSchema,
    asks: ({ command }) => plainlyShown(command),
    async execute(input, exec) {
      const { cwd } = exec.session
      if (!(await isFolder(cwd))) throw new ToolFailure('FOLDER_MISSING', `The session's folder ${cwd} is not there.`)
      const command = throughShell(deps.umask, { file: shell.file, args: [...shell.args, input.command], cwd })
      if (input.run_in_background !== true) return runHere(deps, command, input.timeoutMs ?? defaultTimeoutMs, exec)
      const limit = input.timeoutMs === undefined ? undefined : { clock: deps.clock, timeoutMs: input.timeoutMs }
      const taskId = await startInBackground(deps.registry, {
        kind: shell.name,
        label: labelOf(input),
        owner: exec.session.sessionId,
        run: runCommand(deps.processes, command, limit),
      })
      return { kind: 'started', taskId }
    },
    render: (_, value) => (value.kind === 'started' ? startedText(value.taskId) : endedText(value)),
    presentationMeta: (_, value) => metaOf(value),
  })
}

async function runHere(deps: ShellDeps, command: Command, timeoutMs: number, exec: ToolExecution): Promise<Value> {
  const capture = new OutputCapture(() => deps.results.create(exec.session.sessionId))
  const timeout = new AbortController()
  const over = new AbortController()
  const { done } = await deps.processes.run(command, {
    write: (chunk) => capture.write(chunk),
    stop: AbortSignal.any([exec.signal, timeout.signal]),
  })
  void deps.clock.sleep(timeoutMs, over.signal).then(() => over.signal.aborted || timeout.abort())
  const end = await done
  over.abort()
  const output = await capture.finish()
  if (exec.signal.aborted) throw new ToolFailure('INTERRUPTED', 'The command was interrupted and ended.')
  return { kind: 'ended', end, output, timedOutAfterMs: timeout.signal.aborted ? timeoutMs : null }
}

/** What the person reads in the list of tasks. */
function labelOf({ command, description = '' }: Input): string {
  return description.trim() === '' ? command : description
}

function endedText({ end, output, timedOutAfterMs }: Extract<Value, { kind: 'ended' }>): string {
  const text = output.text.trim() === '' ? '(no output)' : trimmedEnd(output.text, '\n')
  if (timedOutAfterMs !== null)
    return `${text}\n\n[timed out after ${timedOutAfterMs} ms; the command and what it started were ended]`
  return `${text}\n\n[${end.signal === null ? `exit code ${end.code}` : `ended by ${end.signal}`}]`
}

function metaOf(value: Value): Json {
  if (value.kind === 'started') return { taskId: value.taskId }
  const { end, output, timedOutAfterMs } = value
  return {
    ...(end.code !== null && { exitCode: end.code }),
    ...(end.signal !== null && { signal: end.signal }),
    ...(timedOutAfterMs !== null && { timedOut: true }),
    ...(output.locator !== undefined && { locator: output.locator, bytes: output.bytes }),
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  )
}
