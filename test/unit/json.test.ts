import { fc } from '../harness/property.ts'
import { expect, it } from 'vitest'
import { isJson, jsonMaxDepth, jsonObjectSchema, jsonSchema } from '../../shared/json.ts'

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

it('12 json: takes whatever JSON.parse returns, unchanged', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 20 }), (text) => {
      const value: unknown = JSON.parse(text)
      expect(jsonSchema.parse(value)).toBe(value)
    }),
  )
})

it.each([
  undefined,
  Number.NaN,
  Infinity,
  1n,
  Symbol('s'),
  () => 1,
  new Date(0),
  new Map(),
  [undefined],
  { a: undefined },
])('12 json: refuses %s', (value) => {
  expect(isJson(value)).toBe(false)
  expect(isJson([{ member: value }])).toBe(false)
})

it('12 json: nesting is bounded and never overflows', () => {
  expect(isJson(nested(jsonMaxDepth))).toBe(true)
  expect(isJson(nested(jsonMaxDepth + 2))).toBe(false)
  expect(jsonSchema.safeParse(nested(200_000)).success).toBe(false)
})

it('12 json: a __proto__ member stays visible to whoever must refuse it', () => {
  const read = jsonObjectSchema.parse(JSON.parse('{"__proto__":{"x":1}}'))
  expect(Object.keys(read)).toStrictEqual(['__proto__'])
})

it.each([[[]], [null], ['x'], [7]])('12 json: %j is no object', (value) => {
  expect(jsonObjectSchema.safeParse(value).success).toBe(false)
})
