import { readFile } from 'node:fs/promises'
import { join, resolve as resolvePath } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAgentCatalog } from '../../../host/agents/catalog.ts'
import type { ProviderAccess, Settings } from '../../../host/agents/settings.ts'
import { systemClock } from '../../../host/clock.ts'

const nothing: ProviderAccess = {
  baseUrl: undefined,
  apiKey: undefined,
  keyName: 'OPENAI_API_KEY',
  addressName: 'OPENAI_BASE_URL',
  models: [],
  problem: undefined,
}

function catalog(
  access: { openai?: Partial<ProviderAccess>; compatible?: Partial<ProviderAccess> } = {},
  preferred?: string,
) {
  const settings: Settings = {
    providers: {
      openai: { ...nothing, ...access.openai },
      'openai-compatible': { ...nothing, ...access.compatible },
      deepseek: { ...nothing, keyName: 'DEEPSEEK_API_KEY', addressName: 'DEEPSEEK_BASE_URL' },
      anthropic: { ...nothing, keyName: 'ANTHROPIC_API_KEY', addressName: 'ANTHROPIC_BASE_URL' },
    },
    acp: {},
    limits: {},
    problem: undefined,
  }
  return createAgentCatalog({ settings, preferred, clock: systemClock })
}

/** Rows of providers that this file sets nothing for. */
const others = [
  'deepseek/deepseek-chat false',
  'deepseek/deepseek-reasoner false',
  'anthropic/claude-sonnet-4-5 false',
  'anthropic/claude-opus-4-5 false',
]

const baseUrl = 'http://user:password@127.0.0.1:11434/v1'

it('11: the guide is always there and first; what is not configured says what to set', () => {
  const agents = catalog()
  expect(agents.list()).toEqual([
    { name: 'demo', label: 'Scripted guide, no key, no network', available: true },
    {
      name: 'openai-compatible',
      label: 'OpenAI-compatible server',
      available: false,
      why: 'Set OPENAI_BASE_URL to the address of the server and start again.',
    },
    { name: 'openai/gpt-5', label: 'OpenAI', available: false, why: 'Set OPENAI_API_KEY and start again.' },
    { name: 'openai/gpt-5-mini', label: 'OpenAI', available: false, why: 'Set OPENAI_API_KEY and start again.' },
    ...['deepseek-chat', 'deepseek-reasoner'].map((model) => ({
      name: `deepseek/${model}`,
      label: 'DeepSeek',
      available: false,
      why: 'Set DEEPSEEK_API_KEY and start again.',
    })),
    ...['claude-sonnet-4-5', 'claude-opus-4-5'].map((model) => ({
      name: `anthropic/${model}`,
      label: 'Anthropic',
      available: false,
      why: 'Set ANTHROPIC_API_KEY and start again.',
    })),
  ])
  expect(agents.resolve('demo')).toMatchObject({ available: true })
  expect(agents.resolve('openai-compatible/qwen3')).toMatchObject({
    available: false,
    why: expect.stringMatching(/^Set OPENAI_BASE_URL/),
  })
  expect(agents.resolve('openai/gpt-5')).toMatchObject({
    available: false,
    why: expect.stringMatching(/^Set OPENAI_API_KEY/),
  })
})

it.each(['openai-compatible/qwen3', 'openai-compatible/org/model:8b-q4', 'openai-compatible/demo'])(
  '11: with an address any model name resolves, key or none: %s',
  (name) => {
    expect(catalog({ compatible: { baseUrl } }).resolve(name)).toMatchObject({ available: true })
    expect(catalog({ compatible: { baseUrl, apiKey: 'k' } }).resolve(name)).toMatchObject({ available: true })
  },
)

it('11: openai has an address of its own and needs a key', () => {
  expect(catalog({ openai: { apiKey: 'k' } }).resolve('openai/gpt-9')).toMatchObject({ available: true })
  expect(catalog({ openai: { baseUrl } }).resolve('openai/gpt-9')).toMatchObject({ available: false })
})

it.each([
  '',
  'Demo',
  'demo/x',
  'openai',
  'openai/',
  'openai-compatible/',
  'openai/ ',
  'mistral/large',
  '/x',
  'openai-compatible/a b',
  '__proto__/x',
  'constructor',
])('11: no agent has the name %j', (name) => {
  expect(catalog({ openai: { apiKey: 'k' }, compatible: { baseUrl } }).resolve(name)).toBeNull()
})

it('11: the models of the settings are offered in place of the defaults', () => {
  const agents = catalog({
    openai: { apiKey: 'k', models: ['gpt-x'] },
    compatible: { baseUrl, models: ['qwen3', 'gemma'] },
  })
  expect(agents.list().map(({ name, available }) => `${name} ${available}`)).toEqual([
    'demo true',
    'openai-compatible/qwen3 true',
    'openai-compatible/gemma true',
    'openai/gpt-x true',
    ...others,
  ])
})

it('11: an address without model names says how to name one', () => {
  expect(catalog({ compatible: { baseUrl } }).list()[1]).toMatchObject({
    name: 'openai-compatible',
    available: false,
    why: expect.stringContaining('--agent openai-compatible/<model>'),
  })
})

describe('11: the agent asked for at the start', () => {
  it('11: is offered first, and so is the default', () => {
    const agents = catalog({ compatible: { baseUrl } }, 'openai-compatible/qwen3').list()
    expect(agents.slice(0, 2).map(({ name, available }) => `${name} ${available}`)).toEqual([
      'openai-compatible/qwen3 true',
      'demo true',
    ])
    expect(agents.some(({ name }) => name === 'openai-compatible')).toBe(false)
  })

  it('11: is shown with its reason where it is not available, and one that is offered anyway stands once', () => {
    const names = catalog({}, 'openai/gpt-5')
      .list()
      .map(({ name, available }) => `${name} ${available}`)
    expect(names).toEqual([
      'openai/gpt-5 false',
      'demo true',
      'openai-compatible false',
      'openai/gpt-5-mini false',
      ...others,
    ])
  })

  it('11: is left out where nothing has that name', () => {
    expect(catalog({}, 'nobody/x').list()).toEqual(catalog().list())
  })
})

it('12: what the browser is told names neither address nor key', () => {
  for (const agents of [
    catalog({ compatible: { baseUrl, apiKey: 'k-secret', models: ['m'] } }),
    catalog({ compatible: { problem: 'No.', baseUrl } }),
  ]) {
    expect(JSON.stringify(agents.list())).not.toMatch(/127\.0\.0\.1|11434|password|secret/)
  }
})

it('11: a caller cannot change what the next one is told', () => {
  const agents = catalog()
  agents.list().splice(0)
  for (const view of agents.list()) view.available = !view.available
  expect(agents.list()[0]).toMatchObject({ name: 'demo', available: true })
})

it('15: nothing of the AI SDK is loaded before a provider is asked', async () => {
  const start = resolvePath(import.meta.dirname, '../../../host/agents/catalog.ts')
  const seen = new Set<string>()
  const packages = new Set<string>()
  const open = [start]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const source = await readFile(file, 'utf8')
    for (const [, specifier = ''] of source.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)'/gms)) {
      if (specifier.startsWith('.')) open.push(join(file, '..', specifier))
      else packages.add(specifier)
    }
  }
  expect(seen.size).toBeGreaterThan(15)
  expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual(['zod'])
})
