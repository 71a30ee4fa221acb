import { expect, it } from 'vitest'
import { callIdSchema, taskSurfaceIdSchema } from '../../../shared/ids.ts'
import { openedSurface, presentationMeta, readSurfaceMeta } from '../../../shared/surface/meta.ts'
import { parseStoredModel } from '../../../shared/surface/parse.ts'

const parsed = parseStoredModel({
  version: 1,
  title: 'T',
  sections: [],
  fields: [{ kind: 'toggle', id: 'f', label: 'L' }],
  submit: { label: 'Go' },
})
if (!parsed.ok) throw new Error('the model is legal')
const surfaceId = taskSurfaceIdSchema.parse('surface-1')
const meta = presentationMeta(surfaceId, parsed.model)
const result = { turn: 1, step: 0, callId: callIdSchema.parse('c'), name: 'show_task_surface', content: [] }
const stored: unknown = JSON.parse(JSON.stringify({ ...meta, later: { version: 9 } }))

it('6.3 meta: what the tool stored reads back, other keys ignored', () => {
  expect(readSurfaceMeta(stored)).toStrictEqual({ surfaceId, model: parsed.model })
})

it.each([
  ['no object', null],
  ['a list', [meta]],
  ['another tag', { ...meta, kind: 'task-surface' }],
  ['another version', { ...meta, version: 2 }],
  ['a version as text', { ...meta, version: '1' }],
  ['no id', { ...meta, surfaceId: undefined }],
  ['an id with a space', { ...meta, surfaceId: 'a b' }],
  ['a model of another version', { ...meta, model: { ...parsed.model, version: 2 } }],
  ['a model with an unknown key', { ...meta, model: { ...parsed.model, theme: 'dark' } }],
  ['inherited members', Object.create(meta)],
])('6.3 meta: %s opens nothing', (_, other) => {
  expect(readSurfaceMeta(other)).toBeNull()
})

it('6.3 opens: only a successful result of show_task_surface', () => {
  expect(openedSurface({ ...result, meta: JSON.parse(JSON.stringify(meta)) })).toStrictEqual({
    callId: 'c',
    surfaceId,
    model: parsed.model,
  })
  const readable = JSON.parse(JSON.stringify(meta))
  expect(openedSurface({ ...result, meta: readable, isError: false })).not.toBeNull()
  expect(openedSurface({ ...result, meta: readable, isError: true })).toBeNull()
  expect(openedSurface({ ...result, meta: readable, error: { code: 'X', message: 'x' } })).toBeNull()
  expect(openedSurface({ ...result, meta: readable, name: 'run_code' })).toBeNull()
  expect(openedSurface(result)).toBeNull()
})
