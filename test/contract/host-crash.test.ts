/* SPEC 2, durable before visible: the host dies by SIGKILL anywhere between "submitted" and "turn finished". Whatever a
   client had seen is there again, and the surface is open or closed by exactly one message; submitting again under the
   same id ends in one message. Every write is a case; of the publications, which are many, every third one.
   `test/crash` dies at every single one, from the first event of the session on. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nothing, type Memory } from '../harness/crash-player.ts'
import { checkAfterCrash, checkWhole, CrashStage, play } from '../harness/crash-scenario.ts'
import { surviveEvery } from '../harness/crash-survey.ts'

let base: CrashStage
let memory: Memory

beforeAll(async () => {
  base = await CrashStage.open()
  const host = await base.folder.start()
  memory = (await play(base, host, nothing, 'open')).memory
  await host.kill('SIGTERM')
}, 60_000)

afterAll(() => base.close())

const survey = { open: () => CrashStage.open(base.folder.dataDir), memory: () => memory, lives: 2 }

test('durable-first: control: a host that does not die finishes', { timeout: 120_000 }, async () => {
  const stage = await CrashStage.open(base.folder.dataDir)
  const host = await stage.folder.start()
  const before = await checkAfterCrash(stage, host, memory)
  const { end, memory: after } = await play(stage, host, before, 'answered')
  expect(end).toBe('finished')
  await checkWhole(stage, host.ready, after)
  await stage.close()
})

test.for(['before-write', 'after-write'] as const)('durable-first: dies %s', { timeout: 300_000 }, async (point) => {
  // Three appends answer a submission: message, answer, end of the turn.
  expect(await surviveEvery({ ...survey, point, every: 1 })).toBeGreaterThanOrEqual(3)
})

test.for(['before-publish', 'after-publish'] as const)(
  'durable-first: dies %s',
  { timeout: 300_000 },
  async (point) => {
    expect(await surviveEvery({ ...survey, point, every: 3 })).toBeGreaterThanOrEqual(6)
  },
)
