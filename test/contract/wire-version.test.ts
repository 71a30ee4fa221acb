/* The wire may not change by accident. This test is red after any change of a method's params or result or of a frame:
   then either take the change back, or bump `wireProtocolVersion`, add its hash below and a line to the ledger in
   `shared/protocol/PROTOCOL.md`. While a version has not been released, its own hash may be replaced. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  frameSchema,
  hostFrameSchema,
  inspectFrameSchema,
  sessionFrameSchema,
  wireProtocolVersion,
} from '../../shared/protocol/frames.ts'
import { methods } from '../../shared/protocol/methods.ts'

const protocolDocument = readFileSync(new URL('../../shared/protocol/PROTOCOL.md', import.meta.url), 'utf8')

const hashByVersion: Readonly<Record<number, string>> = {
  1: 'b8cbb87da8410e512f3c5589c9a1496bbb8881dfb0a5958e580db5ba175b7259',
}

/** Members sorted, so that the order in which a schema was written does not count. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => z.toJSONSchema(schema, { io, unrepresentable: 'any' })

function wireHash(): string {
  const wire = {
    methods: Object.fromEntries(
      Object.entries(methods).map(([name, { params, result }]) => [
        name,
        { params: schemaOf(params, 'input'), result: schemaOf(result, 'output') },
      ]),
    ),
    frames: schemaOf(frameSchema, 'output'),
  }
  return createHash('sha256').update(canonical(wire)).digest('hex')
}

it('wire/version: methods and frames are those of the version they say', () => {
  expect(wireHash()).toBe(hashByVersion[wireProtocolVersion])
})

it('wire/version: the ledger of the protocol document names the version', () => {
  expect(protocolDocument).toMatch(new RegExp(`^\\| ${wireProtocolVersion} \\|`, 'm'))
})

it('wire/version: the document names every method and every frame', () => {
  const frames = [...hostFrameSchema.options, ...sessionFrameSchema.options, inspectFrameSchema].map(
    ({ shape }) => shape.type.value,
  )
  const names = [...Object.keys(methods), ...frames]
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !protocolDocument.includes(`\`${name}\``))).toEqual([])
})
