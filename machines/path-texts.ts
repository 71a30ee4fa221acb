/* Path cases as text: a table for people, a Mermaid diagram, a test file for vitest or Playwright. The test files run as they
   are, with the driver of whoever implements the lifecycle (`conformance.ts`). */
import { eventText, stepsText, type LifecycleState, type PathCase } from './path-cases.ts'

export interface NamedCases {
  machine: string
  strategy: string
  cases: readonly PathCase[]
}

/** A line a path, then the refusals of each configuration. */
export function pathsTable({ machine, strategy, cases }: NamedCases): string {
  const walks = cases.filter(({ refused }) => refused.length === 0)
  const refusing = cases.filter(({ refused }) => refused.length > 0)
  const refusals = refusing.reduce((sum, { refused }) => sum + refused.length, 0)
  const width = String(walks.length).length
  return [
    `${machine}, ${strategy}: ${walks.length} paths${refusals === 0 ? '' : `, ${refusals} refusals`}`,
    ...walks.map(
      (each, index) => `${String(index + 1).padStart(width)}  ${stepsText(each.steps)}  ⇒ ${endOf(each).state}`,
    ),
    ...(refusing.length === 0 ? [] : ['', 'refused']),
    ...refusing.map(
      (each) => `  ${endOf(each).state} after ${stepsText(each.steps)}: ${each.refused.map(eventText).join(', ')}`,
    ),
    '',
  ].join('\n')
}

/** Every configuration the paths come to, what leads from one to the other, and how much each refuses. */
export function pathsDiagram({ cases }: NamedCases): string {
  const numbers = new Map<string, number>()
  const nodes: string[] = []
  const arrows = new Set<string>()
  const nodeOf = (at: LifecycleState): string => {
    const key = JSON.stringify(at)
    const known = numbers.get(key)
    if (known !== undefined) return `s${known}`
    const node = `s${numbers.size}`
    numbers.set(key, numbers.size)
    nodes.push(`  ${node}["${at.state}"]`)
    return node
  }
  for (const { start, steps, refused } of cases) {
    let from = nodeOf(start)
    for (const { event, state, context } of steps) {
      const to = nodeOf({ state, context })
      arrows.add(`  ${from} -->|"${quoted(eventText(event))}"| ${to}`)
      from = to
    }
    if (refused.length > 0) arrows.add(`  ${from} -.-|"${refused.length} refused"| ${from}`)
  }
  return ['flowchart LR', ...nodes, ...arrows, ''].join('\n')
}

export function vitestFile(named: NamedCases): string {
  return `${headOf(named, 'vitest')}import { describe, it } from 'vitest'
import { runCase, type PathCase } from 'task-surface/conformance'
import { driver } from './${named.machine}-driver.ts'

${casesOf(named)}
describe('${named.machine}', () => {
  for (const each of cases) {
    it(each.title, async ({ annotate, skip }) => {
      const { ran, leftOut } = await runCase(driver, each)
      const note = leftOut.map(({ event, why }) => \`\${event}: \${why}\`).join('; ')
      skip(!ran, note)
      if (note !== '') await annotate(note, 'left out')
    })
  }
})
`
}

export function playwrightFile(named: NamedCases): string {
  return `${headOf(named, 'playwright')}import { test } from '@playwright/test'
import { runCase, type PathCase } from 'task-surface/conformance'
import { driverOf } from './${named.machine}-driver.ts'

${casesOf(named)}
test.describe('${named.machine}', () => {
  for (const each of cases) {
    test(each.title, async ({ page }) => {
      const { ran, leftOut } = await runCase(driverOf(page), each)
      const note = leftOut.map(({ event, why }) => \`\${event}: \${why}\`).join('; ')
      test.skip(!ran, note)
      if (note !== '') test.info().annotations.push({ type: 'left out', description: note })
    })
  }
})
`
}

function headOf({ machine, strategy }: NamedCases, format: 'vitest' | 'playwright'): string {
  const [file, made] =
    format === 'vitest'
      ? [`export const driver: ConformanceDriver`, 'a driver']
      : [`export function driverOf(page: Page): ConformanceDriver`, 'a driver of a page']
  return `/* The lifecycle \`${machine}\`, made by \`task-surface paths ${machine} --strategy ${strategy} --format ${format}\`.
   To fill in is ${made} for your implementation, in ./${machine}-driver.ts:
     import type { ConformanceDriver } from 'task-surface/conformance'
     ${file} …
   It does what stands for an event, and reads the state; README.md of machines/ says more. */
`
}

function casesOf({ cases }: NamedCases): string {
  return `const cases: readonly PathCase[] = [\n${cases.map((each) => `  ${JSON.stringify(each)},\n`).join('')}]\n`
}

function endOf({ start, steps }: PathCase): LifecycleState {
  return steps.at(-1) ?? start
}

const quoted = (text: string): string => text.replaceAll('"', '#quot;')
