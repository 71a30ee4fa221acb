/* `task-surface mcp` (SPEC 11, 13) as a client starts it: a program on standard input and output, with the real client
   libraries of both revisions. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { McpScene, revisions, said, smallModel, surfaceIdOf, type Revision, type Said } from './mcp-bench.ts'

const timeout = 60_000
const mainFile = fileURLToPath(new URL('../../dist/run/main.js', import.meta.url))
const environment = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', TASK_SURFACE_PORT: '0' })

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-stdio-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Call = (name: string, args?: Record<string, unknown>) => Promise<Said>

async function connect(
  revision: Revision,
  dataDir: string,
  cwd = tmpdir(),
): Promise<{ call: Call; close(): Promise<void> }> {
  const command = { command: process.execPath, args: [mainFile, 'mcp', '--data', dataDir], cwd, env: environment() }
  const info = { name: 'stdio-agent', version: '1' }
  if (revision === '2025-11-25') {
    const client = new LegacyClient(info)
    await client.connect(new LegacyTransport(command))
    onTestFinished(() => client.close())
    const call: Call = async (name, args = {}) => said(await client.callTool({ name, arguments: args }))
    return { call, close: () => client.close() }
  }
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: revision } } })
  await client.connect(new ModernTransport(command))
  onTestFinished(() => client.close())
  const call: Call = async (name, args = {}) => said(await client.callTool({ name, arguments: args }))
  return { call, close: () => client.close() }
}

const runningSchema = z.object({ pid: z.int(), port: z.int(), token: z.string(), url: z.string() })
function runningHost(dataDir: string): z.infer<typeof runningSchema> | null {
  const file = join(dataDir, 'running.json')
  return existsSync(file) ? runningSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
}

function endHost(dataDir: string): void {
  const host = runningHost(dataDir)
  if (host !== null) process.kill(host.pid, 'SIGKILL')
}

describe.each(revisions)('task-surface mcp, %s', (revision) => {
  let scene: McpScene
  beforeAll(async () => {
    scene = await McpScene.open()
  }, timeout)
  afterAll(() => scene.close())

  test(
    'mcp-stdio: attaches to the host that runs; the agent need not name its session; its folder is its own',
    async () => {
      const folder = temporaryFolder()
      const { call } = await connect(revision, scene.folder.dataDir, folder)
      const shown = await call('show_task_surface', { model: smallModel })
      const { sessions } = await scene.person.call('session.list', {})
      const session = sessions.find(({ id }) => id === shown.sessionId)
      expect(session).toMatchObject({ agent: 'mcp/stdio-agent', cwd: folder })
      expect((await call('task_list')).sessionId).toBe(shown.sessionId)
      const waiting = call('await_task_surface', { surfaceId: surfaceIdOf(shown) })
      const request = { sessionId: shown.sessionId, surfaceId: surfaceIdOf(shown), submissionId: 'sub-1', values: {} }
      await scene.person.call('taskSurface.submit', request)
      expect((await waiting).text).toMatch(/- Database: \(no answer\)$/)
    },
    timeout,
  )

  test(
    'mcp-stdio: the host is killed and started again; the client notices nothing',
    async () => {
      const { call } = await connect(revision, scene.folder.dataDir)
      const shown = await call('show_task_surface', { model: smallModel })
      await scene.restart()
      const still = await call('await_task_surface', { surfaceId: surfaceIdOf(shown), timeoutMs: 0 })
      expect(still).toMatchObject({ text: expect.stringMatching(/still open/), sessionId: shown.sessionId })
      expect((await call('show_task_surface', { model: smallModel })).text).toMatch(/^TASK_SURFACE_OPEN/)
    },
    timeout,
  )

  test(
    'mcp-stdio: where none runs one is started, outlives its client, and serves the next',
    async () => {
      const dataDir = join(temporaryFolder(), 'data')
      onTestFinished(() => endHost(dataDir))
      const first = await connect(revision, dataDir)
      const shown = await first.call('show_task_surface', { model: smallModel })
      await first.close()
      const host = runningHost(dataDir)
      expect(await (await fetch(`${host?.url}/healthz`)).text()).toBe('ok')
      const next = await connect(revision, dataDir)
      const still = await next.call('await_task_surface', { surfaceId: surfaceIdOf(shown), timeoutMs: 0 })
      expect(still.text).toMatch(/still open/)
      expect(runningHost(dataDir)?.pid).toBe(host?.pid)
    },
    timeout,
  )
})

interface Ended {
  code: number | null
  lines: unknown[]
}

/** What the program prints for this input, and how it ends when the input ends. */
function run(input: string, dataDir: string): Promise<Ended> {
  const child = spawn(process.execPath, [mainFile, 'mcp', '--data', dataDir], { env: environment() })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += String(text)))
  child.stdin.end(input)
  return new Promise((resolve) =>
    child.on('close', (code) => {
      const lines = output.split('\n').filter((line) => line !== '')
      resolve({ code, lines: lines.map((line): unknown => JSON.parse(line)) })
    }),
  )
}

describe('lines', () => {
  let scene: McpScene
  beforeAll(async () => {
    scene = await McpScene.open()
  }, timeout)
  afterAll(() => scene.close())

  const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const opening = line({ id: 1, method: 'initialize', params }) + line({ method: 'notifications/initialized' })

  test(
    'mcp-stdio: nothing but the protocol is printed, and the end of the input is the end',
    async () => {
      const { code, lines } = await run(`${opening}${line({ id: 'two', method: 'tools/list' })}`, scene.folder.dataDir)
      expect(code).toBe(0)
      expect(lines).toMatchObject([
        { jsonrpc: '2.0', id: 1 },
        { jsonrpc: '2.0', id: 'two', result: { tools: {} } },
      ])
    },
    timeout,
  )

  test(
    'mcp-stdio: garbage, an oversized message and an unknown method are answered, and the next request too',
    async () => {
      const big = line({ id: 2, method: 'tools/list', params: { filler: 'x'.repeat(300_000) } })
      const rest = `not JSON\n\n[]\n${big}${line({ id: 3, method: 'nonsense' })}${line({ id: 4, method: 'ping' })}`
      const { code, lines } = await run(opening + rest, scene.folder.dataDir)
      expect(code).toBe(0)
      const byId = new Map(
        z
          .array(z.looseObject({ id: z.unknown() }))
          .parse(lines)
          .map((each) => [each.id, each]),
      )
      expect(byId.get(1)).toHaveProperty('result')
      expect(byId.get(null)).toMatchObject({ error: { code: -32700 } })
      expect(byId.get(2)).toMatchObject({ error: { message: expect.stringMatching(/413/) } })
      expect(byId.get(3)).toMatchObject({ error: { code: -32601 } })
      expect(byId.get(4)).toHaveProperty('result')
    },
    timeout,
  )

  test(
    'mcp-stdio: a host that cannot be started is an answer in words',
    async () => {
      const { lines } = await run(opening, '/dev/null/nowhere')
      expect(lines).toMatchObject([
        { id: 1, error: { message: expect.stringMatching(/cannot be reached: the data folder/) } },
      ])
    },
    timeout,
  )
})
