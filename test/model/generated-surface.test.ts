/* The test file that `task-surface paths surface --format vitest` writes, in a project of its own that knows this
   package by its name alone: green against this product, red against a driver with a fault. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { conformanceCases } from '../../machines/conformance.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const bin = join(root, 'host/bin/task-surface.js')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'task-surface-generated-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/task-surface'), 'dir')
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'), 'dir')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'elsewhere', private: true, type: 'module' }))
  const text = execFileSync(process.execPath, [bin, 'paths', 'surface', '--strategy', 'edges', '--format', 'vitest'])
  writeFileSync(join(folder, 'surface.test.ts'), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({ message: z.string(), assertionResults: z.array(z.object({ title: z.string(), status: z.string() })) }),
  ),
})

/** Runs the generated file with the driver that `text` exports. */
async function runWith(text: string) {
  writeFileSync(join(folder, 'surface-driver.ts'), text)
  const output = join(folder, 'report.json')
  const args = ['run', '--root', folder, '--reporter=json', `--outputFile=${output}`, '--testTimeout=30000']
  const { PATH = '', HOME = '' } = process.env
  const command = [join(root, 'node_modules/vitest/vitest.mjs'), ...args]
  const { status, stderr } = await new Promise<{ status: number; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, command, { cwd: folder, env: { PATH, HOME } }, (_, __, said) =>
      resolve({ status: child.exitCode ?? -1, stderr: said }),
    )
  })
  const { testResults, ...counts } = reportSchema.parse(JSON.parse(readFileSync(output, 'utf8')))
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ title, status: result }) => (result === 'failed' ? [title] : [])),
  )
  return { status, ...counts, failed, messages: [stderr, ...testResults.map(({ message }) => message)].join('\n') }
}

const driverFile = (fault: string) => `import { afterAll } from 'vitest'
import type { ConformanceDriver } from 'task-surface/conformance'
import { startSurfaceContract } from ${JSON.stringify(join(root, 'test/model/surface-contract.ts'))}

const contract = await startSurfaceContract()
afterAll(() => contract.close())
const sound = contract.driver
export const driver: ConformanceDriver = ${fault}
`

const cases = conformanceCases('surface')

/** What a host cannot be brought to do is skipped, and named: to supersede, or to bypass a claimed submission. */
const impossible = cases.filter(({ steps }) =>
  steps.some(({ event }, index) => {
    const before = steps[index - 1]?.event.type
    return event.type === 'SUPERSEDE' || (event.type === 'BYPASS' && before === 'CLAIM')
  }),
)

it('paths/vitest: the generated file is green against a real host', { timeout: 240_000 }, async () => {
  const { status, messages, ...counts } = await runWith(driverFile('sound'))
  expect(counts, messages).toEqual({
    numPassedTests: cases.length - impossible.length,
    numFailedTests: 0,
    numPendingTests: impossible.length,
    failed: [],
  })
  expect(status).toBe(0)
})

it('paths/vitest: the generated file is red against a driver with a fault', { timeout: 240_000 }, async () => {
  const fault = `{
  ...sound,
  async start(events) {
    const session = await sound.start(events)
    return {
      send: (event) => (event.type === 'DISMISS' ? true : session.send(event)),
      read: () => session.read(),
      end: () => session.end?.(),
    }
  },
}`
  const { status, failed } = await runWith(driverFile(fault))
  const dismissing = cases.filter(
    (each) =>
      !impossible.includes(each) &&
      [...each.steps.map(({ event }) => event), ...each.refused].some(({ type }) => type === 'DISMISS'),
  )
  expect(failed.toSorted()).toEqual(dismissing.map(({ title }) => title).toSorted())
  expect(status).toBe(1)
})
