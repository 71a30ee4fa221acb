/* The JSON-RPC 2.0 engine (SPEC 8): text in, text out, the same over a socket and `POST /rpc`. It parses,
   validates params once, calls the handler and words every failure. It knows a `Peer` and the handler table,
   neither uWebSockets.js nor HTTP, and holds no state but the number of requests in flight on each socket.

   Invariants
   - Requests of one socket start in the order in which they came; they may end in any order.
   - Every request with an id is answered exactly once, a notification never.
   - `receive` and `post` never throw: what a handler throws unexpectedly is −32603 under a reference that the
     log explains, and the text of the failure stays on the host.
   Next: `request.ts` (envelope), `port.ts` (handlers). */
import type { z } from 'zod'
import { errorCodes, RpcError, type ErrorCode } from '../../shared/protocol/errors.ts'
import { isMethodName, methods, type MethodName, type Params, type Result } from '../../shared/protocol/methods.ts'
import { AtOnce, type Call, type Handlers, type Peer } from './port.ts'
import { readRequest, type Request, type WireId } from './request.ts'

/** Requests of one socket that may wait for an answer. A page needs a handful; more is a loop gone wild. */
export const maxInFlight = 128

/** Problems of one request that are worded in its error. */
const maxProblems = 5

/** A failure nobody expected. `reference` is all that the client was told. */
export interface Fault {
  reference: string
  method: string
  cause: unknown
}

export interface EngineDeps {
  /** A host composed without a part leaves its methods out: they are unknown. */
  handlers: Partial<Handlers>
  /** The wire error of a failure that another part words in its own way; null: nobody expected it. */
  expected?: (cause: unknown) => RpcError | null
  newReference: () => string
  /** Must not throw. */
  onFault: (fault: Fault) => void
}

export interface Conversation {
  /** Takes one text of the socket and sends whatever it answers to the peer. */
  receive(text: string): void
}

export interface Engine {
  /** `owe` is given each answer that could not be made at once, to be called once, sooner or later; left out, at once. */
  connect(peer: Peer, owe?: (answer: () => void) => void): Conversation
  /** Answers one request by POST; null for a notification. Never rejects. */
  post(text: string): Promise<string | null>
}

/** How an answer leaves: called once for each request, with the text of the response or null. */
type Deliver = (response: string | null, frames: readonly string[]) => void

type Outcome = Result<MethodName> | AtOnce<Result<MethodName>>

/** What makes sense on a socket only: over POST there is nothing to subscribe. */
const socketOnly: ReadonlySet<MethodName> = new Set<MethodName>([
  'session.close',
  'inspect.subscribe',
  'inspect.unsubscribe',
])

/** Strict throughout, so a key that names a prototype is an unknown key here; only `values` lets any key through. */
const paramsSchemas: { readonly [Name in MethodName]: { params: z.ZodType<Params<Name>> } } = methods

export function createEngine(deps: EngineDeps): Engine {
  return {
    connect(peer, owe = (answer) => answer()) {
      let inFlight = 0
      return {
        receive(text) {
          const request = readRequest(text)
          if (request.kind !== 'refused' && inFlight >= maxInFlight) {
            const message = `more than ${maxInFlight} requests of this socket wait for an answer`
            if (request.kind === 'call') peer.send(errorText(request.id, errorCodes.invalidRequest, message))
            return
          }
          inFlight += 1
          handle(deps, { peer, owe }, request, (response, frames) => {
            inFlight -= 1
            if (response !== null) peer.send(response)
            for (const frame of frames) peer.send(frame)
          })
        },
      }
    },
    post: (text) =>
      new Promise((resolve) => handle(deps, { peer: null, owe: (answer) => answer() }, readRequest(text), resolve)),
  }
}

/** Starts one request before it returns; a handler that answers in this tick is delivered in it. */
function handle(
  deps: EngineDeps,
  { peer, owe }: { peer: Peer | null; owe: (answer: () => void) => void },
  request: Request,
  deliver: Deliver,
): void {
  if (request.kind === 'refused') {
    deliver(errorText(request.id, request.code, request.message), [])
    return
  }
  const id = request.kind === 'call' ? request.id : null
  const fail = (cause: unknown) => {
    const { code, message, data } = expected(deps, request.method, cause)
    deliver(id === null ? null : errorText(id, code, message, data), [])
  }
  // No await between an `AtOnce` answer and its delivery: what it subscribed must not be published before it.
  const succeed = (outcome: Outcome) => {
    let response: string | null
    let frames: readonly string[] = []
    try {
      const answer = outcome instanceof AtOnce ? outcome.answer() : null
      response = id === null ? null : resultText(id, answer === null ? outcome : answer.result)
      if (answer !== null) frames = answer.frames
    } catch (cause) {
      fail(cause)
      return
    }
    deliver(response, frames)
  }
  let outcome: Outcome | Promise<Outcome>
  try {
    outcome = dispatch(deps.handlers, request.method, request.params, { rpcId: request.rpcId, peer })
  } catch (cause) {
    fail(cause)
    return
  }
  if (outcome instanceof Promise) {
    outcome.then(
      (value) => owe(() => succeed(value)),
      (cause: unknown) => owe(() => fail(cause)),
    )
  } else succeed(outcome)
}

function dispatch(
  handlers: Partial<Handlers>,
  method: string,
  params: unknown,
  call: Call,
): Outcome | Promise<Outcome> {
  if (!isMethodName(method)) throw new RpcError(errorCodes.methodNotFound, `there is no method ${clipped(method)}`)
  if (call.peer === null && socketOnly.has(method)) {
    throw new RpcError(errorCodes.invalidRequest, `${method} needs a socket`)
  }
  return invoke(handlers, method, params, call)
}

function invoke<Name extends MethodName>(handlers: Partial<Handlers>, name: Name, params: unknown, call: Call) {
  const handler = handlers[name]
  if (handler === undefined) throw new RpcError(errorCodes.methodNotFound, `this host does not serve ${name}`)
  return handler(readParams(name, params), call)
}

function readParams<Name extends MethodName>(name: Name, params: unknown): Params<Name> {
  const parsed = paramsSchemas[name].params.safeParse(params)
  if (!parsed.success) throw new RpcError(errorCodes.invalidParams, problemsOf(parsed.error))
  return parsed.data
}

function problemsOf(error: z.ZodError): string {
  const lines = error.issues
    .slice(0, maxProblems)
    .map((issue) => `${clipped(['params', ...issue.path.map(String)].join('.'))}: ${clipped(issue.message)}`)
  const left = error.issues.length - lines.length
  return left > 0 ? `${lines.join('; ')}; and ${left} more` : lines.join('; ')
}

function clipped(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function expected(
  deps: EngineDeps,
  method: string,
  cause: unknown,
): { code: ErrorCode; message: string; data?: RpcError['data'] } {
  const known = cause instanceof RpcError ? cause : (deps.expected?.(cause) ?? null)
  if (known !== null) return known
  const reference = deps.newReference()
  deps.onFault({ reference, method, cause })
  return { code: errorCodes.internal, message: `internal error (reference ${reference})` }
}

function resultText(id: WireId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

export function errorText(id: WireId | null, code: ErrorCode, message: string, data?: RpcError['data']): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } })
}
