/* The dock machine, twice, with equal traces: the pure machine, and the actor of a real page whose host, clock and person are
   the test's. Every arrow and every refusal is walked that can be come to from outside. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { dockMachine } from '../../machines/dock.ts'
import { dockLeftOut } from '../model/dock-left-out.ts'
import { dockModel, dockTargets, dockWalks } from '../model/dock-paths.ts'
import { titleOfWalk, unexplained } from '../model/page-walks.ts'
import { DockStand } from './dock-stand.ts'
import { type Detail, holdStill, linesOf, recordActors, replayed, traceOf } from './page-trace.ts'
import { patiently, useStage } from './web-browser.ts'

const stage = useStage()
const actor = 'dock:s1'

const shownIn = z.object({
  surfaceId: z.string().nullable(),
  connected: z.boolean(),
  readable: z.boolean(),
  touched: z.boolean(),
  failedReads: z.number(),
  ended: z.string().nullable(),
  trouble: z.object({ kind: z.string() }).nullable(),
})
/** Ids of attempts are the page's own. */
const withContext: Detail = (_, context) => JSON.stringify(shownIn.parse(context))

describe('the dock machine and a page stand at the same places', () => {
  test.each(dockWalks.map((walk) => [titleOfWalk(walk), walk] as const))(
    'own-answers, lock-until-read, read-again, never-stuck: %s',
    async (_, walk) => {
      const { host } = stage
      const stand = new DockStand(host)
      host.deafen(true)
      const page = await stage.open('/s/s1', { prepare: holdStill })
      await recordActors(page)
      await expect.poll(host.openedSockets, patiently).toBe(1)
      host.deafen(false)
      host.sendAll({ type: 'host/hello', bootId: 'boot-1', version: '0.1.0', serverTime: 0 })
      let before = dockModel.start
      let length = 0
      for (const move of walk.moves) {
        if (before.isOpen) await stand.perform(page, move, before)
        length += move.heard.length
        // A page that went astray would only wait at each further step.
        if ((await traceOf(page, actor, length)).length < length) break
        await stand.settle(page, move)
        before = move.world
      }
      const trace = await traceOf(page, actor, length)
      expect(replayed(dockMachine, trace, withContext)).toEqual(linesOf(walk, withContext))
    },
  )

  test('paths: what a page never comes to has a reason, and no reason is out of date', () => {
    expect(unexplained(dockTargets, dockLeftOut)).toEqual([])
  })
})
