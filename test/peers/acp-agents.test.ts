/* Real agent programs as the agent of a session, over the Agent Client Protocol (SPEC 11), each driven by a scripted model
   on loopback: the person writes, the agent shows a surface by the door it was handed, the person answers, and the next
   request to its model holds the readable answer. What the model server was sent is the witness. Opt-in:
   `npm run test:peers`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock, type ChatCompletionRequest } from '@copilotkit/aimock'
import { expect, onTestFinished, test } from 'vitest'
import { AcpScene, shown } from '../contract/acp-bench.ts'
import { smallModel } from '../contract/mcp-bench.ts'
import { installed, type Peer } from './peer-cache.ts'

const prompt = 'Ask me which database to take, with a form.'
const answer = 'Which database?\n- Database: PostgreSQL'

/** Programs start, connect and think: on a busy machine each takes its time. */
const programMs = 180_000

interface Agent extends Peer {
  label: string
  /** Writes its configuration into its home; answers how it is called. */
  setUp(modelUrl: string, home: string): { args: string[]; env: Record<string, string> }
}

function write(home: string, file: string, value: unknown): string {
  const path = join(home, file)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, JSON.stringify(value))
  return path
}

const agents: Agent[] = [
  {
    label: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    command: 'opencode',
    afterInstall: 'postinstall.mjs',
    setUp(modelUrl, home) {
      const models = { scripted: { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8_000 } } }
      const options = { baseURL: `${modelUrl}/v1`, apiKey: 'no-key' }
      const config = write(home, 'opencode.json', {
        model: 'loopback/scripted',
        small_model: 'loopback/scripted',
        autoupdate: false,
        share: 'disabled',
        provider: { loopback: { npm: '@ai-sdk/openai-compatible', options, models } },
      })
      const env = { OPENCODE_CONFIG: config, OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }
      return { args: ['acp'], env }
    },
  },
  {
    label: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    command: 'gemini',
    setUp(modelUrl, home) {
      write(home, '.gemini/settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      })
      const env = { GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: 'no-key', GEMINI_CLI_TRUST_WORKSPACE: 'true' }
      return { args: ['--acp', '-m', 'gemini-2.5-pro'], env }
    },
  },
]

/** What a model would do: show the form and be done; once it reads the answer, say so. */
function scripted(request: ChatCompletionRequest) {
  const show = request.tools?.map((tool) => tool.function.name).find((name) => name.endsWith('show_task_surface'))
  const said = request.messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
  if (said.some((text) => text.includes('- Database: PostgreSQL'))) return { content: 'PostgreSQL it is.' }
  const isShown = said.some((text) => text.includes('The person now sees'))
  if (show !== undefined && !isShown && said.some((text) => text.includes(prompt))) {
    return { toolCalls: [{ name: show, arguments: JSON.stringify({ model: smallModel }) }] }
  }
  return { content: 'I have asked.' }
}

test.each(agents)('acp-peers: $label $version shows a surface, and its next prompt is the answer', async (agent) => {
  const file = installed(agent)
  const model = new LLMock({ port: 0, host: '127.0.0.1' })
  const requests: string[] = []
  model.on({ endpoint: 'chat' }, (asked) => {
    requests.push(JSON.stringify(asked.messages))
    return scripted(asked)
  })
  await model.start()
  const home = mkdtempSync(join(tmpdir(), 'task-surface-peer-'))
  const { args, env } = agent.setUp(model.url, home)
  const program = { command: file, args, env: { HOME: home, ...env } }
  const scene = await AcpScene.open({ programs: { peer: program }, deadlineMs: programMs })
  onTestFinished(async () => {
    await scene.close()
    await model.stop()
    rmSync(home, { recursive: true, force: true })
  })

  const view = await scene.session({ agent: 'acp/peer', cwd: home })
  expect(await scene.turn(view, prompt)).toEqual({ reason: 'completed' })
  const surfaceId = await scene.until(() => {
    const metas = view.eventsOf('tool/result').map(({ data }) => data.meta)
    const meta = metas.find((one) => typeof one === 'object' && one !== null && 'surfaceId' in one)
    return typeof meta === 'object' && meta !== null && 'surfaceId' in meta ? String(meta['surfaceId']) : null
  }, 'the surface')
  const { sessionId } = view
  const request = { sessionId, surfaceId, submissionId: 'sub-1', values: { database: 'pg' } }
  expect(await scene.person.call('taskSurface.submit', request)).toMatchObject({ accepted: true })
  await scene.until(() => view.eventsOf('turn/end').length === 2, 'the turn of the answer')

  expect(view.eventsOf('turn/end')[1]?.data.reason).toBe('completed')
  expect(shown(view).slice(-2)).toEqual([`person: ${answer}`, 'text: PostgreSQL it is.'])
  expect(view.eventsOf('tool/call').map(({ data }) => data.name)).toEqual(['show_task_surface'])
  // As JSON, some programs as JSON in JSON.
  expect((requests.at(-1) ?? '').replaceAll('\\\\n', '\\n')).toContain(JSON.stringify(answer).slice(1, -1))
})
