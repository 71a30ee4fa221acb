import { expect, it } from 'vitest'
import { reduced } from '../../shared/reduced.ts'

it('10 journal: a text under any key but an id or a word of a machine is its length, however short', () => {
  const event = {
    type: 'EDIT',
    itemId: 'i-1',
    taskIds: ['t-1', 't-2'],
    reason: 'cancelled',
    text: 'hi',
    title: 'a title',
    nested: { values: { name: 'Ada', list: ['x', 'yy'] }, status: 'queued' },
    count: 3,
    isOpen: true,
  }
  expect(reduced(event)).toEqual({
    type: 'EDIT',
    itemId: 'i-1',
    taskIds: ['t-1', 't-2'],
    reason: 'cancelled',
    text: { length: 2 },
    title: { length: 7 },
    nested: { values: { name: { length: 3 }, list: [{ length: 1 }, { length: 2 }] }, status: 'queued' },
    count: 3,
    isOpen: true,
  })
})

it('10 journal: what passes for an id or a word is no longer than one', () => {
  expect(reduced({ sessionId: 'x'.repeat(129), type: 'y'.repeat(129) })).toEqual({
    sessionId: { length: 129 },
    type: { length: 129 },
  })
})

it('10 journal: no key that names a prototype, nothing without end and nothing but JSON gets in', () => {
  const endless: Record<string, unknown> = {}
  endless['id'] = endless
  expect(JSON.stringify(reduced(JSON.parse('{"__proto__": {"type": "x"}, "constructor": 1, "type": "y"}')))).toBe(
    '{"type":"y"}',
  )
  expect(JSON.stringify(reduced(endless)).length).toBeLessThan(100)
  expect(reduced({ at: Number.NaN, run: () => {}, big: 1n })).toEqual({ at: null, run: null, big: null })
})
