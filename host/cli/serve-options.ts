/* The options of `serve` from two places, flags before `TASK_SURFACE_*` variables before defaults, checked once
   (SPEC 13). Pure: the environment is passed in. */
import { z } from 'zod'
import { CommandError } from './command-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What commander hands over: only flags that were given. */
export type ServeFlags = Readonly<{
  port?: string
  host?: string
  data?: string
  token?: string
  open?: boolean
  agent?: string
  json?: boolean
}>

export interface ServeOptions {
  /** 0: any free one. */
  port: number
  host: string
  /** Null: the usual place for this person. */
  data: string | null
  /** Null: the one kept in the data folder. */
  token: string | null
  open: boolean
  /** Agent of new sessions; null: the first available one. */
  agent: string | null
  json: boolean
}

const text = z.string().min(1, 'must not be empty')
const yes = new Set(['1', 'true', 'yes', 'on'])
const no = new Set(['0', 'false', 'no', 'off', ''])
const flag = z
  .string()
  .transform((value) => value.toLowerCase())
  .refine((value) => yes.has(value) || no.has(value), 'must be true or false')
  .transform((value) => yes.has(value))

interface TextOptions {
  port: number
  host: string
  data: string
  token: string
  agent: string
}

const schemas: { readonly [Name in keyof TextOptions]: z.ZodType<TextOptions[Name]> } = {
  port: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a number from 0 to 65535'),
  host: text
    .regex(/^[A-Za-z0-9.:%[\]-]+$/, 'must be a name or an address')
    .transform((host) => host.replace(/^\[(.*)\]$/, '$1')),
  data: text,
  token: z.string().regex(/^[\x21-\x7e]{1,256}$/, 'must be 1 to 256 printable characters without spaces'),
  agent: text.max(200),
}

export function readServeOptions(flags: ServeFlags, environment: Environment): ServeOptions {
  const value = <Name extends keyof TextOptions>(name: Name): TextOptions[Name] | null => {
    const given = flags[name]
    const variable = `TASK_SURFACE_${name.toUpperCase()}`
    const raw = given ?? environment[variable]
    if (raw === undefined || (given === undefined && raw === '')) return null
    return checked(schemas[name], raw, given === undefined ? variable : `--${name}`)
  }
  const isOn = (variable: string) => checked(flag, environment[variable] ?? '', variable)
  return {
    port: value('port') ?? 4380,
    host: value('host') ?? '127.0.0.1',
    data: value('data'),
    token: value('token'),
    open: flags.open !== false && !isOn('TASK_SURFACE_NO_OPEN'),
    agent: value('agent'),
    json: flags.json ?? isOn('TASK_SURFACE_JSON'),
  }
}

function checked<Value>(schema: z.ZodType<Value>, raw: string, name: string): Value {
  const parsed = schema.safeParse(raw)
  if (parsed.success) return parsed.data
  throw new CommandError(`${name} ${parsed.error.issues[0]?.message ?? 'cannot be used'}`)
}
