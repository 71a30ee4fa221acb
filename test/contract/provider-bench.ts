/* One host with every provider, and between them and a scripted model a server that spoils the first request of a turn: each
   is played the same short story, in which the model shows a form and reads what the person answered (SPEC 5, 11). */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { LLMock, type ChatCompletionRequest } from '@copilotkit/aimock'
import type { ProviderName } from '../../host/agents/settings.ts'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostFolder } from '../harness/host-process.ts'
import { closeServer, listenOnLoopback, readBody } from '../harness/loopback-server.ts'
import { brokenCall } from './agents-harness.ts'
import { smallModel } from './mcp-bench.ts'

export const faults = ['nothing', 'status 429', 'a cut stream', 'malformed arguments', 'a stall of 30 s'] as const
export type Fault = (typeof faults)[number]

const stallMs = 30_000
const answer = 'Which database?\n- Database: PostgreSQL'

export interface Story {
  /** Why its turns ended. */
  ends: string[]
  isStreamed: boolean
  /** Codes of the calls that failed. */
  errors: string[]
  lastWords: string
  hasReadAnswer: boolean
}

/** How it goes, whatever went wrong. */
export function expected(fault: Fault): Story {
  return {
    ends: ['completed', 'completed'],
    isStreamed: true,
    errors: fault === 'malformed arguments' ? ['INVALID_INPUT'] : [],
    lastWords: 'PostgreSQL it is.',
    hasReadAnswer: true,
  }
}

/** What a model does: shows a form, again where its words were lost, and reads the answer. */
function scripted(request: ChatCompletionRequest) {
  const said = request.messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
  if (said.some((text) => text.includes('- Database: PostgreSQL'))) return { content: 'PostgreSQL it is.' }
  return {
    content: 'I would rather ask.',
    toolCalls: [{ name: 'show_task_surface', arguments: JSON.stringify({ model: smallModel }) }],
  }
}

export class ProviderBench {
  readonly #changes: Changes
  readonly #model = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 5 })
  readonly #server = createServer((asked, reply) => void this.#pass(asked, reply).catch(() => reply.destroy()))
  /** Stories whose first request was spoilt. */
  readonly #spoilt = new Set<string>()
  /** The newest request of each story. */
  readonly #requestByStory = new Map<string, string>()
  #folder: HostFolder | null = null
  #person: Client | null = null

  private constructor(deadlineMs: number) {
    this.#changes = new Changes(deadlineMs)
  }

  static async open(deadlineMs: number): Promise<ProviderBench> {
    const bench = new ProviderBench(deadlineMs)
    bench.#model.on({ endpoint: 'chat' }, scripted)
    await bench.#model.start()
    const base = `http://127.0.0.1:${await listenOnLoopback(bench.#server)}/v1`
    const keys = { OPENAI_API_KEY: 'no-key', DEEPSEEK_API_KEY: 'no-key', ANTHROPIC_API_KEY: 'no-key' }
    const addresses = { OPENAI_BASE_URL: base, DEEPSEEK_BASE_URL: base, ANTHROPIC_BASE_URL: base }
    bench.#folder = new HostFolder({ ...keys, ...addresses })
    const host = await bench.#folder.start()
    bench.#person = await Client.connect(host.ready, bench.#changes)
    return bench
  }

  async close(): Promise<void> {
    this.#person?.drop()
    await this.#folder?.remove()
    await closeServer(this.#server)
    await this.#model.stop()
  }

  /** From the first message to what the model says of the answer, whatever goes wrong on the way. */
  async play(provider: ProviderName, fault: Fault): Promise<Story> {
    const person = this.#person
    if (person === null) throw new Error('nobody is connected')
    const story = `[${provider}: ${fault}]`
    const { session } = await person.call('session.create', { agent: `${provider}/any-model` })
    const sessionId = session.id
    const view = await person.open(sessionId)
    await person.call('session.send', { sessionId, messageId: 'm-1', text: `${story} Ask me which database.` })
    await this.#changes.until(() => view.eventsOf('turn/end')[0], `the form of ${story}`)
    const { meta } = view.eventsOf('tool/result').at(-1)?.data ?? {}
    const surfaceId = typeof meta === 'object' && meta !== null && 'surfaceId' in meta ? String(meta['surfaceId']) : ''
    const pieces = person.frames.filter((frame) => frame.type === 'session/stream' && frame.sessionId === sessionId)
    const submission = { sessionId, surfaceId, submissionId: 'sub-1', values: { database: 'pg' } }
    await person.call('taskSurface.submit', submission)
    await this.#changes.until(() => view.eventsOf('turn/end')[1], `the answer of ${story}`)
    const errors = view.eventsOf('tool/result').flatMap(({ data }) => data.error?.code ?? [])
    const said = view.eventsOf('assistant/message').at(-1)?.data.message.content
    return {
      ends: view.eventsOf('turn/end').map(({ data }) => data.reason),
      isStreamed: pieces.length > 2,
      errors,
      lastWords: said?.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '',
      hasReadAnswer: this.#requestByStory.get(story)?.includes(JSON.stringify(answer).slice(1, -1)) === true,
    }
  }

  async #pass(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await readBody(asked)
    if (body === null) return
    const [story = '', provider, fault] = /\[([a-z-]+): ([^\]]+)\]/.exec(body) ?? []
    this.#requestByStory.set(story, body)
    const isFirst = !this.#spoilt.has(story)
    this.#spoilt.add(story)
    if (isFirst && fault === 'status 429') {
      reply.writeHead(429, { 'content-type': 'application/json' })
      reply.end(JSON.stringify({ error: { type: 'rate_limit_error', message: 'too many requests' } }))
      return
    }
    if (isFirst && fault === 'malformed arguments' && isProvider(provider)) {
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      reply.end(brokenCall(provider))
      return
    }
    const headers = { 'content-type': 'application/json' }
    const answered = await fetch(new URL(asked.url ?? '/', this.#model.url), { method: 'POST', headers, body })
    const text = await answered.text()
    reply.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? 'text/plain' })
    if (isFirst && fault === 'a cut stream') {
      reply.write(text.slice(0, text.length / 2), () => reply.destroy())
      return
    }
    if (isFirst && fault === 'a stall of 30 s') {
      reply.write(text.slice(0, text.length / 2))
      setTimeout(() => reply.end(text.slice(text.length / 2)), stallMs)
      return
    }
    reply.end(text)
  }
}

function isProvider(name: string | undefined): name is ProviderName {
  return name !== undefined && ['openai-compatible', 'openai', 'deepseek', 'anthropic'].includes(name)
}
