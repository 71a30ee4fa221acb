/* A socket and a POST that say anything, to one real host: what is sent is text or bytes, what comes back are answers by
   their ids. A socket that the host closes is opened again; that the host goes on is asked after every volley. */
import { WebSocket, type RawData } from 'ws'
import { z } from 'zod'
import type { HostProcess } from '../harness/host-process.ts'

const deadlineMs = 20_000
/** Of the host: longer messages may be met by 1009. */
const maxMessageBytes = 256 * 1024

const answerSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string().min(1) }).optional(),
})
export type Answer = z.infer<typeof answerSchema>

export class HostileSocket {
  readonly #host: HostProcess
  #socket: WebSocket | null = null
  #answers: Answer[] = []
  #onMessage = () => {}
  #ids = 0
  /** Closes that the host chose. */
  closed = 0

  constructor(host: HostProcess) {
    this.#host = host
  }

  nextId(): string {
    return `id-${(this.#ids += 1)}`
  }

  /** Sends all of them, then an honest call; answers what came back until that was answered. Null: the socket closed. */
  async volley(messages: readonly (string | Buffer)[]): Promise<Answer[] | null> {
    const socket = (this.#socket ??= await this.#open())
    this.#answers = []
    for (const message of messages) socket.send(message)
    const id = this.nextId()
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'host.describe', params: {} }))
    const isOver = () => this.#answers.some((answer) => answer.id === id) || socket.readyState !== WebSocket.OPEN
    await this.until(isOver, `an answer behind ${messages.map((message) => String(message).slice(0, 300)).join('\n')}`)
    if (socket.readyState === WebSocket.OPEN) return this.#answers
    if (!messages.some((message) => Buffer.byteLength(message) > maxMessageBytes || typeof message !== 'string')) {
      throw new Error(`the host closed the socket behind ${JSON.stringify(messages).slice(0, 2000)}`)
    }
    this.closed += 1
    this.#socket = null
    await this.volley([])
    return null
  }

  /** An answer with this id, that came or comes: some take a while. */
  async answerOf(id: string, text: string): Promise<Answer | undefined> {
    const find = () => this.#answers.find((answer) => answer.id === id)
    await this.until(() => find() !== undefined, `an answer to ${text.slice(0, 3000)}`)
    return find()
  }

  async post(body: string): Promise<{ status: number; text: string }> {
    const { url, token } = this.#host.ready
    const response = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(deadlineMs),
    })
    return { status: response.status, text: await response.text() }
  }

  drop(): void {
    this.#socket?.terminate()
  }

  async until(condition: () => boolean, what: string): Promise<void> {
    if (condition()) return
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`not within ${deadlineMs} ms: ${what}`)), deadlineMs)
      this.#onMessage = () => {
        if (!condition()) return
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #open(): Promise<WebSocket> {
    const { port, token } = this.#host.ready
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } })
    socket.on('message', (data: RawData) => {
      const message: unknown = JSON.parse(String(data))
      if (typeof message !== 'object' || message === null || 'type' in message) return
      this.#answers.push(answerSchema.parse(message))
      this.#onMessage()
    })
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
    socket.removeAllListeners('error')
    socket.on('error', () => {}).on('close', () => this.#onMessage())
    return socket
  }
}
