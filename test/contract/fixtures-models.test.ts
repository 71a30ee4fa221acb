import { expect, it } from 'vitest'
import type { TaskSurfaceLimits } from '../../shared/surface/limits.ts'
import { defaultTaskSurfaceLimits } from '../../shared/surface/limits.ts'
import type { ParsedModel } from '../../shared/surface/parse.ts'
import { parseModel, parseModelText, parseStoredModel } from '../../shared/surface/parse.ts'
import type { Case } from './fixtures-cases.ts'
import { fixtureCases, listOf, missingPaths, textOfCase } from './fixtures-cases.ts'

it.each(fixtureCases('models.json'))('6.1 models: $name', (entry) => {
  const result = run(entry)
  if (entry.verdict === 'valid') {
    if (!result.ok) throw new Error(JSON.stringify(result.issues))
    expect(result.canonical).toBe(textOfCase(entry, 'normalised'))
    expect(result.bytes).toBe(entry.bytes)
    expect(parseStoredModel(JSON.parse(result.canonical))).toStrictEqual(result)
    return
  }
  expect(result.ok).toBe(false)
  const reported = result.ok ? [] : result.issues.map((issue) => issue.path)
  expect(missingPaths(entry, reported), `reported: ${reported.join(' ')}`).toStrictEqual([])
  expect(listOf(entry.not).filter((path) => reported.includes(path))).toStrictEqual([])
})

function run(entry: Case): ParsedModel {
  const limits: TaskSurfaceLimits = { ...defaultTaskSurfaceLimits, ...Object(entry.limits) }
  const text = textOfCase(entry, 'inputText')
  if (text !== undefined) return parseModelText(text, limits)
  const inline = textOfCase(entry, 'input')
  return parseModel(entry.inputParts !== undefined && inline !== undefined ? JSON.parse(inline) : entry.input, limits)
}
