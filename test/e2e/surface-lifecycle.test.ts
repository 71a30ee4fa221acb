/* A submission from the page to the log and back, with every moment of it held: nothing is editable between the
   press and the host's word that nothing is pending, and nothing typed is lost. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk, dockSays, eventually, gone } from './surface-desk.ts'
import { everyField, notice } from './surface-models.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.end())

/** Records whether any control of the form could be changed from here on. */
async function watchEditable(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seenEditable: seen })
    const look = () => {
      for (const control of document.querySelectorAll<HTMLInputElement>('.dock-answer :is(input, textarea, button)')) {
        if (!control.matches(':disabled')) seen.push(control.outerHTML.slice(0, 80))
      }
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true })
    const everyFrame = () => {
      look()
      requestAnimationFrame(everyFrame)
    }
    everyFrame()
  })
  return () =>
    page.evaluate(() =>
      'seenEditable' in window && Array.isArray(window.seenEditable) ? window.seenEditable.map(String) : [],
    )
}

test('DOCK-SUBMIT what is filled in becomes one message, and the surface closes', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const page = await desk.page(session)
  await page.getByRole('radio', { name: 'Replica' }).check()
  await page.getByRole('textbox', { name: 'Change ticket' }).fill('OPS-2291')
  await page.getByRole('textbox', { name: 'Stop if' }).fill('lag\nerrors')
  await page.getByRole('switch', { name: 'Freeze deploys' }).check()
  await page.getByRole('checkbox', { name: 'Pause the nightly export' }).check()
  await page.getByRole('button', { name: 'Move “Swap names” up' }).click()
  await page.getByRole('textbox', { name: 'Note to the agent' }).fill('Soon')
  await page.getByRole('button', { name: 'Measure' }).click()
  const call = await desk.parked(
    'Choose what to measure first\n- Measure on: Replica\n- Change ticket: OPS-2291\n- Stop if:\n  | lag\n  | errors\n- Before the switch: Pause the nightly export\n- Freeze deploys: yes\n- Order of the steps: 1) Snapshot; 2) Copy in batches; 3) Swap names; 4) Warm the index\n\nNote:\n  | Soon',
  )
  await gone(page.locator('.dock'))
  const row = page.getByRole('article', { name: 'Choose what to measure first' })
  await row.getByText('Submitted').waitFor()
  expect(await row.locator('dd').allInnerTexts()).toEqual([
    'Replica',
    'OPS-2291',
    'lag\nerrors',
    'Pause the nightly export',
    'Yes',
    '1) Snapshot; 2) Copy in batches; 3) Swap names; 4) Warm the index',
  ])
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('composer')
  call.answerText('thanks')
  await page.context().close()
})

test('DOCK-LOCK queued and claiming lock the form until the log has the message', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  desk.gate.guard(session)
  const page = await desk.page(session)
  await page.getByRole('textbox', { name: 'Change ticket' }).fill('OPS-1')
  await page.getByRole('textbox', { name: 'Change ticket' }).press('Control+Enter')
  await dockSays(page, 'Queued')
  const editable = await watchEditable(page)
  await desk.gate.claim(session, desk.changes)
  await dockSays(page, 'Sending')
  expect(await editable()).toEqual([])
  await page.reload()
  await dockSays(page, 'Sending')
  expect(await page.getByRole('textbox', { name: 'Change ticket' }).inputValue()).toBe('OPS-1')
  const afterReload = await watchEditable(page)
  desk.gate.decide(session, { admit: true })
  await gone(page.locator('.dock'))
  expect(await afterReload()).toEqual([])
  desk.gate.unguard(session)
  await page.context().close()
})

test('DOCK-RETURN a refused admission gives the answers back with the reason', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  desk.gate.guard(session)
  const page = await desk.page(session)
  await page.getByRole('textbox', { name: 'Change ticket' }).fill('OPS-2')
  await page.getByRole('button', { name: 'Measure' }).click()
  await dockSays(page, 'Queued')
  await desk.gate.claim(session, desk.changes)
  await dockSays(page, 'Sending')
  desk.gate.decide(session, { admit: false, reason: 'no key' })
  await page.getByRole('group', { name: 'Your answers were not sent.' }).waitFor()
  await page.getByText('The agent could not take them: no key').waitFor()
  expect(await page.getByRole('textbox', { name: 'Change ticket' }).inputValue()).toBe('OPS-2')
  expect(await page.getByRole('textbox', { name: 'Change ticket' }).isEditable()).toBe(true)
  // A second attempt is a new one: the first id is used up.
  desk.gate.unguard(session)
  await page.getByRole('button', { name: 'Measure' }).click()
  await gone(page.locator('.dock'))
  const messages = desk.client.view(session).eventsOf('user/message')
  expect(messages.filter(({ data }) => 'taskSurface' in data.message.source)).toHaveLength(1)
  await page.context().close()
})

test('DOCK-REMOVE taking the row out of the queue gives the form back', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  desk.gate.guard(session)
  const page = await desk.page(session)
  await page.getByRole('textbox', { name: 'Change ticket' }).fill('OPS-3')
  await page.getByRole('button', { name: 'Measure' }).click()
  await page.getByRole('button', { name: 'Remove from queue' }).click()
  await page.getByText('They were taken out of the queue.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Change ticket' }).inputValue()).toBe('OPS-3')
  desk.gate.unguard(session)
  await page.context().close()
})

test('DOCK-ISSUES what is wrong is named on top, beside its field, and can be mended', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const page = await desk.page(session)
  await page.getByRole('button', { name: 'Measure' }).click()
  const list = page.getByRole('group', { name: 'Not sent.' })
  await list.waitFor()
  expect(await list.innerText()).toContain('Not sent. One answer needs a change.')
  expect(await list.evaluate((element) => element === document.activeElement)).toBe(true)
  await list.getByRole('link', { name: 'Change ticket' }).click()
  const ticket = page.getByRole('textbox', { name: 'Change ticket' })
  expect(await ticket.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(await ticket.getAttribute('aria-invalid')).toBe('true')
  expect(await page.locator('.issue').innerText()).toBe('Enter “Change ticket”.')
  expect(page.url().includes('#')).toBe(false)
  await page.keyboard.type('OPS-4')
  await eventually(() => page.locator('.issue').count(), 0)
  await page.getByRole('button', { name: 'Measure' }).click()
  await gone(page.locator('.dock'))
  await page.context().close()
})

test('DOCK-DISMISS one event, no turn, and the row says so', async () => {
  const session = await desk.newSession()
  await desk.show(session, notice)
  const page = await desk.page(session)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await gone(page.locator('.dock'))
  await page.getByRole('article', { name: 'Read this' }).getByText('Dismissed').waitFor()
  expect(desk.client.view(session).eventsOf('task-surface/dismissed')).toHaveLength(1)
  expect(desk.client.view(session).eventsOf('turn/start')).toHaveLength(1)
  await page.context().close()
})

test('DOCK-EMPTY a surface without fields is submitted', async () => {
  const session = await desk.newSession()
  await desk.show(session, notice)
  const page = await desk.page(session)
  await page.getByRole('button', { name: 'OK' }).click()
  await desk.parked('Read this')
  await page.getByRole('article', { name: 'Read this' }).getByText('Submitted').waitFor()
  await page.context().close()
})

test('DOCK-BYPASS a message closes the surface, what was typed stays on its row until it is thrown away', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const page = await desk.page(session)
  await page.getByRole('textbox', { name: 'Stop if' }).fill('half an answer')
  await page.getByText('Draft saved').waitFor()
  await desk.say(session)
  await page.getByText('This surface is no longer open.', { exact: true }).waitFor()
  const row = page.getByRole('article', { name: 'Choose what to measure first' })
  await row.getByText('Bypassed by a message').waitFor()
  expect(await row.getByRole('group', { name: 'Unsent answers' }).innerText()).toContain('half an answer')
  await page.reload()
  await row.getByRole('button', { name: 'Throw away' }).click()
  await gone(row.getByRole('group', { name: 'Unsent answers' }))
  await page.reload()
  await row.getByText('Bypassed by a message').waitFor()
  expect(await row.getByRole('group', { name: 'Unsent answers' }).count()).toBe(0)
  await page.context().close()
})

test('DOCK-TWICE a double press is one submission', async () => {
  const session = await desk.newSession()
  await desk.show(session, notice)
  const page = await desk.page(session)
  await page.getByRole('button', { name: 'OK' }).dblclick()
  await gone(page.locator('.dock'))
  await eventually(
    () =>
      desk.client
        .view(session)
        .eventsOf('user/message')
        .filter(({ data }) => 'taskSurface' in data.message.source).length,
    1,
  )
  await page.context().close()
})

test('DOCK-REPLAY the row shows the surface as it was, read-only and only when asked', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const page = await desk.page(session)
  const row = page.getByRole('article', { name: 'Choose what to measure first' })
  await row.getByText('Open below').waitFor()
  expect(await row.locator('.ts-replay').count()).toBe(0)
  await row.getByText('Show the surface as it was').click()
  await row.getByText('Copy in batches').waitFor()
  expect(await row.locator('.ts-replay :is(input, textarea, button):not(:disabled)').count()).toBe(0)
  await page.context().close()
})
