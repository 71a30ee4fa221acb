/* The mirror of a session against a host that the test plays (SPEC 8, client side). */
import { describe, expect, it } from 'vitest'
import { createSessionStore, type SessionStore } from '../../../web/session/session-store.ts'
import { createFakeRequester, type FakeRequester } from './fake-requester.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import * as a from './samples.ts'

interface Play {
  store: SessionStore
  host: FakeRequester
  clock: ManualClock
  told: () => number
}

function play(): Play {
  const host = createFakeRequester()
  const clock = createManualClock()
  const soon = (work: () => void) => clock.after(16, work)
  const store = createSessionStore(a.sessionId, { requester: host, after: clock.after, soon })
  let count = 0
  store.subscribe(() => {
    count += 1
  })
  return { store, host, clock, told: () => count }
}

/** Opened, baseline in, following. */
function playLive(answer: object = {}, frames: Parameters<SessionStore['receive']>[0][] = []): Play {
  const it = play()
  it.store.open()
  it.host.answer('session.open', a.openAnswer(answer))
  it.store.receive(a.subscribed({ incarnation: 'inc-1', n: 0, ...pick(answer) }))
  for (const frame of frames) it.store.receive(frame)
  it.host.answer('host.describe', {})
  return it
}

function pick(answer: object): object {
  return Object.fromEntries(
    Object.entries(answer).filter(([key]) => key === 'incarnation' || key === 'n' || key === 'lastSeq'),
  )
}

describe('opening', () => {
  it('W-FLASH: nothing of a subscription shows before its baseline is complete', () => {
    const { store, host } = play()
    store.open()
    host.answer('session.open', a.openAnswer())
    store.receive(a.subscribed())
    store.receive(a.baseline({ type: 'session/queue', items: [a.row('m1')] }))
    expect(store.getState().phase).toBe('opening')
    host.answer('host.describe', {})
    expect(store.getState()).toMatchObject({ phase: 'live', epoch: 1, queue: [{ messageId: 'm1' }] })
  })

  it('W-FLASH: the first live frame completes the baseline as well', () => {
    const { store, host } = play()
    store.open()
    host.answer('session.open', a.openAnswer())
    store.receive(a.subscribed())
    store.receive(a.baseline({ type: 'session/queue', items: [a.row('m1')] }))
    store.receive(a.liveEvent(1, a.turnStart(1)))
    expect(store.getState()).toMatchObject({ phase: 'live', lastSeq: 1, queue: [{ messageId: 'm1' }] })
  })

  it('W-GAP: frames before the answered subscription belong to another one', () => {
    const { store, host } = play()
    store.open()
    store.receive(a.liveEvent(1, a.turnStart(1)))
    host.answer('session.open', a.openAnswer({ n: 7 }))
    store.receive(a.liveEvent(7, a.turnStart(1)))
    store.receive(a.subscribed({ n: 3 }))
    store.receive(a.baseline({ type: 'session/queue', items: [a.row('old')] }))
    store.receive(a.subscribed({ n: 7 }))
    host.answer('host.describe', {})
    expect(store.getState()).toMatchObject({ phase: 'live', lastSeq: 0, queue: [] })
  })

  it('W-GAP: an answer to a former question is ignored', () => {
    const { store, host } = play()
    store.open()
    store.open()
    host.answer('session.open', a.openAnswer({ incarnation: 'old' }))
    expect(host.waiting()).toEqual(['session.open'])
    host.answer('session.open', a.openAnswer())
    store.receive(a.subscribed())
    host.answer('host.describe', {})
    expect(store.getState()).toMatchObject({ phase: 'live', incarnation: 'inc-1' })
  })

  it.each([
    [-32004, 'missing'],
    [-32010, 'refused'],
  ])('W-OPEN: the refusal %i shows as %s, with the host’s words', (code, phase) => {
    const { store, host } = play()
    store.open()
    host.fail('session.open', { reason: 'refused', code, conflict: null, message: 'no' })
    expect(store.getState()).toMatchObject({ phase, problem: 'no' })
  })

  it('W-OPEN: a refused session can be opened again', () => {
    const { store, host } = play()
    store.open()
    host.fail('session.open', { reason: 'refused', code: -32010, conflict: null, message: 'no' })
    store.open()
    host.answer('session.open', a.openAnswer())
    store.receive(a.subscribed())
    host.answer('host.describe', {})
    expect(store.getState()).toMatchObject({ phase: 'live', problem: null })
  })

  it('W-OPEN: a question that timed out is asked again', () => {
    const { store, host } = play()
    store.open()
    host.fail('session.open', { reason: 'timeout' })
    expect(host.waiting()).toEqual(['session.open'])
  })
})

describe('following', () => {
  it('W-GAP: contiguous frames are taken, in order', () => {
    const { store } = playLive()
    store.receive(a.liveEvent(1, a.turnStart(1)))
    store.receive(a.liveEvent(2, a.said(2, 'm1')))
    expect(store.getState().events.map((one) => one.seq)).toEqual([0, 1, 2])
  })

  it.each([
    ['a skipped number', a.liveEvent(2, a.turnStart(1))],
    ['a repeated number', a.liveEvent(0, a.turnStart(1))],
    ['another incarnation', a.live(1, { type: 'session/event', event: a.turnStart(1) }, 'inc-2')],
    ['a stream that continues what was never seen', a.live(1, stream('m1', 5, 'x'))],
    ['a reset by the host', a.subscribed({ incarnation: 'inc-2', n: 9 })],
  ])('W-GAP: %s opens the session again and changes nothing meanwhile', (_, frame) => {
    const { store, host } = playLive()
    const before = store.getState()
    store.receive(frame)
    expect(host.waiting()).toEqual(['session.open'])
    expect(store.getState()).toBe(before)
    store.receive(a.liveEvent(3, a.turnStart(1)))
    expect(store.getState()).toBe(before)
  })

  it('W-GAP: a counted frame of an unknown kind keeps the numbers whole', () => {
    const { store, host } = playLive()
    store.receive({ type: 'unreadable', sessionId: a.sessionId, incarnation: 'inc-1', n: 1 })
    store.receive(a.liveEvent(2, a.turnStart(1)))
    expect(host.waiting()).toEqual([])
    expect(store.getState().lastSeq).toBe(1)
  })

  it('W-GAP: a host that never becomes contiguous is asked more and more rarely', () => {
    const { store, host, clock } = playLive()
    for (let round = 0; round < 3; round += 1) {
      store.receive(a.liveEvent(9, a.turnStart(1)))
      host.answer('session.open', a.openAnswer())
      store.receive(a.subscribed())
      host.answer('host.describe', {})
    }
    store.receive(a.liveEvent(9, a.turnStart(1)))
    expect(host.waiting()).toEqual([])
    clock.advance(4_000)
    expect(host.waiting()).toEqual(['session.open'])
  })

  it('W-RESET: a new subscription replaces every live value, also those it does not repeat', () => {
    const { store, host } = playLive({}, [
      a.baseline({ type: 'session/queue', items: [a.row('m1')] }),
      a.baseline({ type: 'session/status', status: 'running', turn: 1 }),
      a.baseline({
        type: 'question/requested',
        questionId: 'q',
        callId: 'c',
        questions: [{ id: 'x', question: 'Why?' }],
      }),
      a.baseline({ type: 'session/task-surface', surfaceId: 'surface-1', pending: null }),
      a.baseline({ type: 'session/projection', key: 'title', value: { title: 'x' }, seq: 40 }),
    ])
    expect(store.getState().questions).toHaveLength(1)
    store.lost()
    store.open()
    host.answer('session.open', a.openAnswer({ incarnation: 'inc-2', n: 4 }))
    store.receive(a.subscribed({ incarnation: 'inc-2', n: 4 }))
    store.receive(a.baseline({ type: 'session/projection', key: 'title', value: { title: 'y' }, seq: 3 }))
    host.answer('host.describe', {})
    const now = store.getState()
    expect(now).toMatchObject({ queue: [], questions: [], status: { status: 'idle' }, epoch: 2 })
    expect(now.pendingBySurface.size).toBe(0)
    expect(now.projections.get('title')).toEqual({ value: { title: 'y' }, seq: 3 })
  })

  it('W-SEQ: of a projection the higher seq wins, whatever comes last', () => {
    const { store } = playLive()
    store.receive(a.live(1, { type: 'session/projection', key: 'taskSurface', value: { active: null }, seq: 9 }))
    store.receive(a.live(2, { type: 'session/projection', key: 'taskSurface', value: { active: 'old' }, seq: 8 }))
    expect(store.getState().projections.get('taskSurface')).toEqual({ value: { active: null }, seq: 9 })
  })

  it('W-FLASH: a short drop keeps every value, marked as last known', () => {
    const { store, host } = playLive({}, [a.baseline({ type: 'session/queue', items: [a.row('m1')] })])
    store.lost()
    expect(store.getState()).toMatchObject({ phase: 'last-known', queue: [{ messageId: 'm1' }] })
    store.open()
    host.answer('session.open', a.openAnswer())
    store.receive(a.subscribed())
    expect(store.getState()).toMatchObject({ phase: 'last-known', queue: [{ messageId: 'm1' }] })
    host.answer('host.describe', {})
    expect(store.getState()).toMatchObject({ phase: 'live', queue: [] })
  })

  it('W-FLASH: what a lost connection still delivers is not taken', () => {
    const { store } = playLive()
    store.lost()
    store.receive(a.liveEvent(1, a.turnStart(1)))
    expect(store.getState()).toMatchObject({ phase: 'last-known', lastSeq: 0 })
  })

  it('W-DUP: an event that is known already is not doubled', () => {
    const { store } = playLive()
    store.receive(a.liveEvent(1, a.turnStart(1)))
    store.receive(a.liveEvent(2, a.turnStart(1)))
    expect(store.getState().events.map((one) => one.seq)).toEqual([0, 1])
  })
})

function stream(id: string, offset: number, text: string, part = 'text') {
  return { type: 'session/stream', turn: 1, step: 0, messageId: id, offset, part, text }
}

describe('streaming', () => {
  it('W-STREAM: text is appended at its offset, told at most once a frame, and gives way to the message', () => {
    const { store, clock, told } = playLive()
    const before = told()
    store.receive(a.live(1, stream('m1', 0, 'Two ')))
    store.receive(a.live(2, stream('m1', 4, 'things')))
    expect(told()).toBe(before)
    clock.advance(16)
    expect(told()).toBe(before + 1)
    expect(store.getState().streaming).toMatchObject({ messageId: 'm1', text: 'Two things' })
    store.receive(a.liveEvent(3, a.answered(1, 'm1', 'Two things')))
    expect(store.getState()).toMatchObject({ streaming: null, lastSeq: 1 })
  })

  it('W-STREAM: offset 0 replaces what is shown of that part and leaves the other part', () => {
    const { store } = playLive()
    store.receive(a.live(1, stream('m1', 0, 'thinking', 'reasoning')))
    store.receive(a.live(2, stream('m1', 0, 'first try')))
    store.receive(a.live(3, stream('m1', 0, 'second')))
    expect(store.getState().streaming).toMatchObject({ text: 'second', reasoning: 'thinking' })
  })

  it('W-STREAM: another message begins anew', () => {
    const { store } = playLive()
    store.receive(a.live(1, stream('m1', 0, 'one')))
    store.receive(a.live(2, stream('m2', 0, 'two', 'reasoning')))
    expect(store.getState().streaming).toMatchObject({ messageId: 'm2', text: '', reasoning: 'two' })
  })

  it('W-STREAM: the end of the turn ends what streams', () => {
    const { store } = playLive()
    store.receive(a.live(1, stream('m1', 0, 'one')))
    store.receive(a.liveEvent(2, a.turnEnd(1, 1, 'aborted')))
    expect(store.getState().streaming).toBeNull()
  })
})

describe('earlier pages', () => {
  const window = { events: [a.turnStart(10), a.said(11, 'm10')], hasMore: true, lastSeq: 11 }

  it('W-PAGE: a page goes in front of the window, and the next one before it', async () => {
    const { store, host } = playLive(window)
    const loading = store.loadEarlier()
    expect(host.paramsOf('session.history')).toEqual({ sessionId: a.sessionId, beforeSeq: 10 })
    host.answer('session.history', { events: [a.turnStart(5), a.said(6, 'm5')], hasMore: true })
    await loading
    expect(store.getState().events.map((one) => one.seq)).toEqual([5, 6, 10, 11])
    void store.loadEarlier()
    expect(host.paramsOf('session.history')).toMatchObject({ beforeSeq: 5 })
  })

  it('W-PAGE: two calls at once load one page', () => {
    const { store, host } = playLive(window)
    void store.loadEarlier()
    void store.loadEarlier()
    expect(host.waiting()).toEqual(['session.history'])
  })

  it('W-PAGE: a page of a former view is dropped', async () => {
    const { store, host } = playLive(window)
    const loading = store.loadEarlier()
    store.lost()
    store.open()
    host.answer('session.open', a.openAnswer({ ...window, incarnation: 'inc-2' }))
    store.receive(a.subscribed({ incarnation: 'inc-2' }))
    host.answer('host.describe', {})
    host.answer('session.history', { events: [a.turnStart(5)], hasMore: false })
    await loading
    expect(store.getState().events.map((one) => one.seq)).toEqual([10, 11])
  })

  it('W-PAGE: a reconnect in the same incarnation keeps the pages that were loaded', () => {
    const { store, host } = playLive({
      events: [a.turnStart(5), a.said(6, 'm5'), a.turnStart(10)],
      hasMore: true,
      lastSeq: 10,
    })
    store.lost()
    store.open()
    host.answer(
      'session.open',
      a.openAnswer({ events: [a.turnStart(10), a.said(11, 'm10')], hasMore: true, lastSeq: 11 }),
    )
    store.receive(a.subscribed())
    host.answer('host.describe', {})
    expect(store.getState().events.map((one) => one.seq)).toEqual([5, 6, 10, 11])
  })

  it('W-PAGE: in another incarnation they go, for they may have been rewound', () => {
    const { store, host } = playLive({
      events: [a.turnStart(5), a.said(6, 'm5'), a.turnStart(10)],
      hasMore: true,
      lastSeq: 10,
    })
    store.lost()
    store.open()
    host.answer(
      'session.open',
      a.openAnswer({ events: [a.turnStart(10)], incarnation: 'inc-2', hasMore: true, lastSeq: 10 }),
    )
    store.receive(a.subscribed({ incarnation: 'inc-2' }))
    host.answer('host.describe', {})
    expect(store.getState().events.map((one) => one.seq)).toEqual([10])
  })

  it('W-PAGE: more was missed than a page holds, so the hole takes the old pages with it', () => {
    const { store, host } = playLive({ events: [a.turnStart(5), a.said(6, 'm5')], hasMore: true, lastSeq: 6 })
    store.lost()
    store.open()
    host.answer('session.open', a.openAnswer({ events: [a.turnStart(90)], hasMore: true, lastSeq: 90 }))
    store.receive(a.subscribed())
    host.answer('host.describe', {})
    expect(store.getState()).toMatchObject({ events: [{ seq: 90 }], hasMore: true })
  })
})

describe('the rest', () => {
  it('W-GONE: a removed session says so and takes nothing more', () => {
    const { store } = playLive()
    store.removed()
    store.receive(a.liveEvent(1, a.turnStart(1)))
    expect(store.getState()).toMatchObject({ phase: 'missing', lastSeq: 0 })
  })

  it('W-DISC: discarded rows are kept in order, the last 64', () => {
    const { store } = playLive()
    for (let n = 1; n <= 70; n += 1) {
      store.receive(
        a.live(n, { type: 'session/discarded', itemId: `i${n}`, messageId: `m${n}`, reason: 'removed', text: 'x' }),
      )
    }
    const { discarded } = store.getState()
    expect([discarded.length, discarded[0]?.messageId, discarded.at(-1)?.messageId]).toEqual([64, 'm7', 'm70'])
  })

  it('W-ASK: a question asked twice stands once and goes when it is resolved', () => {
    const { store } = playLive()
    const asked = {
      type: 'question/requested',
      questionId: 'q',
      callId: 'c',
      questions: [{ id: 'x', question: 'Why?' }],
    }
    store.receive(a.live(1, asked))
    store.receive(a.live(2, asked))
    expect(store.getState().questions).toHaveLength(1)
    store.receive(a.live(3, { type: 'question/resolved', questionId: 'q', outcome: 'declined' }))
    expect(store.getState().questions).toEqual([])
  })
})
