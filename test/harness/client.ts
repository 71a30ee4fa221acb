/* A raw client of the wire (SPEC 8) over `ws`: requests and answers by id, every frame recorded in order and read
   with the shared schemas, which must not lose a member. It knows no domain: what the host decides is looked at, never
   computed. Anything that breaks a rule of the wire fails every wait of the test. */
import { isDeepStrictEqual } from 'node:util'
import { WebSocket, type RawData } from 'ws'
import { z } from 'zod'
import {
  hostFrameSchema,
  inspectFrameSchema,
  sessionFrameSchema,
  type Frame,
  type SessionFrame,
} from '../../shared/protocol/frames.ts'
import { methods, type MethodName, type Result } from '../../shared/protocol/methods.ts'
import type { Changes } from './changes.ts'
import { SessionView } from './session-view.ts'

export interface Address {
  port: number
  token: string
}

/** An error answer as the wire carries it. */
export interface WireError {
  code: number
  message: string
  data?: { code: string } | undefined
}

/** A request as it was sent, and what came of it; null: no answer, the socket closed. */
export interface Asked {
  method: MethodName
  params: object
  reply: Reply<unknown> | null
}

export type Reply<Value> = { ok: true; result: Value } | { ok: false; error: WireError }

const errorSchema = z.strictObject({
  code: z.int(),
  message: z.string().min(1),
  data: z.strictObject({ code: z.string() }).optional(),
})
const responseSchema = z.union([
  z.strictObject({ jsonrpc: z.literal('2.0'), id: z.string(), result: z.unknown() }),
  z.strictObject({ jsonrpc: z.literal('2.0'), id: z.string(), error: errorSchema }),
])

const resultSchemas: { readonly [Name in MethodName]: { result: z.ZodType<Result<Name>> } } = methods

interface Pending {
  settle(reply: Reply<unknown>): void
  reject(cause: Error): void
}

export class Client {
  readonly frames: Frame[] = []
  /** Every request, oldest first. */
  readonly asked: Asked[] = []
  readonly viewById = new Map<string, SessionView>()
  /** The code of the close; 1006 where no close frame came. */
  readonly closed: Promise<number>
  readonly #socket: WebSocket
  readonly #changes: Changes
  readonly #pendingById = new Map<string, Pending>()
  #lastId = 0
  #isClosed = false

  private constructor(socket: WebSocket, changes: Changes) {
    this.#socket = socket
    this.#changes = changes
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    this.closed = new Promise((resolve) => {
      socket.on('close', (code) => {
        this.#isClosed = true
        for (const { reject } of this.#pendingById.values()) reject(new Error(`the socket closed with ${code}`))
        this.#pendingById.clear()
        resolve(code)
        changes.notify()
      })
    })
  }

  /** Opens a socket and waits for its `host/hello`. */
  static async connect({ port, token }: Address, changes: Changes): Promise<Client> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } })
    const client = new Client(socket, changes)
    const refused = new Promise<never>((_, reject) => socket.on('error', reject))
    await Promise.race([changes.until(() => client.frames[0], 'host/hello'), refused])
    if (client.frames[0]?.type !== 'host/hello') throw new Error('the first frame is not host/hello')
    return client
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Bytes and frames are no longer read: what the host sends stays in buffers. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Calls when `ping` frames of the host arrive. */
  onPing(listener: () => void): void {
    this.#socket.on('ping', listener)
  }

  /** An answer of either kind. `params` are not checked: a test may send anything. */
  ask<Name extends MethodName>(method: Name, params: object): Promise<Reply<Result<Name>>> {
    const id = `call-${(this.#lastId += 1)}`
    const asked: Asked = { method, params, reply: null }
    this.asked.push(asked)
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new Error(`${method} on a closed socket`))
        return
      }
      this.#pendingById.set(id, {
        reject,
        settle: (reply) => {
          asked.reply = reply
          if (!reply.ok) {
            resolve(reply)
            return
          }
          const result = readExactly(resultSchemas[method].result, reply.result, method)
          if (method === 'session.close') this.#closedSession(params)
          if (method === 'session.open')
            this.#opened(params, readExactly(methods['session.open'].result, result, method))
          resolve({ ok: true, result })
        },
      })
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  /** An answer that must not be an error. */
  async call<Name extends MethodName>(method: Name, params: object): Promise<Result<Name>> {
    const reply = await this.ask(method, params)
    if (!reply.ok) throw new Error(`${method} ${JSON.stringify(params)}: ${JSON.stringify(reply.error)}`)
    return reply.result
  }

  /** Opens the session and answers its view, replacing an older one. */
  async open(sessionId: string, limit = 500): Promise<SessionView> {
    await this.call('session.open', { sessionId, limit })
    return this.view(sessionId)
  }

  view(sessionId: string): SessionView {
    const view = this.viewById.get(sessionId)
    if (view === undefined) throw new Error(`${sessionId} is not open`)
    return view
  }

  /** Waits on this client's frames and whatever else reports to the same changes. */
  until<Value>(condition: () => Value | undefined | null | false, describe: string | (() => string)): Promise<Value> {
    return this.#changes.until(condition, describe)
  }

  /** Ends the socket without a close frame, as a lost network does. */
  drop(): void {
    this.#socket.terminate()
  }

  async close(): Promise<void> {
    this.#socket.close()
    const lost = setTimeout(() => this.#socket.terminate(), 1000)
    await this.closed
    clearTimeout(lost)
  }

  #closedSession(params: object): void {
    if ('sessionId' in params) this.viewById.delete(String(params.sessionId))
  }

  #opened(params: object, result: Result<'session.open'>): void {
    if (!('sessionId' in params) || typeof params.sessionId !== 'string') throw new Error('session.open without an id')
    this.viewById.set(params.sessionId, new SessionView(params.sessionId, result))
  }

  #receive(data: RawData, isBinary: boolean): void {
    try {
      if (isBinary) throw new Error('a binary message')
      const message: unknown = JSON.parse(String(data))
      if (typeof message === 'object' && message !== null && 'type' in message) this.#takeFrame(readFrame(message))
      else this.#takeResponse(readExactly(responseSchema, message, 'response'))
      this.#changes.notify()
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  #fail(cause: Error): void {
    for (const { reject } of this.#pendingById.values()) reject(cause)
    this.#pendingById.clear()
    this.#changes.fail(cause)
  }

  #takeFrame(frame: Frame): void {
    this.frames.push(frame)
    if (!isSessionFrame(frame)) return
    const view = this.viewById.get(frame.sessionId)
    if (view === undefined) throw new Error(`a frame of a session that is not open: ${JSON.stringify(frame)}`)
    view.take(frame)
  }

  #takeResponse(response: z.infer<typeof responseSchema>): void {
    const pending = this.#pendingById.get(response.id)
    if (pending === undefined) throw new Error(`an answer to no request: ${JSON.stringify(response)}`)
    pending.settle('error' in response ? { ok: false, error: response.error } : { ok: true, result: response.result })
    this.#pendingById.delete(response.id)
  }
}

export function isSessionFrame(frame: Frame): frame is SessionFrame {
  return !frame.type.startsWith('host/') && frame.type !== 'actor/inspect'
}

function readFrame(message: { type: unknown }): Frame {
  const type = String(message.type)
  if (type.startsWith('host/')) return readExactly(hostFrameSchema, message, type)
  if (type === 'actor/inspect') return readExactly(inspectFrameSchema, message, type)
  return readExactly(sessionFrameSchema, message, type)
}

/** Reads `value` and insists that the schema knows every member of it. */
function readExactly<Value>(schema: z.ZodType<Value>, value: unknown, name: string): Value {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new Error(`${name}: ${z.prettifyError(parsed.error)}\n${JSON.stringify(value)}`)
  if (!isDeepStrictEqual(parsed.data, value))
    throw new Error(`${name} has members the contract lacks: ${JSON.stringify(value)}`)
  return parsed.data
}
