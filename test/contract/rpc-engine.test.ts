/* JSON-RPC 2.0 as every client sees it (SPEC 8), over real sockets and real POST alike. */
import { describe, expect, it } from 'vitest'
import type { Handlers } from '../../host/rpc/port.ts'
import { conflict, errorCodes, RpcError } from '../../shared/protocol/errors.ts'
import { bearer, carriers, connect, post, startHost } from './host-harness.ts'

const description = { version: '0.0.0', bootId: 'boot-1', protocol: 1, serverTime: 1 }

const handlers: Partial<Handlers> = {
  'host.describe': () => description,
  'session.list': async () => ({ sessions: [] }),
  'session.rename': () => {
    throw conflict('session-busy', 'a turn is running')
  },
  'session.remove': async () => {
    throw new RpcError(errorCodes.unknownSession, 'there is no session s1')
  },
  'session.interrupt': () => {
    throw new Error('secret-detail')
  },
  'session.history': async () => Promise.reject(new TypeError('secret-detail')),
  'session.send': ({ messageId }, { rpcId, peer }) => {
    throw conflict('stale', `${messageId} came as ${rpcId} over ${peer === null ? 'POST' : 'a socket'}`)
  },
  'taskSurface.submit': ({ values }) => ({
    accepted: false,
    reason: 'invalid-submission',
    issues: Object.keys(values).map((key) => ({ path: `/values/${key}`, message: 'unknown' })),
  }),
  'session.updateQueue': () => ({}),
  'session.close': () => ({}),
  'inspect.subscribe': () => ({ actors: [] }),
  'inspect.unsubscribe': () => ({}),
}

const call = (method: string, params?: unknown, id: unknown = 7) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const submission = (values: string) =>
  `{"jsonrpc":"2.0","id":7,"method":"taskSurface.submit","params":{"sessionId":"s1","surfaceId":"f1","submissionId":"x1","values":${values}}}`

const refusals: readonly { rule: string; text: string; code: number; id?: unknown; message?: RegExp }[] = [
  { rule: 'rpc/json: text that is not JSON', text: '{"jsonrpc":', code: -32700, id: null },
  { rule: 'rpc/json: an empty text', text: '', code: -32700, id: null },
  { rule: 'rpc/json: nesting as deep as a message allows', text: nested(100_000), code: -32600, id: null },
  { rule: 'rpc/request: a batch', text: `[${call('host.describe')}]`, code: -32600, id: null },
  { rule: 'rpc/request: an empty batch', text: '[]', code: -32600, id: null },
  { rule: 'rpc/request: a bare value', text: '5', code: -32600, id: null },
  { rule: 'rpc/request: null', text: 'null', code: -32600, id: null },
  { rule: 'rpc/request: an empty object', text: '{}', code: -32600, id: null },
  { rule: 'rpc/request: no version', text: '{"id":7,"method":"host.describe"}', code: -32600 },
  { rule: 'rpc/request: version 1.0', text: '{"jsonrpc":"1.0","id":7,"method":"host.describe"}', code: -32600 },
  { rule: 'rpc/request: a method that is no text', text: '{"jsonrpc":"2.0","id":7,"method":5}', code: -32600 },
  { rule: 'rpc/request: no method', text: '{"jsonrpc":"2.0","id":7}', code: -32600 },
  { rule: 'rpc/id: null', text: call('host.describe', {}, null), code: -32600, id: null },
  { rule: 'rpc/id: an object', text: call('host.describe', {}, {}), code: -32600, id: null },
  { rule: 'rpc/id: a list', text: call('host.describe', {}, [7]), code: -32600, id: null },
  { rule: 'rpc/id: true', text: call('host.describe', {}, true), code: -32600, id: null },
  {
    rule: 'rpc/id: a number out of range',
    text: '{"jsonrpc":"2.0","id":1e999,"method":"host.describe"}',
    code: -32600,
    id: null,
  },
  { rule: 'rpc/id: a text past its bound', text: call('host.describe', {}, 'x'.repeat(257)), code: -32600, id: null },
  { rule: 'rpc/method: unknown', text: call('session.explode'), code: -32601 },
  { rule: 'rpc/method: empty', text: call(''), code: -32601 },
  { rule: 'rpc/method: a name of the prototype', text: call('constructor'), code: -32601 },
  { rule: 'rpc/method: __proto__', text: call('__proto__'), code: -32601 },
  { rule: 'rpc/method: one this host was composed without', text: call('agents.list'), code: -32601 },
  { rule: 'rpc/params: a list', text: call('host.describe', []), code: -32602 },
  { rule: 'rpc/params: null', text: call('host.describe', null), code: -32602 },
  { rule: 'rpc/params: a text', text: call('host.describe', 'x'), code: -32602 },
  { rule: 'rpc/params: a missing member', text: call('session.remove'), code: -32602, message: /params\.sessionId/ },
  {
    rule: 'rpc/params: a wrong type',
    text: call('session.remove', { sessionId: 5 }),
    code: -32602,
    message: /params\.sessionId/,
  },
  {
    rule: 'rpc/params: a bad id',
    text: call('session.remove', { sessionId: 'a b' }),
    code: -32602,
    message: /params\.sessionId/,
  },
  { rule: 'rpc/params: an unknown member', text: call('host.describe', { loud: true }), code: -32602, message: /loud/ },
  {
    rule: 'rpc/params: too deep',
    text: `{"jsonrpc":"2.0","id":7,"method":"host.describe","params":{"a":${nested(60_000)}}}`,
    code: -32602,
  },
  { rule: 'rpc/params: values too deep', text: submission(`{"a":${nested(60_000)}}`), code: -32602 },
  { rule: 'rpc/params: values that are a list', text: submission('[]'), code: -32602, message: /params\.values/ },
  ...['__proto__', 'constructor', 'prototype'].flatMap((key) => [
    {
      rule: `rpc/prototype: ${key} in params`,
      text: `{"jsonrpc":"2.0","id":7,"method":"session.remove","params":{"sessionId":"s1","${key}":{"polluted":1}}}`,
      code: -32602,
      message: new RegExp(key),
    },
    {
      rule: `rpc/prototype: ${key} deep in params`,
      text: `{"jsonrpc":"2.0","id":7,"method":"session.updateQueue","params":{"sessionId":"s1","itemId":"i1","action":{"kind":"edit","text":"x","${key}":{}}}}`,
      code: -32602,
      message: new RegExp(key),
    },
    {
      rule: `rpc/prototype: ${key} beside params`,
      text: `{"jsonrpc":"2.0","id":7,"method":"host.describe","${key}":{"polluted":1}}`,
      code: -32602,
    },
    {
      rule: `rpc/prototype: ${key} beside values`,
      text: submission(`{},"${key}":{"polluted":1}`),
      code: -32602,
    },
  ]),
]

describe.each(carriers)('over $name', ({ name, ask }) => {
  it.each(refusals)('$rule is refused', async ({ text, code, id = 7, message }) => {
    const host = await startHost(handlers)
    const response = await ask(host, text)
    expect(response).toMatchObject({ id, error: { code } })
    if (message !== undefined) expect(response?.error?.message).toMatch(message)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    expect(host.faults).toEqual([])
  })

  it.each([7, 0, -1, 1.5, '', '7', 'ü', 'x'.repeat(256)])('rpc/id: %j comes back as it was sent', async (id) => {
    const host = await startHost(handlers)
    expect(await ask(host, call('host.describe', {}, id))).toEqual({ jsonrpc: '2.0', id, result: description })
  })

  it('rpc/params: none at all are an empty object', async () => {
    const host = await startHost(handlers)
    expect(await ask(host, '{"jsonrpc":"2.0","id":7,"method":"session.list"}')).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: { sessions: [] },
    })
  })

  it.each(['__proto__', 'constructor', 'prototype'])(
    'rpc/prototype: %s inside values is left to the domain',
    async (key) => {
      const host = await startHost(handlers)
      const response = await ask(host, submission(`{"name":"x","${key}":{"polluted":1}}`))
      expect(response?.result).toMatchObject({
        reason: 'invalid-submission',
        issues: [{ path: '/values/name' }, { path: `/values/${key}` }],
      })
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    },
  )

  it.each(['host.describe', 'session.rename', 'session.interrupt', 'session.explode', 'session.close'])(
    'rpc/notification: %s without id is never answered',
    async (method) => {
      const host = await startHost(handlers)
      expect(await ask(host, JSON.stringify({ jsonrpc: '2.0', method, params: { sessionId: 's1' } }))).toBeNull()
    },
  )

  it('rpc/notification: is carried out', async () => {
    const seen: string[] = []
    const host = await startHost({
      ...handlers,
      'session.remove': ({ sessionId }, { rpcId }) => (seen.push(`${sessionId}/${rpcId}`), {}),
    })
    await ask(host, JSON.stringify({ jsonrpc: '2.0', method: 'session.remove', params: { sessionId: 's1' } }))
    expect(seen).toEqual(['s1/'])
  })

  it('rpc/error: an expected failure keeps its code, words and data', async () => {
    const host = await startHost(handlers)
    expect(await ask(host, call('session.rename', { sessionId: 's1', title: 'x' }))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32009, message: 'a turn is running', data: { code: 'session-busy' } },
    })
    expect((await ask(host, call('session.remove', { sessionId: 's1' })))?.error?.code).toBe(-32004)
    expect(host.faults).toEqual([])
  })

  it.each([
    ['thrown', 'session.interrupt'],
    ['rejected', 'session.history'],
  ])('rpc/error: an unexpected failure, %s, is told by reference only', async (_how, method) => {
    const host = await startHost(handlers)
    const response = await ask(host, call(method, { sessionId: 's1' }))
    expect(response?.error).toEqual({ code: -32603, message: 'internal error (reference fault-1)' })
    expect(host.faults).toMatchObject([{ reference: 'fault-1', method, cause: { message: 'secret-detail' } }])
  })

  it('rpc/error: a result that is no JSON is an unexpected failure, not silence', async () => {
    const circular: { sessions: never[]; self?: unknown } = { sessions: [] }
    circular.self = circular
    const host = await startHost({ 'host.describe': () => description, 'session.list': () => circular })
    expect((await ask(host, call('session.list')))?.error?.code).toBe(-32603)
  })

  it('rpc/call: a handler knows the id of its request as text, and its carrier', async () => {
    const host = await startHost(handlers)
    const response = await ask(host, call('session.send', { sessionId: 's1', messageId: 'm1', text: 'hi' }, 42))
    expect(response?.error?.message).toBe(`m1 came as 42 over ${name === 'POST' ? 'POST' : 'a socket'}`)
  })

  it.each(['session.close', 'inspect.subscribe', 'inspect.unsubscribe'])('rpc/socket-only: %s', async (method) => {
    const host = await startHost(handlers)
    const response = await ask(host, call(method, method === 'session.close' ? { sessionId: 's1' } : {}))
    if (name === 'POST') expect(response?.error?.code).toBe(-32600)
    else expect(response?.error).toBeUndefined()
  })
})

describe('requests of one socket', () => {
  it('rpc/order: they start in order and end in any', async () => {
    const started: string[] = []
    const release = new Map<string, () => void>()
    const host = await startHost({
      'session.remove': ({ sessionId }) => {
        started.push(sessionId)
        return new Promise((resolve) => release.set(sessionId, () => resolve({})))
      },
      'host.describe': () => description,
    })
    const client = await connect(host)
    for (const id of ['a', 'b', 'c']) client.send(call('session.remove', { sessionId: id }, id))
    await client.call('host.describe')
    expect(started).toEqual(['a', 'b', 'c'])
    for (const id of ['c', 'a', 'b']) {
      release.get(id)?.()
      expect((await client.nextResponse()).id).toBe(id)
    }
  })

  it('rpc/flood: past the bound a request is refused and the ones before are answered', async () => {
    let waiting: (() => void)[] = []
    const host = await startHost({
      'session.list': () => new Promise((resolve) => waiting.push(() => resolve({ sessions: [] }))),
      'host.describe': () => description,
    })
    const client = await connect(host)
    for (let id = 0; id < 129; id += 1) client.send(call('session.list', {}, id))
    expect(await client.nextResponse()).toMatchObject({ id: 128, error: { code: -32600 } })
    const other = await connect(host)
    expect((await other.call('host.describe')).result).toEqual(description)
    for (const release of waiting) release()
    waiting = []
    for (let id = 0; id < 128; id += 1)
      expect(await client.nextResponse()).toMatchObject({ id, result: { sessions: [] } })
    expect((await client.call('host.describe')).result).toEqual(description)
  })

  it('rpc/gone: an answer for a socket that has closed goes nowhere', async () => {
    let release = () => {}
    const host = await startHost({
      'session.list': (_params, { peer }) =>
        new Promise((resolve) => {
          release = () => {
            peer?.subscribe('late')
            peer?.unsubscribe('late')
            expect(peer?.isSubscribed('late')).toBe(false)
            resolve({ sessions: [] })
          }
        }),
      'host.describe': () => description,
    })
    const client = await connect(host)
    client.send(call('session.list'))
    await client.call('host.describe')
    client.socket.close()
    await client.closed
    release()
    const other = await connect(host)
    expect((await other.call('host.describe')).result).toEqual(description)
    expect(host.faults).toEqual([])
  })
})

describe('POST /rpc', () => {
  it('rpc/gone: an answer for a request that was aborted goes nowhere', async () => {
    let started = () => {}
    let release = () => {}
    const begun = new Promise<void>((resolve) => (started = resolve))
    const host = await startHost({
      'host.describe': () => description,
      'session.list': () =>
        new Promise((resolve) => {
          release = () => resolve({ sessions: [] })
          started()
        }),
    })
    const abort = new AbortController()
    const request = fetch(`${host.url}/rpc`, {
      method: 'POST',
      body: call('session.list'),
      headers: bearer,
      signal: abort.signal,
    })
    await begun
    abort.abort()
    await expect(request).rejects.toThrow()
    expect((await post(host, call('host.describe'))).status).toBe(200)
    release()
    expect(await (await post(host, call('host.describe'))).json()).toMatchObject({ result: description })
  })
})
