import { describe, expect, it } from 'vitest'
import { demoSurfaceNames, demoSurfaces, faultyModel } from '../../../host/agents/demo-surfaces.ts'
import { defaultTaskSurfaceLimits } from '../../../shared/surface/limits.ts'
import { parseModel, parseModelText } from '../../../shared/surface/parse.ts'

const all = demoSurfaceNames.flatMap((name) => (['en', 'zh'] as const).map((language) => ({ name, language })))

describe.each(all)('11: the guide’s panel $name in $language', ({ name, language }) => {
  const model = demoSurfaces[name][language]

  it('11: is valid under the default limits', () => {
    expect(parseModel(model, defaultTaskSurfaceLimits)).toMatchObject({ ok: true })
  })

  it('6.1: is in normal form already, so it goes through the parser byte for byte', () => {
    const parsed = parseModelText(JSON.stringify(model), defaultTaskSurfaceLimits)
    expect(parsed.ok && parsed.canonical).toBe(JSON.stringify(model))
  })
})

it.each(demoSurfaceNames)('11: panel %s differs between the languages in words alone', (name) => {
  const shape = (value: unknown): unknown => {
    if (typeof value === 'string') return 'text'
    if (Array.isArray(value)) return value.map(shape)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, key === 'id' ? member : shape(member)]),
    )
  }
  expect(shape(demoSurfaces[name].zh)).toEqual(shape(demoSurfaces[name].en))
  expect(demoSurfaces[name].zh.title).not.toBe(demoSurfaces[name].en.title)
})

it('11: the panel that is wrong on purpose is refused for each of its four mistakes', () => {
  const parsed = parseModel(faultyModel, defaultTaskSurfaceLimits)
  const paths = parsed.ok ? [] : parsed.issues.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['/title', '/sections/1/id', '/submit/onClick']))
  expect(paths.some((path) => path.startsWith('/sections/0/blocks/0'))).toBe(true)
})
