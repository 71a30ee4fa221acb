/* What of an event or a context may be journalled and shown (SPEC 10): ids, the closed words of the machines, numbers
   and flags. Any other text is reduced to its length, so that no message text and no value can get in, whatever a
   machine may carry one day. */
import { prototypeKeys, type Json, type JsonObject } from './json.ts'

const idKey = /(^id|Id|Ids)$/
/** Keys whose values are words that a machine's types spell out. */
const wordKeys: ReadonlySet<string> = new Set([
  'by',
  'closed',
  'decision',
  'discarded',
  'outcome',
  'owner',
  'phase',
  'placement',
  'reason',
  'status',
  'stop',
  'stoppedBy',
  'type',
])
/** Characters an id or a word may have; ids have 128 at most. */
const maxTextLength = 128
/** Nothing our machines carry lies deeper. */
const maxDepth = 6

/** `value` with every text reduced that is neither an id nor a word. Null for what is no JSON. */
export function reduced(value: unknown): Json {
  return reduce(value, '', 0)
}

function reduce(value: unknown, key: string, depth: number): Json {
  switch (typeof value) {
    case 'string':
      return value.length <= maxTextLength && isPlain(key) ? value : { length: value.length }
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'object':
      return value === null || depth > maxDepth ? null : reduceMembers(value, key, depth + 1)
    default:
      return null
  }
}

function reduceMembers(value: object, key: string, depth: number): Json {
  if (Array.isArray(value)) return value.map((member) => reduce(member, key, depth))
  const members: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined && !prototypeKeys.has(name)) members[name] = reduce(member, name, depth)
  }
  return members
}

/** Every transition asks for the same few keys. */
const plainByKey = new Map<string, boolean>()

function isPlain(key: string): boolean {
  let plain = plainByKey.get(key)
  if (plain === undefined) {
    plain = idKey.test(key) || wordKeys.has(key)
    plainByKey.set(key, plain)
  }
  return plain
}
