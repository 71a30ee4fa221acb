/* Bytes that no client sends: the server library ends the process over a response that is left open, so every path of
   a request is walked. After each the same host serves the next client. */
import { connect as connectTcp } from 'node:net'
import { expect, it } from 'vitest'
import { connect, startHost, token } from './host-harness.ts'

const description = { version: '0.0.0', bootId: 'boot-1', protocol: 1, serverTime: 1 }
const handlers = { 'host.describe': () => description }

const upgrade = ['upgrade: websocket', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version: 13']

it.each<[string, (host: string) => string[], string?]>([
  ['no HTTP at all', () => ['GARBAGE']],
  ['control bytes', () => ['\u0000\u0001\u0002']],
  ['no Host header', () => ['GET / HTTP/1.1']],
  ['two Host headers', (host) => ['GET / HTTP/1.1', `host: ${host}`, 'host: evil.example']],
  ['HTTP/1.0', (host) => ['GET / HTTP/1.0', `host: ${host}`]],
  ['a broken query', (host) => ['GET /?token=%E0%A4&%&=&&token HTTP/1.1', `host: ${host}`]],
  ['an address that is no path', (host) => ['GET http://evil.example/ HTTP/1.1', `host: ${host}`]],
  ['a header of 64 KiB', (host) => ['GET / HTTP/1.1', `host: ${host}`, `x-fill: ${'x'.repeat(65_536)}`]],
  [
    'a thousand headers',
    (host) => ['GET / HTTP/1.1', `host: ${host}`, ...Array.from({ length: 1000 }, (_, n) => `x-${n}: 1`)],
  ],
  ['HEAD of a page', (host) => ['HEAD / HTTP/1.1', `host: ${host}`]],
  ['HEAD of nothing', (host) => ['HEAD /nothing HTTP/1.1', `host: ${host}`]],
  ['HEAD of the RPC address', (host) => ['HEAD /rpc HTTP/1.1', `host: ${host}`]],
  ['HEAD of the socket address', (host) => ['HEAD /ws HTTP/1.1', `host: ${host}`, ...upgrade]],
  ['a method of its own', (host) => ['BREW / HTTP/1.1', `host: ${host}`]],
  ['a POST without body', (host) => ['POST /rpc HTTP/1.1', `host: ${host}`, `authorization: Bearer ${token}`]],
  [
    'a POST of less than it says',
    (host) => ['POST /rpc HTTP/1.1', `host: ${host}`, `authorization: Bearer ${token}`, 'content-length: 5'],
    '{}',
  ],
  [
    'a POST of a negative length',
    (host) => ['POST /rpc HTTP/1.1', `host: ${host}`, `authorization: Bearer ${token}`, 'content-length: -5'],
    '{}',
  ],
  [
    'a POST of two lengths',
    (host) => [
      'POST /rpc HTTP/1.1',
      `host: ${host}`,
      `authorization: Bearer ${token}`,
      'content-length: 2',
      'transfer-encoding: chunked',
    ],
    '{}',
  ],
  [
    'broken chunks',
    (host) => ['POST /rpc HTTP/1.1', `host: ${host}`, `authorization: Bearer ${token}`, 'transfer-encoding: chunked'],
    'zz\r\n{}',
  ],
  ['a POST elsewhere', (host) => ['POST / HTTP/1.1', `host: ${host}`, 'content-length: 2'], '{}'],
  [
    'an upgrade by POST',
    (host) => ['POST /ws HTTP/1.1', `host: ${host}`, `authorization: Bearer ${token}`, ...upgrade],
  ],
  [
    'an upgrade of an old version',
    (host) => [
      'GET /ws HTTP/1.1',
      `host: ${host}`,
      `authorization: Bearer ${token}`,
      'upgrade: websocket',
      'sec-websocket-key: x',
      'sec-websocket-version: 8',
    ],
  ],
  [
    'an upgrade without key',
    (host) => ['GET /ws HTTP/1.1', `host: ${host}`, `authorization: Bearer ${token}`, 'upgrade: websocket'],
  ],
  [
    'frames without mask',
    (host) => ['GET /ws HTTP/1.1', `host: ${host}`, `authorization: Bearer ${token}`, ...upgrade],
    '\u0001\u0005hello',
  ],
])('transport/garbage: %s does not end the host', async (_name, lines, body = '') => {
  const host = await startHost(handlers)
  const socket = connectTcp(host.port, '127.0.0.1')
  const ended = new Promise((resolve) => socket.on('close', resolve))
  const answered = new Promise((resolve) => socket.once('data', resolve))
  socket.on('error', () => {})
  socket.write(`${lines(`127.0.0.1:${host.port}`).join('\r\n')}\r\n\r\n${body}`)
  // Behind it on the same loop: when this is answered, the garbage was read.
  expect((await (await connect(host)).call('host.describe')).result).toEqual(description)
  socket.end()
  await Promise.race([ended, answered])
  socket.destroy()
  expect((await fetch(`${host.url}/healthz`)).status).toBe(200)
})
