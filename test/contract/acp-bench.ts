/* A host whose settings name ACP agents, and a person on the ordinary wire. The agents do what the person's text says
   (`harness/acp-agent.mjs`), and their journal tells what they were told. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import type { SessionView } from '../harness/session-view.ts'

const agentFile = fileURLToPath(new URL('../harness/acp-agent.mjs', import.meta.url))

export const plantedSecret = 'planted-secret-of-the-agent'
export const plantedKey = 'planted-key-of-the-provider'

export type Step = Record<string, unknown>

const entrySchema = z.looseObject({ kind: z.string() })
export type JournalEntry = z.infer<typeof entrySchema>

export interface SceneOptions {
  /** Beside `scripted`: agents that do as they are told, and greet in their own way. */
  greetings?: Readonly<Record<string, string>>
  /** Other programs, as they stand in the settings. */
  programs?: Readonly<Record<string, unknown>>
  limits?: Readonly<Record<string, unknown>>
  /** Of each wait. */
  deadlineMs?: number
}

export class AcpScene {
  readonly folder: HostFolder
  readonly #changes: Changes
  #host: HostProcess | null = null
  #person: Client | null = null
  #sent = 0

  private constructor(deadlineMs: number | undefined) {
    this.#changes = new Changes(deadlineMs)
    this.folder = new HostFolder({ OPENAI_API_KEY: plantedKey, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' })
  }

  static async open(options: SceneOptions = {}): Promise<AcpScene> {
    const { greetings = {}, programs = {}, limits = {} } = options
    const scene = new AcpScene(options.deadlineMs)
    mkdirSync(scene.folder.dataDir, { mode: 0o700 })
    const env = { ACP_JOURNAL: scene.journalFile, AGENT_SECRET: plantedSecret }
    const ours = Object.entries({ scripted: 'kind', ...greetings }).map(([name, greeting]) => {
      return [name, { command: process.execPath, args: [agentFile, greeting], env }]
    })
    const acp = { ...Object.fromEntries(ours), ...programs }
    writeFileSync(join(scene.folder.dataDir, 'settings.json'), JSON.stringify({ acp, limits }), { mode: 0o600 })
    writeFileSync(scene.journalFile, '')
    await scene.start()
    return scene
  }

  get journalFile(): string {
    return join(this.folder.dataDir, 'journal-of-agents')
  }

  get host(): HostProcess {
    if (this.#host === null) throw new Error('no host was started')
    return this.#host
  }

  get person(): Client {
    if (this.#person === null) throw new Error('nobody is connected')
    return this.#person
  }

  async start(): Promise<void> {
    this.#host = await this.folder.start()
    this.#person = await Client.connect(this.#host.ready, this.#changes)
  }

  async close(): Promise<void> {
    this.#person?.drop()
    if (this.#host?.isRunning === true) await this.#host.kill('SIGTERM')
    await this.folder.remove()
  }

  async session(options: Record<string, unknown> = {}): Promise<SessionView> {
    const { session } = await this.person.call('session.create', { agent: 'acp/scripted', ...options })
    return this.person.open(session.id)
  }

  /** What the agent does next, or plain words. */
  async say({ sessionId }: SessionView, steps: readonly Step[] | string, placement = 'queued'): Promise<void> {
    const text = typeof steps === 'string' ? steps : JSON.stringify(steps)
    const messageId = `m-${(this.#sent += 1)}`
    await this.person.call('session.send', { sessionId, messageId, text, placement })
  }

  /** The same, until the turn has its end: the reason, and the error where there is one. */
  async turn(
    view: SessionView,
    steps: readonly Step[] | string,
  ): Promise<{ reason: string; error?: string | undefined }> {
    const before = view.eventsOf('turn/end').length
    await this.say(view, steps)
    const ends = await this.until(() => {
      const all = view.eventsOf('turn/end')
      return all.length > before && all
    }, 'the end of the turn')
    const { reason, error } = ends[before]?.data ?? { reason: 'none' }
    return { reason, error }
  }

  async until<Value>(condition: () => Value | undefined | null | false, what: string): Promise<Value> {
    return this.#changes.until(
      condition,
      () => `${what}\n${this.#host?.stderr ?? ''}\n${JSON.stringify(this.journal())}`,
    )
  }

  /** Something outside of the wire may have changed. */
  look(): void {
    this.#changes.notify()
  }

  /** Everything the agents were told and have learnt, of one kind. */
  journal(kind?: string): JournalEntry[] {
    const lines = readFileSync(this.journalFile, 'utf8').split('\n')
    const entries = lines.filter((line) => line !== '').map((line) => entrySchema.parse(JSON.parse(line)))
    return kind === undefined ? entries : entries.filter((entry) => entry.kind === kind)
  }

  /** An entry of the journal that is there or comes. */
  async entry(kind: string, count = 1): Promise<JournalEntry> {
    const look = setInterval(() => this.#changes.notify(), 20)
    try {
      return await this.until(() => this.journal(kind)[count - 1], `${count} of ${kind} in the journal of the agents`)
    } finally {
      clearInterval(look)
    }
  }
}

/** What the agent has said in this session, and the tools it used: one line a part. */
export function shown(view: SessionView): string[] {
  return view.events.flatMap((event) => {
    switch (event.type) {
      case 'user/message':
      case 'steering/message':
        return [`person: ${event.data.message.content.map((part) => ('text' in part ? part.text : '')).join('')}`]
      case 'assistant/message':
        return event.data.message.content.flatMap((part) =>
          part.type === 'tool-call' ? [] : [`${part.type}: ${part.text}`],
        )
      case 'tool/call':
        return [`call ${event.data.name} ${JSON.stringify(event.data.arguments)}`]
      case 'tool/result':
        return [
          `result ${event.data.isError === true ? 'error ' : ''}${event.data.content.map(({ text }) => text).join('')}`,
        ]
      default:
        return []
    }
  })
}
