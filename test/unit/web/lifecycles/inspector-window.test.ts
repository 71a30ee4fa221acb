// @vitest-environment happy-dom
/* The window of an inspector and whom it listens to; and what our own page makes of what it received. */
import { createInspector } from '@statelyai/inspect'
import { fc } from '../../../harness/property.ts'
import { describe, expect, it } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { z } from 'zod'
import { sessionIdSchema } from '../../../../shared/ids.ts'
import { createReceived } from '../../../../web/inspector/received.ts'
import { openInspector } from '../../../../web/plugins/lifecycles/inspector-link.ts'
import { createManualClock } from '../manual-clock.ts'
import { openSources, openStream, type Sent } from './inspections.ts'
import { begin, entriesOf } from './journals.ts'

describe('the window of an inspector', () => {
  function openLink(place: 'here' | 'stately', isBlocked = false) {
    const scene = openSources()
    scene.add(entriesOf([begin('session:s', { live: 'idle' })]))
    const posted: { type: string; origin: string }[] = []
    const opened: string[] = []
    const popup = {
      closed: false,
      postMessage: (message: { type: string }, origin: string) => posted.push({ type: message.type, origin }),
    }
    const listeners = new Set<(event: object) => void>()
    const own = new Proxy(window, {
      get(target, key) {
        if (key === 'location') return { origin: 'http://127.0.0.1:4711' }
        if (key === 'open') return (url: string) => (opened.push(url), isBlocked ? null : popup)
        if (key === 'addEventListener')
          return (type: string, one: () => void) => type === 'message' && listeners.add(one)
        if (key === 'removeEventListener') return (_: string, one: () => void) => listeners.delete(one)
        return Reflect.get(target, key, target)
      },
    })
    const clock = createManualClock()
    const held = { count: 0 }
    const ends = { count: 0 }
    const { feed, recorder } = scene
    const sources = {
      sessionId: sessionIdSchema.parse('s'),
      feed,
      recorder,
      hold: () => {
        held.count += 1
        return () => void (held.count -= 1)
      },
    }
    const link = openInspector({ sources, place, window: own, after: clock.after, onEnd: () => void (ends.count += 1) })
    const message = (origin: string, source: object = popup, type = '@statelyai.connected') => {
      for (const one of listeners) one({ origin, source, data: { type } })
    }
    return { scene, link, posted, opened, popup, message, clock, held, ends, listeners }
  }

  it('INSPECT-ORIGIN: only the chosen page, in the window that was opened, is told anything', () => {
    for (const [place, url, right, wrong] of [
      ['here', 'http://127.0.0.1:4711/inspector.html', 'http://127.0.0.1:4711', 'https://stately.ai'],
      ['stately', 'https://stately.ai/inspect', 'https://stately.ai', 'http://127.0.0.1:4711'],
    ] as const) {
      const { link, posted, opened, message } = openLink(place)
      expect(opened).toEqual([url])
      for (const origin of [
        wrong,
        'https://evil.example',
        'https://evilstately.ai',
        'http://stately.ai',
        'https://stately.ai.evil.example',
      ]) {
        message(origin)
      }
      message(right, {})
      expect([posted, link?.phase.getState()]).toEqual([[], 'waiting'])
      message(right)
      expect(link?.phase.getState()).toBe('connected')
      expect(posted.map(({ type, origin }) => `${type} ${origin}`)).toEqual(
        ['actor', 'event', 'snapshot'].map((what) => `@xstate.${what} ${right}`),
      )
      // A viewer that comes late, and one that wanders off within the house.
      message(right)
      expect(posted).toHaveLength(6)
      link?.end()
    }
  })

  it('INSPECT-END: a closed window and a stop end it, once; the host is let go and a viewer hears of it', () => {
    const { scene, link, posted, popup, message, clock, held, ends, listeners } = openLink('here')
    message('http://127.0.0.1:4711')
    expect(held.count).toBe(1)
    posted.splice(0)
    clock.advance(1_500)
    expect(ends.count).toBe(0)
    popup.closed = true
    clock.advance(1_500)
    link?.end()
    scene.add(entriesOf([begin('turn:1:s', { live: 'calling' })], 2))
    expect([held.count, ends.count, listeners.size, posted.map(({ type }) => type)]).toEqual([
      0,
      1,
      0,
      ['@statelyai.disconnected'],
    ])
  })

  it('INSPECT-BLOCKED: where no window opens, nothing is held', () => {
    const { link, held, listeners } = openLink('here', true)
    expect([link, held.count, listeners.size]).toEqual([null, 0, 0])
  })
})

describe('what our own page received', () => {
  it('RECEIVED-ANY: what is no inspection event is left out', () => {
    const received = createReceived(() => 0)
    fc.assert(fc.property(fc.anything(), (message) => received.take([message, { type: '@xstate.actor' }, null])))
    expect([received.feed.getState().length, received.page.getState().length]).toEqual([0, 0])
  })

  it('RECEIVED-XSTATE: any actor of XState that the real inspector tells of is shown', async () => {
    const received = createReceived(() => 0)
    const sent: Sent[] = []
    const inspector = createInspector({ send: (event) => void sent.push(event) })
    const machine = createMachine({ id: 'lamp', initial: 'off', states: { off: { on: { PRESS: 'on' } }, on: {} } })
    const actor = createActor(machine, { inspect: inspector.inspect })
    actor.start()
    actor.send({ type: 'PRESS' })
    actor.send({ type: 'PRESS' })
    await expect.poll(() => sent.length).toBe(7)
    // As its adapter for windows writes them.
    received.take(z.array(z.unknown()).parse(JSON.parse(JSON.stringify(sent))))
    const { index, charts: drawn } = received.feed.getState()
    const seen = Array.from({ length: index.length }, (_, at) => index.entry(at))
    expect(seen.map((entry) => [entry?.from, entry?.to, entry?.accepted])).toEqual([
      [null, 'off', true],
      ['off', 'on', true],
      ['on', 'on', false],
    ])
    expect([index.tracks[0]?.machine, drawn.get('lamp')?.states.length]).toEqual(['lamp', 2])
  })

  it('RECEIVED-LOST: what was told stays where the other window has ended', () => {
    const received = createReceived(() => 0)
    const scene = openSources()
    scene.add(entriesOf([begin('session:s', { live: 'idle' })]))
    const { stream, take } = openStream(scene)
    stream.tellAll()
    received.take(take())
    received.lose()
    expect([received.feed.getState().phase, received.feed.getState().length]).toEqual(['lost', 1])
  })
})
