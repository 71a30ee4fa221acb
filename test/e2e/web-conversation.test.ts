/* The conversation in Chromium against a scripted host: the connection, the record, the desk (SPEC 8, 9). */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { patiently, useStage } from './web-browser.ts'
import type { ScriptedHost } from './web-scripted-host.ts'
import { calls, field, said, turn } from './web-turns.ts'

const stage = useStage()

const row = (id: string, text = id) => ({
  id: `i-${id}`,
  messageId: id,
  placement: 'queued',
  source: { kind: 'user', rpcId: '1' },
  content: [{ type: 'text', text }],
  preview: text,
  text,
})

const state = (page: Page) => page.locator('.side-foot .state')

/** The id the page gave to the text. */
async function sentId(host: ScriptedHost, text: string): Promise<string> {
  await expect
    .poll(() => calls(host, 'session.send').some(({ params }) => params['text'] === text), patiently)
    .toBe(true)
  const found = calls(host, 'session.send').find(({ params }) => params['text'] === text)
  return z.string().parse(found?.params['messageId'])
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
    await expect.poll(() => field(page).inputValue(), patiently).toBe('')
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
