/* A host of cardboard for the web client: serves the built page under the product's content policy and speaks
   SPEC 8 on a socket, while the test decides what happens. Subscriptions, incarnations and numbers are kept as
   the contract says, so that a client which counts wrongly fails here. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import type { SessionEvent } from '../../shared/event.ts'
import { type Session, sessionSchema } from '../../shared/session.ts'

/** Read once, as the host does: a build that runs meanwhile cannot mix two versions. */
const folder = fileURLToPath(new URL('../../dist/web', import.meta.url))
const files = new Map(
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    return entry.isFile() ? [[path.slice(folder.length).replaceAll('\\', '/'), readFileSync(path)] as const] : []
  }),
)
const mediaTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
/** The host's own, as strict as it will ever be. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"

const requestSchema = z.object({ id: z.number(), method: z.string(), params: z.record(z.string(), z.unknown()) })
export type Answer = { result: unknown } | { error: { code: number; message: string; data?: { code: string } } }
export type Respond = (params: Record<string, unknown>) => Answer | Promise<Answer> | null

export interface ScriptedSession {
  session: Session
  events: SessionEvent[]
  /** Baseline frames besides `session/subscribed`, each after the answer of `session.open`. */
  baseline: object[]
  /** Events of one page. */
  page: number
  incarnation: string
  n: number
}

export interface ScriptedHost {
  url: string
  /** Requests that came, in order. */
  requests: { method: string; params: Record<string, unknown> }[]
  sessions: Map<string, ScriptedSession>
  agents: object[]
  /** Answers a method in place of the usual one; null leaves it unanswered. */
  on(method: string, respond: Respond): void
  add(id: string, change?: Partial<ScriptedSession> & { title?: string }): ScriptedSession
  /** A live frame of a session, with its number. */
  emit(id: string, body: object): void
  /** Appends an event and tells it. */
  append(id: string, type: string, data: object): SessionEvent
  sendAll(frame: object): void
  /** Cuts every socket; with `stay`, the next ones are not even accepted. */
  drop(options?: { stay?: boolean }): void
  /** Accepts sockets again. */
  accept(): void
  /** Nothing is answered any more, sockets stay open. */
  deafen(deaf: boolean): void
  /** What a killed and restarted host looks like. */
  restart(): void
  refuse(refused: boolean): void
  /** Takes the plain requests that ask whether the page is refused; each is answered with a status. */
  onQuestion(take: (answer: (status: number) => void) => void): void
  /** Sockets that were opened so far. */
  openedSockets(): number
  close(): Promise<void>
}

let made = 0

export async function startScriptedHost(): Promise<ScriptedHost> {
  const sockets = new Map<WebSocket, Set<string>>()
  const responders = new Map<string, Respond>()
  const requests: ScriptedHost['requests'] = []
  const sessions = new Map<string, ScriptedSession>()
  const agents: object[] = [{ name: 'demo', label: 'A scripted guide. Needs no key and no network.', available: true }]
  let boot = 1
  let opened = 0
  let accepting = true
  let deaf = false
  let refused = false
  let takeQuestion = (answer: (status: number) => void) => answer(refused ? 401 : 200)

  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    if (path === '/rpc') {
      takeQuestion((status) => response.writeHead(status, { 'content-type': 'application/json' }).end('{}'))
      return
    }
    const file = /^\/(?:settings|s\/.*)?$/.test(path) ? '/index.html' : path
    const body = files.get(file)
    if (body === undefined) {
      response.writeHead(404).end()
      return
    }
    const headers = { 'content-type': mediaTypes[extname(file)] ?? 'text/plain', 'content-security-policy': policy }
    response.writeHead(200, headers).end(body)
  })
  const socketServer = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (!accepting || refused) {
      socket.destroy()
      return
    }
    socketServer.handleUpgrade(request, socket, head, (accepted) => welcome(accepted))
  })

  function welcome(socket: WebSocket): void {
    opened += 1
    sockets.set(socket, new Set())
    socket.on('close', () => sockets.delete(socket))
    socket.on('message', (data) => void receive(socket, String(data)))
    send(socket, { type: 'host/hello', bootId: `boot-${boot}`, version: '0.1.0', serverTime: Date.now() })
  }

  function send(socket: WebSocket, value: object): void {
    if (!deaf) socket.send(JSON.stringify(value))
  }

  async function receive(socket: WebSocket, text: string): Promise<void> {
    const { id, method, params } = requestSchema.parse(JSON.parse(text))
    requests.push({ method, params })
    if (method === 'session.open' && !responders.has(method)) return open(socket, id, String(params['sessionId']))
    const responder = responders.get(method)
    const answer = await (responder ?? usual(method))(params)
    if (answer !== null) send(socket, { jsonrpc: '2.0', id, ...answer })
  }

  function open(socket: WebSocket, id: number, sessionId: string): void {
    const one = sessions.get(sessionId)
    if (one === undefined)
      return send(socket, { jsonrpc: '2.0', id, error: { code: -32004, message: 'There is no such session.' } })
    sockets.get(socket)?.add(sessionId)
    const { incarnation, n } = one
    const events = one.events.slice(-one.page)
    const lastSeq = one.events.at(-1)?.seq ?? -1
    const hasMore = events.length < one.events.length
    send(socket, { jsonrpc: '2.0', id, result: { session: one.session, events, hasMore, lastSeq, incarnation, n } })
    send(socket, { type: 'session/subscribed', sessionId, lastSeq, incarnation, n })
    for (const body of one.baseline) send(socket, { sessionId, ...body })
  }

  function usual(method: string): Respond {
    return (params) => {
      const one = sessions.get(String(params['sessionId']))
      switch (method) {
        case 'host.describe':
          return { result: { version: '0.1.0', bootId: `boot-${boot}`, protocol: 1, serverTime: Date.now() } }
        case 'agents.list':
          return { result: { agents } }
        case 'session.list':
          return { result: { sessions: [...sessions.values()].map(({ session }) => session) } }
        case 'session.create': {
          made += 1
          return { result: { session: host.add(`made-${made}`, { title: 'New session' }).session } }
        }
        case 'session.send':
          return { result: { messageId: params['messageId'], placement: params['placement'] ?? 'queued' } }
        case 'session.history': {
          const before = one?.events.filter(({ seq }) => seq < Number(params['beforeSeq'])) ?? []
          const events = before.slice(-(one?.page ?? 1))
          return { result: { events, hasMore: events.length < before.length } }
        }
        case 'session.configure':
          return { result: { session: one?.session } }
        case 'question.answer':
        case 'approval.decide':
          return { result: { accepted: true } }
        case 'taskSurface.getActive':
          return { result: { active: false, reason: 'not-open' } }
        default:
          return { result: {} }
      }
    }
  }

  const host: ScriptedHost = {
    url: '',
    requests,
    sessions,
    agents,
    on: (method, respond) => void responders.set(method, respond),
    add(id, { title = id, ...change } = {}) {
      const now = Date.now()
      const session = sessionSchema.parse({
        id,
        title,
        agent: 'demo',
        cwd: '/work',
        createdAt: now,
        updatedAt: now,
        status: 'idle',
        toolMode: 'native',
        approval: 'ask',
      })
      const created: SessionEvent = {
        type: 'session/created',
        seq: 0,
        time: now,
        data: { agent: 'demo', cwd: '/work' },
      }
      const one = { session, events: [created], baseline: [], page: 1000, incarnation: `inc-${id}-1`, n: 0, ...change }
      sessions.set(id, one)
      host.sendAll({ type: 'host/session-added', session: one.session })
      return one
    },
    emit(id, body) {
      const one = sessions.get(id)
      if (one === undefined) throw new Error(`no session ${id}`)
      one.n += 1
      for (const [socket, open] of sockets) {
        if (open.has(id)) send(socket, { sessionId: id, incarnation: one.incarnation, n: one.n, ...body })
      }
    },
    append(id, type, data) {
      const one = sessions.get(id)
      if (one === undefined) throw new Error(`no session ${id}`)
      const event: SessionEvent = JSON.parse(
        JSON.stringify({ type, seq: (one.events.at(-1)?.seq ?? -1) + 1, time: Date.now(), data }),
      )
      one.events.push(event)
      host.emit(id, { type: 'session/event', event })
      return event
    },
    sendAll(frame) {
      for (const socket of sockets.keys()) send(socket, frame)
    },
    drop({ stay = false } = {}) {
      accepting = !stay
      for (const socket of sockets.keys()) socket.terminate()
    },
    accept() {
      accepting = true
    },
    deafen(now) {
      deaf = now
    },
    restart() {
      boot += 1
      for (const [id, one] of sessions) Object.assign(one, { incarnation: `inc-${id}-${boot}`, n: 0, baseline: [] })
      host.drop()
    },
    refuse(now) {
      refused = now
    },
    onQuestion(take) {
      takeQuestion = take
    },
    openedSockets: () => opened,
    close: async () => {
      for (const socket of sockets.keys()) socket.terminate()
      socketServer.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  host.url = `http://127.0.0.1:${address.port}`
  return host
}
