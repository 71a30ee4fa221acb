/* Keys are planted wherever a person may put one, and everything goes wrong that may quote them: none of them shows
   anywhere (SPEC 11, 12). The model server gives back all that it is sent, in each way in which a call can fail, and has a
   command print whatever a command can see. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sessionToken } from '../../host/transport/access.ts'
import { sessionIdSchema } from '../../shared/ids.ts'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { closeServer, listenOnLoopback, readBody } from '../harness/loopback-server.ts'

const planted = {
  environment: 'planted0environment0key',
  file: 'planted0settings0key',
  password: 'planted0password',
  agent: 'planted0agent0key',
}

/** Ends in the middle of the protocol, with its last words on what it knows. */
const talkative = `process.stderr.write('my key is ' + process.env.AGENT_KEY + '\\n', () => process.exit(3))`

const command = 'env; cat /proc/self/cmdline; head -c 200000 /dev/zero | tr "\\\\0" x'

let server: Server
let folder: HostFolder
let host: HostProcess
let person: Client
/** Answers of the host that no frame repeats. */
const answers: unknown[] = []
const sessionIds: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  const address = `127.0.0.1:${await listenOnLoopback(server)}`
  folder = new HostFolder({
    OPENAI_API_KEY: planted.environment,
    OPENAI_BASE_URL: `http://${address}/v1`,
    ANTHROPIC_API_KEY: planted.environment,
    ANTHROPIC_BASE_URL: `http://ada:${planted.password}@${address}/v1`,
    UNRELATED_KEY: 'of the person, for their commands',
  })
  mkdirSync(folder.dataDir, { mode: 0o755 })
  const settings = {
    providers: { deepseek: { apiKey: planted.file, baseUrl: `HTTP://${address}/v1` } },
    acp: { talkative: { command: process.execPath, args: ['-e', talkative], env: { AGENT_KEY: planted.agent } } },
  }
  writeFileSync(join(folder.dataDir, 'settings.json'), JSON.stringify(settings), { mode: 0o644 })
  host = await folder.start()
  person = await Client.connect(host.ready, new Changes(30_000))
  for (const [agent, text] of [
    ['openai-compatible/m', 'please refuse'],
    ['openai-compatible/m', 'please break'],
    ['openai-compatible/m', 'please garbage'],
    ['openai-compatible/m', 'please command'],
    ['deepseek/m', 'please refuse'],
    ['deepseek/m', 'please break'],
    ['anthropic/m', 'please refuse'],
    ['acp/talkative', 'hello'],
  ] as const) {
    await turn(agent, text)
  }
  answers.push(await person.call('agents.list', {}), await person.call('inspect.subscribe', {}))
  for (const sessionId of sessionIds) {
    answers.push(await person.call('inspect.journal', { sessionId, limit: 500 }))
    answers.push(await person.call('data.export', { sessionId }))
  }
})
afterAll(async () => {
  person.drop()
  await folder.remove()
  await closeServer(server)
})

/** What a careless server says: everything it knows. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = '', 'x-api-key': key = '' } = request.headers
  const body = (await readBody(request)) ?? ''
  const told = `The key ${String(key)} ${authorization.replace('Bearer ', '')} for ${request.headers.host} is not good.`
  const error = JSON.stringify({ error: { message: told, type: 'x', code: told } })
  const stream = (...chunks: object[]) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''))
  }
  const chunk = (delta: object, reason: string | null = null) => ({
    id: 'r',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  if (body.includes('"role":"tool"')) return stream(chunk({ content: 'Done.' }, 'stop'))
  if (body.includes('please command')) {
    const call = { name: 'bash', arguments: JSON.stringify({ command }) }
    return stream(chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: call }] }, 'tool_calls'))
  }
  if (body.includes('please break')) return stream(chunk({ content: 'Well, ' }), JSON.parse(error))
  if (body.includes('please garbage')) {
    response.writeHead(404, { 'content-type': 'text/plain', 'x-echo': told })
    return void response.end(told)
  }
  response.writeHead(401, { 'content-type': 'application/json' })
  response.end(error)
}

async function turn(agent: string, text: string): Promise<void> {
  const { session } = await person.call('session.create', { agent, approval: 'auto' })
  sessionIds.push(session.id)
  const view = await person.open(session.id)
  await person.call('session.send', { sessionId: session.id, messageId: `m-${sessionIds.length}`, text })
  // What may be tried again is cut short: the person has read why.
  const isOver = () => view.eventsOf('turn/end')[0] ?? view.status?.retry
  if ((await person.until(isOver, `the end of ${text} with ${agent}`)) === view.status?.retry) {
    await person.call('session.interrupt', { sessionId: session.id })
    await person.until(() => view.eventsOf('turn/end')[0], `the end of ${text} with ${agent}, interrupted`)
  }
}

/** As it stands, and as it travels in headers and addresses. */
function formsOf(secret: string): string[] {
  const base64 = ['', 'ada:', ' '].map((before) => Buffer.from(before + secret).toString('base64'))
  // The last characters of base64 depend on what follows.
  return [secret, encodeURIComponent(secret), ...base64.map((text) => text.replace(/=*$/, '').slice(4, -2))]
}

/** The names of the secrets that stand somewhere in a text. */
function secretsIn(text: string, also: Readonly<Record<string, string>> = {}): string[] {
  const all = Object.entries({ ...planted, ...also })
  return all.filter(([, secret]) => formsOf(secret).some((form) => text.includes(form))).map(([name]) => name)
}

/** The host's own, and those of its sessions: who has one needs nothing else. */
function tokens(): Record<string, string> {
  const ofSessions = sessionIds.map((id) => [`token of ${id}`, sessionToken(folder.token, sessionIdSchema.parse(id))])
  return { token: folder.token, ...Object.fromEntries(ofSessions) }
}

function filesIn(path: string): { path: string; mode: number; isFolder: boolean }[] {
  return [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))].map(
    (each) => ({ path: each, mode: statSync(each).mode & 0o777, isFolder: statSync(each).isDirectory() }),
  )
}

/** Processes that the host has started, and those that these have. */
function children(): string[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [pid, /\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1] ?? '']),
  )
  const isOurs = (pid: string): boolean => {
    const parent = parents.get(pid)
    return parent !== undefined && (parent === String(host.ready.pid) || isOurs(parent))
  }
  return [...parents.keys()].filter(isOurs)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

it('no-secret: the plants are found where they belong, so that they would be found elsewhere', () => {
  expect(secretsIn(read(join(folder.dataDir, 'settings.json')))).toEqual(['file', 'agent'])
  expect(secretsIn(read(join(folder.dataDir, 'running.json')), tokens())).toEqual(['token'])
  expect(secretsIn(read(`/proc/${host.ready.pid}/environ`))).toEqual(['environment', 'password'])
  for (const [name, secret] of Object.entries(planted)) {
    for (const text of [secret, `ada:${secret}`].map((plain) => Buffer.from(plain).toString('base64')))
      expect(secretsIn(`Basic ${text}`)).toEqual([name])
  }
})

it('no-secret: every failure is told, in words and without what it was about', () => {
  const errors = sessionIds.map((id) => person.view(id).eventsOf('turn/end')[0]?.data)
  expect(errors.map((end) => end?.reason).join(' ')).toBe('error aborted error completed error aborted error error')
  for (const { reason, error } of errors.flatMap((end) => end ?? [])) {
    if (reason === 'error') expect(error?.length).toBeGreaterThan(20)
  }
  expect(secretsIn(JSON.stringify(errors), tokens())).toEqual([])
})

it('no-secret: no frame and no answer has any of them', () => {
  expect(person.frames.length).toBeGreaterThan(50)
  expect(secretsIn(JSON.stringify(person.frames), tokens())).toEqual([])
  expect(secretsIn(JSON.stringify(answers), tokens())).toEqual([])
})

it('no-secret: a command sees what the person’s own commands see, without keys and addresses of providers', () => {
  const printed = JSON.stringify(person.view(sessionIds[3] ?? '').eventsOf('tool/result'))
  expect(printed).toContain('UNRELATED_KEY=of the person')
  expect(printed).not.toMatch(/(OPENAI|ANTHROPIC|DEEPSEEK)_|TASK_SURFACE_TOKEN/)
})

it('no-secret: the log of the host has none of them', () => {
  expect(secretsIn(host.stderr, tokens())).toEqual([])
})

it('no-secret: of the files of the host only those that are for it have any', () => {
  const files = filesIn(folder.dataDir).filter(({ isFolder }) => !isFolder)
  const found = files.filter(({ path }) => secretsIn(read(path), tokens()).length > 0).map(({ path }) => path)
  expect(found.toSorted()).toEqual(['running.json', 'settings.json'].map((name) => join(folder.dataDir, name)))
  expect(files.map(({ path }) => path.slice(folder.dataDir.length + 1).split('/')[0])).toEqual(
    expect.arrayContaining(['db', 'results']),
  )
})

it('private-files: whatever the host keeps is for its owner alone', () => {
  const open = filesIn(folder.dataDir).filter(({ mode, isFolder }) => mode !== (isFolder ? 0o700 : 0o600))
  expect(open).toEqual([])
})

it('no-secret: the list of processes shows none of them, nor does the environment of what the host has started', () => {
  const pids = children()
  expect(pids.length).toBeGreaterThan(0)
  for (const pid of pids) {
    expect(secretsIn(read(`/proc/${pid}/cmdline`), tokens())).toEqual([])
    expect(secretsIn(read(`/proc/${pid}/environ`), tokens())).toEqual([])
  }
  expect(secretsIn(read(`/proc/${host.ready.pid}/cmdline`))).toEqual([])
})
