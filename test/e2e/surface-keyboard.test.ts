/* Keyboard, focus and input methods in the dock: everything by keys alone, no key that does too much, and no
   keystroke that loses the place. */
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk, dockSays, eventually, focusedText, gone } from './surface-desk.ts'
import { everyField, notice } from './surface-models.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.end())

async function opened(model: object = everyField): Promise<{ page: Page; session: string }> {
  const session = await desk.newSession()
  await desk.show(session, model)
  const page = await desk.page(session)
  await page.locator('.dock-head').waitFor()
  return { page, session }
}

const submissions = (session: string) =>
  desk.client
    .view(session)
    .eventsOf('user/message')
    .filter(({ data }) => 'taskSurface' in data.message.source).length

test('DK-FOCUS the title takes the focus when nobody writes a message', async () => {
  const { page } = await opened()
  await eventually(() => focusedText(page), 'surface-title')
  await page.context().close()
})

test('DK-FOCUS a surface that opens while a message is written leaves the focus there and is announced', async () => {
  const session = await desk.newSession()
  const page = await desk.page(session)
  await page.locator('#composer').fill('half a sentence')
  await desk.show(session, everyField)
  await page.locator('.dock-head').waitFor()
  await page
    .locator('[aria-live="polite"]', { hasText: 'A surface is open: Choose what to measure first' })
    .waitFor({ state: 'attached' })
  expect(await focusedText(page)).toBe('composer')
  expect(await page.locator('#composer').inputValue()).toBe('half a sentence')
  await page.context().close()
})

test('DK-KEYS typing keeps the focus and the caret, key by key', async () => {
  const { page } = await opened()
  const field = page.getByRole('textbox', { name: 'Stop if' })
  await field.click()
  const same = await field.evaluateHandle((element) => element)
  await page.keyboard.type('ab')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('-')
  expect(await field.inputValue()).toBe('a-b')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('next line')
  expect(await field.inputValue()).toBe('a-b\nnext line')
  expect(await same.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.context().close()
})

test('DK-KEYS Enter in a line and on a radio submits nothing, Ctrl+Enter does', async () => {
  const { page, session } = await opened()
  const ticket = page.getByRole('textbox', { name: 'Change ticket' })
  await ticket.fill('OPS-1')
  await ticket.press('Enter')
  await page.getByRole('radio', { name: 'Replica' }).press('Enter')
  await page.getByRole('checkbox', { name: 'Take a snapshot' }).press('Enter')
  expect(submissions(session)).toBe(0)
  await dockSays(page, 'Open')
  await page.getByRole('textbox', { name: 'Note to the agent' }).press('Control+Enter')
  await gone(page.locator('.dock'))
  expect(submissions(session)).toBe(1)
  await page.context().close()
})

test('DK-KEYS Escape collapses, keeps everything, and the expand button has the focus', async () => {
  const { page, session } = await opened()
  await page.getByRole('textbox', { name: 'Change ticket' }).fill('OPS-2')
  await page.keyboard.press('Escape')
  await gone(page.locator('.dock-body'))
  expect(await focusedText(page)).toBe('Expand')
  await page.keyboard.press('Enter')
  expect(await page.getByRole('textbox', { name: 'Change ticket' }).inputValue()).toBe('OPS-2')
  expect(desk.client.view(session).eventsOf('task-surface/dismissed')).toHaveLength(0)
  await page.context().close()
})

/** An input method at work: its keys reach the page marked as composing. */
async function compose(page: Page, text: string): Promise<CDPSession> {
  const input = await page.context().newCDPSession(page)
  await input.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
  return input
}

test('DK-IME confirming an input method neither submits nor collapses nor ends its text', async () => {
  const { page, session } = await opened()
  const ticket = page.getByRole('textbox', { name: 'Change ticket' })
  await ticket.click()
  const input = await compose(page, 'nihao')
  // What Chromium sends for keys that an input method takes.
  for (const key of ['Enter', 'Escape']) {
    await ticket.dispatchEvent('keydown', {
      key,
      keyCode: 229,
      isComposing: true,
      ctrlKey: key === 'Enter',
      bubbles: true,
    })
  }
  await input.send('Input.insertText', { text: '你好' })
  expect(await ticket.inputValue()).toBe('你好')
  expect(submissions(session)).toBe(0)
  await dockSays(page, 'Open')
  await page.keyboard.type('!')
  expect(await ticket.inputValue()).toBe('你好!')
  await page.context().close()
})

test('DK-IME a composition that never ends leaves the field alive', async () => {
  const { page, session } = await opened()
  const ticket = page.getByRole('textbox', { name: 'Change ticket' })
  await ticket.click()
  await ticket.dispatchEvent('compositionstart', {})
  await page.keyboard.type('OPS-3')
  await page.keyboard.press('Control+Enter')
  await gone(page.locator('.dock'))
  expect(submissions(session)).toBe(1)
  await page.context().close()
})

const labels = (page: Page) => page.locator('.order > li .order-text').allInnerTexts()
const gripOf = (page: Page, label: string) => page.locator('.order > li', { hasText: label }).locator('.grip')

test('DK-ORDER Alt with arrows, Home and End moves the row, says where it is, and keeps the focus on it', async () => {
  const { page } = await opened()
  await gripOf(page, 'Copy in batches').focus()
  await page.keyboard.press('Alt+ArrowDown')
  expect(await labels(page)).toEqual(['Snapshot', 'Warm the index', 'Copy in batches', 'Swap names'])
  expect(await focusedText(page)).toBe('“Copy in batches”, position 3 of 4')
  await page.keyboard.press('Alt+ArrowDown')
  await page.keyboard.press('Alt+ArrowDown')
  expect((await labels(page)).at(-1)).toBe('Copy in batches')
  await page.keyboard.press('Alt+Home')
  expect((await labels(page))[0]).toBe('Copy in batches')
  await page.keyboard.press('Alt+End')
  await page.keyboard.press('Alt+ArrowUp')
  expect(await labels(page)).toEqual(['Snapshot', 'Warm the index', 'Copy in batches', 'Swap names'])
  expect(await focusedText(page)).toBe('“Copy in batches”, position 3 of 4')
  await page.context().close()
})

test('DK-ORDER arrows alone move the focus, one row is in the tab order', async () => {
  const { page } = await opened()
  await gripOf(page, 'Snapshot').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  expect(await focusedText(page)).toBe('“Warm the index”, position 3 of 4')
  expect(await labels(page)).toEqual(['Snapshot', 'Copy in batches', 'Warm the index', 'Swap names'])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await focusedText(page)).toBe('Move “Warm the index” down')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
  await page.keyboard.press('Shift+Tab')
  expect(await focusedText(page)).toBe('Move “Warm the index” down')
  await page.context().close()
})

test('DK-ORDER the buttons move a row, keep the focus, and at the end hand it to the other one', async () => {
  const { page } = await opened()
  const down = page.getByRole('button', { name: 'Move “Warm the index” down' })
  await down.focus()
  await page.keyboard.press('Enter')
  expect(await labels(page)).toEqual(['Snapshot', 'Copy in batches', 'Swap names', 'Warm the index'])
  await eventually(() => focusedText(page), 'Move “Warm the index” up')
  await page.keyboard.press('Space')
  expect(await labels(page)).toEqual(['Snapshot', 'Copy in batches', 'Warm the index', 'Swap names'])
  expect(await focusedText(page)).toBe('Move “Warm the index” up')
  await page.context().close()
})

test('DK-ORDER Space lifts a row, arrows carry it, Space puts it down, Escape takes it back', async () => {
  const { page } = await opened()
  const grip = gripOf(page, 'Snapshot')
  await grip.focus()
  await page.keyboard.press('Space')
  expect(await grip.getAttribute('aria-pressed')).toBe('true')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  expect((await labels(page))[2]).toBe('Snapshot')
  expect(await grip.getAttribute('aria-pressed')).toBe('false')
  await page.keyboard.press('Enter')
  await page.keyboard.press('End')
  expect((await labels(page))[3]).toBe('Snapshot')
  await page.keyboard.press('Escape')
  expect((await labels(page))[2]).toBe('Snapshot')
  // Escape was for the row, not for the dock.
  await dockSays(page, 'Open')
  expect(await page.locator('.dock-body').count()).toBe(1)
  await page.context().close()
})

async function dragTo(page: Page, from: string, to: string, drop: 'drop' | 'Escape'): Promise<void> {
  const target = page.locator('.order > li', { hasText: to })
  await target.scrollIntoViewIfNeeded()
  const [start, end] = await Promise.all([gripOf(page, from).boundingBox(), target.boundingBox()])
  if (start === null || end === null) throw new Error('no boxes')
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2)
  await page.mouse.down()
  await page.mouse.move(end.x + 40, end.y + end.height / 2, { steps: 6 })
  await eventually(() => target.getAttribute('data-drop'), 'after')
  if (drop === 'Escape') await page.keyboard.press('Escape')
  await page.mouse.up()
}

test('DK-ORDER the list is reordered by the pointer, and Escape takes a drag back', async () => {
  const { page } = await opened()
  await dragTo(page, 'Snapshot', 'Warm the index', 'drop')
  expect(await labels(page)).toEqual(['Copy in batches', 'Warm the index', 'Snapshot', 'Swap names'])
  expect(await focusedText(page)).toBe('“Snapshot”, position 3 of 4')
  await dragTo(page, 'Copy in batches', 'Swap names', 'Escape')
  expect((await labels(page))[0]).toBe('Copy in batches')
  expect(await page.locator('.dock-body').count()).toBe(1)
  await page.context().close()
})

test('DK-ORDER the list is reordered by touch on the handle', async () => {
  const { page } = await opened()
  await page.locator('.order').scrollIntoViewIfNeeded()
  const [start, end] = await Promise.all([
    gripOf(page, 'Snapshot').boundingBox(),
    gripOf(page, 'Warm the index').boundingBox(),
  ])
  if (start === null || end === null) throw new Error('no boxes')
  const touch = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: start.x + 8, y }] })
  await send('touchStart', start.y + 8)
  for (const part of [0.3, 0.6, 1]) await send('touchMove', start.y + 8 + (end.y - start.y) * part)
  await eventually(() => page.locator('.order > li', { hasText: 'Warm the index' }).getAttribute('data-drop'), 'after')
  await send('touchEnd', end.y + 8)
  await eventually(async () => (await labels(page)).indexOf('Snapshot'), 2)
  await page.context().close()
})

test('DK-ORDER after a move, typing goes on in the field it was in', async () => {
  const { page } = await opened()
  await page.getByRole('button', { name: 'Move “Swap names” up' }).click()
  const stop = page.getByRole('textbox', { name: 'Stop if' })
  await stop.click()
  await page.keyboard.type('lag')
  expect(await stop.inputValue()).toBe('lag')
  await page.context().close()
})

test('DK-KEYS a choice is made and cleared by keys, and the focus stays in its group', async () => {
  const { page } = await opened()
  await page.getByRole('radio', { name: 'Replica' }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowDown')
  expect(await page.getByRole('radio', { name: 'Primary' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Clear choice' }).press('Enter')
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0)
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('radio')
  await page.context().close()
})

test('DK-FOCUS dismissing by keys ends in the message field', async () => {
  const { page } = await opened(notice)
  await page.getByRole('button', { name: 'Dismiss' }).press('Enter')
  await gone(page.locator('.dock'))
  await eventually(() => focusedText(page), 'composer')
  await page.context().close()
})

test('DK-KEYS from the title, Tab reaches content, every field, and the foot, and leaves again', async () => {
  const { page } = await opened()
  await page.locator('.order > li').first().waitFor()
  await page.locator('#surface-title').focus()
  const stops: string[] = []
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => {
      const focused = document.activeElement
      const field = focused?.closest('[data-field]')?.getAttribute('data-field')
      return field ?? focused?.id ?? focused?.textContent ?? ''
    })
    stops.push(at)
    if (at === 'composer') break
  }
  expect(stops).toEqual(expect.arrayContaining(['on', 'ticket', 'stop', 'pre', 'freeze', 'steps', '/note', 'composer']))
  await page.context().close()
})
