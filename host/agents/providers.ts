/* Which model providers there are and how each becomes a model (SPEC 11). A further provider is one more row
   of `providers`; one that speaks another protocol brings its own `open`. Configuration is passed in; nothing
   here reads the environment, and no label or reason names an address or a key. */
import type { LanguageModel } from 'ai'
import type { AgentView } from '../../shared/protocol/methods.ts'
import type { Clock } from '../clock.ts'
import { createAiSdkModel } from './ai-sdk-model.ts'
import type { Model, ResolvedAgent } from './port.ts'
import { providerNames, type ProviderAccess, type ProviderName, type Settings } from './settings.ts'

export interface ProviderDeps {
  clock: Clock
  stallMs: number
}

interface Provider {
  label: (access: ProviderAccess) => string
  /** Offered when the settings name no model; any other name of the provider resolves too. */
  defaultModels: readonly string[]
  /** The provider's own address; undefined: it has none, one must be set. */
  defaultBaseUrl: string | undefined
  needsKey: boolean
  open(to: { baseUrl: string; apiKey: string | undefined; modelId: string }): Promise<LanguageModel>
}

/** The chat-completions protocol, as OpenAI and most servers speak it. */
const openChat: Provider['open'] = async ({ baseUrl, apiKey, modelId }) => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const provider = createOpenAICompatible({
    name: 'openaiCompatible',
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  return provider.chatModel(modelId)
}

const providers: Record<ProviderName, Provider> = {
  'openai-compatible': {
    label: (access) => (isLoopback(access.baseUrl) ? 'Server on this machine' : 'OpenAI-compatible server'),
    defaultModels: [],
    defaultBaseUrl: undefined,
    needsKey: false,
    open: openChat,
  },
  openai: {
    label: () => 'OpenAI',
    defaultModels: ['gpt-5', 'gpt-5-mini'],
    defaultBaseUrl: 'https://api.openai.com/v1',
    needsKey: true,
    open: openChat,
  },
  deepseek: {
    label: () => 'DeepSeek',
    defaultModels: ['deepseek-chat', 'deepseek-reasoner'],
    defaultBaseUrl: 'https://api.deepseek.com',
    needsKey: true,
    // Hands a reasoner its own thoughts back within a tool loop, as that provider demands.
    open: async ({ baseUrl, apiKey, modelId }) => {
      const { createDeepSeek } = await import('@ai-sdk/deepseek')
      return createDeepSeek({ baseURL: baseUrl, ...withoutEnvironment(apiKey) }).chat(modelId)
    },
  },
  anthropic: {
    label: () => 'Anthropic',
    defaultModels: ['claude-sonnet-4-5', 'claude-opus-4-5'],
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    needsKey: true,
    open: async ({ baseUrl, apiKey, modelId }) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ baseURL: versioned(baseUrl), ...withoutEnvironment(apiKey) }).chat(modelId)
    },
  },
}

/** Anthropic's own programs take the address without `/v1`, others with it; both are meant. */
function versioned(baseUrl: string): string {
  return /\/v1\/?$/.test(baseUrl) ? baseUrl : `${baseUrl.replace(/\/$/, '')}/v1`
}

/** A missing key is none: these libraries would look for one in the environment. */
function withoutEnvironment(apiKey: string | undefined): { apiKey: string } {
  return { apiKey: apiKey ?? '' }
}

type Readiness = { ready: true; baseUrl: string } | { ready: false; why: string }

/** `name` is `<provider>/<model>`; `null`: no such provider, or no model in the name. Never throws. */
export function resolveProviderAgent(name: string, settings: Settings, deps: ProviderDeps): ResolvedAgent | null {
  const parsed = parseName(name)
  if (parsed === undefined) return null
  const access = settings.providers[parsed.provider]
  const readiness = readinessOf(providers[parsed.provider], access)
  if (!readiness.ready) return { available: false, why: readiness.why }
  const provider = providers[parsed.provider]
  return { available: true, model: providerModel(provider, parsed.modelId, readiness.baseUrl, access, deps) }
}

/** What is offered of each provider: its models and a `wanted` one, or a row that says what is missing. */
export function providerViews(settings: Settings, wanted: string | undefined): AgentView[] {
  return providerEntries().flatMap(([name, provider]): AgentView[] => {
    const access = settings.providers[name]
    const label = provider.label(access)
    const readiness = readinessOf(provider, access)
    const models = access.models.length > 0 ? access.models : provider.defaultModels
    const names = new Set(models.map((model) => `${name}/${model}`))
    if (parseName(wanted)?.provider === name && wanted !== undefined) names.add(wanted)
    if (names.size > 0) {
      return [...names].map((row) =>
        readiness.ready
          ? { name: row, label, available: true }
          : { name: row, label, available: false, why: readiness.why },
      )
    }
    const why = readiness.ready
      ? `Name its models in settings.json, or start with --agent ${name}/<model>.`
      : readiness.why
    return [{ name, label, available: false, why }]
  })
}

function readinessOf(provider: Provider, access: ProviderAccess): Readiness {
  if (access.problem !== undefined) return { ready: false, why: access.problem }
  const baseUrl = access.baseUrl ?? provider.defaultBaseUrl
  if (baseUrl === undefined) {
    return { ready: false, why: `Set ${access.addressName} to the address of the server and start again.` }
  }
  if (provider.needsKey && access.apiKey === undefined) {
    return { ready: false, why: `Set ${access.keyName} and start again.` }
  }
  return { ready: true, baseUrl }
}

function providerModel(
  provider: Provider,
  modelId: string,
  baseUrl: string,
  access: ProviderAccess,
  deps: ProviderDeps,
): Model {
  const { apiKey } = access
  let opened: Promise<LanguageModel> | null = null
  return createAiSdkModel({
    ...deps,
    // Once: the library builds its schemas each time anew.
    open: () => (opened ??= provider.open({ baseUrl, apiKey, modelId })),
    failure: { secrets: apiKey === undefined ? [baseUrl] : [apiKey, baseUrl], keyName: access.keyName },
  })
}

function providerEntries(): [ProviderName, Provider][] {
  return providerNames.map((name) => [name, providers[name]])
}

/** A model's own name may hold slashes and colons, as in `openai-compatible/qwen/qwen3:8b`. */
function parseName(name: string | undefined): { provider: ProviderName; modelId: string } | undefined {
  const provider = providerNames.find((known) => name?.startsWith(`${known}/`))
  const modelId = provider === undefined ? undefined : name?.slice(provider.length + 1)
  return provider === undefined || modelId === undefined || !/^\S+$/.test(modelId) ? undefined : { provider, modelId }
}

function isLoopback(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return false
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
