/* A real host process border for tests: real uWebSockets.js on a free port, real `ws` and fetch clients, and a
   small handler table in place of sessions. Every wait is for a message or an event, never for time. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket, type ClientOptions, type RawData } from 'ws'
import { z } from 'zod'
import { createEngine, type Fault } from '../../host/rpc/engine.ts'
import type { Handlers } from '../../host/rpc/port.ts'
import { createTransport, type Transport, type TransportOptions } from '../../host/transport/server.ts'

export const token = 'a-token-for-tests'
export const bearer = { authorization: `Bearer ${token}` }

const responseSchema = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  result: z.unknown().optional(),
  error: z
    .strictObject({ code: z.number(), message: z.string(), data: z.strictObject({ code: z.string() }).optional() })
    .optional(),
})
export type Response = z.infer<typeof responseSchema>

export interface TestHost {
  transport: Transport
  port: number
  url: string
  faults: Fault[]
}

export async function startHost(
  handlers: Partial<Handlers>,
  options: Partial<TransportOptions> = {},
): Promise<TestHost> {
  const faults: Fault[] = []
  const transport = await createTransport({ files: new Map(), ...options })
  let references = 0
  const engine = createEngine({
    handlers,
    newReference: () => `fault-${(references += 1)}`,
    onFault: (fault) => faults.push(fault),
  })
  const hello = () => JSON.stringify({ type: 'host/hello', bootId: 'boot-1', version: '0.0.0', serverTime: 1 })
  const bound = await transport.listen({ host: '127.0.0.1', port: 0, token, engine, hello })
  onTestFinished(() => transport.close())
  return { ...bound, transport, faults }
}

export interface Client {
  socket: WebSocket
  send(text: string): void
  /** The next message of the socket, in order. */
  next(): Promise<unknown>
  nextResponse(): Promise<Response>
  /** Sends a call and waits for its answer, passing over frames. */
  call(method: string, params?: unknown): Promise<Response>
  /** Code of the closing; 1006 where no close frame came. */
  closed: Promise<number>
}

/** Opens a socket and takes its `host/hello`. */
export async function connect(host: TestHost, options: ClientOptions = { headers: bearer }): Promise<Client> {
  const client = attach(new WebSocket(`ws://127.0.0.1:${host.port}/ws`, options))
  const hello = await client.next()
  if (typeOf(hello) !== 'host/hello') throw new Error(`expected host/hello, got ${JSON.stringify(hello)}`)
  return client
}

/** The HTTP status with which an upgrade is refused, and its body. */
export function refusedUpgrade(host: TestHost, options: ClientOptions): Promise<{ status: number; body: string }> {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/ws`, options)
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.terminate()
      reject(new Error('the upgrade was accepted'))
    })
    socket.on('error', reject)
    socket.on('unexpected-response', (_request, response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => (body += String(chunk)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
  })
}

function attach(socket: WebSocket): Client {
  const messages: unknown[] = []
  const waiting: { resolve: (message: unknown) => void; reject: (cause: unknown) => void }[] = []
  let ended: Error | null = null
  const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)))
  socket.on('message', (data) => {
    const message: unknown = JSON.parse(textOf(data))
    const first = waiting.shift()
    if (first === undefined) messages.push(message)
    else first.resolve(message)
  })
  socket.on('error', (cause) => (ended = cause))
  void closed.then((code) => {
    ended ??= new Error(`the socket closed with ${code}`)
    for (const { reject } of waiting.splice(0)) reject(ended)
  })
  onTestFinished(() => socket.terminate())
  let calls = 0
  const client: Client = {
    socket,
    closed,
    send: (text) => socket.send(text),
    next() {
      if (messages.length > 0) return Promise.resolve(messages.shift())
      if (ended !== null) return Promise.reject(ended)
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    async nextResponse() {
      for (;;) {
        const message = await client.next()
        if (typeOf(message) === null) return responseSchema.parse(message)
      }
    },
    async call(method, params = {}) {
      const id = `call-${(calls += 1)}`
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      for (;;) {
        const response = await client.nextResponse()
        if (response.id === id) return response
      }
    },
  }
  return client
}

function textOf(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(new Uint8Array(data))).toString()
}

export function typeOf(message: unknown): string | null {
  return typeof message === 'object' && message !== null && 'type' in message ? String(message.type) : null
}

/** `POST /rpc` as a program sends it. */
export function post(
  host: TestHost,
  body: string,
  headers: Record<string, string> = bearer,
): Promise<globalThis.Response> {
  return fetch(`${host.url}/rpc`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
}

/** One text to the host and what it answers: the same over both carriers. */
export interface Carrier {
  name: 'socket' | 'POST'
  /** Null: nothing was answered. */
  ask(host: TestHost, text: string): Promise<Response | null>
}

const probe = JSON.stringify({ jsonrpc: '2.0', id: 'probe', method: 'host.describe' })

export const carriers: readonly Carrier[] = [
  {
    name: 'socket',
    async ask(host, text) {
      const client = await connect(host)
      client.send(text)
      client.send(probe)
      const first = await client.nextResponse()
      if (first.id === 'probe') return null
      // The host goes on: the probe behind is answered on the same socket.
      const second = await client.nextResponse()
      if (second.id !== 'probe') throw new Error(`answered twice: ${JSON.stringify(second)}`)
      return first
    },
  },
  {
    name: 'POST',
    async ask(host, text) {
      const response = await post(host, text)
      return response.status === 204 ? null : responseSchema.parse(await response.json())
    },
  },
]

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'task-surface-test-'))
}
