/* The command line as a person and a supervisor meet it (SPEC 13): the built host as a process of plain Node. */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { readServeOptions } from '../../host/cli/serve-options.ts'
import { serve as serveInProcess, type Ready } from '../../host/cli/serve.ts'
import { createEngine } from '../../host/rpc/engine.ts'
import { temporaryFolder } from './host-harness.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const readySchema = z.strictObject({
  url: z.string(),
  port: z.int(),
  token: z.string(),
  pid: z.int(),
  dataDir: z.string(),
})

interface Run {
  child: ChildProcessByStdio<null, Readable, Readable>
  /** Resolves with the first line of stdout; rejects where the process ends without one. */
  firstLine: Promise<string>
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

function run(args: readonly string[], variables: Record<string, string> = {}, from = root): Run {
  const home = temporaryFolder()
  const env = { PATH: process.env['PATH'], HOME: home, ...variables }
  const child = spawn(process.execPath, [join(from, 'dist/run/main.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const ended = new Promise<Awaited<Run['ended']>>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  )
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk)
      if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')))
    })
    void ended.then(({ code }) => reject(new Error(`ended with ${code}: ${stderr}`)))
  })
  firstLine.catch(() => {})
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(home, { recursive: true })
  })
  return { child, firstLine, ended }
}

function dataFolder(): string {
  const folder = temporaryFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'data')
}

async function serve(folder: string, ...args: string[]) {
  const host = run(['serve', '--json', '--no-open', '--port', '0', '--data', folder, ...args])
  return { ...host, ready: readySchema.parse(JSON.parse(await host.firstLine)) }
}

it('cli/ready: one line of JSON with what a program needs, and the host answers', async () => {
  const folder = dataFolder()
  const { ready, child } = await serve(folder, '--token', 'a-token')
  expect(ready).toEqual({
    url: `http://127.0.0.1:${ready.port}`,
    port: ready.port,
    token: 'a-token',
    pid: child.pid,
    dataDir: folder,
  })
  const response = await fetch(`${ready.url}/rpc`, {
    method: 'POST',
    headers: { authorization: 'Bearer a-token' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'host.describe' }),
  })
  expect(await response.json()).toMatchObject({ id: 1, result: { protocol: 1 } })
})

it('cli/ready: without --json a person gets the start link, and it works', async () => {
  const folder = dataFolder()
  const { child, ended } = run(['--port', '0', '--no-open', '--data', folder])
  let text = ''
  const link = await new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      text += String(chunk)
      const found = /http:\/\/\S+\/\?token=\S+/.exec(text)
      if (found !== null) resolve(found[0])
    })
  })
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303)
  child.kill('SIGINT')
  expect((await ended).code).toBe(0)
})

it.each(['SIGTERM', 'SIGINT'] as const)('cli/stop: %s ends the host with 0 and takes its note away', async (signal) => {
  const folder = dataFolder()
  const { child, ended, ready } = await serve(folder)
  const note = join(folder, 'running.json')
  expect(JSON.parse(readFileSync(note, 'utf8'))).toMatchObject({ pid: ready.pid, port: ready.port, token: ready.token })
  expect(statSync(note).mode & 0o777).toBe(0o600)
  child.kill(signal)
  const { code, stdout } = await ended
  expect(code).toBe(0)
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(existsSync(note)).toBe(false)
})

it('cli/log: with --json stderr is JSON, and the token is not in it', async () => {
  const { child, ended, ready } = await serve(dataFolder())
  await fetch(`${ready.url}/?token=${ready.token}`, { redirect: 'manual' })
  child.kill('SIGTERM')
  const lines = (await ended).stderr.trim().split('\n')
  expect(
    lines.map((line) => z.object({ level: z.int(), msg: z.string() }).safeParse(JSON.parse(line)).success),
  ).not.toContain(false)
  expect(lines.join()).not.toContain(ready.token)
})

it('cli/second: a second host on the same data is one sentence that names the first, which goes on', async () => {
  const folder = dataFolder()
  const first = await serve(folder)
  const second = await run(['serve', '--json', '--port', '0', '--data', folder]).ended
  expect([second.code, second.stdout]).toEqual([1, ''])
  expect(second.stderr.trim().split('\n')).toHaveLength(1)
  expect(second.stderr).toContain(folder)
  expect(second.stderr).toContain(first.ready.url)
  expect((await fetch(`${first.ready.url}/healthz`)).status).toBe(200)
})

it('cli/restart: a host that was killed leaves nothing in the way, and its token holds', async () => {
  const folder = dataFolder()
  const first = await serve(folder)
  first.child.kill('SIGKILL')
  await first.ended
  const second = await serve(folder)
  expect(second.ready.token).toBe(first.ready.token)
  expect(second.ready.token.length).toBeGreaterThanOrEqual(32)
})

it('cli/private: the data folder is closed to others', async () => {
  const folder = dataFolder()
  await serve(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

it('cli/environment: TASK_SURFACE_* stand for the options', async () => {
  const folder = dataFolder()
  const variables = {
    TASK_SURFACE_DATA: folder,
    TASK_SURFACE_PORT: '0',
    TASK_SURFACE_JSON: '1',
    TASK_SURFACE_TOKEN: 'from-env',
    TASK_SURFACE_NO_OPEN: '1',
  }
  expect(readySchema.parse(JSON.parse(await run([], variables).firstLine))).toMatchObject({
    token: 'from-env',
    dataDir: folder,
  })
})

it('cli/port: a port that is taken is one sentence', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => taken.close(() => resolve())))
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { code, stderr } = await run(['--port', String(port), '--data', dataFolder()]).ended
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(`^task-surface: .*${port}.*\\n$`))
})

it('cli/library: without a binary that runs here, one sentence says so', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['dist/run', 'package.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'uWebSockets.js'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== 'uWebSockets.js') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  writeFileSync(join(modules, 'uWebSockets.js/index.js'), 'throw new Error("no binary")')
  const { code, stdout, stderr } = await run(['--port', '0', '--data', join(folder, 'data')], {}, folder).ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^task-surface: uWebSockets\.js .*README.*\n$/)
})

it('cli/stop: a part that never ends does not hold the process', async () => {
  const warnings: unknown[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line)) })
  let stop = () => {}
  const stopRequested = new Promise<void>((resolve) => (stop = resolve))
  const options = readServeOptions({ port: '0', data: dataFolder() }, {})
  await serveInProcess(options, {
    webRoot: join(temporaryFolder(), 'absent'),
    defaultDataFolder: '',
    log,
    compose: async () => ({
      engine: createEngine({ handlers: {}, newReference: () => '', onFault: () => {} }),
      hello: () => '{}',
      mcp: { fetch: async () => new Response(null, { status: 404 }), close: async () => {} },
      listening: () => {},
      close: () => new Promise(() => {}),
    }),
    stopRequested,
    onReady: () => stop(),
  })
  expect(warnings).toMatchObject([{ msg: 'not everything had ended in time' }])
})

it('access/ticket: what the browser program is told opens the start link once and is not the token', async () => {
  const given: [Ready, string][] = []
  const answers: number[] = []
  let cookie: string | null = null
  let stop = () => {}
  const stopRequested = new Promise<void>((resolve) => (stop = resolve))
  await serveInProcess(readServeOptions({ port: '0', data: dataFolder() }, {}), {
    webRoot: join(temporaryFolder(), 'absent'),
    defaultDataFolder: '',
    log: pino({ level: 'silent' }),
    compose: async () => ({
      engine: createEngine({ handlers: {}, newReference: () => '', onFault: () => {} }),
      hello: () => '{}',
      mcp: { fetch: async () => new Response(null, { status: 404 }), close: async () => {} },
      listening: () => {},
      close: async () => {},
    }),
    stopRequested,
    onReady(ready, startTicket) {
      const ticket = startTicket()
      given.push([ready, ticket])
      const use = async () => {
        const answer = await fetch(`${ready.url}/?token=${ticket}`, { redirect: 'manual' })
        cookie ??= answer.headers.get('set-cookie')
        answers.push(answer.status)
      }
      void use().then(use).then(stop, stop)
    },
  })
  expect(answers).toEqual([303, 403])
  const [[{ port, token }, ticket] = [{ port: 0, token: '' }, '']] = given
  expect(ticket).not.toBe(token)
  expect(cookie).toMatch(new RegExp(`^task_surface_${port}=${token};`))
})

it.each([
  [['serve', '--port', 'x']],
  [['serve', '--token', 'a b']],
  [['serve', '--data', '/dev/null/x']],
  [['serve', '--nonsense']],
  [['nonsense']],
  [['check']],
  [['check', '/nowhere/model.json']],
])('cli/usage: %j is one line on stderr and exits with 1', async (args) => {
  const { code, stdout, stderr } = await run(args).ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.trim().split('\n')).toHaveLength(1)
})

const model = {
  version: 1,
  title: ' A  form ',
  sections: [],
  fields: [{ kind: 'text', id: 'name', label: 'Name', required: true }],
  submit: { label: 'Send' },
}

it.each([
  ['a model', model, undefined, 0, /^\{"version":1,"title":"A form",.*\}\n$/],
  [
    'a model with problems',
    { ...model, version: 2, extra: 1 },
    undefined,
    1,
    /^(\{"path":".*","message":".+"\}\n){2}$/,
  ],
  ['values', model, { values: { name: 'Ada' }, note: 'hi' }, 0, /^A form\n- Name: Ada\n\nNote:\n.*hi\n$/],
  [
    'values with problems',
    model,
    { values: { name: ' ', other: 1 } },
    1,
    /^(\{"path":"\/values\/.*","message":".+"\}\n){2}$/,
  ],
])('cli/check: %s', async (_name, modelJson, values, code, output) => {
  const folder = temporaryFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [modelFile, valuesFile] = [join(folder, 'model.json'), join(folder, 'values.json')]
  writeFileSync(modelFile, JSON.stringify(modelJson))
  if (values !== undefined) writeFileSync(valuesFile, JSON.stringify(values))
  const result = await run(['check', modelFile, ...(values === undefined ? [] : ['--values', valuesFile])]).ended
  expect(result).toMatchObject({ code, stderr: '' })
  expect(result.stdout).toMatch(output)
})

it('cli/check: a file that is not UTF-8 is one sentence', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'model.json')
  writeFileSync(file, Buffer.from([0x22, 0xff, 0x22]))
  const { code, stderr } = await run(['check', file]).ended
  expect([code, stderr]).toEqual([1, `task-surface: ${file} is not UTF-8 text\n`])
})
