/* `task-surface mcp`: an MCP server on standard input and output (SPEC 11, 13) that is a pipe to `/mcp` of the host. One
   JSON-RPC message a line in either direction. It knows just enough of the protocol to be one HTTP client: the headers
   of both revisions, and the connection of 2025-11-25, which it opens again by itself when the host was restarted.

   Invariant: each request of the client gets one answer, an error where the host cannot be reached. */
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { RunningHost } from './data-folder.ts'
import { eventData } from './event-stream.ts'

const messageSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z
    .object({
      name: z.string().optional(),
      _meta: z.object({ 'io.modelcontextprotocol/protocolVersion': z.string().optional() }).optional(),
    })
    .optional(),
})
type Message = z.infer<typeof messageSchema>

/** What is looked at in answers: the revision that was agreed on, and the session a call was made in. */
const answerSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  result: z
    .object({
      protocolVersion: z.string().optional(),
      _meta: z.object({ 'task-surface/session': z.string().optional() }).optional(),
    })
    .optional(),
})

/** For answers that are almost there, and for the goodbye, once the client has closed its end. */
const graceMs = 1_000

export interface McpStdioDeps {
  /** The host to talk to, started where none runs. Asked again when it does not answer. */
  attach(): Promise<RunningHost>
  /** Folder of the client's work. */
  cwd: string
  /** One line to the client. */
  write(line: string): void
  /** Aborts everything that is under way. */
  signal: AbortSignal
}

/** Serves until `lines` ends, which is how a client says that it is done. */
export async function serveMcpStdio(
  lines: AsyncIterable<string>,
  { clock, ...deps }: Omit<McpStdioDeps, 'signal'> & { clock: Clock },
): Promise<void> {
  const stop = new AbortController()
  const stdio = new McpStdio({ ...deps, signal: stop.signal })
  const underWay = new Set<Promise<void>>()
  let opened = false
  for await (const line of lines) {
    if (line.trim() === '') continue
    const work = stdio.receive(line)
    underWay.add(work)
    void work.finally(() => underWay.delete(work))
    // What follows the first message may depend on its answer: the connection, or that there is a host at all.
    if (!opened) await work
    opened = true
  }
  const over = new AbortController()
  await Promise.race([Promise.all(underWay), clock.sleep(graceMs, over.signal)])
  over.abort()
  stop.abort()
  await stdio.leave()
}

class McpStdio {
  readonly #deps: McpStdioDeps
  #host: Promise<RunningHost> | null = null
  /** Of 2025-11-25. `opening`: what the client said to open it, to be said again after a restart of the host. */
  #connection: { id: string; version: string; opening: string } | null = null
  /** The session of this host that calls were made in last: it outlives connections. */
  #sessionId: string | null = null

  constructor(deps: McpStdioDeps) {
    this.#deps = deps
  }

  /** Resolves once the message is answered, or on its way where nothing answers it. Never rejects. */
  async receive(line: string): Promise<void> {
    const message = messageSchema.safeParse(parse(line))
    if (!message.success) return this.#deps.write(errorLine(null, -32700, 'not one JSON-RPC message a line'))
    const { id, method } = message.data
    try {
      const response = await this.#send(line, message.data)
      const answered = await this.#pass(response)
      if (method === 'initialize' && response.ok) this.#opened(response, line, answered)
      if (id !== undefined && method !== undefined && !answered.ids.includes(id)) {
        this.#deps.write(errorLine(id, -32000, `the host did not answer this request (HTTP ${response.status})`))
      }
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : 'it does not answer'
      if (id !== undefined && method !== undefined && !this.#deps.signal.aborted)
        this.#deps.write(errorLine(id, -32000, `Task Surface cannot be reached: ${why}`))
    }
  }

  /** Says goodbye to the host. */
  async leave(): Promise<void> {
    const connection = this.#connection
    if (connection === null || this.#host === null) return
    this.#connection = null
    const host = await this.#host
    const headers = { ...this.#authorization(host), 'mcp-session-id': connection.id }
    await fetch(this.#url(host), { method: 'DELETE', headers, signal: AbortSignal.timeout(graceMs) }).catch(() => {})
  }

  /** Once more where the host has gone or forgotten the connection. */
  async #send(line: string, message: Message): Promise<Response> {
    const before = this.#connection
    try {
      const response = await this.#post(line, message)
      if (response.status !== 404 || before === null) return response
    } catch (cause) {
      if (this.#deps.signal.aborted) throw cause
      this.#host = null
    }
    // Of several messages that meet this, the first opens the connection.
    if (before !== null && this.#connection === before) await this.#reopen(before)
    return this.#post(line, message)
  }

  async #reopen({ opening, version }: { opening: string; version: string }): Promise<void> {
    this.#connection = null
    const response = await this.#post(opening, { method: 'initialize' })
    const id = response.headers.get('mcp-session-id')
    await response.body?.cancel()
    if (!response.ok || id === null) throw new Error('the host took no new connection')
    this.#connection = { id, version, opening }
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    await this.#post(JSON.stringify(initialized), { method: initialized.method })
  }

  async #post(body: string, message: Message): Promise<Response> {
    this.#host ??= this.#deps.attach()
    const host = await this.#host
    const headers = { ...this.#authorization(host), ...this.#protocolHeaders(message) }
    return fetch(this.#url(host), { method: 'POST', headers, body, signal: this.#deps.signal })
  }

  #url({ url }: RunningHost): URL {
    const address = new URL('/mcp', url)
    address.searchParams.set('cwd', this.#deps.cwd)
    if (this.#sessionId !== null) address.searchParams.set('last', this.#sessionId)
    return address
  }

  #authorization({ token }: RunningHost): Record<string, string> {
    return {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
  }

  #protocolHeaders({ method, params }: Message): Record<string, string> {
    const modern = params?._meta?.['io.modelcontextprotocol/protocolVersion']
    if (modern !== undefined) {
      const name = params?.name
      return {
        'mcp-protocol-version': modern,
        ...(method !== undefined && { 'mcp-method': method }),
        ...(name !== undefined && /^[\x21-\x7e]+$/.test(name) && { 'mcp-name': name }),
      }
    }
    const connection = this.#connection
    if (connection === null || method === 'initialize') return {}
    return { 'mcp-session-id': connection.id, 'mcp-protocol-version': connection.version }
  }

  /** Writes what the host answers, message by message; says which requests were answered. */
  async #pass(response: Response): Promise<{ ids: (string | number)[]; version: string | undefined }> {
    const passed: { ids: (string | number)[]; version: string | undefined } = { ids: [], version: undefined }
    const take = (text: string) => {
      const { data } = answerSchema.safeParse(parse(text))
      // A refusal at the door names no request: whoever asked is told in an answer to its own.
      if (data === undefined || (!response.ok && data.id === undefined)) return
      if (data.id !== undefined) passed.ids.push(data.id)
      passed.version ??= data.result?.protocolVersion
      this.#sessionId = data.result?._meta?.['task-surface/session'] ?? this.#sessionId
      this.#deps.write(JSON.stringify(JSON.parse(text)))
    }
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream') && response.body !== null) {
      for await (const data of eventData(response.body)) take(data)
      return passed
    }
    take(await response.text())
    return passed
  }

  #opened(response: Response, opening: string, { version }: { version: string | undefined }): void {
    const id = response.headers.get('mcp-session-id')
    if (id !== null && version !== undefined) this.#connection = { id, version, opening }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorLine(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}
