import { expect, it } from 'vitest'
import { createSpilledResults } from '../../../host/tasks/spilled-results.ts'

const results = createSpilledResults({ folder: '/data/results', random: () => 'a' })
const folder = '0123456789abcdef'

it('spilled: a locator names one file of one folder', () => {
  expect(results.pathOf(`result:${folder}-abc123`)).toBe(`/data/results/${folder}/abc123.txt`)
})

it.each([
  'notes.txt',
  `result:../../etc-passwd`,
  `result:${folder}-../../settings`,
  `result:../${folder}-a`,
  `result:/etc-a`,
  `result:${folder}-`,
  `result:-a`,
  `result:${folder}/a`,
  `result:${folder}-a/b`,
  `result:${folder}-a\u0000`,
  `result:${folder}-a\n`,
  ` result:${folder}-a`,
  `result:${folder.toUpperCase()}-a`,
  `result:${folder}-${'a'.repeat(33)}`,
  `file:///etc/passwd`,
])('spilled: %j is none, and so a path that the fence judges', (text) => {
  expect(results.pathOf(text)).toBeNull()
})
