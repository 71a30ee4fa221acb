/* The web client as files (SPEC 8, 12, 15), over real HTTP: what is served, how it is cached and compressed, and that
   nothing beside it can be named. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { loadStaticFiles } from '../../host/transport/static-files.ts'
import { bearer, startHost, temporaryFolder, token, type TestHost } from './host-harness.ts'

const shell = '<!doctype html><title>Task Surface</title>'
const script = 'console.log(1)\n'.repeat(100)

function write(folder: string, name: string, content: string | Buffer): void {
  writeFileSync(join(folder, name), content)
}

/** A built client, a secret beside it, and a link to that secret inside. */
function builtClient(): string {
  const folder = temporaryFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const root = join(folder, 'web')
  mkdirSync(join(root, 'assets'), { recursive: true })
  write(folder, 'secret.txt', 'secret')
  symlinkSync(join(folder, 'secret.txt'), join(root, 'linked.txt'))
  write(root, 'index.html', shell)
  write(root, 'assets/app-abc123.js', script)
  write(root, 'assets/app-abc123.js.br', brotliCompressSync(script))
  write(root, 'assets/app-abc123.js.gz', gzipSync(script))
  write(root, 'assets/app-abc123.js.map', '{}')
  write(root, 'icon.svg', '<svg/>')
  write(root, '.env.json', '{}')
  return root
}

const startWithClient = () => startHost({}, { files: loadStaticFiles(builtClient()) })

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** The path goes out exactly as given; `fetch` would clean it and undo the compression. */
function get(host: TestHost, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: host.port, path, headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
      .on('error', reject)
      .end()
  })
}

it.each(['/', '/index.html', '/s/s-1', '/s/s-1/', '/s/s-1/lifecycles', '/settings', '/?x=1'])(
  'static/shell: %s is the client, without a token',
  async (path) => {
    const host = await startWithClient()
    const { status, headers, body } = await get(host, path)
    expect([status, body.toString()]).toEqual([200, shell])
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
  },
)

it.each([
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/%2e%2e/secret.txt',
  '/..%2fsecret.txt',
  '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
  '/..\\secret.txt',
  '//secret.txt',
  '/linked.txt',
  '/assets',
  '/assets/',
  '/assets/app-abc123.js.map',
  '/assets/app-abc123.js.br',
  '/.env.json/..',
  '/index.html/',
  '/index.html%00',
  '/INDEX.HTML',
  '/s/',
  '/s/a/b/c',
  '/s/../secret.txt',
  '/package.json',
  '/__proto__',
  '/constructor',
])('static/closed: %s is no file of the client', async (path) => {
  const host = await startWithClient()
  const { status, body } = await get(host, path, bearer)
  expect(status).toBe(404)
  expect(body.toString()).not.toContain('secret')
})

it.each([
  ['br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
  ['BR', 'br', brotliDecompressSync],
])('static/compressed: %s gets %s', async (accept, encoding, decode) => {
  const host = await startWithClient()
  const { headers, body } = await get(host, '/assets/app-abc123.js', { 'accept-encoding': accept })
  expect(headers).toMatchObject({
    'content-encoding': encoding,
    vary: 'Accept-Encoding',
    'content-type': 'text/javascript; charset=utf-8',
  })
  expect(decode(body).toString()).toBe(script)
  expect(body.length).toBeLessThan(script.length)
})

it.each(['', 'identity', 'br;q=0', 'br;q=0.0', 'deflate', 'xbr'])(
  'static/compressed: %j gets the file as it is',
  async (accept) => {
    const host = await startWithClient()
    const { headers, body } = await get(host, '/assets/app-abc123.js', { 'accept-encoding': accept })
    expect(headers['content-encoding']).toBeUndefined()
    expect(body.toString()).toBe(script)
  },
)

it('static/compressed: a file without copies is served as it is', async () => {
  const host = await startWithClient()
  const { status, headers, body } = await get(host, '/icon.svg', { 'accept-encoding': 'br' })
  expect([status, headers['content-encoding'], body.toString()]).toEqual([200, undefined, '<svg/>'])
})

it('static/cached: a file named after its content never asks again, others ask by tag', async () => {
  const host = await startWithClient()
  expect((await get(host, '/assets/app-abc123.js')).headers['cache-control']).toBe(
    'public, max-age=31536000, immutable',
  )
  const first = await get(host, '/')
  const tag = String(first.headers['etag'])
  const again = await get(host, '/', { 'if-none-match': `"other", ${tag}` })
  expect([again.status, again.body.length, again.headers['etag']]).toEqual([304, 0, tag])
  expect((await get(host, '/', { 'if-none-match': '"other"' })).status).toBe(200)
})

it('static/head: HEAD tells what GET would, without a body', async () => {
  const host = await startWithClient()
  const { status, headers, body } = await get(host, '/assets/app-abc123.js', {}, 'HEAD')
  expect([status, headers['content-length'], body.length]).toEqual([200, String(script.length), 0])
})

it('static/unbuilt: without a client the page says what to do', async () => {
  const host = await startHost({}, { files: loadStaticFiles(join(temporaryFolder(), 'absent')) })
  const { status, body } = await get(host, '/')
  expect(status).toBe(503)
  expect(body.toString()).toContain('npm run build')
})

it.each([
  ['/', {}, 200],
  ['/healthz', {}, 200],
  ['/nothing', {}, 404],
  [`/?token=${token}`, {}, 303],
  ['/?token=wrong', {}, 403],
  ['/ws', {}, 426],
  ['/', { host: 'evil.example' }, 403],
  ['/assets/app-abc123.js', {}, 200],
])('static/headers: GET %s with %j (%i) carries every protection', async (path, headers, status) => {
  const host = await startWithClient()
  const answer = await get(host, path, headers)
  expect(answer.status).toBe(status)
  const policy = new Map(
    String(answer.headers['content-security-policy'])
      .split('; ')
      .map((part) => [part.split(' ')[0], part.split(' ').slice(1)]),
  )
  expect(policy.get('default-src')).toEqual(["'none'"])
  expect(policy.get('script-src')).toEqual(["'self'"])
  expect(policy.get('connect-src')).toEqual(["'self'"])
  expect(policy.get('frame-ancestors')).toEqual(["'none'"])
  const sources = [...policy.values()].flat()
  expect(sources.filter((source) => !["'none'", "'self'", 'data:', "'unsafe-inline'"].includes(source))).toEqual([])
  expect(answer.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
  })
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})
