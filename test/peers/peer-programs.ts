/* The agent programs of others that the peers' tests run, and how each is told of the scripted model, of our endpoint and
   of its task. Everything a program is told lies in a home of its own; nothing of the machine's is read or written. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonObjectSchema, type JsonObject } from '../../shared/json.ts'
import type { Peer } from './peer-cache.ts'

/** What the person asks in every one of these tests. */
export const prompt = 'Ask me which database to take, with a form.'

export interface Home {
  folder: string
  modelUrl: string
  /** The same model in the dialect of Codex. */
  codexUrl: string
}

export interface Door {
  url: string
  token: string
}

export interface McpProgram extends Peer {
  /** How it says its name to us: `mcp/<name>`. */
  clientName: RegExp
  /** Says which model it asks; answers its environment. */
  useModel(home: Home): Record<string, string>
  /** Says where our endpoint is. */
  useDoor(home: Home, door: Door): void
  /** The arguments that make it work on the prompt and end. */
  args: readonly string[]
}

export interface AcpProgram extends Peer {
  /** As the README has it: `acp/<name>`. */
  name: string
  useModel(home: Home): Record<string, string>
}

function mergeJson(home: Home, file: string, more: JsonObject): string {
  const path = join(home.folder, file)
  mkdirSync(dirname(path), { recursive: true })
  const before = existsSync(path) ? jsonObjectSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : {}
  writeFileSync(path, JSON.stringify({ ...before, ...more }))
  return path
}

function append(home: Home, file: string, text: string): void {
  const path = join(home.folder, file)
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, text)
}

const headers = ({ token }: Door) => ({ Authorization: `Bearer ${token}` })

const useModelInClaude = ({ modelUrl }: Home) => ({
  ANTHROPIC_BASE_URL: modelUrl,
  ANTHROPIC_API_KEY: 'no-key',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
})

function useModelInCodex(home: Home): Record<string, string> {
  append(
    home,
    '.codex/config.toml',
    `model = "scripted"
model_provider = "loopback"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.loopback]
name = "Loopback"
base_url = "${home.codexUrl}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
`,
  )
  return { LOOPBACK_KEY: 'no-key' }
}

function useModelInGemini(home: Home): Record<string, string> {
  mergeJson(home, '.gemini/settings.json', {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
    // The choice of a model by itself would be another request.
    model: { name: 'gemini-2.5-pro' },
  })
  return { GOOGLE_GEMINI_BASE_URL: home.modelUrl, GEMINI_API_KEY: 'no-key', GEMINI_CLI_TRUST_WORKSPACE: 'true' }
}

function useModelInQwen(home: Home): Record<string, string> {
  mergeJson(home, '.qwen/settings.json', {
    security: { auth: { selectedType: 'openai' } },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true },
  })
  return { OPENAI_BASE_URL: `${home.modelUrl}/v1`, OPENAI_API_KEY: 'no-key', OPENAI_MODEL: 'scripted' }
}

const opencodeFile = '.config/opencode/opencode.json'

function useModelInOpencode(home: Home): Record<string, string> {
  const models = { scripted: { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8_000 } } }
  const options = { baseURL: `${home.modelUrl}/v1`, apiKey: 'no-key' }
  mergeJson(home, opencodeFile, {
    model: 'loopback/scripted',
    small_model: 'loopback/scripted',
    autoupdate: false,
    share: 'disabled',
    provider: { loopback: { npm: '@ai-sdk/openai-compatible', options, models } },
  })
  return { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }
}

const claude: Peer = {
  label: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.197',
  command: 'claude',
  afterInstall: 'install.cjs',
}
const codex: Peer = { label: 'Codex', package: '@openai/codex', version: '0.171.0', command: 'codex' }
const gemini: Peer = { label: 'Gemini CLI', package: '@google/gemini-cli', version: '0.61.0', command: 'gemini' }
const qwen: Peer = { label: 'Qwen Code', package: '@qwen-code/qwen-code', version: '0.15.10', command: 'qwen' }
const opencode: Peer = {
  label: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  command: 'opencode',
  afterInstall: 'postinstall.mjs',
}

export const mcpPrograms: readonly McpProgram[] = [
  {
    ...claude,
    clientName: /^mcp\/claude-code/,
    useModel: useModelInClaude,
    useDoor(home, door) {
      const server = { type: 'http', url: door.url, headers: headers(door) }
      mergeJson(home, '.claude.json', { mcpServers: { 'task-surface': server } })
    },
    args: ['-p', prompt, '--allowedTools', 'mcp__task-surface'],
  },
  {
    ...codex,
    clientName: /^mcp\/codex/,
    useModel: useModelInCodex,
    useDoor(home, { url, token }) {
      const lines = `[mcp_servers.task-surface]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${token}" }\n`
      append(home, '.codex/config.toml', lines)
    },
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
  },
  {
    ...gemini,
    clientName: /^mcp\/gemini/,
    useModel: useModelInGemini,
    useDoor(home, door) {
      const server = { httpUrl: door.url, headers: headers(door), trust: true, timeout: 60_000 }
      mergeJson(home, '.gemini/settings.json', { mcpServers: { 'task-surface': server } })
    },
    args: ['-p', prompt, '--approval-mode', 'yolo'],
  },
  {
    ...qwen,
    clientName: /^mcp\/qwen/,
    useModel: useModelInQwen,
    useDoor(home, door) {
      const server = { httpUrl: door.url, headers: headers(door), trust: true }
      mergeJson(home, '.qwen/settings.json', { mcpServers: { 'task-surface': server } })
    },
    args: ['-p', prompt, '--approval-mode', 'yolo'],
  },
  {
    ...opencode,
    clientName: /^mcp\/opencode/,
    useModel: useModelInOpencode,
    useDoor(home, door) {
      const server = { type: 'remote', url: door.url, headers: headers(door), oauth: false }
      mergeJson(home, opencodeFile, { mcp: { 'task-surface': server } })
    },
    args: ['run', prompt],
  },
]

/** Merges what a recipe says stands in the file of opencode. */
export function mergeOpencode(home: Home, more: JsonObject): void {
  mergeJson(home, opencodeFile, more)
}

export const acpPrograms: readonly AcpProgram[] = [
  { ...opencode, name: 'opencode', useModel: useModelInOpencode },
  { ...gemini, name: 'gemini', useModel: useModelInGemini },
  { ...qwen, name: 'qwen', useModel: useModelInQwen },
  {
    label: 'codex-acp',
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    command: 'codex-acp',
    name: 'codex',
    useModel: useModelInCodex,
  },
  {
    label: 'claude-agent-acp',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.49.0',
    command: 'claude-agent-acp',
    name: 'claude',
    useModel: useModelInClaude,
  },
]
