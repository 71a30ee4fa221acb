/* The dock over a connection that fails: answers that never come, a host that goes and comes back, a model that
   this page cannot read, a result outside the loaded window. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk, dockSays, eventually, gone, type Look } from './surface-desk.ts'
import { everyField, notice } from './surface-models.ts'
import { tapWire, type Wire } from './surface-wire.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.end())

const ticket = (page: Page) => page.getByRole('textbox', { name: 'Change ticket' })
const measure = (page: Page) => page.getByRole('button', { name: 'Measure', exact: true })
const submissions = (session: string) =>
  desk.client
    .view(session)
    .eventsOf('user/message')
    .filter(({ data }) => 'taskSurface' in data.message.source)

async function tapped(session: string, look: Look = {}): Promise<{ page: Page; wire: Wire }> {
  const wires: Wire[] = []
  const page = await desk.page(session, {
    ...look,
    prepare: async (context) => void wires.push(await tapWire(context)),
  })
  const [wire] = wires
  if (wire === undefined) throw new Error('no wire')
  return { page, wire }
}

const idsSent = (wire: Wire) =>
  wire.sent
    .filter((text) => text.includes('"taskSurface.submit"'))
    .map((text) => /"submissionId":"([^"]+)"/.exec(text)?.[1])

test('WIRE-LOST a connection that goes locks nothing that can be typed, and comes back without a reload', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const { page, wire } = await tapped(session)
  await ticket(page).fill('OPS-1')
  await wire.cut()
  await dockSays(page, 'Open when last seen')
  await page.getByText('No connection. Your answers are kept here.').waitFor()
  expect(await measure(page).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Dismiss' }).isDisabled()).toBe(true)
  await ticket(page).fill('OPS-1 and more')
  await ticket(page).press('Control+Enter')
  expect(idsSent(wire)).toEqual([])
  wire.mend()
  await dockSays(page, 'Open')
  expect(await ticket(page).inputValue()).toBe('OPS-1 and more')
  await measure(page).click()
  await gone(page.locator('.dock'))
  await page.context().close()
})

test.each(['en', 'zh'] as const)(
  'WIRE-LOST on a narrow page the warning leaves room to write in: %s',
  async (language) => {
    const session = await desk.newSession()
    await desk.show(session, everyField)
    const { page, wire } = await tapped(session, { width: 320, height: 640, language })
    const message = page.locator('#composer')
    await message.waitFor()
    const widthOf = async () => (await message.boundingBox())?.width ?? 0
    const before = await widthOf()
    await wire.cut()
    await page.locator('.composer-bar > .state').waitFor()
    expect(await widthOf()).toBeGreaterThanOrEqual(before)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
    await page.context().close()
  },
)

test('WIRE-SILENT an answer that is lost with the connection: one submission, one message, no editable gap', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  desk.gate.guard(session)
  const { page, wire } = await tapped(session)
  await ticket(page).fill('OPS-2')
  // The host takes the submission; what it says about it never arrives.
  wire.rewrite((message) =>
    message.includes('"accepted"') || message.includes('task-surface') || message.includes('session/queue')
      ? null
      : message,
  )
  await measure(page).click()
  await eventually(() => desk.client.view(session).queue.length, 1)
  await wire.cut()
  await dockSays(page, 'Sending when last seen')
  expect(await ticket(page).isEditable()).toBe(false)
  wire.rewrite((message) => message)
  wire.mend()
  await dockSays(page, 'Queued')
  await desk.gate.claim(session, desk.changes)
  desk.gate.decide(session, { admit: true })
  await gone(page.locator('.dock'))
  expect(submissions(session)).toHaveLength(1)
  desk.gate.unguard(session)
  await page.context().close()
})

test('WIRE-RETRY a submission that never reached the host is sent again under the same id, also after a reload', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const { page, wire } = await tapped(session)
  await ticket(page).fill('OPS-3')
  await page.route('**/*', (route) => route.continue())
  wire.swallow('taskSurface.submit')
  await measure(page).click()
  await eventually(() => idsSent(wire).length, 1)
  await page.reload()
  await page.getByRole('group', { name: 'Your answers were not sent.' }).waitFor()
  expect(await ticket(page).inputValue()).toBe('OPS-3')
  await measure(page).click()
  await eventually(() => idsSent(wire).length, 2)
  expect(new Set(idsSent(wire)).size).toBe(1)
  expect(submissions(session)).toHaveLength(0)
  await page.context().close()
})

test('WIRE-THROW an error answer gives the form back with words, and the next attempt goes through', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const { page, wire } = await tapped(session)
  await ticket(page).fill('OPS-4')
  wire.rewrite((message) =>
    message.includes('"accepted":true')
      ? message.replace(/"result":.*$/, '"error":{"code":-32010,"message":"the store is away"}}')
      : message,
  )
  desk.gate.guard(session)
  await measure(page).click()
  // The host did accept it: asking finds it pending, so the form stays locked.
  await dockSays(page, 'Queued')
  wire.rewrite((message) => message)
  await page.getByRole('button', { name: 'Remove from queue' }).click()
  await page.getByRole('group', { name: 'Your answers were not sent.' }).waitFor()
  desk.gate.unguard(session)
  await measure(page).click()
  await gone(page.locator('.dock'))
  expect(submissions(session)).toHaveLength(1)
  await page.context().close()
})

test('WIRE-STALE an id that is used up says so once, and the next attempt takes another', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const { page, wire } = await tapped(session)
  await ticket(page).fill('OPS-5')
  wire.rewrite((message) =>
    message.includes('"accepted":true')
      ? message.replace(/"result":\{.*\}/, '"result":{"accepted":false,"reason":"stale"}')
      : message,
  )
  desk.gate.guard(session)
  await measure(page).click()
  await dockSays(page, 'Queued')
  wire.rewrite((message) => message)
  await page.getByRole('button', { name: 'Remove from queue' }).click()
  await page.getByRole('group', { name: 'Your answers were not sent.' }).waitFor()
  desk.gate.unguard(session)
  await measure(page).click()
  await gone(page.locator('.dock'))
  const ids = idsSent(wire)
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(2)
  await page.context().close()
})

test('WIRE-UNREADABLE a model of a newer version is a card that can be dismissed', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const { page, wire } = await tapped(session)
  wire.rewrite((message) => message.replaceAll('"kind":"toggle"', '"kind":"slider"'))
  await page.reload()
  await page.getByRole('heading', { name: 'This surface cannot be shown' }).waitFor()
  await page.getByText('fields[4].kind').waitFor()
  await page.getByText('Write a message to answer in words. It bypasses the surface.').waitFor()
  // The record shows the plain result of the tool.
  expect(await page.locator('.ts-row').count()).toBe(0)
  await page.locator('.tool', { hasText: 'show_task_surface' }).waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await gone(page.locator('.dock'))
  expect(desk.client.view(session).eventsOf('task-surface/dismissed')).toHaveLength(1)
  await page.context().close()
})

test('WIRE-WINDOW the dock works while its result is outside of the loaded window', async () => {
  const session = await desk.newSession()
  const call = await desk.parked(await desk.say(session))
  const steered = await desk.say(session, 'steering')
  call.answerCalls([{ name: 'show_task_surface', arguments: { model: everyField } }])
  const next = await desk.parked(steered)
  next.answerText('one more step')
  await desk.open(session)
  const wires: Wire[] = []
  const page = await desk.page(session, {
    prepare: async (context) => {
      const wire = await tapWire(context)
      wires.push(wire)
      // A window of one message, and no earlier page.
      wire.swallow('session.history')
      await context.addInitScript(() => {
        const { send } = WebSocket.prototype
        WebSocket.prototype.send = function (data) {
          const text =
            typeof data === 'string'
              ? data.replace('"method":"session.open","params":{', '"method":"session.open","params":{"limit":1,')
              : data
          send.call(this, text)
        }
      })
    },
  })
  await ticket(page).waitFor()
  expect(await page.locator('.ts-row').count()).toBe(0)
  await ticket(page).fill('OPS-6')
  await measure(page).click()
  await gone(page.locator('.dock'))
  expect(submissions(session)).toHaveLength(1)
  await page.context().close()
})

test('WIRE-BYPASS messages queued ahead are counted, and a submission behind one comes back with its reason', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  desk.gate.guard(session)
  const { page } = await tapped(session)
  await ticket(page).fill('OPS-7')
  await desk.say(session)
  await page.getByText('1 queued message will bypass this panel').waitFor()
  await measure(page).click()
  await dockSays(page, 'Queued')
  // One that waits behind the answers bypasses nothing.
  await desk.say(session)
  await eventually(() => page.locator('.queue > li').count(), 3)
  expect(await page.locator('.lock').innerText()).toContain('1 queued message will bypass this panel')
  await desk.gate.claim(session, desk.changes)
  desk.gate.decide(session, { admit: true })
  await page.getByText('This surface is no longer open.', { exact: true }).waitFor()
  const row = page.getByRole('article', { name: 'Choose what to measure first' })
  await row.getByText('Bypassed by a message').waitFor()
  expect(await row.getByRole('group', { name: 'Unsent answers' }).innerText()).toContain('OPS-7')
  expect(submissions(session)).toHaveLength(0)
  desk.gate.unguard(session)
  await page.context().close()
})

test('WIRE-TABS a submission of one tab locks the other, and a dismissal closes it', async () => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  desk.gate.guard(session)
  const first = await desk.page(session)
  const second = await desk.tab(first, session)
  await ticket(first).fill('OPS-8')
  await measure(first).click()
  await dockSays(second, 'Queued')
  expect(await ticket(second).isEditable()).toBe(false)
  desk.gate.unguard(session)
  await gone(second.locator('.dock'))
  const other = await desk.newSession()
  await desk.show(other, notice)
  await Promise.all([first, second].map((page) => page.goto(`${desk.host.ready.url}/s/${other}`)))
  await first.getByRole('button', { name: 'Dismiss' }).click()
  await gone(second.locator('.dock'))
  await first.context().close()
})
