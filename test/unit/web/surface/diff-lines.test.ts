/* Lines of a diff: what came, what went, what stayed, and what of it is folded. */
import { fc } from '../../../harness/property.ts'
import { expect, test, vi } from 'vitest'
import {
  compareLater,
  compareNow,
  foldedRows,
  type LineDiff,
  linesOfText,
} from '../../../../web/plugins/task-surface/diff-lines.ts'

const text = (diff: LineDiff, without: 'minus' | 'plus') =>
  diff.lines.flatMap((line) => (line.kind === without ? [] : [line.text]))

const lines = fc.array(fc.constantFrom('a', 'b', '', 'c  '), { maxLength: 30 }).map((all) => all.join('\n'))

test('DIFF-TRUE without what came it is the old text, without what went the new one', () => {
  fc.assert(
    fc.property(fc.option(lines, { nil: null }), lines, (before, after) => {
      const diff = compareNow(before, after)
      if (diff === null) throw new Error('short texts are compared at once')
      expect(text(diff, 'plus')).toEqual(linesOfText(before ?? ''))
      expect(text(diff, 'minus')).toEqual(linesOfText(after))
      expect(diff.lines.filter(({ kind }) => kind === 'plus')).toHaveLength(diff.added)
      expect(diff.lines.filter(({ kind }) => kind === 'minus')).toHaveLength(diff.removed)
    }),
    { seed: 11 },
  )
})

test('DIFF-TRUE line numbers count the side a line belongs to', () => {
  const diff = compareNow('a\nb\nc', 'a\nx\ny\nc')
  expect(diff?.lines.map(({ kind, number }) => `${kind} ${number}`)).toEqual([
    'same 1',
    'minus 2',
    'plus 2',
    'plus 3',
    'same 4',
  ])
})

test('DIFF-TRUE a new file only has lines that came', () => {
  expect(compareNow(null, 'a\nb')).toMatchObject({ added: 2, removed: 0, compared: true })
})

test('DIFF-SMOOTH one line of 60 KiB is compared at once', () => {
  expect(compareNow('a'.repeat(60_000), `${'a'.repeat(59_999)}b`)).toMatchObject({ added: 1, removed: 1 })
})

test('DIFF-SMOOTH texts with nothing in common give up and are shown whole', async () => {
  const before = Array.from({ length: 4_000 }, (_, index) => `old ${index}`).join('\n')
  const after = Array.from({ length: 4_000 }, (_, index) => `new ${index}`).join('\n')
  expect(compareNow(before, after)).toBeNull()
  const done = vi.fn<(diff: LineDiff) => void>()
  compareLater(before, after, done)
  await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1), { timeout: 8_000 })
  expect(done.mock.calls[0]?.[0]).toMatchObject({ added: 4_000, removed: 4_000, compared: false })
})

test('DIFF-SMOOTH a comparison nobody waits for any more tells nobody', async () => {
  const long = 'a\n'.repeat(400)
  const done = vi.fn()
  compareLater(long, `${long}b`, done)()
  const other = vi.fn()
  compareLater(long, `${long}b`, other)
  await vi.waitFor(() => expect(other).toHaveBeenCalledTimes(1))
  expect(done).not.toHaveBeenCalled()
})

test('DIFF-FOLD long unchanged runs fold but for three lines at a change, and open alone', () => {
  const same = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `l${from + index}`)
  const diff = compareNow(
    [...same(0, 20), 'x', ...same(20, 40)].join('\n'),
    [...same(0, 20), 'y', ...same(20, 40)].join('\n'),
  )
  const shape = (opened: number[]) =>
    foldedRows(diff?.lines ?? [], new Set(opened)).map((row) =>
      row.kind === 'fold' ? `fold ${row.to - row.from}` : row.line.kind,
    )
  const three = ['same', 'same', 'same']
  expect(shape([])).toEqual(['fold 17', ...three, 'minus', 'plus', ...three, 'fold 17'])
  expect(shape([0])).toHaveLength(20 + 2 + 3 + 1)
})

test('DIFF-FOLD every line is shown or counted in a fold, once', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const all = compareNow(before, after)?.lines ?? []
      const covered = foldedRows(all, new Set()).flatMap((row) =>
        row.kind === 'line' ? [row.index] : Array.from({ length: row.to - row.from }, (_, index) => row.from + index),
      )
      expect(covered).toEqual(all.map((_, index) => index))
    }),
    { seed: 13 },
  )
})
