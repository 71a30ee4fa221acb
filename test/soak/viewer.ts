/* One socket that watches one session at a time: calls by id, and every frame of the session through its ledger. */
import { z } from 'zod'
import type { Address } from '../harness/client.ts'
import { BareSocket } from './bare-socket.ts'
import { frameSchema, Ledger, type Position, type SoakFrame } from './ledger.ts'

const answerSchema = z.union([
  z.strictObject({ jsonrpc: z.literal('2.0'), id: z.int(), result: z.unknown() }),
  z.strictObject({ jsonrpc: z.literal('2.0'), id: z.int(), error: z.unknown() }),
])

export interface ViewerEvents {
  event(event: NonNullable<SoakFrame['event']>): void
  /** A frame too many or too few, a closed socket, an answer nobody asked for. */
  broken(cause: Error): void
}

interface Waiting {
  resolve(result: unknown): void
  reject(cause: Error): void
}

export class Viewer {
  /** Frames of sessions, all of them checked. */
  frames = 0
  readonly #events: ViewerEvents
  readonly #waitingById = new Map<number, Waiting>()
  #socket: BareSocket | null = null
  #ledger: Ledger | null = null
  #calls = 0
  /** `user/message` events of the session that is open. */
  messages = 0

  private constructor(events: ViewerEvents) {
    this.#events = events
  }

  static async open(address: Address, events: ViewerEvents): Promise<Viewer> {
    const viewer = new Viewer(events)
    viewer.#socket = await BareSocket.open(address, {
      text: (text) => viewer.#take(text),
      broken: (cause) => events.broken(cause),
    })
    return viewer
  }

  get hostFrames(): number {
    return this.#socket?.hostFrames ?? 0
  }

  call(method: string, params: object): Promise<unknown> {
    const id = (this.#calls += 1)
    return new Promise((resolve, reject) => {
      this.#waitingById.set(id, { resolve, reject: (cause) => reject(new Error(`${method}: ${cause.message}`)) })
      this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  async watch(sessionId: string): Promise<void> {
    this.#ledger = new Ledger(sessionId)
    this.messages = 0
    await this.call('session.open', { sessionId, limit: 1 })
  }

  /** Stops watching; before that, what was seen must be all that the host says there was. */
  async leave(sessionId: string, end: Position & { messages: number }): Promise<void> {
    this.#ledger?.assertAt(end)
    if (this.messages !== end.messages)
      throw new Error(`${end.messages} messages were accepted, ${this.messages} were seen in ${sessionId}`)
    await this.call('session.close', { sessionId })
    this.#ledger = null
  }

  close(): void {
    this.#socket?.close()
  }

  #take(text: string): void {
    try {
      const message: unknown = JSON.parse(text)
      if (typeof message === 'object' && message !== null && 'type' in message) this.#frame(frameSchema.parse(message))
      else this.#answer(answerSchema.parse(message))
    } catch (cause) {
      this.#events.broken(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  #frame(frame: SoakFrame): void {
    if (this.#ledger === null) throw new Error(`a frame behind session.close: ${JSON.stringify(frame)}`)
    this.#ledger.take(frame)
    this.frames += 1
    if (frame.event === undefined) return
    if (frame.event.type === 'user/message') this.messages += 1
    this.#events.event(frame.event)
  }

  #answer(answer: z.infer<typeof answerSchema>): void {
    const waiting = this.#waitingById.get(answer.id)
    if (waiting === undefined) throw new Error(`an answer to no request: ${JSON.stringify(answer)}`)
    this.#waitingById.delete(answer.id)
    if ('error' in answer) waiting.reject(new Error(JSON.stringify(answer.error)))
    else waiting.resolve(answer.result)
  }
}
