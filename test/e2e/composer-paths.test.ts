/* The composer machine, twice, with equal traces: the pure machine, and the actor of a real page whose host, clock and person
   are the test's. Every arrow and every refusal is walked that can be come to from outside. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { composerMachine } from '../../machines/composer.ts'
import {
  beforeThePage,
  breathMs,
  composerLeftOut,
  composerTargets,
  composerWalks,
  foreign,
  type ComposerWorld,
} from '../model/composer-paths.ts'
import { titleOfWalk, unexplained, type WalkedMove } from '../model/page-walks.ts'
import { type Detail, holdStill, isSteady, linesOf, recordActors, replayed, traceOf } from './page-trace.ts'
import { patiently, useStage } from './web-browser.ts'
import type { Answer } from './web-scripted-host.ts'
import { field, said } from './web-turns.ts'

const stage = useStage()
const actor = 'composer:s1'

/** Deliveries that the host has not answered. */
let deliveries: { messageId: string; answer: (answer: Answer) => void }[]
/** Ids of the walk by those that the page made. */
let ownById: Map<string, string>

beforeEach(() => {
  deliveries = []
  ownById = new Map()
  stage.host.on(
    'session.send',
    ({ messageId }) =>
      new Promise((answer) => {
        deliveries.push({ messageId: String(messageId), answer })
      }),
  )
})

const idsIn = z.object({ messageId: z.string().optional(), messageIds: z.array(z.string()).optional() })
const onTheWayIn = z.object({ onTheWay: z.array(z.string()) })
/** The page's own ids in the words of the walk. */
const withIds: Detail = (event, context) => {
  const { messageId, messageIds = [] } = idsIn.parse(event)
  const ids = messageId === undefined ? messageIds : [messageId]
  const named = (some: readonly string[]) => some.map((id) => ownById.get(id) ?? id).join(' ')
  return `${named(ids)} (${named(onTheWayIn.parse(context).onTheWay)})`
}

const pageIdOf = (own: string): string => [...ownById].findLast(([, id]) => id === own)?.[0] ?? own

async function takeDelivery(messageId: string) {
  const isIt = (one: { messageId: string }) => one.messageId === messageId
  await expect.poll(() => deliveries.some(isIt), patiently).toBe(true)
  const [taken] = deliveries.splice(deliveries.findIndex(isIt), 1)
  if (taken === undefined) throw new Error('nothing there')
  return taken
}

type ComposerMove = WalkedMove<typeof composerMachine, ComposerWorld>

async function perform(page: Page, { events, heard, world }: ComposerMove, before: ComposerWorld): Promise<void> {
  const { host } = stage
  const [event] = events
  const session = host.sessions.get('s1')
  if (event === undefined || session === undefined) throw new Error('nothing is heard of this move')
  switch (event.type) {
    case 'SEND':
      await field(page).fill(event.messageId)
      return page.keyboard.press('Enter')
    case 'ACCEPTED': {
      const { messageId, answer } = await takeDelivery(pageIdOf(event.messageId))
      return answer({ result: { messageId, placement: 'queued' } })
    }
    case 'REFUSED': {
      const { answer } = await takeDelivery(pageIdOf(event.messageId))
      return answer({ error: { code: -32602, message: 'It is not taken.' } })
    }
    case 'SETTLED':
      if (event.messageId !== foreign) {
        host.append('s1', 'user/message', said(pageIdOf(event.messageId)))
        return
      }
      return host.emit('s1', {
        type: 'session/discarded',
        itemId: 'i',
        messageId: foreign,
        reason: 'removed',
        text: null,
      })
    case 'LOST':
      for (const { event: lost } of heard) if (lost.type === 'LOST') await takeDelivery(pageIdOf(lost.messageId))
      return page.clock.runFor(world.nowMs - before.nowMs)
    case 'FOUND':
    case 'RESEND': {
      if (before.resendAtMs !== null && world.resendAtMs === null)
        return page.clock.runFor(before.resendAtMs - before.nowMs)
      const { incarnation, n, events: logged } = session
      host.sendAll({ type: 'session/subscribed', sessionId: 's1', lastSeq: logged.length - 1, incarnation, n })
    }
  }
}

/** As a page leaves it that goes before its texts are answered. */
function leftBehind({ kept }: ComposerWorld): string {
  const sent = kept.map(({ messageId }) => ({
    messageId,
    text: messageId,
    placement: 'queued',
    afterSeq: 0,
    incarnation: 'inc-s1-1',
    accepted: false,
  }))
  return JSON.stringify({ sent, givenBack: [] })
}

describe('the composer machine and a page stand at the same places', () => {
  test.each(composerWalks.map((walk) => [titleOfWalk(walk), walk] as const))(
    'one-id, in-order, settled-once, held-waits: %s',
    async (_, walk) => {
      const { host } = stage
      const [opening, ...moves] = walk.moves
      if (opening === undefined) throw new Error('a walk begins with a page')
      host.add('s1')
      host.deafen(true)
      const page = await stage.open('/s/s1', {
        prepare: async (own) => {
          await holdStill(own)
          if (opening.world.kept.length > 0) {
            await own.addInitScript(
              (text) => localStorage.setItem('task-surface:sent:s1', text),
              leftBehind(opening.world),
            )
          }
        },
      })
      await recordActors(page)
      await expect.poll(host.openedSockets, patiently).toBe(1)
      host.deafen(false)
      host.sendAll({ type: 'host/hello', bootId: 'boot-1', version: '0.1.0', serverTime: 0 })
      let before = beforeThePage
      let length = 0
      for (const move of [opening, ...moves]) {
        if (move !== opening) await perform(page, move, before)
        length += move.heard.length
        const trace = await traceOf(page, actor, length)
        // A page that went astray would only wait at each further step.
        if (trace.length < length) break
        const [event] = move.events
        if (event?.type === 'SEND') ownById.set(idsIn.parse(trace.at(-1)?.event).messageId ?? '', event.messageId)
        // A timed out call doubts the connection.
        if (event?.type === 'LOST') await expect.poll(() => isSteady(page), patiently).toBe(true)
        const madeCalls = move.world.calls.some((call) => !before.calls.includes(call))
        // So that no two of them end at one moment.
        if (madeCalls) await page.clock.runFor(breathMs)
        if (event?.type === 'RESEND' || event?.type === 'FOUND')
          host.emit('s1', { type: 'session/status', status: 'idle' })
        before = move.world
      }
      const trace = await traceOf(page, actor, length)
      expect(replayed(composerMachine, trace, withIds)).toEqual(linesOf(walk, withIds))
    },
  )

  test('paths: what a page never comes to has a reason, and no reason is out of date', () => {
    expect(unexplained(composerTargets, composerLeftOut)).toEqual([])
  })
})
