/* `/mcp` (SPEC 11) as a function from request to response. It knows no socket and checks no token: who may come in was
   decided before. The protocol library is loaded with the first request, so that a host that nobody asks starts fast. */
import type { SessionId } from '../../shared/ids.ts'
import type { TaskSurfaceLimits } from '../../shared/surface/limits.ts'
import type { SessionDirectory } from '../session/session-directory.ts'
import type { McpProtocol } from './protocol.ts'

export interface McpDeps {
  directory: SessionDirectory
  version: string
  surfaceLimits: TaskSurfaceLimits
  /** Folder of sessions whose client names none. */
  defaultCwd: string
  /** Of one request or connection, in bytes. */
  maxBodyBytes: number
}

export interface McpEndpoint {
  /** `bound`: the one session this address is for. The request's signal aborts when its client has gone. Never rejects. */
  fetch(request: Request, bound: SessionId | null): Promise<Response>
  /** Ends every connection. */
  close(): Promise<void>
}

export function createMcpEndpoint(deps: McpDeps): McpEndpoint {
  let loading: Promise<McpProtocol> | null = null
  let closed = false
  const load = async () => (await import('./protocol.ts')).createMcpProtocol(deps)
  return {
    async fetch(request, bound) {
      if (closed) return new Response(null, { status: 503 })
      loading ??= load()
      try {
        return await (await loading).fetch(request, bound)
      } catch (error) {
        deps.directory.deps.logger.error({ err: error }, 'an MCP request failed unexpectedly')
        return new Response(null, { status: 500 })
      }
    },
    async close() {
      closed = true
      await (await loading)?.close()
    },
  }
}
