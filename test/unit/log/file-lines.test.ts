import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fileLines, maxLineUnits } from '../../../host/log/file-lines.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'task-surface-lines-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}

async function linesOf(content: string): Promise<(string | null)[]> {
  const file = join(folder(), 'lines')
  writeFileSync(file, content)
  return all(fileLines(file))
}

it.each([
  ['', []],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\nb', ['a', 'b']],
  ['a\r\nb\r\n', ['a', 'b']],
  ['a\n\nb', ['a', '', 'b']],
  ['a\u2028b\u2029c\u0085d\n', ['a\u2028b\u2029c\u0085d']],
  [`${'字'.repeat(100_000)}\nend`, ['字'.repeat(100_000), 'end']],
])('bounded-lines: %j', async (content, lines) => {
  expect(await linesOf(content)).toEqual(lines)
})

it('bounded-lines: the longest line is read, a longer one ends the reading', async () => {
  const longest = 'x'.repeat(maxLineUnits)
  expect(await linesOf(`${longest}\nend`)).toEqual([longest, 'end'])
  expect(await linesOf(`first\n${longest}${longest}\nend`)).toEqual(['first', null])
})

it('bounded-lines: what never ends, and what nobody writes to, is no file', async () => {
  const pipe = join(folder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const file of ['/dev/zero', pipe, tmpdir()]) {
    await expect(all(fileLines(file))).rejects.toThrow('no ordinary file')
  }
})
