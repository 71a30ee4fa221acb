/* What agents say, wrong in some place: arguments of tool calls, messages of a program that speaks ACP, requests of an MCP
   client over HTTP and on standard input. A call gets a result that its model can read, a turn ends, a request is
   answered, and the host goes on. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openToolBench } from '../contract/tools-bench.ts'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { leaveFigures } from './figures.ts'
import { garbage, mutated } from './mutate.ts'
import { Random } from './random.ts'
import { model, toolInputs } from './samples.ts'
import { replayHint, seedsOf } from './seeds.ts'

const [seed = 0] = seedsOf(1, 1)
const totals = { 'tool inputs': 0, 'ACP turns': 0, 'ACP messages': 0, 'MCP over HTTP': 0, 'MCP on stdio': 0 }
const babbler = fileURLToPath(new URL('acp-babbler.mjs', import.meta.url))
const mainFile = fileURLToPath(new URL('../../dist/run/main.js', import.meta.url))

const changes = new Changes(30_000)
const folder = new HostFolder()
const scriptFile = join(folder.dataDir, 'babbler-script')
const doneFile = join(folder.dataDir, 'babbler-done')
let host: HostProcess
let client: Client

beforeAll(async () => {
  mkdirSync(folder.dataDir, { mode: 0o700 })
  const acp = { babbler: { command: process.execPath, args: [babbler, scriptFile, doneFile] } }
  writeFileSync(join(folder.dataDir, 'settings.json'), JSON.stringify({ acp }), { mode: 0o600 })
  host = await folder.start()
  client = await Client.connect(host.ready, changes)
})
afterAll(async () => {
  leaveFigures('agents', totals)
  client.drop()
  await folder.remove()
})

/** Mutated for the most part, else nothing at all. */
const some = (random: Random, value: unknown) => (random.chance(0.8) ? mutated(random, value) : garbage(random, value))
const oneLine = (text: string) => text.replaceAll(/[\r\n]/g, ' ')

/** The host is there, and was surprised by nothing. */
async function goesOn(): Promise<void> {
  if (!host.isRunning) throw new Error(`the host is gone\n${host.stderr}`)
  await client.call('host.describe', {})
  const errors = host.stderr.split('\n').filter((line) => /"level":(50|60)/.test(line))
  if (errors.length > 0) throw new Error(`${replayHint(seed)}\n${errors.join('\n')}`)
}

test('5 arguments of any tool are taken, or refused with what is wrong', async () => {
  const bench = await openToolBench()
  onTestFinished(() => bench.close())
  const random = new Random(seed)
  for (const [name, input] of Object.entries(toolInputs)) {
    const tool = bench.tools.find(name, 'both')
    if (tool === undefined) throw new Error(`there is no tool ${name}`)
    for (let run = 0; run < 300; run += 1) {
      const text = some(random, input)
      const prepared = tool.prepare(text)
      totals['tool inputs'] += 1
      if (!('failure' in prepared)) continue
      expect(prepared.failure.code).toMatch(/^(INVALID_INPUT|INVALID_MODEL)$/)
      expect(prepared.failure.message.length).toBeGreaterThan(5)
      // A model must read it: it is no copy of what it sent.
      expect(prepared.failure.message.length).toBeLessThan(100_000)
    }
  }
})

test('fence: whatever a path or a text is, a file tool answers, and nothing outside of the folder changes', async () => {
  const bench = await openToolBench()
  onTestFinished(() => bench.close())
  const outside = join(bench.cwd, '..', 'outside.txt')
  writeFileSync(outside, 'whole')
  writeFileSync(join(bench.cwd, 'a.txt'), 'a\nb\n')
  const random = new Random(seed)
  for (const name of [
    'read_file',
    'write_file',
    'edit_file',
    'task_list',
    'task_output',
    'task_kill',
    'show_task_surface',
  ]) {
    for (let run = 0; run < 150; run += 1) {
      const end = await bench.call(name, JSON.parse(mutated(random, toolInputs[name])))
      totals['tool inputs'] += 1
      if ('code' in end) expect(end.code).toMatch(/^[A-Z_]+$/)
    }
  }
  expect(readFileSync(outside, 'utf8')).toBe('whole')
})

const update = (fields: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: '$SESSION', update: fields },
})
const content = { type: 'text', text: 'hello' }
const acpMessages: readonly object[] = [
  update({ sessionUpdate: 'agent_message_chunk', content }),
  update({ sessionUpdate: 'agent_thought_chunk', content }),
  update({
    sessionUpdate: 'tool_call',
    toolCallId: 'c1',
    title: 'A tool',
    kind: 'edit',
    status: 'pending',
    rawInput: { a: 1 },
    content: [{ type: 'content', content }],
    locations: [{ path: '/a', line: 1 }],
  }),
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c1',
    status: 'completed',
    rawOutput: { b: 2 },
    content: [{ type: 'diff', path: '/a', oldText: 'a', newText: 'b' }],
  }),
  update({ sessionUpdate: 'plan', entries: [{ content: 'x', priority: 'high', status: 'pending' }] }),
  update({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'n', description: 'd' }] }),
  update({ sessionUpdate: 'current_mode_update', currentModeId: 'ask' }),
  { jsonrpc: '2.0', id: 'r1', method: 'fs/read_text_file', params: { sessionId: '$SESSION', path: '/etc/passwd' } },
  { jsonrpc: '2.0', id: 'r2', method: 'terminal/create', params: { sessionId: '$SESSION', command: 'ls' } },
  {
    jsonrpc: '2.0',
    id: 'r3',
    method: 'session/request_permission',
    params: {
      sessionId: '$SESSION',
      toolCall: { toolCallId: 'c2', title: 'T' },
      options: [{ optionId: 'no', name: 'No', kind: 'reject_once' }],
    },
  },
  { jsonrpc: '2.0', id: 99, result: { stopReason: 'end_turn' } },
]
const answers: Readonly<Record<string, object>> = {
  initialize: {
    jsonrpc: '2.0',
    id: '$ID',
    result: {
      protocolVersion: 1,
      agentCapabilities: { loadSession: false, promptCapabilities: { image: true }, mcpCapabilities: { http: true } },
      authMethods: [],
    },
  },
  'session/new': {
    jsonrpc: '2.0',
    id: '$ID',
    result: { sessionId: 'the-session', modes: { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] } },
  },
  'session/prompt': { jsonrpc: '2.0', id: '$ID', result: { stopReason: 'end_turn' } },
}

/** With `$ID` as what it stands for, and not as a text. */
const withIds = (text: string) => text.replaceAll('"$ID"', '$ID')

function script(random: Random): Record<string, string[]> {
  const method = random.one('initialize', 'session/new', 'session/prompt', 'session/prompt', 'session/prompt')
  const honest = answers[method] ?? {}
  const said = Array.from({ length: method === 'session/prompt' ? 1 + random.below(12) : random.below(2) }, () =>
    oneLine(some(random, random.pick(acpMessages))),
  )
  totals['ACP messages'] += said.length + 1
  return { [method]: [...said, withIds(oneLine(random.chance(0.5) ? some(random, honest) : JSON.stringify(honest)))] }
}

test('acp-answered: whatever a program says, its turn ends, by itself or by an interrupt', async () => {
  const random = new Random(seed)
  for (let turn = 0; turn < 100; turn += 1) {
    writeFileSync(scriptFile, JSON.stringify(script(random)))
    writeFileSync(doneFile, '')
    const { session } = await client.call('session.create', {
      agent: 'acp/babbler',
      approval: random.one('auto', 'ask'),
    })
    const sessionId = session.id
    const view = await client.open(sessionId)
    await client.call('session.send', { sessionId, messageId: 'm1', text: 'Go.' })
    const hasEnded = () => view.eventsOf('turn/end').length > 0 && view.status?.status === 'idle'
    const look = setInterval(() => changes.notify(), 10)
    try {
      await client.until(
        () => hasEnded() || (existsSync(doneFile) && readFileSync(doneFile, 'utf8') !== ''),
        () => `what the program says\n${readFileSync(scriptFile, 'utf8')}`,
      )
      await client.call('host.describe', {})
      if (!hasEnded()) await client.call('session.interrupt', { sessionId })
      await client.until(
        hasEnded,
        () => `the end of the turn\n${replayHint(seed)}\n${readFileSync(scriptFile, 'utf8')}`,
      )
    } finally {
      clearInterval(look)
    }
    expect((await client.call('data.verify', { sessionId })).broken).toEqual([])
    await client.call('session.remove', { sessionId })
    await goesOn()
    totals['ACP turns'] += 1
  }
})

const clientInfo = { name: 'fuzz', version: '1' }
const envelope = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
const modern = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}
const calls = [
  { name: 'show_task_surface', arguments: { model } },
  { name: 'await_task_surface', arguments: { surfaceId: 'ts-1', timeoutMs: 0 } },
  { name: 'start_background_task', arguments: { command: 'true', description: 'd', timeoutMs: 1000 } },
  { name: 'task_list', arguments: {} },
  { name: 'task_output', arguments: { taskId: 'bash-1', wait: false, timeoutMs: 0 } },
  { name: 'task_kill', arguments: { taskId: 'bash-1', reason: 'r' } },
]
const initialize = envelope('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo,
})
const mcpMessages: readonly object[] = [
  initialize,
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'r' } },
  envelope('tools/list', {}),
  envelope('tools/list', modern),
  envelope('ping', {}),
  envelope('server/discover', modern),
  ...calls.map((call) => envelope('tools/call', call)),
  ...calls.map((call) => envelope('tools/call', { ...call, ...modern })),
]

const patienceMs = 3000
const answersWithinMs = 20_000
const waits = { status: 0, text: '', id: null }

/** A call that waits for a person may take its 45 s; nobody waits for it here, and it is taken back. */
async function post(
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string; id: string | null }> {
  const { url, token } = host.ready
  const answer = fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body,
    signal: AbortSignal.timeout(body.includes('tools/call') ? patienceMs : answersWithinMs),
  })
  try {
    const response = await answer
    return { status: response.status, text: await response.text(), id: response.headers.get('mcp-session-id') }
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'TimeoutError' && body.includes('tools/call')) return waits
    throw new Error(`${body.slice(0, 3000)} with ${JSON.stringify(headers)}`, { cause })
  }
}

test('mcp-garbage: any request over HTTP is answered, and the next one served', { timeout: 240_000 }, async () => {
  const random = new Random(seed)
  const { id } = await post(JSON.stringify(initialize), {})
  for (let sent = 0; sent < 600; sent += 12) {
    const all = Array.from({ length: 12 }, () => {
      const message = random.pick(mcpMessages)
      const isModern = JSON.stringify(message).includes('2026-07-28')
      const headers: Record<string, string> = isModern
        ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': random.one('tools/call', 'tools/list') }
        : random.chance(0.8) && id !== null
          ? { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
          : {}
      return { text: some(random, message), headers }
    })
    for (const [index, { status, text }] of (
      await Promise.all(all.map((one) => post(one.text, one.headers)))
    ).entries()) {
      totals['MCP over HTTP'] += 1
      const shown = `${replayHint(seed)}\n${all[index]?.text.slice(0, 2000)}\n${status} ${text.slice(0, 1000)}`
      if (status >= 500) throw new Error(shown)
    }
    await goesOn()
  }
  const { text } = await post(JSON.stringify(envelope('tools/list', {})), id === null ? {} : { 'mcp-session-id': id })
  expect(text).toContain('show_task_surface')
})

const idSchema = z.looseObject({ id: z.union([z.string(), z.number(), z.null()]).optional() })

test(
  'mcp-garbage: any line on standard input is answered or passed over, and the next one served',
  { timeout: 240_000 },
  async () => {
    const random = new Random(seed)
    const { PATH = '' } = process.env
    const program = spawn(process.execPath, [mainFile, 'mcp', '--data', folder.dataDir], {
      env: { PATH },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    onTestFinished(() => void program.kill('SIGKILL'))
    const answered = new Set<unknown>()
    const watch = new Changes(30_000)
    createInterface({ input: program.stdout }).on('line', (line) => {
      answered.add(idSchema.parse(JSON.parse(line)).id)
      watch.notify()
    })
    program.on('exit', () => watch.fail(new Error('the program ended')))
    const write = (text: string) => program.stdin.write(`${text}\n`)
    write(JSON.stringify(initialize))
    await watch.until(() => answered.has(1), 'the greeting')
    for (let sent = 0; sent < 1000; sent += 20) {
      for (let line = 0; line < 20; line += 1) write(oneLine(some(random, random.pick(mcpMessages))))
      const id = `ping-${sent}`
      write(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: {} }))
      await watch.until(
        () => answered.has(id),
        () => `an answer to a ping\n${replayHint(seed)}`,
      )
      totals['MCP on stdio'] += 20
      await goesOn()
    }
  },
)
