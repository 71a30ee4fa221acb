/* The built-in tools on a task host with real processes and folders, called as a session calls them. */
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../host/clock.ts'
import type { TaskHostDeps } from '../../host/tasks/task-host.ts'
import { builtInTools } from '../../host/tools/built-in.ts'
import { ToolRegistry } from '../../host/tools/registry.ts'
import { ToolFailure, type ToolSession } from '../../host/tools/tool.ts'
import { callIdSchema, taskSurfaceIdSchema, type SessionId } from '../../shared/ids.ts'
import type { Json } from '../../shared/json.ts'
import { textOf } from '../../shared/message.ts'
import { defaultTaskSurfaceLimits } from '../../shared/surface/limits.ts'
import { openTaskBench, owner, type TaskBench } from './tasks-bench.ts'

export interface CallOptions {
  signal?: AbortSignal
  owner?: SessionId
  cwd?: string
  nested?: boolean
  /** The result of the call never becomes durable. */
  lost?: boolean
}

export type CallEnd = { text: string; meta: Json | undefined } | { code: string; message: string }

export interface ToolBench extends TaskBench {
  tools: ToolRegistry
  /** One call, from the argument text on, as an answer of a model begins it. */
  call(name: string, input: Json, options?: CallOptions): Promise<CallEnd>
  /** The text of a call that must succeed. */
  text(name: string, input: Json, options?: CallOptions): Promise<string>
  /** What a person would be asked. */
  asks(name: string, input: Json): string | null
}

const sandboxFile = fileURLToPath(new URL('../../dist/run/code/sandbox-worker.js', import.meta.url))

export async function openToolBench(deps: Partial<TaskHostDeps> & { pwshFile?: string } = {}): Promise<ToolBench> {
  const { pwshFile = null, ...hostDeps } = deps
  const bench = await openTaskBench(hostDeps)
  let shown = 0
  const tools = new ToolRegistry(
    builtInTools({
      clock: systemClock,
      tasks: bench.host,
      dataDir: bench.dataDir,
      umask: 0o022,
      pwshFile,
      surfaceLimits: defaultTaskSurfaceLimits,
      mintSurfaceId: () => taskSurfaceIdSchema.parse(`ts-${(shown += 1)}`),
      startSubagent: () => Promise.reject(new Error('no subagents here')),
      sandboxFile,
    }),
  )

  function prepared(name: string, input: Json) {
    const tool = tools.find(name, 'both')
    if (tool === undefined) throw new Error(`there is no tool ${name}`)
    return tool.prepare(JSON.stringify(input))
  }

  async function call(name: string, input: Json, options: CallOptions = {}): Promise<CallEnd> {
    const ready = prepared(name, input)
    if ('failure' in ready) return ready.failure
    const session: ToolSession = {
      sessionId: options.owner ?? owner,
      cwd: options.cwd ?? bench.cwd,
      delegated: false,
      activeSurface: () => null,
      ask: async () => ({ kind: 'declined' }),
    }
    const { signal = new AbortController().signal, nested = false } = options
    try {
      const callId = callIdSchema.parse('call-1')
      const acts: ((succeeded: boolean) => void)[] = []
      const { content, meta } = await ready.run({
        session,
        callId,
        nested,
        signal,
        nest: () => Promise.reject(new Error('no nested calls here')),
        permit: () => Promise.resolve('allow'),
        concludeTurn: () => {},
        onLogged: (act) => void acts.push(act),
      })
      if (options.lost !== true) for (const act of acts) act(true)
      return { text: textOf(content), meta }
    } catch (error) {
      if (error instanceof ToolFailure) return { code: error.code, message: error.message }
      throw error
    }
  }

  return {
    ...bench,
    tools,
    call,
    async text(name, input, options) {
      const end = await call(name, input, options)
      if ('code' in end) throw new Error(`${end.code}: ${end.message}`)
      return end.text
    },
    asks(name, input) {
      const ready = prepared(name, input)
      if ('failure' in ready) throw ready.failure
      return ready.asks
    },
  }
}
