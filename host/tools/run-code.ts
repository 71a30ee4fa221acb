/* `run_code`: JavaScript with the other tools as functions (SPEC 5), for a model that would rather write a loop than
   make ten calls. The code runs in a sandbox (`host/code`); what it calls goes the way of every call, one level down. */
import { z } from 'zod'
import type { ToolSpec } from '../agents/port.ts'
import { runInSandbox, type SandboxDeps } from '../code/sandbox.ts'
import type { SpilledResults } from '../tasks/spilled-results.ts'
import { OutputCapture, type Captured } from './output-capture.ts'
import { defineTool, ToolFailure, type Tool } from './tool.ts'

export const runCodeName = 'run_code'

/** Fails from within code: it ends the turn and belongs to the whole conversation. So code is not told of it. */
const untold = 'show_task_surface'

const maxCodeLength = 256 * 1024

export interface RunCodeDeps {
  sandbox: SandboxDeps
  results: SpilledResults
}

/** `others`: the composition without this tool. */
export function createRunCode({ sandbox, results }: RunCodeDeps, others: readonly Tool[]): Tool {
  const names = others.map(({ name }) => name)
  const told = others.filter(({ name }) => name !== untold).map(({ spec }) => spec)
  const { cpuMs, memoryBytes, maxCalls } = sandbox.limits
  return defineTool<{ code: string }, Captured>({
    name: runCodeName,
    description: [
      'Run JavaScript: the body of an async function. Call tools with `await tools.name({…})`; each gives back its text and throws',
      'when it fails. `return` a value or print with console.log; that is what you read. There is nothing else: no files, no',
      `network, no modules, no timers. Limits: ${cpuMs / 1000} s of its own running time, ${memoryBytes / 1024 / 1024} MiB, ${maxCalls} calls.`,
      `Tools: ${told.map(signatureOf).join(' ')}`,
    ].join(' '),
    input: z.strictObject({ code: z.string().min(1).max(maxCodeLength) }),
    async execute({ code }, exec) {
      const end = await runInSandbox(sandbox, {
        code,
        names,
        signal: exec.signal,
        call: (name, argumentsText) => exec.nest(name, argumentsText),
      })
      if (end.kind === 'aborted') throw new ToolFailure('INTERRUPTED', 'The code was interrupted and ended.')
      const said = end.kind === 'failed' ? end.message : (end.value ?? '')
      const capture = new OutputCapture(() => results.create(exec.session.sessionId))
      await capture.write(Buffer.from([end.output.trimEnd(), said].filter((text) => text !== '').join('\n')))
      const captured = await capture.finish()
      if (end.kind === 'failed') throw new ToolFailure('CODE_FAILED', captured.text)
      return captured
    },
    render: (_, { text }) => (text === '' ? '(no output)' : text),
    presentationMeta: (_, { bytes, locator }) => ({ ...(locator !== undefined && { locator, bytes }) }),
  })
}

function signatureOf({ name, description, inputSchema }: ToolSpec): string {
  return `tools.${name}(${JSON.stringify(inputSchema)}): ${description}`
}
