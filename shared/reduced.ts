/* What of an event or a context may be journalled and shown (SPEC 10): ids, the closed words of the machines, numbers
   and flags. Any other text is reduced to its length, so that no message text and no value can get in, whatever a
   machine may carry one day. */
import type { Json } from './json.ts'

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
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'string') return isPlain(key) && value.length <= maxTextLength ? value : { length: value.length }
  if (typeof value !== 'object' || depth > maxDepth) return null
  if (Array.isArray(value)) return value.map((member) => reduce(member, key, depth + 1))
  const members: [string, Json][] = []
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members.push([name, reduce(member, name, depth + 1)])
  }
  return Object.fromEntries(members)
}

function isPlain(key: string): boolean {
  return idKey.test(key) || wordKeys.has(key)
}
