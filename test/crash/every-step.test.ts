/* SPEC 2, durable before visible, in full: a conversation is created, runs a turn that shows a surface, is answered and
   runs a second turn; the host dies by SIGKILL at every write and every publication on the way, and the client goes on
   where it was. `test/contract/host-crash.test.ts` is the short form. */
import { expect, test } from 'vitest'
import { nothing } from '../harness/crash-player.ts'
import { crashPoints, CrashStage } from '../harness/crash-scenario.ts'
import { surviveEvery } from '../harness/crash-survey.ts'

const survey = { open: () => CrashStage.open(), memory: () => nothing, every: 1, lives: 2 }

/** Fewer would mean that the conversation is not played: nine appends, each of them with frames. */
const leastDeaths = { 'before-write': 9, 'after-write': 9, 'before-publish': 30, 'after-publish': 30 }

test.for(crashPoints)('durable-first: dies %s, at every passage', { timeout: 900_000 }, async (point) => {
  expect(await surviveEvery({ ...survey, point })).toBeGreaterThanOrEqual(leastDeaths[point])
})
