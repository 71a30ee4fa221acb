/* What the provider tests share: a model behind the catalog, a clock the test moves, one reading of a stream,
   and a bare HTTP server for what a scripted one does not do: silence, half lines, watching a connection. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { createAgentCatalog } from '../../host/agents/catalog.ts'
import { ModelError, type Model, type ModelMessage, type ModelPart, type ModelRequest } from '../../host/agents/port.ts'
import type { ProviderName, Settings } from '../../host/agents/settings.ts'
import type { Clock } from '../../host/clock.ts'
import { sessionIdSchema } from '../../shared/ids.ts'

/** Time stands still until the test expires whatever sleeps. */
export class HeldClock implements Clock {
  readonly #sleepers = new Set<() => void>()
  #woken: (() => void) | undefined

  now(): number {
    return Date.UTC(2026, 10, 30, 12, 0, 0)
  }

  sleep(_ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#sleepers.delete(end)
        resolve()
      }
      this.#sleepers.add(end)
      signal.addEventListener('abort', end, { once: true })
      this.#woken?.()
    })
  }

  /** Ends every sleep as if its time had passed; waits for one to begin first. */
  async expire(): Promise<void> {
    if (this.#sleepers.size === 0) await new Promise<void>((resolve) => (this.#woken = resolve))
    for (const end of this.#sleepers) end()
  }
}

/** Of no known shape: only being configured makes it a secret. */
export const testKey = 'testing_0123456789abcdef'

export function modelAt(
  baseUrl: string,
  clock: Clock = new HeldClock(),
  modelName = 'any-model:8b',
  provider: ProviderName = 'openai-compatible',
): Model {
  const access = {
    baseUrl,
    apiKey: testKey,
    keyName: 'OPENAI_API_KEY',
    addressName: 'OPENAI_BASE_URL',
    models: [],
    problem: undefined,
  }
  const settings: Settings = {
    providers: { 'openai-compatible': access, openai: access, deepseek: access, anthropic: access },
    acp: {},
    limits: {},
    problem: undefined,
  }
  const resolved = createAgentCatalog({ settings, clock }).resolve(`${provider}/${modelName}`)
  if (resolved === null || !resolved.available || !('model' in resolved)) throw new Error('the model does not resolve')
  return resolved.model
}

export function requestOf(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const messages: readonly ModelMessage[] = [{ role: 'user', text }]
  return {
    sessionId: sessionIdSchema.parse('s-1'),
    system: 'You are a test.',
    messages,
    tools: [
      {
        name: 'show_task_surface',
        description: 'Show a form.',
        inputSchema: {
          type: 'object',
          properties: { model: { type: 'object' } },
          required: ['model'],
          additionalProperties: false,
        },
      },
      {
        name: 'bash',
        description: 'Run a command.',
        inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
      },
    ],
    signal: new AbortController().signal,
    ...more,
  }
}

export interface Answer {
  text: string
  reasoning: string
  pieces: number
  calls: { name: string; arguments: string }[]
  finish: Extract<ModelPart, { type: 'finish' }> | undefined
  error: ModelError | undefined
}

/** Reads to the end. An error that is no `ModelError` is the test's failure. */
export async function answerOf(parts: AsyncIterable<ModelPart>): Promise<Answer> {
  const answer: Answer = { text: '', reasoning: '', pieces: 0, calls: [], finish: undefined, error: undefined }
  try {
    for await (const part of parts) {
      if (part.type === 'finish') answer.finish = part
      else if (part.type === 'tool-call') answer.calls.push({ name: part.name, arguments: part.arguments })
      else {
        answer[part.type] += part.text
        answer.pieces += 1
      }
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    answer.error = error
  }
  return answer
}

export interface BareServer {
  baseUrl: string
  /** The first request, body read. */
  received: Promise<{ request: IncomingMessage; body: string }>
  /** The first connection ended before the answer was complete. */
  cut: Promise<void>
  close: () => Promise<void>
}

export async function bareServer(answer: (response: ServerResponse) => void): Promise<BareServer> {
  const received = promised<{ request: IncomingMessage; body: string }>()
  const cut = promised<void>()
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) cut.resolve()
    })
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      received.resolve({ request, body })
      answer(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    received: received.promise,
    cut: cut.promise,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function promised<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}

export function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }]
  return `data: ${JSON.stringify({ id: 'r-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
}

/** One call of `bash` whose arguments break off, in the provider's own events. */
export function brokenCall(provider: ProviderName): string {
  const text = '{"command": "l'
  if (provider !== 'anthropic') {
    const call = { index: 0, id: 'c-1', type: 'function', function: { name: 'bash', arguments: text } }
    return `${chunk({ role: 'assistant', tool_calls: [call] })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`
  }
  const message = { id: 'm-1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  const events = [
    { type: 'message_start', message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c-1', name: 'bash', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/** An answer of two pieces in the provider's own events: up to the first, and the rest. */
export function words(provider: ProviderName, first: string, second: string): [string, string] {
  if (provider !== 'anthropic') {
    return [
      chunk({ role: 'assistant', content: first }),
      `${chunk({ content: second })}${chunk({}, 'stop')}data: [DONE]\n\n`,
    ]
  }
  const message = { id: 'm-1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  const texts = (events: readonly Record<string, unknown>[]) =>
    events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  return [
    texts([
      { type: 'message_start', message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      delta(first),
    ]),
    texts([
      delta(second),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ]),
  ]
}
