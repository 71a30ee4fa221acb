import { expect, it } from 'vitest'
import { sessionIdSchema } from '../../shared/ids.ts'

it.each(['a', 'A.b_c:d-9', 'x'.repeat(128)])('ids: %s is an id', (id) => {
  expect(sessionIdSchema.safeParse(id).success).toBe(true)
})

it.each(['', 'x'.repeat(129), 'a b', 'é', '__proto__', 'constructor', 'prototype', 'a/b', 'a\n'])(
  'ids: %j is none',
  (id) => {
    expect(sessionIdSchema.safeParse(id).success).toBe(false)
  },
)
