/* The session list and the followed mirrors over a connection that the test plays. */
import { describe, expect, it } from 'vitest'
import { sessionIdSchema } from '../../../shared/ids.ts'
import type { Session } from '../../../shared/session.ts'
import type { ConnectionState } from '../../../web/connection/connection.ts'
import type { AnyFrame } from '../../../web/connection/incoming.ts'
import { createSessionRegistry } from '../../../web/session/session-registry.ts'
import { createStore } from '../../../web/store.ts'
import { createFakeRequester } from './fake-requester.ts'
import { createManualClock } from './manual-clock.ts'
import * as a from './samples.ts'

const down: ConnectionState = {
  phase: 'connecting',
  everUp: false,
  retryAt: null,
  downSince: null,
  version: null,
  hostAheadMs: 0,
  outdated: false,
}

function play() {
  const host = createFakeRequester()
  const clock = createManualClock()
  const state = createStore(down)
  const listeners: ((frame: AnyFrame) => void)[] = []
  const released: [string, boolean][] = []
  const registry = createSessionRegistry({
    connection: {
      state,
      requester: host,
      onFrame(listener) {
        listeners.push(listener)
        return () => {}
      },
      start: () => {},
      tryNow: () => {},
      woken: () => {},
      dispose: () => {},
    },
    after: clock.after,
    soon: (work) => clock.after(16, work),
    onRelease: (sessionId, removed) => released.push([sessionId, removed]),
  })
  const up = () => state.setState({ ...down, phase: 'up', everUp: true })
  const lose = () => state.setState({ ...down, phase: 'waiting', everUp: true })
  const say = (frame: AnyFrame) => {
    for (const listener of listeners) listener(frame)
  }
  const added = (session: Session) => say({ type: 'host/session-added', session })
  const titles = () => registry.list.getState().sessions.map((one) => one.title)
  return { host, registry, up, lose, say, added, titles, released }
}

const one = (title: string, updatedAt: number) =>
  a.session({ id: sessionIdSchema.parse(`s-${title}`), title, updatedAt })

describe('the list', () => {
  it('L-LIST: newest activity first, whatever the order of the answer and of the frames', () => {
    const { host, up, added, titles } = play()
    up()
    host.answer('session.list', { sessions: [one('old', 1), one('new', 9)] })
    added(one('mid', 5))
    expect(titles()).toEqual(['new', 'mid', 'old'])
  })

  it('L-RACE: a session that is added, renamed or removed while the list is asked for is right afterwards', () => {
    const { host, up, added, say, titles } = play()
    up()
    added(one('fresh', 20))
    say({ type: 'host/session-updated', session: { ...one('kept', 10), title: 'renamed' } })
    say({ type: 'host/session-removed', sessionId: sessionIdSchema.parse('s-gone') })
    host.answer('session.list', { sessions: [one('kept', 2), one('gone', 1)] })
    expect(titles()).toEqual(['fresh', 'renamed'])
  })

  it('L-KEEP: a drop empties nothing, and the next answer replaces the list', () => {
    const { host, up, lose, titles } = play()
    up()
    host.answer('session.list', { sessions: [one('a', 1)] })
    lose()
    expect(titles()).toEqual(['a'])
    up()
    expect(titles()).toEqual(['a'])
    host.answer('session.list', { sessions: [one('b', 1)] })
    expect(titles()).toEqual(['b'])
  })

  it('L-RACE: an answer to the question of a former connection is ignored', () => {
    const { host, up, lose, titles } = play()
    up()
    lose()
    up()
    host.answer('session.list', { sessions: [one('stale', 1)] })
    expect(titles()).toEqual([])
    host.answer('session.list', { sessions: [one('right', 1)] })
    expect(titles()).toEqual(['right'])
  })
})

describe('followed sessions', () => {
  it('L-FOLLOW: a mirror opens now, or as soon as there is a connection, and again on every new one', () => {
    const { host, registry, up, lose } = play()
    registry.follow(a.sessionId)
    expect(host.waiting()).toEqual([])
    up()
    expect(host.waiting()).toEqual(['session.list', 'session.open'])
    host.fail('session.open', { reason: 'connection-lost' })
    lose()
    up()
    expect(host.waiting().filter((method) => method === 'session.open')).toHaveLength(1)
  })

  it('L-FOLLOW: following again is the same mirror', () => {
    const { registry } = play()
    expect(registry.follow(a.sessionId)).toBe(registry.follow(a.sessionId))
  })

  it('L-FOLLOW: frames reach the mirror of their session alone', () => {
    const { host, registry, up, say } = play()
    up()
    const mine = registry.follow(a.sessionId)
    host.answer('session.open', a.openAnswer())
    say(a.subscribed())
    host.answer('host.describe', {})
    say({ type: 'unreadable', sessionId: a.otherSessionId, incarnation: 'x', n: 5 })
    say(a.liveEvent(1, a.turnStart(1)))
    expect(mine.getState().lastSeq).toBe(1)
  })

  it('L-FOLLOW: of many, the least recently used is closed and let go', () => {
    const { host, registry, up, released } = play()
    up()
    const ids = Array.from({ length: 7 }, (_, index) => sessionIdSchema.parse(`f-${index}`))
    for (const id of ids.slice(0, 6)) registry.follow(id)
    const [first, second, , , , , last] = ids
    if (first === undefined || second === undefined || last === undefined) throw new Error('seven ids')
    registry.follow(first)
    registry.follow(last)
    expect(released).toEqual([['f-1', false]])
    expect(host.paramsOf('session.close')).toEqual({ sessionId: second })
    expect([...registry.followed.getState().keys()]).not.toContain(second)
  })

  it('L-GONE: a removed session is released as removed, and its mirror says so', () => {
    const { registry, up, say, released } = play()
    up()
    const mirror = registry.follow(a.sessionId)
    say({ type: 'host/session-removed', sessionId: a.sessionId })
    expect(released).toEqual([['s-1', true]])
    expect(mirror.getState().phase).toBe('missing')
  })
})
