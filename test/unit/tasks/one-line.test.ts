import { fc } from '../../harness/property.ts'
import { expect, it } from 'vitest'
import { oneLine } from '../../../host/tasks/one-line.ts'

it('one-line: a label never has a control, a line end or more points than allowed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (text, max) => {
      const line = oneLine(text, max)
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      expect(Array.from(line).length).toBeLessThanOrEqual(max)
      expect(line).toBe(line.trim())
    }),
  )
})

it('one-line: a short text keeps its characters, white space becomes one space', () => {
  expect(oneLine('  cargo\n\ttest  --all\r\n', 500)).toBe('cargo test --all')
})

it('one-line: white space of any length does not eat the label', () => {
  expect(oneLine(`${' '.repeat(5_000)}cargo${'\n'.repeat(5_000)}test`, 500)).toBe('cargo test')
})

it('one-line: a text that is cut says so, and the cut is between code points', () => {
  expect(oneLine('🧪🧪🧪🧪', 3)).toBe('🧪🧪…')
  expect(oneLine('🧪🧪🧪', 3)).toBe('🧪🧪🧪')
})
