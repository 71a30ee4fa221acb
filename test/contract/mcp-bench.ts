/* A host, agents that come in over MCP with the real client libraries of both revisions, and a person on the ordinary
   wire. Texts are what an agent would read. */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import type { SessionView } from '../harness/session-view.ts'

export const revisions = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]

const resultSchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
  isError: z.boolean().optional(),
  _meta: z.object({ 'task-surface/session': z.string().optional() }).optional(),
})

export interface Said {
  /** The result, and what stands beside it. */
  texts: string[]
  text: string
  isError: boolean
  /** The session of this host that the call was made in. */
  sessionId: string
}

export interface CallOptions {
  signal?: AbortSignal
  onprogress?: (progress: { progress: number; message?: string | undefined }) => void
  timeout?: number
}

/** An agent elsewhere. */
export interface Agent {
  /** Its `Mcp-Session-Id`; undefined in the revision without. */
  connectionId: string | undefined
  tools(): Promise<{ name: string; description?: string | undefined; annotations?: unknown; inputSchema: unknown }[]>
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Said>
  /** Says goodbye: DELETE. */
  leave(): Promise<void>
}

export interface AgentOptions {
  name?: string
  /** `?session=…` and the like. */
  query?: string
  token?: string
}

/** A host and the person at it. Opened once for many tests: each works in sessions of its own. */
export class McpScene {
  readonly #changes: Changes
  readonly #folder = new HostFolder()
  #host: HostProcess | null = null
  #person: Client | null = null

  private constructor(changes: Changes) {
    this.#changes = changes
  }

  /** `deadlineMs`: how long a wait of the test may take; left out, that of a healthy host. */
  static async open(deadlineMs?: number): Promise<McpScene> {
    const scene = new McpScene(new Changes(deadlineMs))
    await scene.#start()
    return scene
  }

  get host(): HostProcess {
    if (this.#host === null) throw new Error('no host was started')
    return this.#host
  }

  get person(): Client {
    if (this.#person === null) throw new Error('nobody is connected')
    return this.#person
  }

  get folder(): HostFolder {
    return this.#folder
  }

  get url(): string {
    return `${this.host.ready.url}/mcp`
  }

  /** Kills the host; another one starts on the same data. */
  async restart(): Promise<void> {
    await this.host.kill('SIGKILL')
    await this.#start()
  }

  async close(): Promise<void> {
    this.#person?.drop()
    await this.#folder.remove()
  }

  async #start(): Promise<void> {
    this.#host = await this.#folder.start()
    this.#person = await Client.connect(this.#host.ready, this.#changes)
  }

  async agent(revision: Revision, options: AgentOptions = {}): Promise<Agent> {
    const { ready } = this.host
    const url = new URL(`${ready.url}/mcp${options.query ?? ''}`)
    const requestInit = { headers: { authorization: `Bearer ${options.token ?? ready.token}` } }
    const info = { name: options.name ?? 'test-agent', version: '1.0.0' }
    return revision === '2025-11-25'
      ? legacyAgent(new LegacyClient(info), new LegacyTransport(url, { requestInit }))
      : modernAgent(
          new ModernClient(info, { versionNegotiation: { mode: { pin: revision } } }),
          new ModernTransport(url, { requestInit }),
        )
  }

  view(sessionId: string): Promise<SessionView> {
    return this.person.open(sessionId)
  }

  until<Value>(condition: () => Value | undefined | null | false, what: string): Promise<Value> {
    return this.#changes.until(condition, () => `${what}\n${this.#host?.stderr ?? ''}`)
  }
}

async function legacyAgent(client: LegacyClient, transport: LegacyTransport): Promise<Agent> {
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    connectionId: transport.sessionId,
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, options = {}) =>
      said(await client.callTool({ name, arguments: args }, undefined, options)),
    async leave() {
      await transport.terminateSession()
      await client.close()
    },
  }
}

async function modernAgent(client: ModernClient, transport: ModernTransport): Promise<Agent> {
  await client.connect(transport)
  onTestFinished(() => client.close())
  return {
    connectionId: undefined,
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, options = {}) => said(await client.callTool({ name, arguments: args }, options)),
    leave: () => client.close(),
  }
}

export function said(result: unknown): Said {
  const { content, isError = false, _meta } = resultSchema.parse(result)
  const texts = content.map(({ text }) => text)
  return { texts, text: texts[0] ?? '', isError, sessionId: _meta?.['task-surface/session'] ?? '' }
}

export function surfaceIdOf({ text }: Said): string {
  const [, surfaceId] = /\(surface (ts-\w+),/.exec(text) ?? []
  if (surfaceId === undefined) throw new Error(`no surface in ${text}`)
  return surfaceId
}

export const smallModel = {
  version: 1,
  title: 'Which database?',
  sections: [],
  fields: [
    {
      kind: 'choice',
      id: 'database',
      label: 'Database',
      options: [
        { id: 'pg', label: 'PostgreSQL' },
        { id: 'lite', label: 'SQLite' },
      ],
    },
  ],
  submit: { label: 'Choose' },
}
