/* Every promise of Task Surface names tests that exist (../traceability). The texts of the contract stand in
   `contract.json` a second time and are counted here, so that a row nobody holds any more cannot just go. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** Texts of the contract, and clauses of them that can be broken apart. */
const counts = {
  criteria: [11, 56],
  submission: [24, 41],
  lifecycle: [11, 21],
  '4': [13, 25],
  '6.1': [12, 29],
  '6.2': [5, 10],
  '6.3': [6, 17],
  '6.4': [16, 36],
}

const name = z.string().min(7)
const testsSchema = z
  .record(z.string().startsWith('test/'), z.array(name).min(1))
  .refine((tests) => Object.keys(tests).length > 0, 'a clause without a test')
const tableSchema = z.strictObject({
  sources: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      texts: z.array(
        z.strictObject({
          text: name,
          clauses: z.array(z.strictObject({ clause: z.string().min(3), tests: testsSchema })).min(1),
        }),
      ),
    }),
  ),
})
const { sources } = tableSchema.parse(JSON.parse(read('test/traceability/task-surface.json')))
const contract = z.record(z.string(), z.array(z.string())).parse(JSON.parse(read('test/traceability/contract.json')))

const clauses = sources.flatMap(({ id, texts }) =>
  texts.flatMap((text) => text.clauses.map((clause) => ({ ...clause, at: `${id}: ${text.text.slice(0, 60)}` }))),
)
const namesByFile = new Map<string, Set<string>>()
for (const { tests } of clauses) {
  for (const [file, names] of Object.entries(tests)) {
    namesByFile.set(file, new Set([...(namesByFile.get(file) ?? []), ...names]))
  }
}

const literal = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/y
const opening = /\b(?:describe|test|it)\b(?:\.\w+)*/g

/** From an opening parenthesis to behind the one that closes it, past texts; null where there is none. */
function behindParentheses(source: string, at: number): number | null {
  let depth = 0
  for (let index = at; index < source.length; index += 1) {
    literal.lastIndex = index
    const text = literal.exec(source)
    if (text !== null) index += text[0].length - 1
    else if (source[index] === '(') depth += 1
    else if (source[index] === ')' && (depth -= 1) === 0) return index + 1
  }
  return null
}

/** Titles of tests and groups as they are written, and the titles and rules of rows that become tests. */
function titlesIn(source: string): string[] {
  const titles = [...source.matchAll(/\b(?:rule|title): '((?:[^'\\\n]|\\.)*)'/g)].map(([, title = '']) => title)
  const rules = /const rules = \[([^\]]*)\]/.exec(source)?.[1] ?? ''
  titles.push(...[...rules.matchAll(/'([^']+)'/g)].map(([, rule = '']) => rule))
  for (const { 0: callee, index } of source.matchAll(opening)) {
    let at: number | null = index + callee.length
    if (source[at] === '<') at = source.indexOf('(', at)
    if (/\.(?:each|for)$/.test(callee) && source[at] === '(') at = behindParentheses(source, at)
    if (at === null || source[at] !== '(') continue
    literal.lastIndex = at + 1 + (/^\s*/.exec(source.slice(at + 1))?.[0].length ?? 0)
    const [, single, template, double] = literal.exec(source) ?? []
    const title = single ?? template ?? double
    if (title !== undefined) titles.push(title.replaceAll(/\\(.)/g, '$1'))
  }
  return titles
}

const fixtureSchema = z.array(z.looseObject({ name: z.string() }))
const fixtureSuites: Record<string, string> = {
  'models.json': 'test/contract/fixtures-models.test.ts',
  'submissions.json': 'test/contract/fixtures-submissions.test.ts',
  'folds.json': 'test/contract/fixtures-folds.test.ts',
  'sequences.json': 'test/harness/sequence-cases.ts',
}

describe('traceability', () => {
  it('no text is dropped: the table has those of the contract, in their order and number', () => {
    expect(Object.fromEntries(sources.map(({ id, texts }) => [id, texts.map(({ text }) => text)]))).toEqual(contract)
    const counted = sources.map(({ id, texts }) => [id, [texts.length, texts.flatMap((text) => text.clauses).length]])
    expect(Object.fromEntries(counted)).toEqual(counts)
    const texts = Object.values(contract).flat()
    expect(new Set(texts).size).toBe(texts.length)
  })

  it.each([...namesByFile])('%s has every test that is named', (file, names) => {
    expect(existsSync(new URL(file, root))).toBe(true)
    if (file.endsWith('.json')) {
      const suite = fixtureSuites[basename(file)]
      expect(read(suite ?? 'no suite')).toContain(basename(file))
      const cases = new Set(fixtureSchema.parse(JSON.parse(read(file))).map((entry) => entry.name))
      expect([...names].filter((each) => !cases.has(each))).toEqual([])
      return
    }
    expect(file).toMatch(/^test\/(unit|contract|model|e2e|crash)\/.*\.test\.tsx?$/)
    const titles = titlesIn(read(file))
    const isRule = (each: string): boolean => !each.includes(' ')
    expect(
      [...names].filter((each) => !titles.some((it) => (isRule(each) ? isOf(it, each) : it.includes(each)))),
    ).toEqual([])
  })

  it('README.md is what the table says', () => {
    const script = fileURLToPath(new URL('test/traceability/write.mjs', root))
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})

/** A bare rule id is that of a row, or opens a title. */
function isOf(title: string, rule: string): boolean {
  return title === rule || title.startsWith(`${rule}:`) || title.startsWith(`${rule} `)
}
