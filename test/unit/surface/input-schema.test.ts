import { createHash } from 'node:crypto'
import { fc } from '../../harness/property.ts'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { showTaskSurfaceInputSchema, showTaskSurfaceSchema } from '../../../shared/surface/input-schema.ts'
import { defaultTaskSurfaceLimits as limits } from '../../../shared/surface/limits.ts'
import { parseModel } from '../../../shared/surface/parse.ts'
import { fixtureCases } from '../../contract/fixtures-cases.ts'
import { arbitraryModel } from './arbitrary-model.ts'

const asText = JSON.stringify(showTaskSurfaceInputSchema)
const schema = z.fromJSONSchema(JSON.parse(asText))

it('5 tools: the definition of show_task_surface is the same bytes every time', () => {
  expect(JSON.stringify(showTaskSurfaceSchema(limits))).toBe(asText)
  // Changes the prefix of every conversation: change it on purpose.
  expect(createHash('sha256').update(asText).digest('hex')).toMatchInlineSnapshot(
    `"74632416b476b05a72874e3b6890055aed2dab85e16aa934c657c038f1707cac"`,
  )
})

it('6.2 input schema: every model the parser takes is described by it', () => {
  fc.assert(
    fc.property(arbitraryModel, (model) => {
      expect(parseModel(model, limits).ok).toBe(true)
      expect(schema.safeParse({ model }).success).toBe(true)
    }),
  )
})

it('6.2 input schema: it refuses what has another shape', () => {
  const shapes = [
    'arms/unknown-tone',
    'arms/unknown-layout',
    'keys/unknown-key-in-a-section',
    'types/no-sections',
    'version/version-2',
    'null/fields-null',
  ]
  const cases = fixtureCases('models.json').filter((entry) => shapes.includes(entry.name))
  expect(cases).toHaveLength(shapes.length)
  expect(
    cases.filter((entry) => schema.safeParse({ model: entry.input }).success).map((entry) => entry.name),
  ).toStrictEqual([])
  expect(schema.safeParse({}).success).toBe(false)
})

it('6.2 input schema: limits are told as configured', () => {
  expect(JSON.stringify(showTaskSurfaceSchema({ ...limits, fields: 7 }))).toContain('At most 7;')
})
