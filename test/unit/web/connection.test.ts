/* The connection over a socket that the test plays, with a clock that the test moves. */
import { describe, expect, it } from 'vitest'
import { type Connection, createConnection, type SocketEvents } from '../../../web/connection/connection.ts'
import { CallError } from '../../../web/connection/rpc.ts'
import { createManualClock } from './manual-clock.ts'
import * as a from './samples.ts'

interface PlayedSocket {
  events: SocketEvents
  sent: { id: number; method: string }[]
  closed: boolean
}

function play(options: { refused?: boolean } = {}) {
  const clock = createManualClock()
  const sockets: PlayedSocket[] = []
  const connection: Connection = createConnection({
    openSocket(events) {
      const socket: PlayedSocket = { events, sent: [], closed: false }
      sockets.push(socket)
      return {
        send: (text) => void socket.sent.push(JSON.parse(text)),
        close: () => {
          socket.closed = true
        },
      }
    },
    isRefused: () => Promise.resolve(options.refused ?? false),
    now: clock.now,
    random: () => 1,
    after: clock.after,
  })
  const last = () => {
    const socket = sockets.at(-1)
    if (socket === undefined) throw new Error('no socket was opened')
    return socket
  }
  const say = (value: object, socket = last()) => socket.events.message(JSON.stringify(value))
  const hello = (bootId = 'boot-1') => say({ type: 'host/hello', bootId, version: '1', serverTime: clock.now() + 500 })
  const phase = () => connection.state.getState().phase
  return { clock, connection, sockets, last, say, hello, phase }
}

function playUp() {
  const it = play()
  it.connection.start()
  it.hello()
  return it
}

const describeAnswer = { version: '1', bootId: 'boot-1', protocol: 1, serverTime: 5 }

async function failureOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof CallError ? error.failure : error
}

describe('coming and going', () => {
  it('hello-first: only the hello makes a connection', () => {
    const { connection, hello, phase } = play()
    connection.start()
    expect(phase()).toBe('connecting')
    hello()
    expect(phase()).toBe('up')
    expect(connection.state.getState()).toMatchObject({ everUp: true, hostAheadMs: 500 })
  })

  it('hello-first: a socket that stays silent is given up', () => {
    const { connection, clock, phase, last } = play()
    connection.start()
    clock.advance(8_000)
    expect([phase(), last().closed]).toEqual(['waiting', true])
  })

  it('backoff: each failure in a row doubles the wait; a hello starts anew', () => {
    const { connection, clock, sockets, last, hello } = play()
    connection.start()
    const waits: number[] = []
    for (let round = 0; round < 3; round += 1) {
      last().events.closed()
      const before = sockets.length
      let waited = 0
      while (sockets.length === before) {
        clock.advance(100)
        waited += 100
      }
      waits.push(waited)
    }
    expect(waits).toEqual([500, 1_000, 2_000])
    hello()
    last().events.closed()
    clock.advance(500)
    expect(sockets).toHaveLength(5)
  })

  it('one-socket: what an old socket still says is ignored', () => {
    const { connection, clock, sockets, last, hello, say, phase } = playUp()
    const old = last()
    const frames: string[] = []
    connection.onFrame((frame) => frames.push(frame.type))
    old.events.closed()
    clock.advance(500)
    say({ type: 'host/hello', bootId: 'x', version: '1', serverTime: 1 }, old)
    say({ type: 'host/session-removed', sessionId: 's-1' }, old)
    old.events.closed()
    expect([phase(), frames, sockets.length]).toEqual(['connecting', [], 2])
    hello()
    expect(phase()).toBe('up')
  })

  it('last-up: the time of the loss is known until the next hello', () => {
    const { connection, clock, last, hello } = playUp()
    clock.advance(7_000)
    const lostAt = clock.now()
    last().events.closed()
    clock.advance(500)
    last().events.closed()
    expect(connection.state.getState().downSince).toBe(lostAt)
    connection.tryNow()
    hello()
    expect(connection.state.getState()).toMatchObject({ downSince: null, retryAt: null })
  })

  it('refused-stays: a page without access is told so and asks no more until the person does', async () => {
    const { connection, clock, sockets, last, phase } = play({ refused: true })
    connection.start()
    last().events.closed()
    await Promise.resolve()
    expect(phase()).toBe('refused')
    clock.advance(60_000)
    expect(sockets).toHaveLength(1)
    connection.tryNow()
    expect([phase(), sockets.length]).toEqual(['connecting', 2])
  })

  it('C-END: a disposed connection leaves no timer and no open socket', () => {
    const { connection, clock, last } = playUp()
    void connection.requester.call('session.list', {}).catch(() => {})
    connection.dispose()
    expect([clock.pending(), last().closed]).toEqual([0, true])
  })
})

describe('doubt', () => {
  it('C-PROBE: a page that wakes asks once, and an answer settles it', () => {
    const { connection, clock, last, say, phase } = playUp()
    connection.woken()
    connection.woken()
    expect(last().sent.map((call) => call.method)).toEqual(['host.describe'])
    say({ jsonrpc: '2.0', id: 1, result: describeAnswer })
    clock.advance(60_000)
    expect(phase()).toBe('up')
  })

  it('C-PROBE: a probe that stays silent ends the connection', () => {
    const { connection, clock, last, phase } = playUp()
    const old = last()
    connection.woken()
    clock.advance(5_000)
    expect([phase(), old.closed]).toEqual(['waiting', true])
  })

  it('C-PROBE: a refusal is an answer, too', () => {
    const { connection, clock, say, phase } = playUp()
    connection.woken()
    say({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no' } })
    clock.advance(60_000)
    expect(phase()).toBe('up')
  })

  it('C-PROBE: a call without an answer is followed by a probe', async () => {
    const { connection, clock, last } = playUp()
    const call = connection.requester.call('session.list', {})
    clock.advance(20_000)
    expect(await failureOf(call)).toEqual({ reason: 'timeout' })
    expect(last().sent.map((one) => one.method)).toEqual(['session.list', 'host.describe'])
  })

  it('C-PROBE: a quiet connection is never polled', () => {
    const { clock, last } = playUp()
    clock.advance(3_600_000)
    expect(last().sent).toEqual([])
  })
})

describe('calls', () => {
  it('C-CALL: a result is checked by the method’s schema and given to its call', async () => {
    const { connection, say } = playUp()
    const list = connection.requester.call('session.list', {})
    const described = connection.requester.call('host.describe', {})
    say({ jsonrpc: '2.0', id: 2, result: describeAnswer })
    say({ jsonrpc: '2.0', id: 1, result: { sessions: [a.session()] } })
    expect((await list).sessions[0]?.id).toBe('s-1')
    expect((await described).version).toBe('1')
  })

  it('C-CALL: a refusal carries its code, its conflict and the host’s words', async () => {
    const { connection, say } = playUp()
    const call = connection.requester.call('session.interrupt', { sessionId: a.sessionId })
    say({ jsonrpc: '2.0', id: 1, error: { code: -32009, message: 'busy', data: { code: 'session-busy' } } })
    expect(await failureOf(call)).toEqual({
      reason: 'refused',
      code: -32009,
      conflict: 'session-busy',
      message: 'busy',
    })
  })

  it('C-SCHEMA: a result of another shape fails its call alone', async () => {
    const { connection, say, phase } = playUp()
    const call = connection.requester.call('session.list', {})
    say({ jsonrpc: '2.0', id: 1, result: { sessions: 'none' } })
    expect(await failureOf(call)).toEqual({ reason: 'unreadable' })
    expect(phase()).toBe('up')
  })

  it('C-LOST: what is in flight when the socket goes fails as lost, all of it', async () => {
    const { connection, last } = playUp()
    const calls = [connection.requester.call('session.list', {}), connection.requester.call('agents.list', {})]
    last().events.closed()
    expect(await Promise.all(calls.map(failureOf))).toEqual([
      { reason: 'connection-lost' },
      { reason: 'connection-lost' },
    ])
  })

  it('C-LOST: without a connection nothing is sent', async () => {
    const { connection, last } = play()
    connection.start()
    expect(await failureOf(connection.requester.call('session.list', {}))).toEqual({ reason: 'connection-lost' })
    expect(last().sent).toEqual([])
  })

  it('C-CALL: an answer that nobody waits for, or a second one, changes nothing', async () => {
    const { connection, say } = playUp()
    const call = connection.requester.call('session.list', {})
    say({ jsonrpc: '2.0', id: 99, result: {} })
    say({ jsonrpc: '2.0', id: 1, result: { sessions: [] } })
    say({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'late' } })
    expect(await call).toEqual({ sessions: [] })
  })

  it('C-ORDER: an outcome is told before the next message is looked at', () => {
    const { connection, say } = playUp()
    const seen: string[] = []
    connection.onFrame((frame) => seen.push(frame.type))
    connection.requester.request('session.list', {}, () => seen.push('answer'))
    say({ jsonrpc: '2.0', id: 1, result: { sessions: [] } })
    say({ type: 'host/session-removed', sessionId: 's-1' })
    expect(seen).toEqual(['answer', 'host/session-removed'])
  })
})

describe('what cannot be read', () => {
  it('C-SCHEMA: a counted frame of an unknown kind is passed on as unreadable, and the page says it is old', () => {
    const { connection, say } = playUp()
    const frames: unknown[] = []
    connection.onFrame((frame) => frames.push(frame))
    say({ type: 'session/new-thing', sessionId: 's-1', incarnation: 'i', n: 4, more: true })
    expect(frames).toEqual([{ type: 'unreadable', sessionId: 's-1', incarnation: 'i', n: 4 }])
    expect(connection.state.getState().outdated).toBe(true)
  })

  it.each([
    '',
    'x',
    '[]',
    'null',
    '7',
    '{"type":7}',
    '{"type":"host/hello"}',
    '{"type":"session/queue","sessionId":"__proto__"}',
  ])('C-SCHEMA: %j reaches nobody and ends nothing', (text) => {
    const { connection, last, phase } = playUp()
    const frames: unknown[] = []
    connection.onFrame((frame) => frames.push(frame))
    last().events.message(text)
    expect([frames, phase()]).toEqual([[], 'up'])
  })
})
