/* A session's mirror that a test sets by hand, and an `Rpc` whose every call waits for the test. */
import type { z } from 'zod'
import { sessionIdSchema } from '../../../../shared/ids.ts'
import type { Json } from '../../../../shared/json.ts'
import { type MethodName, methods, type Params, type Result } from '../../../../shared/protocol/methods.ts'
import { CallError, type Rpc } from '../../../../web/connection/rpc.ts'
import { newSessionState, type SessionState } from '../../../../web/session/session-state.ts'
import type { SessionHandle } from '../../../../web/session/session-store.ts'
import { createStore } from '../../../../web/store.ts'

/** The method table, typed so that one method's schema can be picked. */
const resultByMethod: { readonly [Name in MethodName]: { readonly result: z.ZodType<Result<Name>> } } = methods

interface Call {
  method: MethodName
  params: unknown
  answer: (result: unknown) => void
  fail: () => void
}

export interface FakeSession {
  handle: SessionHandle
  set(change: Partial<SessionState>): void
  /** A projection of this session; a higher seq each time. */
  project(values: Record<string, Json>): void
  /** Calls nobody answered yet, oldest first. */
  waiting(method: MethodName): Call[]
  sent(method: MethodName): unknown[]
  /** Answers the newest call of the method and lets everything that follows happen. */
  answer<Name extends MethodName>(method: Name, result: Result<Name>): Promise<void>
  fail(method: MethodName): Promise<void>
}

export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
}

export function fakeSession(name = 'A'): FakeSession {
  const id = sessionIdSchema.parse(name)
  const store = createStore<SessionState>({ ...newSessionState(id), phase: 'live', epoch: 1 })
  const calls: Call[] = []
  const all: Call[] = []
  let seq = 0

  const rpc: Rpc = {
    call<Name extends MethodName>(method: Name, params: Params<Name>) {
      return new Promise<Result<Name>>((resolve, reject) => {
        const done = () => void calls.splice(calls.indexOf(call), 1)
        const call: Call = {
          method,
          params,
          answer: (result) => {
            done()
            resolve(resultByMethod[method].result.parse(result))
          },
          fail: () => {
            done()
            reject(new CallError({ reason: 'connection-lost' }))
          },
        }
        calls.push(call)
        all.push(call)
      })
    },
  }
  const newest = (method: MethodName): Call => {
    const call = calls.findLast((one) => one.method === method)
    if (call === undefined) throw new Error(`nobody called ${method}`)
    return call
  }
  return {
    handle: { id, rpc, getState: store.getState, subscribe: store.subscribe, loadEarlier: async () => {} },
    set: (change) => store.setState({ ...store.getState(), ...change }),
    project(values) {
      seq += 1
      const projections = new Map(store.getState().projections)
      for (const [key, value] of Object.entries(values)) projections.set(key, { value, seq })
      store.setState({ ...store.getState(), projections })
    },
    waiting: (method) => calls.filter((call) => call.method === method),
    sent: (method) => all.filter((call) => call.method === method).map(({ params }) => params),
    async answer(method, result) {
      newest(method).answer(result)
      await settled()
    },
    async fail(method) {
      newest(method).fail()
      await settled()
    },
  }
}
