/* What was typed and not sent, in a real browser: over reloads, in two tabs, in two sessions, in a full storage. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk, dockSays, eventually, gone } from './surface-desk.ts'
import { everyField } from './surface-models.ts'
import { tapWire, type Wire } from './surface-wire.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.end())

const ticket = (page: Page) => page.getByRole('textbox', { name: 'Change ticket' })
const storedKeys = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('surface-draft')))
const storedText = (page: Page) =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.includes('surface-draft'))
      .map(([, value]) => value)
      .join(' '),
  )

test('DRAFT-RELOAD every kind of value is there after a reload that comes at once', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const page = await desk.page(session)
  await page.getByRole('radio', { name: 'Primary' }).check()
  await page.getByRole('checkbox', { name: 'Take a snapshot' }).check()
  await page.getByRole('switch', { name: 'Freeze deploys' }).check()
  await page.getByRole('button', { name: 'Move “Swap names” up' }).click()
  await page.getByRole('textbox', { name: 'Note to the agent' }).fill('a note')
  await ticket(page).fill('OPS-1')
  await page.reload()
  await page.locator('.order > li', { hasText: 'Swap names' }).waitFor()
  expect(await ticket(page).inputValue()).toBe('OPS-1')
  expect(await page.getByRole('radio', { name: 'Primary' }).isChecked()).toBe(true)
  expect(await page.getByRole('checkbox', { name: 'Take a snapshot' }).isChecked()).toBe(true)
  expect(await page.getByRole('switch', { name: 'Freeze deploys' }).isChecked()).toBe(true)
  expect(await page.getByRole('textbox', { name: 'Note to the agent' }).inputValue()).toBe('a note')
  expect((await page.locator('.order > li .order-text').allInnerTexts())[2]).toBe('Swap names')
  await page.context().close()
})

test('DRAFT-TABS a sent draft goes in both tabs, and the tab that slept does not write it back', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const first = await desk.page(session)
  await ticket(first).fill('OPS-2')
  await first.getByText('Draft saved').waitFor()
  const second = await desk.tab(first, session)
  await ticket(second).waitFor()
  expect(await ticket(second).inputValue()).toBe('OPS-2')
  await ticket(second).fill('OPS-2 changed')
  await eventually(() => ticket(first).inputValue(), 'OPS-2 changed')
  await first.getByRole('button', { name: 'Measure', exact: true }).click()
  await gone(second.locator('.dock'))
  await second.reload()
  await gone(second.locator('.dock'))
  expect(await storedText(second)).not.toContain('OPS-2')
  await first.context().close()
})

test('DRAFT-TABS what is typed in a tab that slept through the end is not stored', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const first = await desk.page(session)
  await ticket(first).fill('OPS-2')
  await first.getByText('Draft saved').waitFor()
  const second = await first.context().newPage()
  const wire = await tapWire(second)
  await second.goto(first.url())
  await ticket(second).waitFor()
  await wire.cut()
  await dockSays(second, 'Open when last seen')
  await first.getByRole('button', { name: 'Measure', exact: true }).click()
  await gone(first.locator('.dock'))
  await ticket(second).fill('typed in its sleep')
  // Whoever leaves a page has what waits stored at once.
  await second.evaluate(() => window.dispatchEvent(new Event('blur')))
  expect(await storedText(second)).not.toContain('typed in its sleep')
  wire.mend()
  await gone(second.locator('.dock-body'))
  expect(await storedText(second)).not.toContain('typed in its sleep')
  await first.context().close()
})

test('DRAFT-OFFLINE a tab without connection that still shows the form cannot bring a sent draft back', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const wires: Wire[] = []
  const first = await desk.page(session, { prepare: async (context) => void wires.push(await tapWire(context)) })
  await ticket(first).fill('OPS-3')
  await first.getByText('Draft saved').waitFor()
  // Cuts every socket of the profile; the host hears of the submission from elsewhere.
  await wires[0]?.cut()
  await dockSays(first, 'Open when last seen')
  const surfaceId = await desk.open(session)
  const values = { ticket: 'elsewhere', pre: [], freeze: false, steps: ['a', 'b', 'c', 'd'] }
  await desk.client.call('taskSurface.submit', { sessionId: session, surfaceId, submissionId: 'elsewhere-1', values })
  await ticket(first).fill('typed too late')
  wires[0]?.mend()
  await gone(first.locator('.dock-body'))
  await eventually(async () => (await storedText(first)).includes('typed too late'), false)
  await first.getByText('elsewhere', { exact: true }).waitFor()
  await first.context().close()
})

test('DRAFT-OWN a draft follows nobody into another session, and comes back in its own', async () => {
  const [one, other] = [await desk.newSession('One'), await desk.newSession('Other')]
  await desk.show(one, everyField)
  await desk.show(other, everyField)
  const page = await desk.page(one)
  await ticket(page).fill('OPS-4')
  await page
    .getByRole('link', { name: /^Other/ })
    .first()
    .click()
  await page.waitForURL(`**/s/${other}`)
  await eventually(() => ticket(page).inputValue(), '')
  await page.getByRole('link', { name: /^One/ }).first().click()
  await eventually(() => ticket(page).inputValue(), 'OPS-4')
  await page.context().close()
})

test('DRAFT-REMOVED the drafts of a removed session go, in a tab that shows another one', async () => {
  const [one, other] = [await desk.newSession('Gone'), await desk.newSession('Stays')]
  await desk.show(one, everyField)
  const page = await desk.page(one)
  await ticket(page).fill('OPS-5')
  await page.getByText('Draft saved').waitFor()
  await page
    .getByRole('link', { name: /^Stays/ })
    .first()
    .click()
  await page.waitForURL(`**/s/${other}`)
  await desk.client.call('session.remove', { sessionId: one })
  await eventually(async () => (await storedKeys(page)).some((key) => key.includes(one)), false)
  await page.context().close()
})

test('DRAFT-FULL a full storage is said, and nothing on the screen is lost', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const page = await desk.page(session)
  await ticket(page).waitFor()
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
  })
  await ticket(page).fill('OPS-6')
  await page.locator('#main').getByText('Draft not saved: browser storage is full').waitFor()
  expect(await ticket(page).inputValue()).toBe('OPS-6')
  await page.getByRole('button', { name: 'Measure', exact: true }).click()
  await page.getByText('OPS-6', { exact: true }).waitFor()
  await page.context().close()
})

test('DRAFT-TAKEOVER a question hides the dock, and gives it back with draft and place', async () => {
  const session = await desk.newSession()
  // The question is asked while the surface is open only when steering goes on after the surface: one more step.
  const call = await desk.parked(await desk.say(session))
  const steered = await desk.say(session, 'steering')
  call.answerCalls([{ name: 'show_task_surface', arguments: { model: everyField } }])
  const page = await desk.page(session)
  await ticket(page).fill('OPS-7')
  const editor = await ticket(page).evaluateHandle((element) => element)
  const next = await desk.parked(steered)
  const questions = [{ id: 'q', question: 'Which one?', options: [{ label: 'A' }, { label: 'B' }] }]
  next.answerCalls([{ name: 'ask_user_question', arguments: { questions } }])
  await page.getByRole('heading', { name: 'Which one?' }).waitFor()
  expect(await page.locator('.dock').isVisible()).toBe(false)
  await page.getByText('A surface waits behind this. Its draft is kept.').waitFor()
  await page.getByRole('button', { name: 'Decline', exact: true }).click()
  await ticket(page).waitFor()
  expect(await ticket(page).inputValue()).toBe('OPS-7')
  expect(await editor.evaluate((element) => element.isConnected)).toBe(true)
  await page.context().close()
})

test('DRAFT-REWIND a surface that a rewind opens again is empty and can be answered once more', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const anchor = desk.client.view(session).eventsOf('turn/end').at(-1)
  const page = await desk.page(session)
  await ticket(page).fill('OPS-8')
  await page.getByRole('button', { name: 'Measure', exact: true }).click()
  await gone(page.locator('.dock'))
  await desk.client.call('session.interrupt', { sessionId: session })
  await eventually(() => desk.client.view(session).status?.status, 'idle')
  await desk.client.call('session.rewind', { sessionId: session, toSeq: anchor?.seq ?? 0 })
  await dockSays(page, 'Open')
  expect(await ticket(page).inputValue()).toBe('')
  await ticket(page).fill('OPS-9')
  await page.getByText('Draft saved').waitFor()
  await page.getByRole('button', { name: 'Measure', exact: true }).click()
  await page.getByText('OPS-9', { exact: true }).waitFor()
  await page.context().close()
})
