/* The one file that knows uWebSockets.js: routes, sockets, native publish. Decisions are elsewhere: who may speak
   in `access.ts`, what a GET gets in `pages.ts`, what a request answers in `rpc/engine.ts`.

   Invariants
   - A text to a socket arrives in order or the socket closes; nothing is dropped in the middle.
   - A socket that cannot keep up is closed at `maxBackpressureBytes`; its client opens again.
   - A socket that sends faster than it can be served waits behind the others, and is closed when too much waits.
   - No message, however malformed, ends the process. */
import type { HttpRequest, HttpResponse, TemplatedApp, WebSocket, us_listen_socket } from 'uWebSockets.js'
import { errorCodes } from '../../shared/protocol/errors.ts'
import { errorText, type Conversation, type Engine } from '../rpc/engine.ts'
import type { SessionId } from '../../shared/ids.ts'
import { hostTopic, type Fanout, type Peer } from '../rpc/port.ts'
import { accessRules, hostName, judge, judgeMcp, type AccessRules, type Credentials, type Verdict } from './access.ts'
import { toRequest, writeResponse } from './fetch-bridge.ts'
import { pageReply } from './pages.ts'
import { jsonReply, refusal, securityHeaders, textReply, type Reply } from './reply.ts'
import type { StaticFiles } from './static-files.ts'
import { createTurnstile, type Line } from './turnstile.ts'

declare module 'uWebSockets.js' {
  interface TemplatedApp {
    /** Missing in the published types: host, port and options together. */
    listen(
      host: string,
      port: number,
      options: number,
      listening: (socket: us_listen_socket | false) => void,
    ): TemplatedApp
  }
}

/** Bytes of one message from a client, on the socket and by POST (SPEC 8). */
export const maxMessageBytes = 256 * 1024

/**
 * Bytes that may wait for one socket. The largest frame holds one event, and an append of the log is at most 8 MiB;
 * twice that leaves room for one such frame behind a page of history.
 */
export const defaultMaxBackpressureBytes = 16 * 1024 * 1024

/** Seconds without a word in either direction before a socket is given up; the library pings before that. */
const idleTimeoutSeconds = 60

/** The close code for a client that does not keep to the rules. */
const policyViolation = 1008

/** Time for the last bytes of closing sockets to leave. */
const closeGraceMs = 50

/** Fail rather than share the port with another process. */
const exclusivePort = 1

export interface TransportOptions {
  files: StaticFiles
  maxBackpressureBytes?: number
  idleTimeoutSeconds?: number
}

export interface ListenOptions {
  host: string
  /** 0: any free one. */
  port: number
  token: string
  engine: Engine
  /** The text of `host/hello`, made for each new socket. */
  hello: () => string
  /** What answers `/mcp`; 404 where there is none. `bound`: the one session the address is for. Never rejects. */
  mcp?: (request: Request, bound: SessionId | null) => Promise<Response>
  /** Addresses of this machine, for a host bound to all of them. */
  ownAddresses?: readonly string[]
  /** Whether a text opens the start link although it is not the token. */
  isTicket?: (given: string) => boolean
}

export interface Transport extends Fanout {
  /** Rejects with a `TransportError` whose message is for people. Called once. */
  listen(options: ListenOptions): Promise<{ port: number; url: string }>
  /** Says goodbye to every socket and frees the port. Idempotent. */
  close(): Promise<void>
}

export class TransportError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TransportError'
  }
}

interface OpenSocket {
  peer: Peer
  conversation: Conversation
  line: Line
  gone: () => void
}

type Socket = WebSocket<unknown>

/** Loads the server library. `publish` works from the start, so that sessions can be composed before it listens. */
export async function createTransport(options: TransportOptions): Promise<Transport> {
  const library = await loadLibrary()
  const app = library.App()
  const sockets = new Map<Socket, OpenSocket>()
  let listening: us_listen_socket | null = null
  /** Before the first socket route the library has no topics, and publishing ends the process. */
  let hasTopics = false

  return {
    publish(topic, text) {
      if (hasTopics) app.publish(topic, text)
    },
    subscribers: (topic) => (hasTopics ? app.numSubscribers(topic) : 0),
    async listen({ host, port, token, engine, hello, mcp, ownAddresses = [], isTicket = () => false }) {
      let rules = accessRules({ token, boundHost: host, port, ownAddresses })
      routePages(app, () => rules, options.files, isTicket)
      routeRpc(app, () => rules, engine)
      if (mcp !== undefined) routeMcp(app, () => rules, mcp)
      routeSockets(app, () => rules, { engine, hello, sockets, limits: options })
      hasTopics = true
      app.any('/*', (res) => write(res, textReply('405 Method Not Allowed', 'Not this way.\n')))
      listening = await new Promise<us_listen_socket>((resolve, reject) => {
        app.listen(host, port, exclusivePort, (socket) => {
          if (socket !== false) resolve(socket)
          else
            reject(
              new TransportError(
                `cannot listen on ${hostName(host)}:${port}: the port is taken or the address is not ours`,
              ),
            )
        })
      })
      const boundPort = library.us_socket_local_port(listening)
      rules = accessRules({ token, boundHost: host, port: boundPort, ownAddresses })
      return { port: boundPort, url: `http://${hostName(shownHost(host))}:${boundPort}` }
    },
    async close() {
      if (listening === null) return
      library.us_listen_socket_close(listening)
      listening = null
      const open = [...sockets.keys()]
      for (const socket of open) socket.end(1001, 'the host is stopping')
      if (open.length > 0) await new Promise((resolve) => setTimeout(resolve, closeGraceMs))
      app.close()
    },
  }
}

async function loadLibrary() {
  try {
    return (await import('uWebSockets.js')).default
  } catch (cause) {
    const { platform, arch, version } = process
    throw new TransportError(
      `uWebSockets.js has no binary that runs here (${platform} ${arch}, Node ${version}); the README says how to install its own distribution`,
      { cause },
    )
  }
}

/** An address that a browser on this machine can open. */
function shownHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
}

function routePages(
  app: TemplatedApp,
  rules: () => AccessRules,
  files: StaticFiles,
  isTicket: (given: string) => boolean,
): void {
  const answer = (res: HttpResponse, req: HttpRequest): Reply => {
    const request = {
      path: req.getUrl(),
      query: req.getQuery(),
      host: req.getHeader('host'),
      acceptEncoding: req.getHeader('accept-encoding'),
      ifNoneMatch: req.getHeader('if-none-match'),
    }
    return pageReply(rules(), files, request, isTicket)
  }
  app.get('/*', (res, req) => write(res, answer(res, req)))
  app.head('/*', (res, req) => write(res, answer(res, req), 'head'))
}

function routeRpc(app: TemplatedApp, rules: () => AccessRules, engine: Engine): void {
  app.post('/rpc', (res, req) => {
    const { answer } = answering(res)
    const refused = refusedPost(judge(rules(), credentialsOf(req)), req)
    if (refused !== null) return answer(refused)
    readBody(res, req, answer, (body) => {
      void engine
        .post(body.toString())
        .then((text) => answer(text === null ? textReply('204 No Content', '') : jsonReply('200 OK', text)))
    })
  })
}

function routeMcp(
  app: TemplatedApp,
  rules: () => AccessRules,
  mcp: (request: Request, bound: SessionId | null) => Promise<Response>,
): void {
  const serve = (method: 'POST' | 'GET' | 'DELETE') => (res: HttpResponse, req: HttpRequest) => {
    const { answer, gone } = answering(res)
    const credentials = credentialsOf(req)
    const query = req.getQuery()
    const { verdict, bound } = judgeMcp(rules(), credentials, query)
    const refused = refusedPost(verdict, req, method === 'POST')
    if (refused !== null) return answer(refused)
    const headers: [string, string][] = []
    req.forEach((name, value) => headers.push([name, value]))
    const head = { method, path: req.getUrl(), query, headers }
    const pass = async (body: Buffer | null) => {
      const response = await mcp(toRequest(head, credentials.host, body, gone), bound)
      await writeResponse(res, response, gone)
    }
    if (method === 'POST') readBody(res, req, answer, (body) => void pass(body))
    else void pass(null)
  }
  app.post('/mcp', serve('POST'))
  app.get('/mcp', serve('GET'))
  app.del('/mcp', serve('DELETE'))
}

/** `answer` writes one reply, unless the client has gone by then. */
function answering(res: HttpResponse): { answer: (reply: Reply) => void; gone: AbortSignal } {
  const gone = new AbortController()
  let open = true
  res.onAborted(() => {
    open = false
    gone.abort()
  })
  return {
    gone: gone.signal,
    answer(reply) {
      if (!open) return
      open = false
      res.cork(() => write(res, reply))
    },
  }
}

/** Null: the request may be read. */
function refusedPost(verdict: Verdict, req: HttpRequest, hasBody = true): Reply | null {
  if (!verdict.allowed) return { ...forbidden(verdict), close: true }
  // A form of another site can send text but not this type, so a cookie alone never carries such a request.
  if (hasBody && verdict.by === 'cookie' && !/^application\/json\s*(;|$)/i.test(req.getHeader('content-type'))) {
    return { ...textReply('415 Unsupported Media Type', 'Send application/json.\n'), close: true }
  }
  return null
}

/** Collects the body up to `maxMessageBytes`; a larger one is answered here. */
function readBody(
  res: HttpResponse,
  req: HttpRequest,
  answer: (reply: Reply) => void,
  whole: (body: Buffer) => void,
): void {
  const tooLarge = {
    ...refusal('413 Payload Too Large', errorCodes.invalidRequest, `a request is at most ${maxMessageBytes} bytes`),
    close: true as const,
  }
  if (Number(req.getHeader('content-length')) > maxMessageBytes) return answer(tooLarge)
  // Put together once, at the end: a body may come byte by byte.
  let pieces: Buffer[] | null = []
  let bytes = 0
  res.onData((chunk, isLast) => {
    if (pieces === null) return
    bytes += chunk.byteLength
    if (bytes > maxMessageBytes) {
      pieces = null
      return answer(tooLarge)
    }
    // A copy: the chunk is gone after this call.
    pieces.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) whole(Buffer.concat(pieces))
  })
}

function routeSockets(
  app: TemplatedApp,
  rules: () => AccessRules,
  {
    engine,
    hello,
    sockets,
    limits,
  }: { engine: Engine; hello: () => string; sockets: Map<Socket, OpenSocket>; limits: TransportOptions },
): void {
  let opened = 0
  const turnstile = createTurnstile({
    now: () => performance.now(),
    afterTurn: (work) => void setImmediate(work),
    // A tick that is asked for by a microtask comes when no microtask is left.
    afterEffects: (work) => queueMicrotask(() => process.nextTick(work)),
  })
  app.ws('/ws', {
    maxPayloadLength: maxMessageBytes,
    maxBackpressure: limits.maxBackpressureBytes ?? defaultMaxBackpressureBytes,
    closeOnBackpressureLimit: 1,
    idleTimeout: limits.idleTimeoutSeconds ?? idleTimeoutSeconds,
    sendPingsAutomatically: true,
    upgrade(res, req, context) {
      const verdict = judge(rules(), credentialsOf(req))
      if (!verdict.allowed) return write(res, { ...forbidden(verdict), close: true })
      const header = (name: string) => req.getHeader(`sec-websocket-${name}`)
      res.upgrade({}, header('key'), header('protocol'), header('extensions'), context)
    },
    open(socket) {
      opened += 1
      const { peer, gone } = createPeer(`socket-${opened}`, socket)
      const line = turnstile.open(() => socket.end(policyViolation, 'too many messages wait'))
      sockets.set(socket, { peer, gone, line, conversation: engine.connect(peer, line.owe) })
      peer.send(hello())
      peer.subscribe(hostTopic)
    },
    message(socket, message, isBinary) {
      const open = sockets.get(socket)
      if (open === undefined) return
      const { peer, line, conversation } = open
      // The bytes are gone after this call.
      const text = isBinary ? null : Buffer.from(message).toString()
      line.receive(message.byteLength, () => {
        if (text === null) peer.send(errorText(null, errorCodes.invalidRequest, 'send text, not binary'))
        else conversation.receive(text)
      })
    },
    close(socket) {
      const open = sockets.get(socket)
      open?.line.close()
      open?.gone()
      sockets.delete(socket)
    },
  })
}

function createPeer(id: string, socket: Socket): { peer: Peer; gone: () => void } {
  const dropped = 2
  let open = true
  const peer: Peer = {
    id,
    send(text) {
      // A dropped text would be a gap; the client reconnects and reads everything again.
      if (open && socket.send(text) === dropped && open) socket.close()
    },
    subscribe(topic) {
      if (open) socket.subscribe(topic)
    },
    unsubscribe(topic) {
      if (open) socket.unsubscribe(topic)
    },
    isSubscribed: (topic) => open && socket.isSubscribed(topic),
  }
  return {
    peer,
    gone() {
      open = false
    },
  }
}

function credentialsOf(req: HttpRequest): Credentials {
  return {
    host: req.getHeader('host'),
    origin: req.getHeader('origin'),
    cookie: req.getHeader('cookie'),
    authorization: req.getHeader('authorization'),
  }
}

function forbidden(verdict: Extract<Verdict, { allowed: false }>): Reply {
  return refusal(
    verdict.status === 401 ? '401 Unauthorized' : '403 Forbidden',
    errorCodes.unauthorised,
    verdict.message,
  )
}

function write(res: HttpResponse, reply: Reply, method: 'head' | 'other' = 'other'): void {
  res.writeStatus(reply.status)
  for (const [name, value] of securityHeaders) res.writeHeader(name, value)
  for (const [name, value] of reply.headers) res.writeHeader(name, value)
  // The library's own reported length leaves the response open, and an open response ends the process.
  if (method === 'head') res.writeHeader('Content-Length', String(Buffer.byteLength(reply.body))).endWithoutBody()
  else if (/^(204|304)/.test(reply.status)) res.endWithoutBody()
  else res.end(reply.body, reply.close === true)
}
