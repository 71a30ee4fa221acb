/* What `npm run paths` prints is true: every machine alone without a hole, and each list counted is the one a test runs. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { coverage, coverageText } from './coverage.ts'
import { walkedPaths } from './walked-paths.ts'

const machines = coverage()

describe.each(machines.map((each) => [each.chart.id, each] as const))('%s', (_, { chart, refusals, byLayer }) => {
  it('paths/coverage: the machine alone takes every transition and refuses all that can be refused', () => {
    const { pure } = byLayer
    expect(chart.edges.flatMap(({ id }) => (pure.edges.has(id) ? [] : [id]))).toEqual([])
    expect(refusals.filter((pair) => !pure.refusals.has(pair))).toEqual([])
  })
})

it.each(walkedPaths().map(({ machine, layer, file }) => [file, machine, layer]))(
  'paths/coverage: %s takes what it walks of %s (%s) from the list that is counted',
  (file) => {
    const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
    expect(source).toMatch(/import \{[^}]*[wW]alk[^}]*\} from '[./]+\/([a-z]+\/)?[a-z-]*paths\.ts'/)
  },
)

it('paths/coverage: what nobody walks is printed as a hole', () => {
  const text = coverageText(machines)
  expect(text).toMatch(/^ {2}live × SUPERSEDE → closed +\d+ +HOLE +HOLE$/m)
  expect(text).toMatch(/^surface +host +\d+ +\d+ +9 of 10 /m)
})
