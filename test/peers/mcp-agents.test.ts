/* Real agent programs (SPEC 11), each driven by a scripted model on loopback: they show a surface through `/mcp`, a person
   answers it on the ordinary wire, and the next request to their model holds the readable answer. What the model server
   was sent is the witness (its own journal cuts requests at 64 KiB). Opt-in: `npm run test:peers`. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock, type ChatCompletionRequest } from '@copilotkit/aimock'
import { expect, onTestFinished, test } from 'vitest'
import { McpScene, smallModel } from '../contract/mcp-bench.ts'
import { installed, type Peer } from './peer-cache.ts'

const prompt = 'Ask me which database to take, with a form.'
const answer = 'Which database?\n- Database: PostgreSQL'

/** Programs start, connect and think: on a busy machine each takes its time. */
const programMs = 180_000

interface Setting {
  modelUrl: string
  mcpUrl: string
  token: string
  /** Home and working folder of the program; nothing else of the machine is its own. */
  home: string
}

interface Agent extends Peer {
  label: string
  /** Writes its configuration; answers how it is called. */
  setUp(setting: Setting): { args: string[]; env: Record<string, string> }
}

const headersOf = ({ token }: Setting) => ({ Authorization: `Bearer ${token}` })

function write(setting: Setting, file: string, value: unknown): string {
  const path = join(setting.home, file)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, JSON.stringify(value))
  return path
}

const agents: Agent[] = [
  {
    label: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.197',
    command: 'claude',
    afterInstall: 'install.cjs',
    setUp(setting) {
      const server = { type: 'http', url: setting.mcpUrl, headers: headersOf(setting) }
      const config = write(setting, 'mcp.json', { mcpServers: { 'task-surface': server } })
      const args = ['-p', prompt, '--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__task-surface']
      const env = {
        ANTHROPIC_BASE_URL: setting.modelUrl,
        ANTHROPIC_API_KEY: 'no-key',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      }
      return { args, env }
    },
  },
  {
    label: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    command: 'gemini',
    setUp(setting) {
      write(setting, '.gemini/settings.json', {
        mcpServers: { 'task-surface': { httpUrl: setting.mcpUrl, headers: headersOf(setting), trust: true } },
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      })
      const env = {
        GOOGLE_GEMINI_BASE_URL: setting.modelUrl,
        GEMINI_API_KEY: 'no-key',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      }
      return { args: ['-p', prompt, '--approval-mode', 'yolo', '-m', 'gemini-2.5-pro'], env }
    },
  },
  {
    label: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    command: 'opencode',
    afterInstall: 'postinstall.mjs',
    setUp(setting) {
      const models = { scripted: { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8_000 } } }
      const config = write(setting, 'opencode.json', {
        model: 'loopback/scripted',
        small_model: 'loopback/scripted',
        autoupdate: false,
        share: 'disabled',
        provider: {
          loopback: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${setting.modelUrl}/v1`, apiKey: 'no-key' },
            models,
          },
        },
        mcp: { 'task-surface': { type: 'remote', url: setting.mcpUrl, headers: headersOf(setting), oauth: false } },
      })
      return {
        args: ['run', prompt],
        env: { OPENCODE_CONFIG: config, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
      }
    },
  },
]

/** What a model would do: show the form, wait for the answer as long as it takes, and be done. */
function scripted(request: ChatCompletionRequest) {
  const tools = request.tools?.map((tool) => tool.function.name) ?? []
  const named = (name: string) => tools.find((tool) => tool.endsWith(name))
  const said = request.messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
  const results = request.messages.flatMap(({ role }, index) => (role === 'tool' ? [said[index] ?? ''] : []))
  const last = results.at(-1)
  const [show, wait] = [named('show_task_surface'), named('await_task_surface')]
  if (last?.includes('- Database: PostgreSQL') === true) return { content: 'PostgreSQL it is.' }
  const [, surfaceId, session] = results.join('\n').match(/surface (ts-\w+), session (s-\w+)/) ?? []
  if (surfaceId !== undefined && wait !== undefined) {
    return { toolCalls: [{ name: wait, arguments: JSON.stringify({ surfaceId, session }) }] }
  }
  // Some programs ask their model before their servers are connected, and have a tool for that.
  const connect = named('WaitForMcpServers')
  if (show === undefined && connect !== undefined) return { toolCalls: [{ name: connect, arguments: '{}' }] }
  const isAsked = said.some((text) => text.includes(prompt))
  if (isAsked && show !== undefined && surfaceId === undefined) {
    return { toolCalls: [{ name: show, arguments: JSON.stringify({ model: smallModel }) }] }
  }
  return { content: 'Which database?' }
}

test.each(agents)('mcp-peers: $label $version shows a surface, and its model reads the answer', async (agent) => {
  const file = installed(agent)
  const model = new LLMock({ port: 0, host: '127.0.0.1' })
  const requests: string[] = []
  model.on({ endpoint: 'chat' }, (asked) => {
    requests.push(JSON.stringify(asked.messages))
    return scripted(asked)
  })
  await model.start()
  const scene = await McpScene.open(programMs)
  const home = mkdtempSync(join(tmpdir(), 'task-surface-peer-'))
  onTestFinished(async () => {
    await scene.close()
    await model.stop()
    rmSync(home, { recursive: true, force: true })
  })
  const setting = {
    modelUrl: model.url,
    mcpUrl: scene.url,
    token: scene.host.ready.token,

    home,
  }
  const { args, env } = agent.setUp(setting)
  const { PATH = '' } = process.env
  const child = spawn(file, args, {
    cwd: home,
    env: { PATH, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Its group has ended by itself.
    }
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += String(text)))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))

  const session = await Promise.race([
    scene.until(
      () => scene.person.frames.flatMap((frame) => (frame.type === 'host/session-added' ? [frame.session] : []))[0],
      'a session of the agent',
    ),
    ended.then((code) => Promise.reject(new Error(`it ended with ${code} and showed nothing\n${output}`))),
  ])
  expect(session.agent).toMatch(/^mcp\//)
  const view = await scene.view(session.id)
  const surfaceId = await scene.until(() => {
    const { meta } = view.eventsOf('tool/result')[0]?.data ?? {}
    return typeof meta === 'object' && meta !== null && 'surfaceId' in meta ? String(meta['surfaceId']) : null
  }, 'the surface')
  const request = { sessionId: session.id, surfaceId, submissionId: 'sub-1', values: { database: 'pg' } }
  expect(await scene.person.call('taskSurface.submit', request)).toMatchObject({ accepted: true })

  expect(await ended, output).toBe(0)
  expect(output).toContain('PostgreSQL it is.')
  // As JSON, some programs as JSON in JSON.
  expect((requests.at(-1) ?? '').replaceAll('\\\\n', '\\n')).toContain(JSON.stringify(answer).slice(1, -1))
  expect(view.eventsOf('tool/call').map(({ data }) => data.name)).toContain('await_task_surface')
})
