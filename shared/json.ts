/* JSON values as they cross a border (socket, log, file), and the one check every border makes on
   them: no key that could reach an object's prototype. Sizes are judged by whoever owns the border. */
import { z } from 'zod'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Keys that may never name a member: writing them on a plain object reaches its prototype. */
export const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/* Checked by hand and passed on as it is: zod's own JSON type recurses, so that input of a few kilobytes overflows the stack,
   and copies records without a `__proto__` member, which a border must see to refuse. */
export const jsonSchema: z.ZodType<Json> = z.custom<Json>(isJson, 'must be JSON')

export const jsonObjectSchema: z.ZodType<JsonObject> = z.custom<JsonObject>(
  (value) => isPlainObject(value) && isJson(value),
  'must be a JSON object',
)

/** Levels of nesting a border lets in: nobody means more, and writing JSON recurses. */
export const jsonMaxDepth = 500

/** True for what `JSON.parse` can return, up to `jsonMaxDepth`. Level by level, so deep input cannot overflow the stack. */
export function isJson(value: unknown): value is Json {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > jsonMaxDepth) return false
    const below: unknown[] = []
    for (const next of level) {
      if (typeof next === 'number') {
        if (!Number.isFinite(next)) return false
      } else if (Array.isArray(next)) for (const member of next) below.push(member)
      else if (isPlainObject(next)) for (const member of Object.values(next)) below.push(member)
      else if (next !== null && typeof next !== 'string' && typeof next !== 'boolean') return false
    }
    level = below
  }
  return true
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** True for an own key anywhere in `value` that names the prototype. Iterative, so deep input cannot overflow the stack. */
export function hasPrototypeKey(value: unknown): boolean {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    for (const [key, member] of Object.entries(next)) {
      if (!Array.isArray(next) && prototypeKeys.has(key)) return true
      open.push(member)
    }
  }
  return false
}
