/* `terminal_send`: types into a shell on a real terminal that the session keeps (SPEC 5). In the foreground the call
   waits until the shell is ready again or patience ends; in the background what is typed is a task of kind `pty-send`,
   done when the shell is ready again. Ending such a task ends its terminal. */
import { z } from 'zod'
import type { TaskId } from '../../shared/ids.ts'
import type { Json } from '../../shared/json.ts'
import type { TaskEnd, TaskHandle, TaskRegistry } from '../tasks/port.ts'
import type { Terminal, TerminalEnd } from '../tasks/terminal.ts'
import { maxTerminals, type Terminals } from '../tasks/terminals.ts'
import { plainlyShown } from './approval-text.ts'
import { startedText, startInBackground } from './background.ts'
import { defineTool, ToolFailure, type Tool, type ToolSession } from './tool.ts'

const defaultWaitMs = 10_000
const maxWaitMs = 10 * 60_000
/** A program that has printed and then says nothing for so long waits for input, unless it was given a time. */
const quietMs = 1_500
const maxInputLength = 64 * 1024

export interface TerminalSendDeps {
  registry: TaskRegistry
  terminals: Terminals
}

const inputSchema = z.strictObject({
  input: z
    .string()
    .max(maxInputLength)
    .describe('What to type. End it with a line feed to press Enter; \\u0003 is Ctrl+C. Empty: only look.'),
  terminalId: z.string().optional().describe('The terminal of an earlier call. Left out: a new one.'),
  waitMs: z
    .int()
    .min(0)
    .max(maxWaitMs)
    .optional()
    .describe('How long to wait for the shell to be ready again; left out, up to 10 seconds.'),
  run_in_background: z.boolean().optional().describe('Returns a task id at once. The task ends with the command.'),
})
type Input = z.infer<typeof inputSchema>

type Standing = 'ready' | 'running' | TerminalEnd

type Value =
  | { kind: 'seen'; terminalId: string; text: string; droppedBytes: number; standing: Standing }
  | { kind: 'started'; terminalId: string; taskId: TaskId }

export function createTerminalSend({ registry, terminals }: TerminalSendDeps): Tool {
  return defineTool<Input, Value>({
    name: 'terminal_send',
    description:
      'Type into a bash shell on a real terminal that stays open between calls, for programs that need one: prompts, ' +
      'consoles, remote shells. Returns what it printed. For a plain command use bash.',
    input: inputSchema,
    asks: ({ input }) => (input === '' ? null : plainlyShown(input)),
    async execute({ input, terminalId, waitMs, run_in_background = false }, { session, signal }) {
      const terminal = await terminalFor(terminals, session, terminalId)
      if (run_in_background) {
        if (terminal.isListenedTo)
          throw new ToolFailure('TERMINAL_BUSY', `A background task runs in ${terminal.id}. Wait for it, or end it.`)
        const label = input.trim() === '' ? terminal.id : input
        const run = (handle: TaskHandle) => Promise.resolve({ done: sendInBackground(terminal, input, handle) })
        const owner = session.sessionId
        const taskId = await startInBackground(registry, { kind: 'pty-send', label, owner, run })
        return { kind: 'started', terminalId: terminal.id, taskId }
      }
      terminal.write(input)
      const patience = waitMs === undefined ? { withinMs: defaultWaitMs, quietMs } : { withinMs: waitMs }
      await terminal.untilReady({ ...patience, signal })
      if (signal.aborted) throw new ToolFailure('INTERRUPTED', `The call was interrupted; ${terminal.id} stays open.`)
      const { text, droppedBytes } = terminal.takeOutput()
      const standing = terminal.ended ?? (terminal.isReady ? 'ready' : 'running')
      if (terminal.ended !== null) terminals.forget(terminal)
      return { kind: 'seen', terminalId: terminal.id, text: plainText(text), droppedBytes, standing }
    },
    render: (_, value) =>
      value.kind === 'started' ? `${startedText(value.taskId)} It runs in ${value.terminalId}.` : seenText(value),
    presentationMeta: (_, value) => metaOf(value),
  })
}

async function terminalFor(
  terminals: Terminals,
  { sessionId, cwd }: ToolSession,
  terminalId: string | undefined,
): Promise<Terminal> {
  const open = () =>
    terminals
      .list(sessionId)
      .map(({ id }) => id)
      .join(', ') || 'none'
  if (terminalId !== undefined) {
    const terminal = terminals.find(sessionId, terminalId)
    if (terminal !== null) return terminal
    throw new ToolFailure('TERMINAL_NOT_FOUND', `There is no terminal ${terminalId}. Open terminals: ${open()}.`)
  }
  const opened = await terminals.open(sessionId, cwd).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ToolFailure('TERMINAL_UNAVAILABLE', `A terminal could not be opened: ${why}`)
  })
  if (opened !== 'too-many') return opened
  throw new ToolFailure('TOO_MANY_TERMINALS', `At most ${maxTerminals} terminals stay open: ${open()}. Reuse one.`)
}

async function sendInBackground(terminal: Terminal, input: string, handle: TaskHandle): Promise<TaskEnd> {
  handle.started(terminal.leader)
  const stopListening = terminal.listen(handle.write)
  terminal.write(input)
  await terminal.untilReady({ withinMs: Number.POSITIVE_INFINITY, signal: handle.signal })
  stopListening()
  if (handle.signal.aborted) {
    await terminal.end()
    return { status: 'killed' }
  }
  const { ended } = terminal
  if (ended === null || (ended.exitCode === 0 && ended.signal === undefined)) return { status: 'completed' }
  return { status: 'failed', detail: endText(ended) }
}

function seenText({ terminalId, text, droppedBytes, standing }: Extract<Value, { kind: 'seen' }>): string {
  const dropped = droppedBytes === 0 ? '' : `[${droppedBytes} bytes before this were dropped]\n`
  return `${dropped}${text.trim() === '' ? '(no output)' : text}\n\n[${terminalId}: ${standingText(standing)}]`
}

function standingText(standing: Standing): string {
  if (standing === 'ready') return 'the shell is ready'
  if (standing === 'running') return 'something still runs, or waits for input'
  return `the terminal has ended, ${endText(standing)}`
}

function endText({ exitCode, signal }: TerminalEnd): string {
  return signal === undefined ? `exit code ${exitCode}` : `ended by signal ${signal}`
}

function metaOf(value: Value): Json {
  const { terminalId } = value
  if (value.kind === 'started') return { terminalId, taskId: value.taskId }
  const { standing } = value
  return { terminalId, ...(typeof standing === 'object' && { exitCode: standing.exitCode }) }
}

/** Escape sequences that a program printed although the terminal said it knows none, and a terminal's line ends. */
// oxlint-disable-next-line no-control-regex
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g

function plainText(text: string): string {
  return text.replaceAll(escapes, '').replaceAll('\r\n', '\n')
}
