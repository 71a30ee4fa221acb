/* The closed list of wire errors (SPEC 8). Domain refusals such as `not-open` are results, never errors. */

export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  unauthorised: -32001,
  unknownSession: -32004,
  conflict: -32009,
  storage: -32010,
} as const
export type ErrorCode = (typeof errorCodes)[keyof typeof errorCodes]

export const conflictCodes = [
  'session-busy',
  'fork-unavailable',
  'rewind-unavailable',
  'queue-item-not-found',
  'queue-item-locked',
  'steer-unavailable',
  'id-reused',
  'stale',
  'agent-unavailable',
  'read-only',
  'queue-full',
  'session-exists',
] as const
export type ConflictCode = (typeof conflictCodes)[number]

/** An expected failure of a request. `data.code` is set for conflicts; the message is for people. */
export class RpcError extends Error {
  readonly code: ErrorCode
  readonly data: { code: ConflictCode } | undefined

  constructor(code: ErrorCode, message: string, options?: { conflict?: ConflictCode; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'RpcError'
    this.code = code
    this.data = options?.conflict === undefined ? undefined : { code: options.conflict }
  }
}

export function conflict(code: ConflictCode, message: string): RpcError {
  return new RpcError(errorCodes.conflict, message, { conflict: code })
}
