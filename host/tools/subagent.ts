/* `subagent`: hands a self-contained piece of work to a child session (SPEC 5). In the foreground the call waits
   for its final text; in the background it is a task whose output is that text. */
import { z } from 'zod'
import type { SubagentRequest, SubagentResult } from '../session/subagent-service.ts'
import type { TaskEnd, TaskRegistry, TaskSpec } from '../tasks/port.ts'
import { defineTool, ToolFailure, type Tool } from './tool.ts'

const inputSchema = z.strictObject({
  prompt: z
    .string()
    .trim()
    .min(1)
    .describe('Everything the subagent needs to know: it sees nothing of this conversation.'),
  description: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe('A few words for the person, such as "Compare three queue libraries".'),
  run_in_background: z.boolean().optional(),
})

export interface SubagentDeps {
  start(request: SubagentRequest): Promise<{ done: Promise<SubagentResult> }>
  tasks: TaskRegistry
}

export function createSubagent({ start, tasks }: SubagentDeps): Tool {
  return defineTool({
    name: 'subagent',
    description:
      'Hand a self-contained piece of work to a subagent with the same tools. It works alone, cannot ask the person, and ' +
      'hands back one final text; whatever it left running ends then. In the background you get a task id at once and a ' +
      'notice when it is done.',
    input: inputSchema,
    concurrencySafe: true,
    async execute({ prompt, description, run_in_background = false }, { session, callId, signal }) {
      if (session.delegated)
        throw new ToolFailure('SUBAGENT_NESTED', 'A subagent cannot start another one. Do the work, or report back.')
      const request = { parent: session.sessionId, callId, prompt, label: description }
      if (!run_in_background) {
        const { done } = await start({ ...request, mode: 'foreground', signal })
        const { status, text } = await done
        if (status !== 'completed') throw new ToolFailure('SUBAGENT_FAILED', text)
        return text
      }
      const run: TaskSpec['run'] = async (handle) => {
        const { done } = await start({ ...request, mode: 'background', signal: handle.signal })
        return { done: done.then(async (result) => end(result, handle.write)) }
      }
      const started = await tasks.start({ kind: 'subagent', label: description, owner: session.sessionId, run })
      if (!started.started)
        throw new ToolFailure('TOO_MANY_TASKS', 'Too many tasks run already. Wait for one or stop one.')
      return `Started in the background as ${started.id}. A notice tells you when it is done.`
    },
    render: (_, text) => (text === '' ? 'The subagent ended without a final text.' : text),
  })
}

async function end({ status, text }: SubagentResult, write: (chunk: Uint8Array) => Promise<void>): Promise<TaskEnd> {
  await write(Buffer.from(text))
  return status === 'failed' ? { status, detail: text } : { status }
}
