import { expect, it } from 'vitest'
import { checkSurface } from '../../../shared/surface/check.ts'
import { defaultTaskSurfaceLimits as limits } from '../../../shared/surface/limits.ts'

const model =
  '{ "title": " Form ", "version": 1, "sections": [], "submit": {"label": "Go"}, "fields": [{"id": "t", "kind": "text", "label": "Text", "required": true}] }'
const canonical =
  '{"version":1,"title":"Form","sections":[],"fields":[{"kind":"text","id":"t","label":"Text","required":true}],"submit":{"label":"Go"}}'
const pathsOf = (output: string): unknown[] => output.split('\n').map((row) => JSON.parse(row).path)

it('13 check: a good model is printed in normal form', () => {
  expect(checkSurface(model, undefined, limits)).toStrictEqual({ exitCode: 0, output: canonical })
})

it('13 check: good values are printed as message text', () => {
  expect(checkSurface(model, '{"values":{"t":"x"},"note":"n"}', limits)).toStrictEqual({
    exitCode: 0,
    output: 'Form\n- Text: x\n\nNote:\n  | n',
  })
})

it.each([
  ['a model that is no JSON', '{', undefined, ['']],
  [
    'every problem of a model',
    '{"version":2,"title":"","sections":[],"submit":{"label":"Go"},"fields":[7]}',
    undefined,
    ['/version', '/title', '/fields/0'],
  ],
  ['the model before the values', '{}', '{}', ['/version', '/title', '/sections', '/submit']],
  ['values that are no JSON', model, 'x', ['']],
  ['values that are no object', model, '[]', ['']],
  ['missing values', model, '{}', ['/values']],
  [
    'every issue of values',
    model,
    '{"values":{"t":1,"u":2},"note":null,"other":1}',
    ['/other', '/values/u', '/values/t', '/note'],
  ],
])('13 check: %s are lines of path and message, and exit 1', (_, modelText, valuesText, paths) => {
  const { exitCode, output } = checkSurface(modelText, valuesText, limits)
  expect(exitCode).toBe(1)
  expect(pathsOf(output)).toStrictEqual(paths)
})
