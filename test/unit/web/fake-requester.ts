/* A host that answers when the test says so. Calls are answered in the tick of `answer`, like a socket's. */
import type { Outcome } from '../../../web/connection/calls.ts'
import type { Requester } from '../../../web/connection/connection.ts'
import { CallError, type CallFailure } from '../../../web/connection/rpc.ts'

interface Waiting {
  method: string
  params: unknown
  settle: (outcome: Outcome<never>) => void
}

export interface FakeRequester extends Requester {
  /** Methods asked for and not answered, in order. */
  waiting(): string[]
  /** Parameters of the oldest unanswered call of a method. */
  paramsOf(method: string): unknown
  /** Answers the oldest unanswered call of a method. The test is the one who knows the result's shape. */
  answer(method: string, result: unknown): void
  fail(method: string, failure: CallFailure): void
}

export function createFakeRequester(): FakeRequester {
  const calls: Waiting[] = []
  function take(method: string): Waiting {
    const at = calls.findIndex((call) => call.method === method)
    const [call] = at < 0 ? [] : calls.splice(at, 1)
    if (call === undefined) throw new Error(`nobody asked for ${method}`)
    return call
  }
  const requester: Requester = {
    request(method, params, settle) {
      calls.push({ method, params, settle })
    },
    call: (method, params) =>
      new Promise((resolve, reject) => {
        requester.request(method, params, (outcome) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error)))
      }),
  }
  return {
    ...requester,
    waiting: () => calls.map((call) => call.method),
    paramsOf: (method) => calls.find((call) => call.method === method)?.params,
    answer: (method, result) => take(method).settle(JSON.parse(JSON.stringify({ ok: true, value: result }))),
    fail: (method, failure) => take(method).settle({ ok: false, error: new CallError(failure) }),
  }
}
