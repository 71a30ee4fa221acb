/* JSON values as they cross a border (socket, log, file), and the one check every border makes on
   them: no key that could reach an object's prototype. Sizes are judged by whoever owns the border. */
import { z } from 'zod'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Keys that may never name a member: writing them on a plain object reaches its prototype. */
export const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

export const jsonSchema: z.ZodType<Json> = z.json()

export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonSchema)

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
