/* What the page asks of the host: typed calls, and the one error they fail with. Knows neither the socket
   nor when it is up; `socket-rpc.ts` carries the calls. A domain refusal such as `not-open` is a result. */
import type { MethodName, Params, Result } from '../../shared/protocol/methods.ts'

export interface Rpc {
  /**
   * Rejects only with `CallError`. Without a connection it fails at once; nothing is kept for later, so a
   * caller that may retry does so itself, with the same client-made id.
   */
  call<Name extends MethodName>(
    method: Name,
    params: Params<Name>,
    options?: { timeoutMs?: number },
  ): Promise<Result<Name>>
}

/** `refused`: the host answered with an error. The others say nothing about whether the call took effect. */
export type CallFailure =
  | { reason: 'connection-lost' }
  | { reason: 'timeout' }
  | { reason: 'unreadable' }
  | { reason: 'refused'; code: number; conflict: string | null; message: string }

export class CallError extends Error {
  readonly failure: CallFailure

  constructor(failure: CallFailure, options?: { cause?: unknown }) {
    super(failure.reason === 'refused' ? failure.message : failure.reason, options)
    this.name = 'CallError'
    this.failure = failure
  }
}

/** The conflict a call was refused with, such as `queue-item-not-found`; null for everything else. */
export function conflictOf(error: unknown): string | null {
  return error instanceof CallError && error.failure.reason === 'refused' ? error.failure.conflict : null
}

/** True where a retry with the same client-made id is the right thing: nobody knows whether the call took effect. */
export function isUnsettled(error: unknown): boolean {
  return error instanceof CallError && error.failure.reason !== 'refused'
}
