/* The one file that knows the MCP library: both revisions of the protocol in front of the same six tools. In 2026-07-28 a
   request stands alone; in 2025-11-25 a client has a connection, named by `Mcp-Session-Id`, which the library keeps in
   memory: after a restart of this host its client begins anew.

   Invariant: whatever a client sends ends in an answer, never in an exception of this process. */
import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  inputRequired,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { sessionIdSchema, type SessionId } from '../../shared/ids.ts'
import { jsonObjectSchema } from '../../shared/json.ts'
import { wireError } from '../rpc/log-failures.ts'
import type { McpDeps, McpEndpoint } from './endpoint.ts'
import { McpCalls } from './mcp-calls.ts'
import { McpSessions, type Caller } from './mcp-sessions.ts'
import { isMcpToolName, mcpTools } from './mcp-tools.ts'
import type { Door, Elicited } from './second-door.ts'

export type McpProtocol = McpEndpoint

/** Connections kept at once; few clients say goodbye. The one that was silent longest goes, and its client begins anew. */
const maxConnections = 256

/** Streams of change notices. This server has none to tell, so few are let in. */
const maxSubscriptions = 64

const instructions =
  'Task Surface puts one form at a time in front of the person, in their browser. When something is easier to compare, ' +
  'order, review or fill in than to discuss, call show_task_surface and then await_task_surface, again and again until the ' +
  'person has answered. Long commands belong into start_background_task, where the person sees them live.'

interface Connection {
  transport: WebStandardStreamableHTTPServerTransport
  bound: SessionId | null
}

export function createMcpProtocol(deps: McpDeps): McpProtocol {
  const { directory, version, maxBodyBytes } = deps
  const { logger } = directory.deps
  const calls = new McpCalls(directory, new McpSessions(directory, deps.defaultCwd))
  const tools = mcpTools(deps.surfaceLimits).map((tool) => ({
    ...tool,
    inputSchema: { ...tool.inputSchema, type: 'object' as const },
  }))
  const connectionById = new Map<string, Connection>()
  /** Of the requests of the revision without connections. */
  const boundByRequest = new WeakMap<Request, SessionId | null>()

  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const request = requestInfo ?? new Request('http://localhost/mcp')
      const last = lastOf(request)
      const memory = last === null ? null : { sessionId: last }
      return createServer({ bound: boundByRequest.get(request) ?? null, memory, ...placeOf(request) })
    },
    { legacy: 'reject', maxSubscriptions, maxRequestBodySize: maxBodyBytes, onerror: report },
  )

  return {
    async fetch(request, bound) {
      if (!(await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes }))) {
        boundByRequest.set(request, bound)
        return modern.fetch(request)
      }
      const id = request.headers.get('mcp-session-id')
      if (id === null) return openConnection(request, bound)
      const connection = connectionById.get(id)
      if (connection === undefined || connection.bound !== bound) return unknownConnection()
      // Insertion order is the order of use.
      connectionById.delete(id)
      connectionById.set(id, connection)
      return connection.transport.handleRequest(request)
    },
    async close() {
      await modern.close()
      const open = [...connectionById.values()]
      connectionById.clear()
      await Promise.all(open.map(({ transport }) => transport.close()))
    },
  }

  /** A request outside of any connection: one that begins a connection, or is refused by the library. */
  async function openConnection(request: Request, bound: SessionId | null): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: (id) => keep(id, { transport, bound }),
      onsessionclosed: (id) => void connectionById.delete(id),
    })
    transport.onerror = report
    const server = createServer({ bound, memory: { sessionId: lastOf(request) }, ...placeOf(request) })
    await server.connect(transport)
    return transport.handleRequest(request)
  }

  function keep(id: string, connection: Connection): void {
    connectionById.set(id, connection)
    for (const [oldest, { transport }] of connectionById) {
      if (connectionById.size <= maxConnections) return
      connectionById.delete(oldest)
      void transport.close().catch(report)
    }
  }

  function createServer(caller: Omit<Caller, 'clientName'>): Server {
    const server = new Server(
      { name: 'task-surface', title: 'Task Surface', version },
      { capabilities: { tools: {} }, instructions },
    )
    server.onerror = report
    server.setRequestHandler('tools/list', () => ({ tools }))
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const clientName = server.getClientVersion()?.name ?? ''
      return callTool(params, { ...caller, clientName }, context, doorOf(server, context))
    })
    return server
  }

  /** Containment: whatever goes wrong in a call is its answer, and the cause is logged. */
  async function callTool(
    { name, arguments: input = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
    caller: Caller,
    context: ServerContext,
    door: Door,
  ): Promise<CallToolResult | InputRequiredResult> {
    if (!isMcpToolName(name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool named ${name}.`)
    const checked = jsonObjectSchema.safeParse(input)
    if (!checked.success) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The arguments are no plain JSON.')
    const { signal } = context.mcpReq
    const onWaiting = progressOf(context)
    try {
      const answer = await calls.answer({ name, arguments: checked.data, caller, signal, onWaiting, door })
      if (answer.form !== undefined) {
        return inputRequired({ inputRequests: { [formKey]: inputRequired.elicit(answer.form) } })
      }
      return {
        content: answer.texts.map((text) => ({ type: 'text', text })),
        isError: answer.isError,
        ...(answer.sessionId !== null && { _meta: { 'task-surface/session': answer.sessionId } }),
      }
    } catch (cause) {
      const expected = wireError(cause)
      if (expected === null) logger.error({ tool: name, err: cause }, 'an MCP call failed unexpectedly')
      return { content: [{ type: 'text', text: `FAILED: ${expected?.message ?? 'The host failed.'}` }], isError: true }
    }
  }

  /** A client that asked for progress hears that its call still waits. */
  function progressOf({ mcpReq }: ServerContext): (waitedMs: number) => void {
    const progressToken = mcpReq._meta?.progressToken
    if (progressToken === undefined) return () => {}
    return (waitedMs) => {
      const params = { progressToken, progress: Math.round(waitedMs / 1000), message: 'Waiting for the person.' }
      // A client that has gone is told nothing more.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(report)
    }
  }

  function report(error: Error): void {
    logger.info({ err: error }, 'MCP')
  }
}

/** Under which a client of 2026-07-28 hands back what came of a form. */
const formKey = 'answer'

/** A person may take as long as they like; nothing waits for this but the dialog itself. */
const askMs = 24 * 60 * 60_000

/** A client that does not answer at once is not going to ask anybody. */
const pingMs = 10_000

const elicitedSchema = z
  .object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown() })
  .transform(({ action, content }): Elicited =>
    action === 'accept' ? { kind: 'accepted', content } : { kind: 'declined' },
  )

/** How this client can put a form before its person itself, if at all. */
function doorOf(server: Server, { mcpReq }: ServerContext): Door {
  const elicitation = server.getClientCapabilities()?.elicitation
  // A client that names no way means forms.
  if (elicitation === undefined || (elicitation.form === undefined && elicitation.url !== undefined))
    return { kind: 'none' }
  if (mcpReq.envelope !== undefined) {
    const answer = mcpReq.inputResponses?.[formKey]
    // What cannot be read is no answer, and the form is not asked for ever.
    return {
      kind: 'round',
      answered: answer === undefined ? null : (elicitedSchema.safeParse(answer).data ?? { kind: 'declined' }),
    }
  }
  // Earlier revisions know neither lists of choices nor choices with titles.
  if (server.getNegotiatedProtocolVersion() !== '2025-11-25') return { kind: 'none' }
  return {
    kind: 'push',
    async ask(form, signal) {
      // Many clients cannot take back a dialog whose request has the id 0, which is that of the first request.
      await mcpReq.send({ method: 'ping' }, { signal, timeout: pingMs })
      const asked = { method: 'elicitation/create', params: { mode: 'form', ...form } } as const
      return elicitedSchema.parse(await mcpReq.send(asked, { signal, timeout: askMs }))
    },
  }
}

/** What the address of a request says about its client. */
function placeOf(request: Request): Pick<Caller, 'cwd' | 'origin'> {
  const { searchParams, origin } = new URL(request.url)
  return { cwd: searchParams.get('cwd'), origin }
}

/** The session that a client was in before, where its address says so: it goes on there unless its calls say otherwise. */
function lastOf(request: Request): Promise<SessionId> | null {
  const last = sessionIdSchema.safeParse(new URL(request.url).searchParams.get('last'))
  return last.success ? Promise.resolve(last.data) : null
}

/** 404 tells a client to begin a new connection. */
function unknownConnection(): Response {
  const error = { code: -32001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}
