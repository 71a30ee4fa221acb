/* The connection machine, twice, with equal traces: the pure machine, and the actor of a real page whose host, clock and
   person are the test's. Every arrow and every refusal is walked that can be come to from outside. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { connectionMachine } from '../../machines/connection.ts'
import {
  connectionLeftOut,
  connectionTargets,
  connectionWalks,
  type ConnectionWorld,
} from '../model/connection-paths.ts'
import { titleOfWalk, unexplained, type WalkedMove } from '../model/page-walks.ts'
import { holdStill, linesOf, recordActors, replayed, traceOf } from './page-trace.ts'
import { patiently, useStage } from './web-browser.ts'

const stage = useStage()
/** Of `connection.ts`: what the page gives a hello, a probe and a call. */
const [helloMs, probeMs, callMs] = [8_000, 5_000, 20_000]
/** From a hello on; a probe that begins then ends after the call that was made with the hello. */
const restMs = callMs - probeMs + 1_000

let questions: ((status: number) => void)[]
let probes: (() => void)[]

beforeEach(() => {
  questions = []
  probes = []
  stage.host.onQuestion((answer) => questions.push(answer))
  stage.host.on('session.list', () => null)
  stage.host.on(
    'host.describe',
    () =>
      new Promise((resolve) => {
        const result = { version: '0.1.0', bootId: 'boot-1', protocol: 1, serverTime: 0 }
        probes.push(() => resolve({ result }))
      }),
  )
})

/** Of a list that grows on the other side of a wire. */
async function first<Item>(list: Item[]): Promise<Item> {
  await expect.poll(() => list.length, patiently).toBeGreaterThan(0)
  const item = list.shift()
  if (item === undefined) throw new Error('nothing there')
  return item
}

async function perform(page: Page, move: WalkedMove<typeof connectionMachine, ConnectionWorld>): Promise<void> {
  const { host } = stage
  const before = move.heard[0]?.before
  const event = move.events.find(({ type }) => type !== 'DOUBT') ?? move.events[0]
  if (before === undefined || event === undefined) throw new Error('nothing is heard of this move')
  switch (event.type) {
    case 'HELLO':
      host.deafen(false)
      host.sendAll({ type: 'host/hello', bootId: event.bootId, version: event.version, serverTime: 0 })
      return
    case 'CLOSED':
      host.deafen(true)
      return host.drop()
    case 'SILENT':
      await page.clock.runFor(before.matches('up') ? probeMs : helloMs)
      return host.deafen(true)
    case 'REFUSED':
      return (await first(questions))(401)
    case 'RETRY_DUE':
      return page.clock.runFor(before.context.retryDelayMs)
    case 'TRY_NOW':
      return page.getByRole('button', { name: /^(Try now|Check again)$/ }).click()
    case 'WOKEN':
      return page.evaluate(() => void window.dispatchEvent(new Event('online')))
    case 'DOUBT':
      return page.clock.runFor(callMs - restMs)
    case 'ANSWERED':
      return (await first(probes))()
  }
}

describe('the connection machine and a page stand at the same places', () => {
  test.each(connectionWalks.map((walk) => [titleOfWalk(walk), walk] as const))(
    'hello-first, doubt, one-socket: %s',
    async (_, walk) => {
      const { host } = stage
      host.deafen(true)
      const page = await stage.open('/settings', { prepare: holdStill })
      await recordActors(page)
      let length = 0
      let sockets = 1
      for (const move of walk.moves) {
        await expect.poll(host.openedSockets, patiently).toBe(sockets)
        await perform(page, move)
        length += move.heard.length
        // A page that went astray would only wait at each further step.
        if ((await traceOf(page, 'connection', length)).length < length) break
        for (const { before, snapshot, accepted } of move.heard) {
          if (accepted && snapshot.matches('connecting')) sockets += 1
          if (before.matches('connecting') && snapshot.matches('up')) await page.clock.runFor(restMs)
          if (before.matches('up') && !snapshot.matches('up')) probes = []
        }
        // Only a socket that closed before its hello makes the page ask whether it is refused.
        await expect.poll(() => questions.length, patiently).toBe(move.world.questions)
      }
      expect(replayed(connectionMachine, await traceOf(page, 'connection', length))).toEqual(linesOf(walk))
    },
  )

  test('paths: what a page never comes to has a reason, and no reason is out of date', () => {
    expect(unexplained(connectionTargets, connectionLeftOut)).toEqual([])
  })
})
