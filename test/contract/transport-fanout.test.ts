/* What a socket gets and in which order (SPEC 8): greeting, answers with their frames, published frames, and the
   end of a reader that does not keep up. */
import { describe, expect, it } from 'vitest'
import { AtOnce, hostTopic, type Handlers, type Peer } from '../../host/rpc/port.ts'
import { errorCodes, RpcError } from '../../shared/protocol/errors.ts'
import { connect, post, startHost, typeOf, type Client, type TestHost } from './host-harness.ts'

const description = { version: '0.0.0', bootId: 'boot-1', protocol: 1, serverTime: 1 }
const session = {
  id: 's1',
  title: '',
  agent: 'demo',
  cwd: '/',
  createdAt: 1,
  updatedAt: 1,
  status: 'idle',
  toolMode: 'native',
  approval: 'ask',
} as const

const frame = (n: number) => JSON.stringify({ type: 'test/frame', n })
const numbers = (messages: readonly unknown[]) =>
  messages.map((message) =>
    typeof message === 'object' && message !== null && 'n' in message ? message.n : typeOf(message),
  )

async function take(client: Client, count: number): Promise<unknown[]> {
  const messages: unknown[] = []
  while (messages.length < count) messages.push(await client.next())
  return messages
}

/** Everything until the socket closes. */
async function drain(client: Client): Promise<unknown[]> {
  const messages: unknown[] = []
  for (;;) {
    const next = await client.next().catch(() => null)
    if (next === null) return messages
    messages.push(next)
  }
}

describe('a new socket', () => {
  it('transport/hello: is greeted first and hears of the host from then on', async () => {
    const host = await startHost({ 'host.describe': () => description })
    host.transport.publish(hostTopic, frame(0))
    const clients = [await connect(host), await connect(host)]
    host.transport.publish(hostTopic, frame(1))
    for (const client of clients) expect(numbers([await client.next()])).toEqual([1])
  })

  it('transport/topics: hears of nothing else', async () => {
    const host = await startHost({ 'host.describe': () => description })
    const client = await connect(host)
    for (const topic of ['s1', 'host2', 'hos', '#', '+', '']) host.transport.publish(topic, frame(0))
    host.transport.publish(hostTopic, frame(1))
    expect(numbers([await client.next()])).toEqual([1])
  })
})

describe('an answer at once', () => {
  /** `session.open` with a live frame published right before it, right after it, and one behind its first await. */
  const openHandlers = (host: () => TestHost, wait: () => Promise<void> | null): Partial<Handlers> => ({
    'host.describe': () => description,
    'session.open': ({ sessionId }, { peer }) => {
      const answer = () => {
        host().transport.publish(sessionId, frame(-1))
        peer?.subscribe(sessionId)
        queueMicrotask(() => host().transport.publish(sessionId, frame(3)))
        return {
          result: {
            session: { ...session, id: sessionId },
            events: [],
            hasMore: false,
            lastSeq: 0,
            incarnation: 'i',
            n: 0,
          },
          frames: peer === null ? [] : [frame(1), frame(2)],
        }
      }
      const delay = wait()
      return delay === null ? new AtOnce(answer) : delay.then(() => new AtOnce(answer))
    },
    'session.close': ({ sessionId }, { peer }) => {
      peer?.unsubscribe(sessionId)
      return {}
    },
  })
  const openCall = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.open', params: { sessionId: 's1' } })

  it.each([
    ['in the same tick', () => null],
    ['after a wait', () => Promise.resolve()],
  ])('rpc/at-once: answer, frames and live frames come without gap or duplicate, %s', async (_when, wait) => {
    const host: TestHost = await startHost(openHandlers(() => host, wait))
    const client = await connect(host)
    client.send(openCall)
    expect(numbers(await take(client, 4))).toEqual([null, 1, 2, 3])
    host.transport.publish('s1', frame(4))
    expect(numbers(await take(client, 1))).toEqual([4])
    await client.call('session.close', { sessionId: 's1' })
    host.transport.publish('s1', frame(5))
    host.transport.publish(hostTopic, frame(6))
    expect(numbers(await take(client, 1))).toEqual([6])
  })

  it('rpc/at-once: a published text keeps its place among sent ones', async () => {
    const host: TestHost = await startHost({
      'inspect.subscribe': (_params, { peer }) => {
        for (let n = 0; n < 100; n += 2) {
          peer?.send(frame(n))
          host.transport.publish(hostTopic, frame(n + 1))
        }
        return { actors: [] }
      },
    })
    const client = await connect(host)
    client.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'inspect.subscribe' }))
    expect(numbers(await take(client, 101))).toEqual([...Array.from({ length: 100 }, (_, n) => n), null])
  })

  it('rpc/at-once: a second subscription does not double what comes', async () => {
    const host: TestHost = await startHost(
      openHandlers(
        () => host,
        () => null,
      ),
    )
    const client = await connect(host)
    client.send(openCall)
    await take(client, 4)
    client.send(openCall)
    // Frame -1 comes this time: the subscription existed already.
    expect(numbers(await take(client, 5)).filter((n) => n === -1)).toEqual([-1])
    host.transport.publish('s1', frame(7))
    host.transport.publish('s1', frame(8))
    expect(numbers(await take(client, 2))).toEqual([7, 8])
  })

  it('rpc/at-once: by POST the same answer comes and nothing is subscribed', async () => {
    const host: TestHost = await startHost(
      openHandlers(
        () => host,
        () => null,
      ),
    )
    expect(await (await post(host, openCall)).json()).toMatchObject({ id: 1, result: { session: { id: 's1' } } })
  })

  it.each([
    ['expected', new RpcError(errorCodes.storage, 'the log cannot be read'), -32010, 0],
    ['unexpected', new Error('secret-detail'), -32603, 1],
  ])(
    'rpc/at-once: an %s failure inside the answer is an error and sends no frame',
    async (_kind, cause, code, faults) => {
      const host = await startHost({
        'host.describe': () => description,
        'session.list': () =>
          new AtOnce(() => {
            throw cause
          }),
      })
      const client = await connect(host)
      expect((await client.call('session.list')).error?.code).toBe(code)
      expect((await client.call('host.describe')).result).toEqual(description)
      expect(host.faults).toHaveLength(faults)
    },
  )
})

describe('a reader that does not keep up', () => {
  const text = (n: number) => JSON.stringify({ type: 'test/frame', n, fill: 'x'.repeat(64 * 1024) })
  /** More than the socket buffers of the system hold for one loopback connection. */
  const count = 400

  it('transport/slow: is closed by publish, having got everything up to then and nothing behind', async () => {
    const host = await startHost({ 'host.describe': () => description }, { maxBackpressureBytes: 1024 * 1024 })
    const [slow, fast] = [await connect(host), await connect(host)]
    slow.socket.pause()
    for (let n = 0; n < count; n += 1) {
      host.transport.publish(hostTopic, text(n))
      expect(numbers([await fast.next()])).toEqual([n])
    }
    slow.socket.resume()
    const got = numbers(await drain(slow))
    expect(got.length).toBeLessThan(count)
    expect(got).toEqual(got.map((_, n) => n))
    expect(await slow.closed).toBe(1006)
    expect((await fast.call('host.describe')).result).toEqual(description)
  })

  it('transport/slow: is closed by send, having got everything up to then and nothing behind', async () => {
    let slowPeer: Peer | null = null
    const host = await startHost(
      {
        'host.describe': () => description,
        'inspect.subscribe': (_params, { peer }) => {
          slowPeer = peer
          return { actors: [] }
        },
      },
      { maxBackpressureBytes: 1024 * 1024 },
    )
    const [slow, fast] = [await connect(host), await connect(host)]
    await slow.call('inspect.subscribe')
    slow.socket.pause()
    const peer: Peer = slowPeer ?? expect.unreachable()
    for (let n = 0; n < count; n += 1) {
      peer.send(text(n))
      await fast.call('host.describe')
    }
    slow.socket.resume()
    const got = numbers(await drain(slow))
    expect(got.length).toBeLessThan(count)
    expect(got).toEqual(got.map((_, n) => n))
    expect(await slow.closed).toBe(1006)
  })

  it('transport/slow: the largest legal frame passes at once, bound or not', async () => {
    const host = await startHost({ 'host.describe': () => description })
    const client = await connect(host)
    const fill = 'x'.repeat(8 * 1024 * 1024)
    host.transport.publish(hostTopic, JSON.stringify({ type: 'test/frame', n: 1, fill }))
    host.transport.publish(hostTopic, frame(2))
    expect(numbers(await take(client, 2))).toEqual([1, 2])
  })
})

describe('a socket that says nothing', () => {
  it('transport/ping: is pinged, and stays open while it answers', async () => {
    const host = await startHost({ 'host.describe': () => description }, { idleTimeoutSeconds: 8 })
    const client = await connect(host)
    await new Promise((resolve) => client.socket.once('ping', resolve))
    expect((await client.call('host.describe')).result).toEqual(description)
  })
})
