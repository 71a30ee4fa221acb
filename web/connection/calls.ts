/* Requests in flight: numbered, timed, each settled exactly once in the tick its answer arrives. Knows the
   text to send and the answers, not the socket. Rule C-LOST: when the socket goes, all of them fail. */
import type { z } from 'zod'
import { type MethodName, methods, type Params, type Result } from '../../shared/protocol/methods.ts'
import type { Response } from './incoming.ts'
import { CallError, type CallFailure } from './rpc.ts'

export type Outcome<Value> = { ok: true; value: Value } | { ok: false; error: CallError }

/** The method table, typed so that one method's schema can be picked. */
const resultByMethod: { readonly [Name in MethodName]: { readonly result: z.ZodType<Result<Name>> } } = methods

type Settle = (answer: { result: unknown } | { failure: CallFailure }) => void

export interface Calls {
  request<Name extends MethodName>(
    method: Name,
    params: Params<Name>,
    settle: (outcome: Outcome<Result<Name>>) => void,
    timeoutMs: number,
  ): void
  /** A response nobody waits for (any more) is ignored. */
  answered(response: Response): void
  /** Fails everything in flight. */
  lost(): void
}

export interface CallsDeps {
  /** False: there is no connection, nothing was sent. */
  send: (text: string) => boolean
  after: (delayMs: number, work: () => void) => () => void
  /** A call got no answer in its time; the connection may be dead. */
  onTimeout: () => void
}

export function failedCall(failure: CallFailure, cause?: unknown): { ok: false; error: CallError } {
  return { ok: false, error: new CallError(failure, cause === undefined ? undefined : { cause }) }
}

export function createCalls(deps: CallsDeps): Calls {
  const waitingById = new Map<number, Settle>()
  let lastId = 0

  function settleOnce(id: number, timeoutMs: number, settle: Settle): void {
    const stopTimer = deps.after(timeoutMs, () => {
      waitingById.get(id)?.({ failure: { reason: 'timeout' } })
      deps.onTimeout()
    })
    waitingById.set(id, (answer) => {
      waitingById.delete(id)
      stopTimer()
      settle(answer)
    })
  }

  return {
    request(method, params, settle, timeoutMs) {
      lastId += 1
      const id = lastId
      if (!deps.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))) {
        return settle(failedCall({ reason: 'connection-lost' }))
      }
      const schema = resultByMethod[method].result
      settleOnce(id, timeoutMs, (answer) => {
        if ('failure' in answer) return settle(failedCall(answer.failure))
        const parsed = schema.safeParse(answer.result)
        settle(parsed.success ? { ok: true, value: parsed.data } : failedCall({ reason: 'unreadable' }, parsed.error))
      })
    },
    answered(response) {
      if (response.id === null) return
      const settle = waitingById.get(response.id)
      if (settle === undefined) return
      if (!('error' in response)) return settle({ result: response.result })
      const { code, message, data } = response.error
      settle({ failure: { reason: 'refused', code, conflict: data?.code ?? null, message } })
    },
    lost() {
      for (const settle of [...waitingById.values()]) settle({ failure: { reason: 'connection-lost' } })
    },
  }
}
