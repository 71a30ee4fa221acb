import { expect, it } from 'vitest'
import { defaultTaskSurfaceLimits } from '../../shared/surface/limits.ts'
import { submissionText } from '../../shared/surface/message-text.ts'
import { parseStoredModel } from '../../shared/surface/parse.ts'
import { validateSubmission } from '../../shared/surface/submission.ts'
import { utf8Length } from '../../shared/utf8.ts'
import { fixtureCases, listOf, missingPaths, textOfCase } from './fixtures-cases.ts'

it.each(fixtureCases('submissions.json'))('6.4 submissions: $name', (entry) => {
  const parsed = parseStoredModel(entry.model)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues))
  const valuesText = entry.valuesParts === undefined ? undefined : textOfCase(entry, 'values')
  const values: unknown = valuesText === undefined ? entry.values : JSON.parse(valuesText)
  const note = entry.noteParts === undefined ? entry.note : textOfCase(entry, 'note')

  const result = validateSubmission(parsed.model, values, note, defaultTaskSurfaceLimits)
  if (entry.verdict === 'valid') {
    if (!result.ok) throw new Error(JSON.stringify(result.issues))
    expect(result.canonical).toBe(textOfCase(entry, 'normalised'))
    expect(utf8Length(result.canonical)).toBe(entry.bytes)
    expect(submissionText(parsed.model, result.values, result.note)).toBe(textOfCase(entry, 'text'))
    return
  }
  expect(result.ok).toBe(false)
  const reported = result.ok ? [] : result.issues.map((issue) => issue.path)
  expect(missingPaths(entry, reported), `reported: ${reported.join(' ')}`).toStrictEqual([])
  expect(listOf(entry.not).filter((path) => reported.includes(path))).toStrictEqual([])
})
