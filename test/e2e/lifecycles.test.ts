/* The lifecycles view in Chromium, on a real host: live, back through the journal, by keyboard, and afterwards, when the
   host was restarted and the session is cold. */
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'
import { surfaceModels } from '../harness/sequence-cases.ts'

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const show = { name: 'show_task_surface', arguments: { model: surfaceModels()['host:S1'] } }
const openSurfaceSchema = z.object({ active: z.object({ surfaceId: z.string() }) })
const patiently = { timeout: 20_000 }

let browser: Browser

beforeAll(async () => {
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(() => browser.close())

interface Scene {
  stage: HostStage
  client: Client
  sessionId: string
}

/** A turn whose call is answered by `answer`, until it has ended. */
async function turn({ stage, client, sessionId }: Scene, text: string): Promise<void> {
  const ended = client.view(sessionId).eventsOf('turn/end').length
  await client.call('session.send', { sessionId, messageId: `m-${text.replaceAll(' ', '-')}`, text })
  ;(await stage.call(text)).answerText('done')
  await stage.until(() => client.view(sessionId).eventsOf('turn/end').length > ended, 'the end of the turn')
}

async function shown({ stage, client, sessionId }: Scene): Promise<string> {
  const view = client.view(sessionId)
  const ended = view.eventsOf('turn/end').length
  await client.call('session.send', { sessionId, messageId: 'm-show', text: 'show it' })
  ;(await stage.call('show it')).answerCalls([show])
  await stage.until(() => view.eventsOf('turn/end').length > ended && view.status?.status === 'idle', 'the surface')
  return openSurfaceSchema.parse(view.projections.get('taskSurface')?.value).active.surfaceId
}

function watchProblems(page: Page): string[] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/WebSocket|ERR_CONNECTION|Failed to load/.test(message.text())) {
      problems.push(message.text())
    }
  })
  return problems
}

/** Frames about actors that the page is sent. */
function watchInspection(page: Page): { frames: number } {
  const seen = { frames: 0 }
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"actor/inspect"')) seen.frames += 1
    })
  })
  return seen
}

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`))
}

const chart = (page: Page) => page.locator('.chart-box').getByRole('img')
const chartSays = (page: Page, words: string) =>
  expect.poll(() => chart(page).getAttribute('aria-label'), patiently).toContain(words)
const boxes = (page: Page, mark: string) => page.locator(`.st.${mark} .st-name`).allInnerTexts()
const events = (page: Page) => page.getByRole('option').locator('b').allInnerTexts()
const stands = (page: Page) => page.locator('.scrub-read').innerText()

test('LIFE-LIVE: an answered surface is seen moving, then replayed, and the host is asked only while somebody looks', async () => {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  await client.open(sessionId)
  const scene = { stage, client, sessionId }
  const surfaceId = await shown(scene)

  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  const page = await context.newPage()
  page.setDefaultTimeout(patiently.timeout)
  const problems = watchProblems(page)
  const inspection = watchInspection(page)
  const { url, token } = stage.host.ready
  await page.goto(`${url}/?token=${token}`)
  await page.goto(`${url}/s/${sessionId}`)
  const action = page.getByRole('link', { name: 'Lifecycles' })
  await action.waitFor()
  const loaded = () =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => /elk|lifecycles-/.test(name)).length,
    )
  expect(await loaded()).toBe(0)

  // Live: the page saw nothing of this before, and is not loaded again.
  await action.click()
  expect(new URL(page.url()).pathname).toBe(`/s/${sessionId}/lifecycles`)
  await chartSays(page, 'Current state: open. It has just begun.')
  expect([await boxes(page, 'on'), await page.locator('.st-transient .st-name').allInnerTexts()]).toEqual([
    ['open'],
    ['discarded'],
  ])
  // The page's own actors stand below those of the host; the dock came with the conversation.
  for (const name of ['Connection', 'Dock', 'Composer']) await page.getByRole('button', { name }).first().waitFor()
  await client.call('taskSurface.submit', {
    sessionId,
    surfaceId,
    submissionId: 'sub-1',
    values: { name: 'Ada', ship: true },
  })
  await chartSays(page, 'Current state: closed. Last transition: COMMIT, from claiming to closed.')
  expect(await events(page)).toEqual(['begins', 'SUBMIT', 'CLAIM', 'COMMIT'])
  const answered = await stage.until(() => stage.model.calls.find((call) => call.isParked), 'the turn of the answer')
  answered.answerText('thanks')
  await page.getByRole('button', { name: /^Session idle/ }).waitFor()
  expect([await boxes(page, 'on'), await boxes(page, 'was')]).toEqual([['closed'], ['claiming']])
  expect(await page.locator('.flow .hot .ev-hot').allTextContents()).toEqual(['COMMIT'])
  const cause = page.locator('.ev-details dt', { hasText: 'Rests on event' }).locator('xpath=following-sibling::dd[1]')
  expect(Number(await cause.innerText())).toBeGreaterThan(0)
  expect(await violations(page)).toEqual([])

  // Back: choosing a row, then single steps, then the ends, by keyboard alone.
  await page.getByRole('listbox').focus()
  await page.keyboard.press('ArrowUp')
  await chartSays(page, 'Current state: claiming. Last transition: CLAIM, from queued to claiming.')
  expect([await boxes(page, 'on'), await boxes(page, 'was')]).toEqual([['claiming'], ['queued']])
  expect(await page.locator('.ev-row.later b').allInnerTexts()).toEqual(['COMMIT'])
  const scrub = page.getByRole('slider', { name: 'Journal entry' })
  await scrub.focus()
  const before = Number((await stands(page)).split(' ')[0])
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => stands(page), patiently).toContain(`${before - 1} of `)
  await page.keyboard.press('Home')
  await expect.poll(() => stands(page), patiently).toMatch(/^1 of \d+/)
  await chartSays(page, 'Not begun yet.')
  await expect.poll(() => page.locator('.kids .actor').count(), patiently).toBe(0)
  expect(await scrub.getAttribute('aria-valuetext')).toMatch(/^Entry 1 of \d+, Session, begins, /)
  // Something happens meanwhile: the scrubber stays where it is, until it is sent to the end.
  await turn(scene, 'meanwhile')
  expect(await stands(page)).toMatch(/^1 of \d+/)
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor()

  // All actors in the order things happened; the chart follows the entry.
  await page.getByRole('radio', { name: 'All actors' }).check()
  await page.getByRole('listbox').focus()
  await page.keyboard.press('Home')
  await expect.poll(() => page.getByRole('heading', { level: 2, name: 'Session' }).count(), patiently).toBe(1)

  // Whoever leaves is sent nothing more.
  await page.getByRole('button', { name: 'Back to the conversation' }).click()
  await page.locator('#composer').waitFor()
  const seen = inspection.frames
  await turn(scene, 'unwatched')
  await page.getByText('unwatched').first().waitFor()
  expect([seen > 0, inspection.frames]).toEqual([true, seen])
  expect(problems).toEqual([])
  await context.close()
})

test('LIFE-COLD: after a restart of the host the journal of a session shows what happened while no page was open, and starts nothing', async () => {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  await client.open(sessionId)
  const scene = { stage, client, sessionId }
  await shown(scene)
  // An ordinary message closes the surface, and a call is cut off by the end of the host.
  await turn(scene, 'past it')
  await client.call('session.send', { sessionId, messageId: 'm-cut', text: 'cut off' })
  await stage.call('cut off')
  // Ended by its signal, the host writes what it has; a kill may cost the last moment.
  await stage.host.kill('SIGTERM')
  await stage.start()

  const context = await browser.newContext({
    viewport: { width: 360, height: 780 },
    locale: 'zh-CN',
    colorScheme: 'dark',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patiently.timeout)
  const problems = watchProblems(page)
  const { url, token } = stage.host.ready
  await page.goto(`${url}/?token=${token}`)
  await page.goto(`${url}/s/${sessionId}/lifecycles`)
  const surface = page.getByRole('button', { name: /^面板 \w+ closed/ })
  await surface.click()
  await expect.poll(() => chart(page).getAttribute('aria-label'), patiently).toContain('BYPASS')
  expect(await page.locator('.st.on .st-name').allInnerTexts()).toEqual(['closed'])
  expect(await events(page)).toEqual(['开始', 'BYPASS'])
  // Reading started no actor: of the session nothing lives.
  const later = await stage.connect()
  expect((await later.call('inspect.subscribe', { sessionId })).actors).toEqual([])
  expect(await violations(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(
    true,
  )
  // Folded away from the header, it is in the session menu.
  await page.getByRole('button', { name: '返回对话' }).click()
  await page.locator('#composer').waitFor()
  expect(await page.getByRole('link', { name: '生命周期' }).isVisible()).toBe(false)
  await page.getByRole('button', { name: '会话菜单' }).click()
  await page.getByRole('menuitem', { name: '生命周期' }).click()
  await surface.waitFor()
  expect(problems).toEqual([])
  await context.close()
})
