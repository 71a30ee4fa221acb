/* `settings.json` of the data folder and the environment, made into what providers may use (SPEC 11). A key is
   only ever paired with the address that stands beside it, or with the provider's own: a key from the
   environment never travels to an address from the file, nor the other way. A file that cannot be used is
   reported once, by the path of the problem and never by its content, and counts as absent. */
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { hasPrototypeKey, jsonObjectSchema, type JsonObject } from '../../shared/json.ts'
import { taskSurfaceLimitsSchema } from '../../shared/surface/limits.ts'

export const providerNames = ['openai-compatible', 'openai', 'deepseek', 'anthropic'] as const
export type ProviderName = (typeof providerNames)[number]

/** The variables of the environment that count here, as text or absent. */
export interface AgentEnvironment {
  OPENAI_API_KEY?: string | undefined
  OPENAI_BASE_URL?: string | undefined
  DEEPSEEK_API_KEY?: string | undefined
  DEEPSEEK_BASE_URL?: string | undefined
  ANTHROPIC_API_KEY?: string | undefined
  ANTHROPIC_BASE_URL?: string | undefined
}

/** Before `_API_KEY` and `_BASE_URL` in the names of a provider's variables. */
const prefixes = {
  'openai-compatible': 'OPENAI',
  openai: 'OPENAI',
  deepseek: 'DEEPSEEK',
  anthropic: 'ANTHROPIC',
} as const satisfies Record<ProviderName, string>

const httpUrl = z.string().refine(isHttpUrl, 'must be an http or https address')
const modelName = z
  .string()
  .min(1)
  .max(160)
  .regex(/^[^\s\p{Cc}]+$/u, 'a model name has no white space')

const providerSchema = z.strictObject({
  /** Used as given, with `/v1` or without: requests go to `<baseUrl>/chat/completions`, for Anthropic to `/v1/messages` below it. */
  baseUrl: httpUrl.optional(),
  apiKey: z.string().trim().min(1).optional(),
  /** Offered to the person; any other name works as well. */
  models: z.array(modelName).max(64).optional(),
})
type ProviderEntry = z.infer<typeof providerSchema>

const limitsSchema = taskSurfaceLimitsSchema.partial().extend({
  /** Seconds of silence after which a model call counts as dead. */
  stallSeconds: z.int().min(1).max(86_400).optional(),
})
type SettingsLimits = z.infer<typeof limitsSchema>

const fileSchema = z.strictObject({
  providers: z
    .strictObject({
      'openai-compatible': providerSchema.optional(),
      openai: providerSchema.optional(),
      deepseek: providerSchema.optional(),
      anthropic: providerSchema.optional(),
    })
    .optional(),
  acp: jsonObjectSchema.optional(),
  limits: limitsSchema.optional(),
})
type SettingsFile = z.infer<typeof fileSchema>

export interface ProviderAccess {
  baseUrl: string | undefined
  apiKey: string | undefined
  /** Where a missing or refused key belongs, for the person. */
  keyName: string
  /** The variable that names the address. */
  addressName: string
  models: readonly string[]
  /** Set: this provider cannot be used, and why. */
  problem: string | undefined
}

export interface Settings {
  providers: Record<ProviderName, ProviderAccess>
  acp: JsonObject
  limits: SettingsLimits
  /** What is wrong with the file, in one line for the person; the host goes on without it. */
  problem: string | undefined
}

export async function loadSettings(deps: { dataDir: string; environment: AgentEnvironment }): Promise<Settings> {
  const path = join(deps.dataDir, 'settings.json')
  const read = await readSettingsFile(path)
  const file = read.ok ? read.file : {}
  const access = (name: ProviderName) => accessOf(prefixes[name], file.providers?.[name], deps.environment)
  return {
    providers: {
      'openai-compatible': access('openai-compatible'),
      openai: access('openai'),
      deepseek: access('deepseek'),
      anthropic: access('anthropic'),
    },
    acp: file.acp ?? {},
    limits: file.limits ?? {},
    problem: read.ok ? undefined : `${path} is not used: ${read.problem}`,
  }
}

function accessOf(
  prefix: (typeof prefixes)[ProviderName],
  entry: ProviderEntry | undefined,
  environment: AgentEnvironment,
): ProviderAccess {
  const [keyName, addressName] = [`${prefix}_API_KEY`, `${prefix}_BASE_URL`] as const
  const models = entry?.models ?? []
  const baseUrl = filled(environment[addressName])
  const apiKey = filled(environment[keyName])
  if (baseUrl !== undefined) {
    const problem = isHttpUrl(baseUrl) ? undefined : `${addressName} is not an http or https address.`
    return { baseUrl, apiKey, keyName, addressName, models, problem }
  }
  if (entry?.baseUrl !== undefined || (entry?.apiKey !== undefined && apiKey === undefined)) {
    return {
      baseUrl: entry.baseUrl,
      apiKey: entry.apiKey,
      keyName: 'apiKey in settings.json',
      addressName,
      models,
      problem: undefined,
    }
  }
  return { baseUrl: undefined, apiKey, keyName, addressName, models, problem: undefined }
}

type ReadResult = { ok: true; file: SettingsFile } | { ok: false; problem: string }

async function readSettingsFile(path: string): Promise<ReadResult> {
  let source: string
  try {
    await keepPrivate(path)
    source = await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return code === 'ENOENT' ? { ok: true, file: {} } : { ok: false, problem: `it cannot be read (${code}).` }
  }
  let value: unknown
  try {
    value = JSON.parse(source.replace(/^\uFEFF/, ''))
  } catch (error) {
    // The engine's message quotes the text around the mistake, which may be a key.
    return { ok: false, problem: `it is not valid JSON${lineOf(error, source)}.` }
  }
  if (hasPrototypeKey(value))
    return { ok: false, problem: 'it has a reserved key (__proto__, constructor or prototype).' }
  const parsed = fileSchema.safeParse(value)
  return parsed.success ? { ok: true, file: parsed.data } : { ok: false, problem: problemsOf(parsed.error) }
}

/** The file holds keys: whatever mode it was written with, only its owner keeps access. */
async function keepPrivate(path: string): Promise<void> {
  const { mode } = await stat(path)
  if ((mode & 0o077) !== 0) await chmod(path, 0o600)
}

function problemsOf(error: z.ZodError): string {
  const problems = error.issues.map((issue) => `${pointer(issue.path)}: ${issue.message}`)
  const [first, ...others] = problems
  return others.length === 0 ? `${first}.` : `${first} (and ${others.length} more).`
}

function pointer(path: readonly PropertyKey[]): string {
  return `/${path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}

function lineOf(error: unknown, source: string): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined
  return position === undefined ? '' : `, line ${source.slice(0, Number(position)).split('\n').length}`
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

function filled(value: string | undefined): string | undefined {
  const trimmed = value?.trim()
  return trimmed === undefined || trimmed === '' ? undefined : trimmed
}
