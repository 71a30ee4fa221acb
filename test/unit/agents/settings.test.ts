import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadSettings, type AgentEnvironment, type Settings } from '../../../host/agents/settings.ts'

let dataDir = ''
let path = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'task-surface-settings-'))
  path = join(dataDir, 'settings.json')
})
afterEach(() => rm(dataDir, { recursive: true }))

async function load(file: unknown, environment: AgentEnvironment = {}): Promise<Settings> {
  if (file !== undefined) await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file), { mode: 0o600 })
  return loadSettings({ dataDir, environment })
}

const local = 'http://127.0.0.1:11434/v1'

it('11: without file and environment there is nothing, and nothing is wrong', async () => {
  const { providers, acp, limits, problem } = await load(undefined)
  expect(providers.openai).toMatchObject({ baseUrl: undefined, apiKey: undefined, models: [], problem: undefined })
  expect({ acp, limits, problem }).toEqual({ acp: {}, limits: {}, problem: undefined })
})

it.each(['OPENAI', 'DEEPSEEK', 'ANTHROPIC'] as const)(
  '11: %s_BASE_URL and its key go to the providers of that name alone',
  async (prefix) => {
    const environment = { [`${prefix}_BASE_URL`]: ` ${local} `, [`${prefix}_API_KEY`]: 'key-env' }
    const { providers } = await load(undefined, environment)
    const own = Object.entries(providers).filter(([name]) => name.startsWith(prefix.toLowerCase()))
    expect(own.length).toBe(prefix === 'OPENAI' ? 2 : 1)
    for (const [name, access] of Object.entries(providers)) {
      if (name.startsWith(prefix.toLowerCase())) {
        expect(access).toMatchObject({ baseUrl: local, apiKey: 'key-env', keyName: `${prefix}_API_KEY` })
      } else expect(access).toMatchObject({ baseUrl: undefined, apiKey: undefined })
    }
  },
)

it('11: an empty variable is an absent one', async () => {
  const { providers } = await load(undefined, { OPENAI_BASE_URL: '', OPENAI_API_KEY: '  ' })
  expect(providers.openai).toMatchObject({ baseUrl: undefined, apiKey: undefined, problem: undefined })
})

it('11: the file names what the environment does not', async () => {
  const file = {
    providers: {
      'openai-compatible': { baseUrl: local, apiKey: 'key-file', models: ['qwen3', 'org/model:8b'] },
      openai: { apiKey: 'key-own' },
    },
    acp: { codex: { command: 'codex-acp' } },
    limits: { rows: 500, stallSeconds: 30 },
  }
  const settings = await load(file)
  expect(settings.providers['openai-compatible']).toMatchObject({
    baseUrl: local,
    apiKey: 'key-file',
    keyName: 'apiKey in settings.json',
    models: ['qwen3', 'org/model:8b'],
  })
  expect(settings.providers.openai).toMatchObject({ baseUrl: undefined, apiKey: 'key-own' })
  expect(settings).toMatchObject({ acp: file.acp, limits: file.limits, problem: undefined })
})

describe('12: a key never travels to an address it was not given for', () => {
  const providers = { 'openai-compatible': { baseUrl: local, apiKey: 'key-file' } }

  it('12: the key of the environment not to the address of the file', async () => {
    const settings = await load(
      { providers: { 'openai-compatible': { baseUrl: local } } },
      { OPENAI_API_KEY: 'key-env' },
    )
    expect(settings.providers['openai-compatible']).toMatchObject({ baseUrl: local, apiKey: undefined })
  })

  it('12: the key of the file not to the address of the environment', async () => {
    const settings = await load({ providers }, { OPENAI_BASE_URL: 'http://elsewhere.test/v1' })
    expect(settings.providers['openai-compatible']).toMatchObject({
      baseUrl: 'http://elsewhere.test/v1',
      apiKey: undefined,
    })
  })

  it('12: the key of one provider not to the other', async () => {
    const settings = await load({ providers })
    expect(settings.providers.openai).toMatchObject({ baseUrl: undefined, apiKey: undefined })
  })
})

it.each(['ftp://x.test', 'localhost:11434', 'not an address'])(
  '11: an address that is none is said so: %s',
  async (address) => {
    const { providers, problem } = await load(undefined, { OPENAI_BASE_URL: address })
    expect(providers['openai-compatible'].problem).toBe('OPENAI_BASE_URL is not an http or https address.')
    expect(problem).toBeUndefined()
  },
)

describe('11: a file that cannot be used is one clear line, and the host goes on without it', () => {
  it.each([
    [{ providers: { openai: { baseUrl: 'nowhere' } } }, '/providers/openai/baseUrl: must be an http or https address.'],
    [
      { providers: { 'openai-compatible': { models: ['a', 'b c'] } } },
      '/providers/openai-compatible/models/1: a model name has no white space.',
    ],
    [{ providers: { 'open/ai~': {} } }, '/providers: '],
    [{ limits: { rows: 0 } }, '/limits/rows: '],
    [{ limits: { rows: -1, columns: 'x' } }, '(and 1 more).'],
    [{ limit: {} }, '/: '],
    [[], '/: '],
    ['', 'it is not valid JSON'],
    ['{\n  "providers": {\n    "openai": { "apiKey": "key-secret" oops }\n  }\n}', 'it is not valid JSON, line 3.'],
    ['{"limits": {"__proto__": {}}}', 'it has a reserved key'],
  ])('11: %j', async (file, words) => {
    const settings = await load(file, { OPENAI_API_KEY: 'key-env' })
    expect(settings.problem).toContain(words)
    expect(settings.problem?.startsWith(`${path} is not used: `)).toBe(true)
    expect(settings.problem).not.toContain('\n')
    expect(settings.providers.openai.apiKey).toBe('key-env')
    expect(settings.limits).toEqual({})
  })

  it.each([
    '{"providers": {"openai": {"apiKey": "key-secret", "baseUrl": 5}}}',
    '{"providers": {"openai": {"apiKey": "key-secret"}',
  ])('12: the line never shows what the file holds: %s', async (file) => {
    expect((await load(file)).problem).toBeDefined()
    expect((await load(file)).problem).not.toContain('secret')
  })

  it('11: also where a folder stands in its place', async () => {
    const settings = await loadSettings({ dataDir: join(dataDir, 'missing'), environment: {} })
    expect(settings.problem).toBeUndefined()
    await writeFile(join(dataDir, 'plain'), '')
    expect((await loadSettings({ dataDir: join(dataDir, 'plain'), environment: {} })).problem).toContain('(ENOTDIR)')
  })
})

it('11: a byte order mark of an editor is no mistake', async () => {
  expect((await load('\uFEFF{"limits": {"rows": 7}}')).limits).toEqual({ rows: 7 })
})

it('12: a file that others may read is made private', async () => {
  await writeFile(path, '{}')
  await chmod(path, 0o644)
  await loadSettings({ dataDir, environment: {} })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})
