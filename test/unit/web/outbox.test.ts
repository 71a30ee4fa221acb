/* What becomes of a text that was sent: through losses, restarts, reloads and other tabs (SPEC 2, 4, 9). */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDraftStore } from '../../../web/composer/draft-store.ts'
import { createOutbox } from '../../../web/composer/outbox.ts'
import { createSentStore } from '../../../web/composer/sent-store.ts'
import { createSessionStore } from '../../../web/session/session-store.ts'
import { createFakeRequester } from './fake-requester.ts'
import { createFakeBrowser, type FakeBrowser } from './fake-storage.ts'
import { createManualClock } from './manual-clock.ts'
import * as a from './samples.ts'

const sendParams = z.object({ messageId: z.string(), text: z.string(), placement: z.string() })

/** One page on one session; the browser's storage may be shared with another. */
function play(browser: FakeBrowser = createFakeBrowser(), prefix = 'm') {
  const host = createFakeRequester()
  const clock = createManualClock()
  const { storage } = browser.tab()
  const session = createSessionStore(a.sessionId, {
    requester: host,
    after: clock.after,
    soon: (work) => clock.after(16, work),
  })
  const draft = createDraftStore(a.sessionId, storage, clock.after)
  const sent = createSentStore(a.sessionId, storage)
  let minted = 0
  const mintId = () => {
    minted += 1
    return `${prefix}${minted}`
  }
  const outbox = createOutbox({ session, draft, sent, mintId, after: clock.after })
  const openWith = (answer: object = {}, frames: Parameters<typeof session.receive>[0][] = []) => {
    session.open()
    const whole = a.openAnswer(answer)
    host.answer('session.open', whole)
    session.receive(a.subscribed({ incarnation: whole.incarnation, n: whole.n, lastSeq: whole.lastSeq }))
    for (const frame of frames) session.receive(frame)
    host.answer('host.describe', {})
  }
  const write = (text: string) => {
    draft.type(text)
    outbox.send('queued')
  }
  /** Answers and their continuations are microtasks apart. */
  const settle = async () => {
    for (let round = 0; round < 5; round += 1) await Promise.resolve()
  }
  const sends = () => host.waiting().filter((method) => method === 'session.send').length
  const asked = () => sendParams.parse(host.paramsOf('session.send'))
  const back = () => sent.getState().givenBack.map(({ text, reason }) => [text, reason])
  const kept = () => sent.getState().sent.map((one) => one.messageId)
  const reload = () => {
    outbox.dispose()
    draft.dispose()
    sent.dispose()
  }
  return {
    browser,
    host,
    clock,
    session,
    draft,
    sent,
    outbox,
    openWith,
    write,
    settle,
    sends,
    asked,
    back,
    kept,
    reload,
  }
}

function playOpen() {
  const it = play()
  it.openWith()
  return it
}

const accepted = { messageId: 'm1', placement: 'queued' }
const lost = { reason: 'connection-lost' } as const

describe('sending', () => {
  it('S-KEEP: a sent text leaves the field and is kept until its message is seen', async () => {
    const { host, session, draft, write, settle, asked, kept } = playOpen()
    write('Build it')
    expect([draft.getState().text, asked(), kept()]).toEqual([
      '',
      { messageId: 'm1', text: 'Build it', placement: 'queued' },
      ['m1'],
    ])
    host.answer('session.send', accepted)
    await settle()
    expect(kept()).toEqual(['m1'])
    session.receive(a.liveEvent(1, a.turnStart(1)))
    session.receive(a.liveEvent(2, a.said(2, 'm1')))
    expect(kept()).toEqual([])
  })

  it('S-KEEP: steering that joined the turn counts as seen', async () => {
    const { host, session, write, settle, kept } = playOpen()
    write('also this')
    host.answer('session.send', { messageId: 'm1', placement: 'steering' })
    await settle()
    session.receive(a.liveEvent(1, a.steered(1, 'm1')))
    expect(kept()).toEqual([])
  })

  it.each(['', '   ', '\n\t'])('S-BLANK: %j is not sent', (text) => {
    const { sends, write } = playOpen()
    write(text)
    expect(sends()).toBe(0)
  })

  it('S-EARLY: what is sent before the session is open goes out once it is', () => {
    const { sends, write, openWith, draft, asked } = play()
    write('first words')
    expect([sends(), draft.getState().text]).toEqual([0, 'first words'])
    openWith()
    expect([sends(), draft.getState().text, asked().text]).toEqual([1, '', 'first words'])
  })

  it('S-REFUSED: a refused text is in the field again', async () => {
    const { host, draft, write, settle, kept, back } = playOpen()
    write('too late')
    host.fail('session.send', { reason: 'refused', code: -32009, conflict: 'stale', message: 'used up' })
    await settle()
    expect([draft.getState().text, kept(), back()]).toEqual(['too late', [], []])
  })

  it('S-REFUSED: where something else is being written already, it stands beside the field', async () => {
    const { host, draft, write, settle, back } = playOpen()
    write('first')
    draft.type('second')
    host.fail('session.send', { reason: 'refused', code: -32010, conflict: null, message: 'no disk' })
    await settle()
    expect([draft.getState().text, back()]).toEqual(['second', [['first', 'refused']]])
  })
})

describe('losses', () => {
  it('one-id, in-order: after a loss the same ids go out again in their order', async () => {
    const { host, session, openWith, write, settle, sends, asked } = playOpen()
    write('one')
    write('two')
    host.fail('session.send', lost)
    host.fail('session.send', lost)
    await settle()
    session.lost()
    expect(sends()).toBe(0)
    openWith()
    expect(sends()).toBe(2)
    expect(asked()).toMatchObject({ messageId: 'm1', text: 'one' })
    host.answer('session.send', accepted)
    expect(asked()).toMatchObject({ messageId: 'm2', text: 'two' })
  })

  it('held-waits: while something is held nothing new is sent', async () => {
    const { host, write, settle, sends, draft } = playOpen()
    write('one')
    host.fail('session.send', lost)
    await settle()
    write('two')
    expect([sends(), draft.getState().text]).toEqual([0, 'two'])
  })

  it('settled-once: its message that arrives before the answer settles it, and a late loss sends nothing', async () => {
    const { host, session, openWith, write, settle, sends, kept } = playOpen()
    write('one')
    session.receive(a.liveEvent(1, a.said(1, 'm1')))
    host.fail('session.send', lost)
    await settle()
    session.lost()
    openWith({ events: [a.created(), a.said(1, 'm1')], lastSeq: 1 })
    expect([sends(), kept()]).toEqual([0, []])
  })

  it('one-id: a call that timed out on a living connection is sent again after a while', async () => {
    const { host, clock, write, settle, sends } = playOpen()
    write('one')
    host.fail('session.send', { reason: 'timeout' })
    await settle()
    expect(sends()).toBe(0)
    clock.advance(6_000)
    expect(sends()).toBe(1)
  })

  it('S-KEEP: a page that was closed before the answer sends again with the same id after a reload', async () => {
    const first = playOpen()
    first.write('never answered')
    first.reload()
    const second = play(first.browser, 'other')
    second.openWith()
    expect(second.asked()).toEqual({ messageId: 'm1', text: 'never answered', placement: 'queued' })
  })
})

describe('what came back', () => {
  it.each(['removed', 'rejected', 'cancelled', 'error', 'disposed'])(
    'S-DISC: a row discarded as %s gives its text back',
    async (reason) => {
      const { host, session, write, settle, back, kept } = playOpen()
      write('take me')
      host.answer('session.send', accepted)
      await settle()
      session.receive(a.live(1, { type: 'session/discarded', itemId: 'i', messageId: 'm1', reason, text: 'take me' }))
      expect([back(), kept()]).toEqual([[['take me', reason]], []])
    },
  )

  it('S-DISC: a submission has no text to give back', () => {
    const { session, back } = playOpen()
    session.receive(
      a.live(1, { type: 'session/discarded', itemId: 'i', messageId: 'm9', reason: 'surface-closed', text: null }),
    )
    expect(back()).toEqual([])
  })

  it('S-DISC: a text that was taken does not come back by another frame of the session', () => {
    const { session, sent, back } = playOpen()
    session.receive(
      a.live(1, { type: 'session/discarded', itemId: 'i', messageId: 'm9', reason: 'removed', text: 'x' }),
    )
    sent.take(a.messageId('m9'))
    session.receive(a.liveEvent(2, a.turnStart(1)))
    expect(back()).toEqual([])
  })

  it('S-DISC: a row the person removed can be put back until the next message; what came back otherwise stays', () => {
    const { session, write, back } = playOpen()
    session.receive(
      a.live(1, { type: 'session/discarded', itemId: 'i', messageId: 'x', reason: 'removed', text: 'mine' }),
    )
    session.receive(
      a.live(2, { type: 'session/discarded', itemId: 'i', messageId: 'y', reason: 'error', text: 'theirs' }),
    )
    expect(back()).toHaveLength(2)
    write('on with it')
    expect(back()).toEqual([['theirs', 'error']])
  })

  it('S-LOST: a restarted host that shows neither row nor message gives the text back', async () => {
    const { host, session, openWith, write, settle, back, kept } = playOpen()
    write('only in memory')
    host.answer('session.send', accepted)
    await settle()
    session.lost()
    openWith({ incarnation: 'inc-2' })
    expect([back(), kept()]).toEqual([[['only in memory', 'lost']], []])
  })

  it('S-LOST: after a reload as well, and the same in another tab', async () => {
    const first = playOpen()
    first.write('only in memory')
    first.host.answer('session.send', accepted)
    await first.settle()
    first.reload()
    const second = play(first.browser)
    const third = play(first.browser)
    second.openWith({ incarnation: 'inc-2' })
    expect([second.back(), third.back()]).toEqual([[['only in memory', 'lost']], [['only in memory', 'lost']]])
  })

  it('S-LOST: in the same incarnation it may just be on its way into the log', async () => {
    const { host, session, openWith, write, settle, back, kept } = playOpen()
    write('being taken')
    host.answer('session.send', accepted)
    await settle()
    session.lost()
    openWith()
    expect([back(), kept()]).toEqual([[], ['m1']])
  })

  it('S-LOST: a row that still waits is not lost', async () => {
    const { host, session, openWith, write, settle, back, kept } = playOpen()
    write('waits')
    host.answer('session.send', accepted)
    await settle()
    session.lost()
    openWith({ incarnation: 'inc-2' }, [a.baseline({ type: 'session/queue', items: [a.row('m1')] })])
    expect([back(), kept()]).toEqual([[], ['m1']])
  })

  it('S-LOST: where the window does not reach back to it, the history is read before anything is said', async () => {
    const { host, session, openWith, write, settle, back, kept } = playOpen()
    write('long ago')
    host.answer('session.send', accepted)
    await settle()
    session.lost()
    openWith({ incarnation: 'inc-2', events: [a.turnStart(50, 9)], hasMore: true, lastSeq: 50 })
    expect(back()).toEqual([])
    host.answer('session.history', { events: [a.turnStart(20, 5)], hasMore: true })
    await settle()
    expect(back()).toEqual([])
    host.answer('session.history', { events: [a.created(), a.turnStart(1), a.said(2, 'm1')], hasMore: false })
    await settle()
    expect([back(), kept()]).toEqual([[], []])
  })

  it('S-EDIT: what comes back is the text as it was edited in the queue', async () => {
    const { host, session, write, settle, back } = playOpen()
    write('first wording')
    host.answer('session.send', accepted)
    await settle()
    session.receive(a.live(1, { type: 'session/queue', items: [a.row('m1', { text: 'better wording' })] }))
    session.receive(a.live(2, { type: 'session/queue', items: [] }))
    session.receive(
      a.live(3, {
        type: 'session/discarded',
        itemId: 'i',
        messageId: 'm1',
        reason: 'rejected',
        text: 'better wording',
      }),
    )
    expect(back()).toEqual([['better wording', 'rejected']])
  })

  it('S-BOUND: the oldest go first', () => {
    const { sent } = playOpen()
    for (let n = 0; n < 40; n += 1) sent.giveBack(a.messageId(`x${n}`), 'removed', { text: `t${n}` })
    const { givenBack } = sent.getState()
    expect([givenBack.length, givenBack[0]?.text, givenBack.at(-1)?.text]).toEqual([24, 't16', 't39'])
  })

  it('S-KEEP: nothing is left in the storage when nothing is on the way', async () => {
    const { host, session, browser, write, settle } = playOpen()
    write('gone')
    host.answer('session.send', accepted)
    await settle()
    session.receive(a.liveEvent(1, a.said(1, 'm1')))
    expect([...browser.raw.keys()].filter((key) => key.includes('sent'))).toEqual([])
  })
})
