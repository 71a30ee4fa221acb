/* One JSON-RPC 2.0 message, judged by its envelope alone (SPEC 8): what may be answered, under which id, and
   what is refused before a method is looked at. It knows neither methods nor sockets, and never throws. */
import { rpcIdSchema, type RpcId } from '../../shared/ids.ts'
import { prototypeKeys } from '../../shared/json.ts'
import { errorCodes, type ErrorCode } from '../../shared/protocol/errors.ts'

/** A JSON-RPC id as it came and goes back. */
export type WireId = string | number

export type Request =
  | { kind: 'call'; id: WireId; rpcId: RpcId; method: string; params: unknown }
  /** A request without an id is carried out and never answered. */
  | { kind: 'notification'; rpcId: RpcId; method: string; params: unknown }
  | { kind: 'refused'; id: WireId | null; code: ErrorCode; message: string }

/** The id of a notification in a message source. */
const noId = rpcIdSchema.parse('')

export function readRequest(text: string): Request {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return refused(null, errorCodes.parseError, 'the message is not JSON')
  }
  if (Array.isArray(message)) return refused(null, errorCodes.invalidRequest, 'batches are not supported')
  if (typeof message !== 'object' || message === null) {
    return refused(null, errorCodes.invalidRequest, 'a request is a JSON object')
  }
  return readEnvelope(message)
}

function readEnvelope(message: object): Request {
  const hasId = Object.hasOwn(message, 'id')
  const id = hasId ? wireIdOf(own(message, 'id')) : null
  if (hasId && id === null) {
    return refused(null, errorCodes.invalidRequest, 'id must be a finite number or a string of at most 256 characters')
  }
  // Only named members are read, so a notification with such a key does no harm; a call hears about it.
  if (id !== null && Object.keys(message).some((key) => prototypeKeys.has(key))) {
    return refused(id, errorCodes.invalidParams, 'a request must not have a key that names a prototype')
  }
  if (own(message, 'jsonrpc') !== '2.0') return refused(id, errorCodes.invalidRequest, 'jsonrpc must be "2.0"')
  const method = own(message, 'method')
  if (typeof method !== 'string') return refused(id, errorCodes.invalidRequest, 'method must be a string')
  const params = Object.hasOwn(message, 'params') ? own(message, 'params') : {}
  if (id === null) return { kind: 'notification', rpcId: noId, method, params }
  return { kind: 'call', id, rpcId: rpcIdSchema.parse(String(id)), method, params }
}

/** A member of the message itself, never of its prototype. */
function own(message: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(message, key)?.value
}

function wireIdOf(value: unknown): WireId | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && rpcIdSchema.safeParse(value).success ? value : null
}

function refused(id: WireId | null, code: ErrorCode, message: string): Request {
  return { kind: 'refused', id, code, message }
}
