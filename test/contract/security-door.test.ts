/* Who wears the host out or misuses its door (SPEC 8, 12), on one real host that everybody else is served by meanwhile:
   connections that never finish, a socket that never stops, bodies made of crumbs, and pages of other sites. What is
   refused for its credentials stands in `transport-refusals.test.ts` and `mcp-transport.test.ts`. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'

const folder = new HostFolder()
/** Nobody is kept waiting so long by what others do, even on a busy machine. */
const patienceMs = 3_000
let host: HostProcess
let person: Client
let slow: { name: string; gone: Promise<void> }[] = []

beforeAll(async () => {
  host = await folder.start()
  person = await Client.connect(host.ready, new Changes())
  slow = slowConnections()
})
afterAll(async () => {
  person.drop()
  await folder.remove()
})

const hostLine = () => `host: 127.0.0.1:${host.ready.port}`
const bearer = () => `authorization: Bearer ${host.ready.token}`

function tcp(...lines: string[]): Socket {
  const socket = connectTcp(host.ready.port, '127.0.0.1')
  socket.on('error', () => {})
  if (lines.length > 0) socket.write(`${lines.join('\r\n')}\r\n`)
  return socket
}

/** Everything the host says until it closes the connection, as Latin-1. */
async function saidBy(socket: Socket): Promise<string> {
  const said: Buffer[] = []
  socket.on('data', (chunk: Buffer) => said.push(chunk))
  await closed(socket)
  return Buffer.concat(said).toString('latin1')
}

/** Unlike `once`, also where the other side has torn the connection down. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.on('close', () => resolve()))
}

/** Milliseconds until somebody else is answered. */
async function waitOfOthers(): Promise<number> {
  const begun = performance.now()
  await person.call('host.describe', {})
  return performance.now() - begun
}

/** Connections that say little, and go on saying it, one crumb a second. */
function slowConnections(): typeof slow {
  const post = ['POST /rpc HTTP/1.1', hostLine(), bearer(), 'content-length: 100000', '']
  const cases: [string, string[], string][] = [
    ['nothing', [], ''],
    ['half a head', ['GET / HTTP/1.1'], ''],
    ['a head without end, a line at a time', ['GET / HTTP/1.1', hostLine()], 'x-more: 1\r\n'],
    ['a head without end, a byte at a time', ['GET / HTTP/1.1', hostLine()], 'x'],
    ['no body', post, ''],
    ['a body a byte at a time', post, ' '],
    ['half an upgrade', ['GET /ws HTTP/1.1', hostLine(), bearer(), 'upgrade: websocket'], ''],
  ]
  return cases.map(([name, lines, crumb]) => {
    const socket = tcp(...lines)
    const dripping = setInterval(() => crumb === '' || socket.destroyed || socket.write(crumb), 1_000)
    return { name, gone: closed(socket.resume()).finally(() => clearInterval(dripping)) }
  })
}

/** More than the host reads at once; what is smaller costs it nothing. */
const megabyte = 1024 * 1024

/** A text frame as a client sends it: masked, though with nothing. */
function frame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  if (length > 125) throw new Error('a short text')
  return Buffer.concat([Buffer.from([0x81, 0x80 | length, 0, 0, 0, 0]), Buffer.from(text)])
}

it.each([
  ['requests that are answered at once', '{"jsonrpc":"2.0","id":1,"method":"inspect.machines"}'],
  ['what is no request', '{{{'],
])('flood: %s without end close their own socket and keep nobody else waiting', async (_, text) => {
  const key = randomBytes(16).toString('base64')
  const upgrade = [
    'upgrade: websocket',
    'connection: upgrade',
    `sec-websocket-key: ${key}`,
    'sec-websocket-version: 13',
  ]
  const flood = tcp('GET /ws HTTP/1.1', hostLine(), bearer(), ...upgrade, '')
  await once(flood, 'data')
  const said = saidBy(flood)
  const flow = Buffer.concat(Array.from({ length: 1_000 }, () => frame(text)))
  let open = true
  void said.then(() => (open = false))
  onTestFinished(() => void flood.destroy())
  const waits: number[] = []
  // A host that never closes it is told of after this many looks.
  while (open && waits.length < 500) {
    // As fast as the host reads: the rest waits on this side.
    if (flood.writable && flood.writableLength < 64 * flow.length) for (let n = 0; n < 32; n += 1) flood.write(flow)
    waits.push(await waitOfOthers())
  }
  expect(open).toBe(false)
  expect((await said).endsWith('too many messages wait')).toBe(true)
  expect(Math.max(...waits)).toBeLessThan(patienceMs)
})

it('limits: a body of 100,000 crumbs costs no more than its bytes', async () => {
  const crumbs = 100_000
  const socket = tcp('POST /rpc HTTP/1.1', hostLine(), bearer(), 'transfer-encoding: chunked', '')
  const answered = once(socket, 'data')
  socket.write(`${'1\r\n \r\n'.repeat(crumbs)}0\r\n\r\n`)
  // Behind the crumbs on the same loop.
  const waited = await waitOfOthers()
  expect(String(await answered)).toContain('HTTP/1.1 200 OK')
  expect(waited).toBeLessThan(patienceMs)
  socket.destroy()
})

it.each([
  ['one long header', () => [`x-fill: ${'x'.repeat(megabyte)}`]],
  ['many headers', () => Array.from({ length: 1_000 }, (_, n) => `x-${n}: 1`)],
  ['a long address', () => [], '/?'.padEnd(megabyte, 'x')],
])('limits: %s is refused, whoever sends it, and ends the connection', async (_, headers, path = '/') => {
  expect(await saidBy(tcp(`GET ${path} HTTP/1.1`, hostLine(), bearer(), ...headers(), ''))).toMatch(
    /^HTTP\/1\.1 (431|505) /,
  )
})

const body = (text: string) => [`content-length: ${text.length}`, 'content-type: application/json', '', text]

it.each<[number, string, () => string[]]>([
  [200, 'the shell', () => ['GET / HTTP/1.1']],
  [200, 'the page of the inspector', () => ['GET /inspector.html HTTP/1.1']],
  [
    200,
    'an answer',
    () => ['POST /rpc HTTP/1.1', bearer(), ...body('{"jsonrpc":"2.0","id":1,"method":"host.describe"}')],
  ],
  [204, 'no answer', () => ['POST /rpc HTTP/1.1', bearer(), ...body('{"jsonrpc":"2.0","method":"host.describe"}')]],
  [401, 'a refused request', () => ['POST /rpc HTTP/1.1', ...body('{}')]],
  [403, 'a foreign page', () => ['POST /rpc HTTP/1.1', bearer(), 'origin: https://evil.example', ...body('{}')]],
  [413, 'too much', () => ['POST /rpc HTTP/1.1', bearer(), 'content-length: 999999', '']],
  [415, 'a form', () => ['POST /rpc HTTP/1.1', ...cookie(), 'content-type: text/plain', 'content-length: 2', '', '{}']],
  [405, 'another method', () => ['PUT /rpc HTTP/1.1', bearer(), ...body('{}')]],
  [401, 'a refused agent', () => ['POST /mcp HTTP/1.1', ...body('{}')]],
  [400, 'an agent without protocol', () => ['POST /mcp HTTP/1.1', bearer(), ...body('{}')]],
  [406, 'an agent that takes no answer', () => ['GET /mcp HTTP/1.1', bearer()]],
])(
  'no-frame: %i, %s: can stand in no frame, be sniffed by none and be read by no other site',
  async (status, _, lines) => {
    const [first = '', ...others] = lines()
    const said = await saidBy(tcp(first, hostLine(), 'connection: close', ...others, ''))
    const head = said.slice(0, said.indexOf('\r\n\r\n')).toLowerCase()
    expect(head).toMatch(new RegExp(`^http/1\\.1 ${status} `))
    expect(head).toMatch(/\r\ncontent-security-policy: default-src 'none'; .*frame-ancestors 'none'/)
    expect(head).toContain('\r\nx-frame-options: deny')
    expect(head).toContain('\r\nx-content-type-options: nosniff')
    expect(head).toContain('\r\ncross-origin-resource-policy: same-origin')
    expect(head).not.toContain('access-control-')
  },
)

const cookie = () => [
  `cookie: task_surface_${host.ready.port}=${host.ready.token}`,
  `origin: http://127.0.0.1:${host.ready.port}`,
]

it('slow: connections that never finish are closed, and cost nobody else anything', async () => {
  expect(await waitOfOthers()).toBeLessThan(patienceMs)
  await Promise.all(slow.map(({ gone }) => gone))
  expect(await waitOfOthers()).toBeLessThan(patienceMs)
})
