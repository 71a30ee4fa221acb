/* An OpenAI-compatible chat-completions server on a free loopback port that never answers on its own: each call is
   parked until the test says how it goes on (HARNESS.md). Only a call without tools is a side call and gets a word.
   It does not know sessions; whoever drives it picks calls by their messages. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { Watchers, type Observer } from './changes.ts'
import { closeServer, listenOnLoopback, readBody } from './loopback-server.ts'

const partSchema = z.looseObject({ type: z.string(), text: z.string().optional() })
const messageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(partSchema), z.null()]).optional(),
})
const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(messageSchema),
  tools: z.array(z.looseObject({ type: z.string(), function: z.looseObject({ name: z.string() }) })).optional(),
})
type ChatRequest = z.infer<typeof requestSchema>

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  text: string
}

export interface ScriptedToolCall {
  name: string
  /** A text is sent as it is. */
  arguments: unknown
}

/** One call of the model. Answering twice, or after the host left, is a mistake of the test and throws. */
export class ModelCall {
  readonly callNo: number
  readonly messages: readonly ChatMessage[]
  readonly toolNames: readonly string[]
  readonly #response: ServerResponse
  readonly #observer: Observer
  #state: 'parked' | 'streaming' | 'answered' | 'left' = 'parked'

  constructor(callNo: number, request: ChatRequest, response: ServerResponse, observer: Observer) {
    this.callNo = callNo
    this.messages = request.messages.map(({ role, content }) => ({ role, text: textOf(content) }))
    this.toolNames = (request.tools ?? []).map((tool) => tool.function.name)
    this.#response = response
    this.#observer = observer
    response.on('close', () => {
      if (this.#state === 'parked' || this.#state === 'streaming') this.#state = 'left'
      observer.notify()
    })
  }

  get isParked(): boolean {
    return this.#state === 'parked'
  }

  /** The host closed the connection before the answer was complete. */
  get isAbandoned(): boolean {
    return this.#state === 'left'
  }

  get toolTexts(): readonly string[] {
    return this.messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []))
  }

  get userTexts(): readonly string[] {
    return this.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []))
  }

  /** A whole answer of text, finish reason `stop`. */
  answerText(text: string): void {
    this.stream().text(text).finish('stop')
  }

  /** A whole answer that calls tools. */
  answerCalls(calls: readonly ScriptedToolCall[]): void {
    this.stream().calls(calls).finish('tool_calls')
  }

  /** An HTTP error: 400 is final, 429 and 5xx are tried again, not before `retryAfterS` where it is given. */
  answerError(status: number, message: string, retryAfterS?: number): void {
    this.#leave('parked', 'answered')
    const wish = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
    this.#response.writeHead(status, { 'content-type': 'application/json', ...wish })
    this.#response.end(JSON.stringify({ error: { message, type: 'scripted' } }))
  }

  /** Begins a streamed answer that the test carries on with piece by piece. */
  stream(): AnswerStream {
    this.#leave('parked', 'streaming')
    this.#response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = (data: object) => this.#write(`data: ${JSON.stringify(data)}\n\n`)
    const chunk = (delta: object, finish: string | null = null) =>
      write({ ...this.#envelope(), choices: [{ index: 0, delta, finish_reason: finish }] })
    const stream: AnswerStream = {
      text(content) {
        chunk({ role: 'assistant', content })
        return stream
      },
      reasoning(content) {
        chunk({ role: 'assistant', reasoning_content: content })
        return stream
      },
      calls: (calls) => {
        for (const [index, call] of calls.entries()) {
          const id = `scripted-${this.callNo}-${index}`
          const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
          chunk({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: text } }] })
        }
        return stream
      },
      finish: (reason) => {
        chunk({}, reason)
        write({ ...this.#envelope(), choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } })
        this.#write('data: [DONE]\n\n')
        this.#leave('streaming', 'answered')
        this.#response.end()
      },
      cut: () => {
        this.#leave('streaming', 'answered')
        this.#response.destroy()
      },
    }
    return stream
  }

  /** Closes the connection without a byte of an answer. */
  drop(): void {
    this.#leave('parked', 'answered')
    this.#response.destroy()
  }

  #envelope() {
    return { id: `completion-${this.callNo}`, object: 'chat.completion.chunk', created: 0, model: 'scripted' }
  }

  #write(text: string): void {
    if (this.#state !== 'streaming') throw new Error(`call ${this.callNo} is ${this.#state}`)
    this.#response.write(text)
  }

  #leave(from: 'parked' | 'streaming', to: 'streaming' | 'answered'): void {
    if (this.#state !== from) throw new Error(`call ${this.callNo} is ${this.#state}, not ${from}`)
    this.#state = to
    this.#observer.notify()
  }
}

export interface AnswerStream {
  text(content: string): AnswerStream
  reasoning(content: string): AnswerStream
  calls(calls: readonly ScriptedToolCall[]): AnswerStream
  finish(reason: 'stop' | 'tool_calls' | 'length' | 'content_filter'): void
  /** Ends the connection in the middle of the answer. */
  cut(): void
}

export interface ScriptedModel {
  /** The value of OPENAI_BASE_URL. */
  readonly baseUrl: string
  /** Every call with tools so far, in order of arrival. */
  readonly calls: readonly ModelCall[]
  readonly watchers: Watchers
  close(): Promise<void>
}

export const scriptedAgent = 'openai-compatible/scripted'

export async function startScriptedModel(): Promise<ScriptedModel> {
  const calls: ModelCall[] = []
  const watchers = new Watchers()
  const server = createServer((request, response) => {
    void respond(request, response).catch((cause: unknown) => {
      watchers.fail(cause instanceof Error ? cause : new Error(String(cause)))
      response.destroy()
    })
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url } = request
    if (method !== 'POST' || url !== '/v1/chat/completions') throw new Error(`a call to ${method} ${url}`)
    const body = await readBody(request)
    // The host left while it was still sending.
    if (body === null) return
    const chat = requestSchema.parse(JSON.parse(body))
    if (chat.tools === undefined || chat.tools.length === 0) {
      answerSideCall(chat, response)
      return
    }
    if (chat.stream !== true) throw new Error('a call with tools did not ask for a stream')
    calls.push(new ModelCall(calls.length + 1, chat, response, watchers))
    watchers.notify()
  }

  const port = await listenOnLoopback(server)
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    watchers,
    close: () => closeServer(server),
  }
}

function answerSideCall(chat: ChatRequest, response: ServerResponse): void {
  const choice = { index: 0, finish_reason: 'stop' }
  const envelope = { id: 'side-call', created: 0, model: 'scripted' }
  const message = { role: 'assistant', content: 'Word' }
  if (chat.stream === true) {
    const chunk = { ...envelope, object: 'chat.completion.chunk', choices: [{ ...choice, delta: message }] }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  } else {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...envelope, object: 'chat.completion', choices: [{ ...choice, message }] }))
  }
}

function textOf(content: z.infer<typeof messageSchema>['content']): string {
  if (content === undefined || content === null) return ''
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')
}
