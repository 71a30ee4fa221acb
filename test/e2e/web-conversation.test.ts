/* The conversation in Chromium against a scripted host: the connection, the record, the desk (SPEC 8, 9). */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { patiently, useStage } from './web-browser.ts'
import type { ScriptedHost } from './web-scripted-host.ts'

const stage = useStage()

const said = (id: string, text = id) => ({
  message: { id, role: 'user', source: { kind: 'user', rpcId: '1' }, content: [{ type: 'text', text }] },
})

function answer(turn: number, text: string, step = 0) {
  return { turn, step, message: { id: `a${turn}-${step}`, role: 'assistant', content: [{ type: 'text', text }] } }
}

function turn(host: ScriptedHost, id: string, n: number, text = `Answer ${n}`): void {
  host.append(id, 'turn/start', { turn: n })
  host.append(id, 'user/message', said(`m${n}`, `Message ${n}`))
  host.append(id, 'assistant/message', answer(n, text))
  host.append(id, 'turn/end', { turn: n, reason: 'completed' })
}

const row = (id: string, text = id) => ({
  id: `i-${id}`,
  messageId: id,
  placement: 'queued',
  source: { kind: 'user', rpcId: '1' },
  content: [{ type: 'text', text }],
  preview: text,
  text,
})

const field = (page: Page) => page.locator('#composer')
const state = (page: Page) => page.locator('.side-foot .state')
const calls = (host: ScriptedHost, method: string) => host.requests.filter((request) => request.method === method)

/** The id the page gave to the text. */
async function sentId(host: ScriptedHost, text: string): Promise<string> {
  await expect
    .poll(() => calls(host, 'session.send').some(({ params }) => params['text'] === text), patiently)
    .toBe(true)
  const found = calls(host, 'session.send').find(({ params }) => params['text'] === text)
  return z.string().parse(found?.params['messageId'])
}

/** Pages of ten turns before the asked one. */
function historyOf(host: ScriptedHost, id: string): (params: Record<string, unknown>) => { result: unknown } {
  return (params) => {
    const before = host.sessions.get(id)?.events.filter(({ seq }) => seq < Number(params['beforeSeq'])) ?? []
    return { result: { events: before.slice(-40), hasMore: before.length > 40 } }
  }
}

/** Where a message stands once nothing moves any more; without a text, the first one in view. */
async function restingPlace(page: Page, wanted?: string): Promise<{ text: string; top: number; height: number }> {
  return page.locator('.log').evaluate(async (box, text) => {
    const find = () => {
      const edge = box.getBoundingClientRect().top
      const all = [...box.querySelectorAll('.said')]
      const found = all.find((one) =>
        text === undefined ? one.getBoundingClientRect().top > edge : one.textContent === text,
      )
      if (found === undefined) throw new Error('no such message')
      return found
    }
    let same = 0
    let last = Number.NaN
    while (same < 12) {
      const { top } = find().getBoundingClientRect()
      same = top === last ? same + 1 : 0
      last = top
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    return { text: find().textContent, top: last, height: box.scrollHeight }
  }, wanted)
}

describe('starting', () => {
  it('N-ONE: Enter starts one session, with an address of its own, and its first message', async () => {
    const { host } = stage
    const page = await stage.open('/')
    await field(page).fill('Hello there')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/s/made-*')
    await sentId(host, 'Hello there')
    expect(calls(host, 'session.create')).toHaveLength(1)
    expect(await field(page).inputValue()).toBe('')
    await page.goBack()
    await page.waitForURL((url) => url.pathname === '/')
    await page.goForward()
    await page.getByRole('heading', { name: 'New session' }).waitFor()
  })

  it('N-ONE: a session that cannot be made keeps the text and says why', async () => {
    stage.host.on('session.create', () => ({ error: { code: -32010, message: 'The disk is full.' } }))
    const page = await stage.open('/')
    await field(page).fill('Hello there')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The disk is full.').waitFor()
    expect(await field(page).inputValue()).toBe('Hello there')
  })

  it('ACC-401: a page without access says which link to open, and goes on once it has access', async () => {
    const { host } = stage
    host.refuse(true)
    const page = await stage.open('/')
    await page.getByRole('heading', { name: 'This page has no access' }).waitFor()
    host.refuse(false)
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByRole('heading', { name: 'Let the agent ask in a form' }).waitFor()
  })
})

describe('the connection', () => {
  it('W-FLASH: a drop says so at once, keeps everything, and converges without a reload', async () => {
    const { host } = stage
    const one = host.add('s')
    turn(host, 's', 1)
    one.baseline = [
      { type: 'session/status', status: 'running', turn: 2 },
      { type: 'session/queue', items: [row('q1', 'Waits in the queue')] },
    ]
    const page = await stage.open('/s/s')
    await page.getByText('Waits in the queue').waitFor()
    await page.evaluate(() => {
      const counts: number[] = []
      Object.assign(window, { counts })
      new MutationObserver(() => {
        counts.push(document.querySelectorAll('.entry').length, document.querySelectorAll('.queue li').length)
      }).observe(document.body, { childList: true, subtree: true })
    })
    host.drop({ stay: true })
    await page.getByText('Connection lost').waitFor()
    await page.locator('.run').getByText('Running when last seen').waitFor()
    await field(page).fill('Written meanwhile')
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
    expect(await page.getByText('Waits in the queue').isVisible()).toBe(true)
    host.append('s', 'turn/start', { turn: 2 })
    host.append('s', 'user/message', said('late', 'Said while the page was away'))
    host.accept()
    await page.getByRole('button', { name: 'Try now' }).click()
    await page.getByText('Said while the page was away').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Queue', exact: true }).isEnabled(), patiently).toBe(true)
    const seen = z
      .array(z.number())
      .parse(await page.evaluate(() => Object.getOwnPropertyDescriptor(window, 'counts')?.value))
    expect(Math.min(...seen)).toBeGreaterThan(0)
    expect(await page.getByText('Connection lost').count()).toBe(0)
    expect(await page.getByText('Said while the page was away').count()).toBe(1)
  })

  it('W-GAP: a missed frame is repaired without being asked', async () => {
    const { host } = stage
    const one = host.add('s')
    const page = await stage.open('/s/s')
    await page.getByText('Nothing said yet.').waitFor()
    one.events.push({ type: 'turn/start', seq: 1, time: Date.now(), data: { turn: 1 } })
    one.n += 1
    host.append('s', 'user/message', said('m1', 'After the gap'))
    await page.getByText('After the gap').waitFor()
    expect(await page.getByText('Turn 1 ·').count()).toBe(1)
    expect(calls(host, 'session.open')).toHaveLength(2)
  })

  it('C-PROBE: a stream that died is noticed when the page wakes', async () => {
    const { host } = stage
    host.add('s')
    const page = await stage.open('/s/s')
    await page.getByText('Nothing said yet.').waitFor()
    host.deafen(true)
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await page.getByText('Connection lost').waitFor()
    host.deafen(false)
    await expect.poll(() => state(page).textContent(), patiently).toBe('Connected')
  })

  it('W-GONE: a session that is removed elsewhere says so', async () => {
    const { host } = stage
    host.add('s', { title: 'Short lived' })
    const page = await stage.open('/s/s')
    await page.getByText('Nothing said yet.').waitFor()
    host.sessions.delete('s')
    host.sendAll({ type: 'host/session-removed', sessionId: 's' })
    await page.getByRole('heading', { name: 'There is no such session' }).waitFor()
    expect(await page.getByRole('link', { name: /Short lived/ }).count()).toBe(0)
  })

  it('S-LOST: what a killed host had only in memory is offered again, also after a reload', async () => {
    const { host } = stage
    host.add('s')
    const page = await stage.open('/s/s')
    await field(page).fill('Only in memory')
    await page.keyboard.press('Enter')
    await sentId(host, 'Only in memory')
    await expect
      .poll(() => page.evaluate(() => localStorage.getItem('task-surface:sent:s') ?? ''), patiently)
      .toContain('"accepted":true')
    await page.goto('about:blank')
    host.restart()
    await page.goto(`${host.url}/s/s`)
    await page.getByRole('button', { name: 'Put back into the message field: Only in memory' }).click()
    expect(await field(page).inputValue()).toBe('Only in memory')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('composer')
  })

  it('one-id: a send whose answer was lost is sent again under its id, and its message shows once', async () => {
    const { host } = stage
    host.add('s')
    host.on('session.send', () => null)
    const page = await stage.open('/s/s')
    await field(page).fill('Exactly once')
    await page.keyboard.press('Enter')
    const id = await sentId(host, 'Exactly once')
    host.on('session.send', (params) => ({ result: { messageId: params['messageId'], placement: 'queued' } }))
    host.drop()
    await expect.poll(() => calls(host, 'session.send').length, patiently).toBe(2)
    expect(calls(host, 'session.send').map(({ params }) => params['messageId'])).toEqual([id, id])
    host.append('s', 'turn/start', { turn: 1 })
    host.append('s', 'user/message', said(id, 'Exactly once'))
    await page.locator('.entry-you').getByText('Exactly once').waitFor()
    await expect.poll(() => page.evaluate(() => localStorage.getItem('task-surface:sent:s')), patiently).toBeNull()
  })
})

describe('the record', () => {
  it('T-STABLE: earlier pages come in above without moving what is read, down to the beginning', async () => {
    const { host } = stage
    host.add('s', { page: 40 })
    for (let n = 1; n <= 60; n += 1) turn(host, 's', n, `Answer ${n}\n\n${'More words. '.repeat(60)}`)
    const page = await stage.open('/s/s')
    await page.getByText('Answer 60').waitFor()
    const log = page.locator('.log')
    await expect
      .poll(() => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight), patiently)
      .toBeLessThan(2)
    for (let pages = 0; pages < 3; pages += 1) {
      // The page is held back until what is in view has come to rest.
      let release = () => {}
      const gate = new Promise<void>((resolve) => {
        release = resolve
      })
      const usual = historyOf(host, 's')
      host.on('session.history', async (params) => {
        await gate
        return usual(params)
      })
      const asked = calls(host, 'session.history').length
      await log.evaluate((box) => box.scrollTo({ top: 300 }))
      await expect.poll(() => calls(host, 'session.history').length, patiently).toBe(asked + 1)
      const before = await restingPlace(page)
      release()
      await expect.poll(() => log.evaluate((box) => box.scrollHeight), patiently).toBeGreaterThan(before.height + 1_000)
      const after = await restingPlace(page, before.text)
      expect(Math.abs(after.top - before.top)).toBeLessThan(3)
    }
    const toStart = async () => {
      await log.evaluate((box) => box.scrollTo({ top: 0 }))
      return page.locator('.turn-mark').count()
    }
    await expect.poll(toStart, patiently).toBe(60)
    expect(await page.locator('.turn-mark').first().textContent()).toContain('Turn 1 ·')
    const left = async () => {
      await toStart()
      return page.getByRole('button', { name: 'Show earlier messages' }).count()
    }
    await expect.poll(left, patiently).toBe(0)
  })

  it('T-FOLLOW: the record follows its end while it streams, and not a reader who went up', async () => {
    const { host } = stage
    host.add('s')
    for (let n = 1; n <= 8; n += 1) turn(host, 's', n, `Answer ${n}\n\n${'More words. '.repeat(80)}`)
    const page = await stage.open('/s/s')
    await page.getByText('Answer 8').waitFor()
    const log = page.locator('.log')
    const left = () => log.evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight))
    await expect.poll(left, patiently).toBeLessThan(2)
    host.append('s', 'turn/start', { turn: 9 })
    let offset = 0
    const stream = () => {
      const text = `${'token '.repeat(30)}\n\n`
      host.emit('s', { type: 'session/stream', turn: 9, step: 0, messageId: 'a9-0', offset, part: 'text', text })
      offset += text.length
    }
    for (let n = 0; n < 20; n += 1) stream()
    await page.getByText('token').first().waitFor()
    await expect.poll(left, patiently).toBeLessThan(2)
    await log.hover()
    await page.mouse.wheel(0, -400)
    await page.getByRole('button', { name: 'Go to the newest message' }).waitFor()
    const top = await log.evaluate((box) => box.scrollTop)
    for (let n = 0; n < 20; n += 1) stream()
    await expect.poll(left, patiently).toBeGreaterThan(800)
    expect(Math.abs((await log.evaluate((box) => box.scrollTop)) - top)).toBeLessThan(2)
    await page.getByRole('button', { name: 'Go to the newest message' }).click()
    await expect.poll(left, patiently).toBeLessThan(2)
  })

  it('T-REWIND: a rewind asks first and puts the text into the field; a fork opens the new session', async () => {
    const { host } = stage
    host.add('s')
    for (let n = 1; n <= 2; n += 1) turn(host, 's', n)
    host.on('session.rewind', () => ({ result: { lastSeq: 4, text: 'Message 2' } }))
    host.on('session.fork', () => ({ result: { session: host.add('child', { title: 'The fork' }).session } }))
    const page = await stage.open('/s/s')
    await page.getByRole('button', { name: 'Rewind to here' }).click()
    await page.keyboard.press('Escape')
    expect(calls(host, 'session.rewind')).toEqual([])
    await page.getByRole('button', { name: 'Rewind to here' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rewind' }).click()
    await expect.poll(() => field(page).inputValue(), patiently).toBe('Message 2')
    expect(calls(host, 'session.rewind')[0]?.params).toEqual({ sessionId: 's', toSeq: 4 })
    await page.getByRole('button', { name: 'Fork from here' }).first().click()
    await page.waitForURL('**/s/child')
    expect(calls(host, 'session.fork')[0]?.params).toEqual({ sessionId: 's', atSeq: 4 })
  })
})

describe('several sessions and tabs', () => {
  it('D-OWN: a draft stays with its session', async () => {
    const { host } = stage
    host.add('one', { title: 'First' })
    host.add('two', { title: 'Second' })
    const page = await stage.open('/s/one')
    await field(page).fill('For the first')
    await page.getByRole('link', { name: /Second/ }).click()
    await page.getByRole('heading', { name: 'Second' }).waitFor()
    expect(await field(page).inputValue()).toBe('')
    await page.getByRole('link', { name: /First/ }).click()
    await expect.poll(() => field(page).inputValue(), patiently).toBe('For the first')
    await page.reload()
    await expect.poll(() => field(page).inputValue(), patiently).toBe('For the first')
  })

  it('D-SENT: sent in one tab, gone in the other, and not written back by it', async () => {
    const { host } = stage
    host.add('s')
    const first = await stage.open('/s/s')
    await field(first).fill('Said once')
    await first.waitForFunction(() => localStorage.getItem('task-surface:draft:s')?.includes('Said once') === true)
    const second = await stage.tabOf(first, '/s/s')
    await expect.poll(() => field(second).inputValue(), patiently).toBe('Said once')
    await first.bringToFront()
    await field(first).press('Enter')
    await sentId(host, 'Said once')
    await expect.poll(() => field(second).inputValue(), patiently).toBe('')
    await second.bringToFront()
    await field(second).press('Enter')
    await second.reload()
    await second.getByRole('heading', { name: 's' }).waitFor()
    expect(await field(second).inputValue()).toBe('')
    expect(calls(host, 'session.send')).toHaveLength(1)
  })

  it('SIDE-FIND: the list finds by title and agent, and follows what happens elsewhere', async () => {
    const { host } = stage
    for (const title of ['Ship it', 'Compare queues', 'Tidy up']) host.add(title.split(' ')[0] ?? '', { title })
    const page = await stage.open('/')
    const rows = page.locator('.sess-title')
    await expect.poll(() => rows.count(), patiently).toBe(3)
    await page.getByRole('searchbox').fill('queue')
    await expect.poll(() => rows.allTextContents(), patiently).toEqual(['Compare queues'])
    await page.getByRole('searchbox').fill('no such')
    await page.getByText('No session matches.').waitFor()
    await page.getByRole('searchbox').fill('')
    const ship = host.sessions.get('Ship')
    if (ship === undefined) throw new Error('Ship was added')
    const updatedAt = Date.now() + 5_000
    host.sendAll({
      type: 'host/session-updated',
      session: { ...ship.session, title: 'Shipped', status: 'running', updatedAt },
    })
    await expect.poll(() => rows.first().textContent(), patiently).toBe('Shipped')
    await page.getByRole('link', { name: /Shipped.*Running/ }).waitFor()
  })
})

/** Milliseconds of one keystroke with its drawing and layout; the median of sixty. */
async function keystroke(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const element = document.querySelector('#composer')
    if (!(element instanceof HTMLTextAreaElement)) throw new Error('no field')
    const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value') ?? {}
    const times: number[] = []
    element.focus()
    for (let n = 0; n < 60; n += 1) {
      const from = performance.now()
      set?.call(element, `${element.value}x`)
      element.dispatchEvent(new InputEvent('input', { bubbles: true }))
      void document.body.offsetHeight
      times.push(performance.now() - from)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    return times.toSorted((left, right) => left - right)[30] ?? Number.NaN
  })
}

describe('size', () => {
  it('K-FAST: a keystroke costs less than a frame, in a session of 500 turns no more than in one of 5', async () => {
    const { host } = stage
    const cost = async (turns: number) => {
      const id = `s${turns}`
      host.add(id, { page: 5_000 })
      const text = '- one\n- two\n\n```\ncode\n```\n\n'
      for (let n = 1; n <= turns; n += 1) turn(host, id, n, `Answer ${n}\n\n${text}${'Words. '.repeat(50)}`)
      const page = await stage.open(`/s/${id}`)
      await page.getByText(`Answer ${turns}`, { exact: true }).waitFor()
      return keystroke(page)
    }
    const short = await cost(5)
    const long = await cost(500)
    expect(long).toBeLessThan(16)
    // Both are a few milliseconds; below that a ratio is noise.
    expect(long).toBeLessThan(Math.max(2 * short, 6))
  })
})
