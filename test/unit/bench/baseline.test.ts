/* The bench warns when a ratio got worse by half, and its floors are the machine's, not the product's. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { baselineOf, warningsOf, type Row } from '../../bench/baseline.mjs'

const least: Row = { name: 'appends', ratio: 0.9, value: 900, goal: 0.8, atLeast: true }
const most: Row = { name: 'submit', ratio: 1.2, value: 1.2, goal: 1.5, atLeast: false }
const alone: Row = { name: 'page', ratio: null, value: 200, goal: 250, atLeast: false }
const baseline = baselineOf([least, most, alone], { cores: 2 })

test('bench: keeps ratios, and the share of its goal where a row has no floor', () => {
  expect(baseline).toEqual({ machine: { cores: 2 }, ratios: { appends: 0.9, submit: 1.2, page: 0.8 } })
})

test('bench: says nothing where no ratio got worse by half', () => {
  const later = [
    { ...least, ratio: 0.61 },
    { ...most, ratio: 1.79 },
    { ...alone, value: 299 },
  ]
  expect(warningsOf(later, baseline)).toEqual([])
  expect(
    warningsOf(
      [
        { ...least, ratio: 3 },
        { ...most, ratio: 0.1 },
      ],
      baseline,
    ),
  ).toEqual([])
})

test.for<Row>([
  { ...least, ratio: 0.59 },
  { ...most, ratio: 1.81 },
  { ...alone, value: 301 },
])('bench: warns of $name when its ratio got worse by half', (row) => {
  expect(warningsOf([row], baseline)).toEqual([expect.stringMatching(new RegExp(`^${row.name}: .*was`))])
})

test('bench: warns of a row that nothing is known about', () => {
  expect(warningsOf([{ ...most, name: 'new' }], baseline)).toEqual(['new: not in the baseline'])
})

test('bench: the floors import nothing of the product', () => {
  const text = readFileSync('test/bench/floors.mjs', 'utf8')
  const imported = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/gu)].map(([, name]) => name)
  expect(imported.filter((name) => !/^node:|^classic-level$|^uWebSockets\.js$/u.test(name ?? ''))).toEqual([
    './children.mjs',
  ])
  expect(readFileSync('test/bench/children.mjs', 'utf8')).not.toMatch(/import/u)
})
