/* Who is let in and what is refused at the door (SPEC 8, 12), over real sockets. After each refusal the same host
   serves the next client. */
import { connect as connectTcp } from 'node:net'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Handlers } from '../../host/rpc/port.ts'
import { createTransport, maxMessageBytes, TransportError } from '../../host/transport/server.ts'
import { bearer, connect, post, refusedUpgrade, startHost, token, type TestHost } from './host-harness.ts'

const description = { version: '0.0.0', bootId: 'boot-1', protocol: 1, serverTime: 1 }
const handlers: Partial<Handlers> = { 'host.describe': () => description }
const describeCall = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'host.describe' })

type Headers = Record<string, string>

const cookie = (host: TestHost, value = token) => ({ cookie: `other=1; task_surface_${host.port}=${value}; last=2` })
const own = (host: TestHost) => ({ origin: `http://127.0.0.1:${host.port}` })

const refused: readonly { name: string; status: number; headers: (host: TestHost) => Headers }[] = [
  { name: 'access/token: no token', status: 401, headers: () => ({}) },
  { name: 'access/token: no token with the own Origin', status: 401, headers: own },
  { name: 'access/token: a wrong bearer', status: 401, headers: () => ({ authorization: 'Bearer wrong' }) },
  {
    name: 'access/token: a bearer that is a prefix',
    status: 401,
    headers: () => ({ authorization: `Bearer ${token.slice(0, -1)}` }),
  },
  { name: 'access/token: a bearer with a tail', status: 401, headers: () => ({ authorization: `Bearer ${token}x` }) },
  { name: 'access/token: an empty bearer', status: 401, headers: () => ({ authorization: 'Bearer ' }) },
  { name: 'access/token: another scheme', status: 401, headers: () => ({ authorization: `Basic ${token}` }) },
  {
    name: 'access/token: a wrong bearer beside a right cookie',
    status: 401,
    headers: (host) => ({ ...own(host), ...cookie(host), authorization: 'Bearer no' }),
  },
  {
    name: 'access/token: a wrong cookie',
    status: 401,
    headers: (host) => ({ ...own(host), ...cookie(host, 'wrong') }),
  },
  {
    name: 'access/token: a cookie that is no text',
    status: 401,
    headers: (host) => ({ ...own(host), ...cookie(host, '%') }),
  },
  {
    name: 'access/token: the cookie of another port',
    status: 401,
    headers: (host) => ({ ...own(host), cookie: `task_surface_1=${token}` }),
  },
  {
    name: 'access/token: a cookie whose name ends like ours',
    status: 401,
    headers: (host) => ({ ...own(host), cookie: `x_task_surface_${host.port}=${token}` }),
  },
  { name: 'access/origin: a cookie without Origin', status: 403, headers: cookie },
  ...[
    'https://evil.example',
    'null',
    'http://127.0.0.1.evil.example:PORT',
    'http://127.0.0.1:PORT.evil.example',
    'http://127.0.0.1:PORT0',
    'http://127.0.0.1',
    'https://127.0.0.1:PORT',
    'http://evil.example@127.0.0.1:PORT',
    'http://127.0.0.1:PORT/',
    'http://localhost.:PORT',
  ].flatMap((origin) => [
    {
      name: `access/origin: ${origin} with a cookie`,
      status: 403,
      headers: (host: TestHost) => ({ ...cookie(host), origin: at(host, origin) }),
    },
    {
      name: `access/origin: ${origin} with the bearer`,
      status: 403,
      headers: (host: TestHost) => ({ ...bearer, origin: at(host, origin) }),
    },
  ]),
  ...[
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1.evil.example:PORT',
    '127.0.0.1:PORT.evil.example',
    'localhost.evil.example:PORT',
    'evil-localhost:PORT',
    '127.0.0.1',
    '127.0.0.1:PORT0',
    '127.0.0.1:80',
    '127.0.0.10:PORT',
    '127.1:PORT',
    '0.0.0.0:PORT',
    'localhost.:PORT',
    'user@127.0.0.1:PORT',
  ].map((name) => ({
    name: `access/host: ${name}`,
    status: 403,
    headers: (host: TestHost) => ({ ...bearer, host: at(host, name) }),
  })),
]

function at(host: TestHost, text: string): string {
  return text.replace('PORT', String(host.port))
}

const welcome: readonly { name: string; headers: (host: TestHost) => Headers }[] = [
  { name: 'access/token: the bearer without Origin', headers: () => bearer },
  { name: 'access/token: the scheme in any case', headers: () => ({ authorization: `bearer ${token}` }) },
  { name: 'access/token: the cookie with the own Origin', headers: (host) => ({ ...cookie(host), ...own(host) }) },
  { name: 'access/origin: the own Origin with the bearer', headers: (host) => ({ ...bearer, ...own(host) }) },
  { name: 'access/host: localhost', headers: (host) => ({ ...bearer, host: `localhost:${host.port}` }) },
  { name: 'access/host: in capitals', headers: (host) => ({ ...bearer, host: `LOCALHOST:${host.port}` }) },
  { name: 'access/host: the IPv6 loopback', headers: (host) => ({ ...bearer, host: `[::1]:${host.port}` }) },
]

/** One HTTP request with exactly these headers; fetch would not send some of them. */
function raw(host: TestHost, lines: readonly string[], body = ''): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(host.port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.on('error', reject)
    socket.on('close', () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
      resolve({ status, body: text.slice(text.indexOf('\r\n\r\n') + 4) })
    })
    socket.write(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n${body}`)
  })
}

function rawPost(host: TestHost, headers: Headers) {
  const all = {
    host: `127.0.0.1:${host.port}`,
    'content-type': 'application/json',
    ...headers,
    'content-length': String(describeCall.length),
  }
  return raw(
    host,
    ['POST /rpc HTTP/1.1', ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)],
    describeCall,
  )
}

describe('the door', () => {
  it.each(refused)('$name is refused by socket and POST', async ({ headers, status }) => {
    const host = await startHost(handlers)
    const upgrade = await refusedUpgrade(host, { headers: headers(host) })
    expect(upgrade.status).toBe(status)
    expect(JSON.parse(upgrade.body)).toMatchObject({ id: null, error: { code: -32001 } })
    expect(upgrade.body).not.toContain(token)
    const posted = await rawPost(host, headers(host))
    expect(posted.status).toBe(status)
    expect(JSON.parse(posted.body)).toMatchObject({ id: null, error: { code: -32001 } })
    expect((await (await connect(host)).call('host.describe')).result).toEqual(description)
  })

  it.each(welcome)('$name is let in by socket and POST', async ({ headers }) => {
    const host = await startHost(handlers)
    const client = await connect(host, { headers: headers(host) })
    expect((await client.call('host.describe')).result).toEqual(description)
    const posted = await rawPost(host, headers(host))
    expect(JSON.parse(posted.body)).toMatchObject({ result: description })
  })

  it.each([
    ['/', 403],
    ['/healthz', 403],
    [`/?token=${token}`, 403],
    ['/index.html', 403],
  ])('access/host: a foreign Host gets nothing by GET %s', async (path, status) => {
    const host = await startHost(handlers)
    const answer = await raw(host, [`GET ${path} HTTP/1.1`, `host: evil.example:${host.port}`])
    expect(answer.status).toBe(status)
  })

  it('access/health: /healthz needs no token', async () => {
    const host = await startHost(handlers)
    const response = await fetch(`${host.url}/healthz`)
    expect([response.status, await response.text()]).toEqual([200, 'ok'])
  })

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'transport/method: %s is answered, without leave for other origins',
    async (method) => {
      const host = await startHost(handlers)
      const response = await fetch(`${host.url}/rpc`, {
        method,
        headers: { ...bearer, origin: 'https://evil.example' },
      })
      expect(response.status).toBe(405)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    },
  )
})

describe('the start link', () => {
  it('access/link: the right token gives a cookie that scripts and other sites cannot use', async () => {
    const host = await startHost(handlers)
    const response = await fetch(`${host.url}/?token=${token}`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    const given = response.headers.get('set-cookie') ?? ''
    expect(given).toBe(`task_surface_${host.port}=${token}; Path=/; HttpOnly; SameSite=Strict`)
    const client = await connect(host, { headers: { ...own(host), cookie: given.slice(0, given.indexOf(';')) } })
    expect((await client.call('host.describe')).result).toEqual(description)
  })

  it.each(['wrong', '', `${token}x`, token.slice(1)])(
    'access/link: token %j is 403 and gives no cookie',
    async (given) => {
      const host = await startHost(handlers)
      const response = await fetch(`${host.url}/?token=${given}`, { redirect: 'manual' })
      expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null])
      expect(await response.text()).not.toContain(token)
    },
  )
})

describe('messages on the socket', () => {
  it('transport/binary: a binary message gets an error and the socket stays', async () => {
    const client = await connect(await startHost(handlers))
    client.socket.send(Buffer.from(describeCall), { binary: true })
    expect(await client.nextResponse()).toMatchObject({ id: null, error: { code: -32600 } })
    expect((await client.call('host.describe')).result).toEqual(description)
  })

  it('transport/size: the largest legal message is read', async () => {
    const client = await connect(await startHost(handlers))
    client.send(padded(maxMessageBytes))
    expect(await client.nextResponse()).toMatchObject({ id: 1, result: description })
  })

  it('transport/size: one byte more ends the socket, and only that one', async () => {
    const host = await startHost(handlers)
    const [client, other] = [await connect(host), await connect(host)]
    client.socket.on('error', () => {})
    client.send(padded(maxMessageBytes + 1))
    expect([1006, 1009]).toContain(await client.closed)
    expect((await other.call('host.describe')).result).toEqual(description)
  })

  it('transport/text: bytes that are no UTF-8 end the socket, and only that one', async () => {
    const host = await startHost(handlers)
    const [client, other] = [await connect(host), await connect(host)]
    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
    expect([1006, 1007]).toContain(await client.closed)
    expect((await other.call('host.describe')).result).toEqual(description)
  })

  it('transport/path: a socket elsewhere is refused', async () => {
    const host = await startHost(handlers)
    const socket = new WebSocket(`ws://127.0.0.1:${host.port}/rpc`, { headers: bearer })
    const cause = await new Promise<Error>((resolve) => socket.on('error', resolve))
    expect(cause.message).toContain('404')
  })
})

describe('POST /rpc', () => {
  it('transport/size: the largest legal body is read, one byte more is 413', async () => {
    const host = await startHost(handlers)
    expect((await post(host, padded(maxMessageBytes))).status).toBe(200)
    const response = await post(host, padded(maxMessageBytes + 1))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: { code: -32600 } })
    expect((await post(host, describeCall)).status).toBe(200)
  })

  it('transport/size: a body without a length is measured as it comes', async () => {
    const host = await startHost(handlers)
    const chunk = 'x'.repeat(64 * 1024)
    const chunked = `${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(5)
    const answer = await raw(
      host,
      [
        'POST /rpc HTTP/1.1',
        `host: 127.0.0.1:${host.port}`,
        `authorization: Bearer ${token}`,
        'transfer-encoding: chunked',
      ],
      `${chunked}0\r\n\r\n`,
    )
    expect(answer.status).toBe(413)
  })

  it('transport/body: in pieces it is put together', async () => {
    const host = await startHost(handlers)
    const pieces = Array.from(describeCall, (letter) => `1\r\n${letter}\r\n`).join('')
    const answer = await raw(
      host,
      [
        'POST /rpc HTTP/1.1',
        `host: 127.0.0.1:${host.port}`,
        `authorization: Bearer ${token}`,
        'transfer-encoding: chunked',
      ],
      `${pieces}0\r\n\r\n`,
    )
    expect(JSON.parse(answer.body)).toMatchObject({ result: description })
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', ''])(
    'access/form: a cookie with content type %j is 415, as a form could send it',
    async (type) => {
      const host = await startHost(handlers)
      const answer = await rawPost(host, { ...cookie(host), ...own(host), 'content-type': type })
      expect(answer.status).toBe(415)
      expect((await rawPost(host, { ...bearer, 'content-type': type })).status).toBe(200)
    },
  )
})

describe('listening', () => {
  it('transport/port: a port that is taken is one sentence, not shared', async () => {
    const host = await startHost(handlers)
    const second = await createTransport({ files: new Map() })
    const engine = { connect: () => ({ receive: () => {} }), post: async () => null }
    const attempt = second.listen({ host: '127.0.0.1', port: host.port, token, engine, hello: () => '{}' })
    await expect(attempt).rejects.toThrow(TransportError)
    await expect(attempt).rejects.toThrow(String(host.port))
  })

  it('transport/stop: every socket is told, and the port is free', async () => {
    const host = await startHost(handlers)
    const clients = [await connect(host), await connect(host)]
    await host.transport.close()
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual([1001, 1001])
    await expect(fetch(`${host.url}/healthz`)).rejects.toThrow()
    await host.transport.close()
  })
})

/** A legal request of exactly that many bytes. */
function padded(bytes: number): string {
  const text = `{"jsonrpc":"2.0","id":1,"method":"host.describe"`
  return `${text}${' '.repeat(bytes - text.length - 1)}}`
}
