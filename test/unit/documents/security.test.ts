/* The table of threats names files and tests that exist: a defence that moved, or a rule that lost its test, is red. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders: Readonly<Record<string, string>> = { C: 'test/contract', U: 'test/unit', E: 'test/e2e' }
const sources = ['host', 'shared', 'web'].flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
)

const rows = readFileSync(`${root}SECURITY.md`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| threat') && !line.startsWith('| ---'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, threat = '', defence = '', files = '', tests = '']) => ({ threat, defence, files, tests }))

const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** What the tests of a name say: a file, or all those of a folder. */
function testText(name: string, beside: string): string {
  const [folder = '', ...rest] = name.split('/')
  const path = root + (folders[folder] === undefined ? name : [folders[folder], ...rest].join('/'))
  const sibling = `${root}${beside
    .split('/')
    .slice(0, -1)
    .join('/')
    .replace(/^[CUE]/, (key) => folders[key] ?? key)}/${name}`
  for (const start of [path, sibling]) {
    for (const end of ['.test.ts', '.test.tsx']) if (existsSync(start + end)) return readFileSync(start + end, 'utf8')
    if (!existsSync(start)) continue
    return readdirSync(start)
      .map((file) => (/\.test\.tsx?$/.test(file) ? readFileSync(`${start}/${file}`, 'utf8') : ''))
      .join('')
  }
  return ''
}

describe.each(rows)('threat: $threat', ({ defence, files, tests }) => {
  it('has a defence, in files that exist', () => {
    expect(defence).not.toBe('')
    expect(files).not.toBe('')
    const missing = quoted(files).filter(
      (name) => !sources.some((source) => source === name.replace(/\/$/, '') || source.endsWith(`/${name}`)),
    )
    expect(missing).toEqual([])
  })

  it('has tests that exist, with the rules that are named', () => {
    const names = quoted(tests)
    expect(names.length).toBeGreaterThan(0)
    let [file, text] = ['', '']
    for (const name of names) {
      const found = testText(name, file)
      if (found !== '') [file, text] = [name, found]
      else expect(text.includes(name) ? name : `${name} in ${file}`).toBe(name)
    }
  })
})

it('threats: the page has them', () => {
  expect(rows.length).toBeGreaterThan(20)
})
