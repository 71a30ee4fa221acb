import { expect, it } from 'vitest'
import { changedLines } from '../../../host/tools/changed-lines.ts'

it.each([
  ['nothing', 'a\nb\n', 'a\nb\n', 0, 0],
  ['a new file', '', 'a\nb\n', 2, 0],
  ['an emptied file', 'a\nb\n', '', 0, 2],
  ['a line in the middle', 'a\nb\nc\n', 'a\nB\nc\n', 1, 1],
  ['lines far apart', 'a\nb\nc\nd\ne\n', 'A\nb\nc\nd\nE\n', 2, 2],
  ['a line feed at the end', 'a', 'a\n', 1, 1],
  ['the same line once more', 'a\na\n', 'a\na\na\n', 1, 0],
  ['lines that moved', 'a\nb\n', 'b\na\n', 2, 2],
  ['one of many equal lines', 'x\nx\ny\nx\n', 'x\ny\n', 0, 2],
  ['line ends', 'a\r\nb\r\n', 'a\nb\n', 2, 2],
])('changed-lines: %s', (_, before, after, added, removed) => {
  expect(changedLines(before, after)).toEqual({ added, removed })
  expect(changedLines(after, before)).toEqual({ added: removed, removed: added })
})
