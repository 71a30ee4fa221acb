/* Every state of the dock and of its row, in both themes and both languages, wide and narrow: no violation of
   WCAG 2.2 AA that axe finds, and nothing that scrolls sideways. SURFACE_SHOTS names a folder for pictures. */
import axe from 'axe-core'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk, dockSays, type Look } from './surface-desk.ts'
import { everyBlock, everyField } from './surface-models.ts'
import { tapWire, type Wire } from './surface-wire.ts'

let desk: Desk
const shots = process.env['SURFACE_SHOTS']

beforeAll(async () => {
  desk = await Desk.start()
  if (shots !== undefined) mkdirSync(shots, { recursive: true })
})
afterAll(() => desk.end())

const words = {
  en: { queued: 'Queued', sending: 'Sending', submit: 'Measure', offline: 'Open when last seen' },
  zh: { queued: '排队中', sending: '发送中', submit: 'Measure', offline: '最后所见：待处理' },
}

async function check(page: Page, name: string, look: Look): Promise<void> {
  if (shots !== undefined) {
    const file = `${name}-${look.theme ?? 'light'}-${look.language ?? 'en'}-${look.width ?? 1280}.png`
    await page.screenshot({ path: join(shots, file) })
  }
  await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    const target = document.querySelector('main') ?? document.body
    if (!('axe' in window)) throw new Error('axe did not load')
    const tool = window.axe
    if (typeof tool !== 'object' || tool === null || !('run' in tool) || typeof tool.run !== 'function')
      throw new Error('axe')
    const result: unknown = await tool.run(target, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    })
    return JSON.stringify(result, ['violations', 'id', 'nodes', 'html', 'failureSummary'])
  })
  expect(JSON.parse(found), name).toEqual({ violations: [] })
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0)
}

const looks: Look[] = [
  { theme: 'light', language: 'en' },
  { theme: 'dark', language: 'zh' },
  { theme: 'light', language: 'zh', width: 320, height: 780 },
  { theme: 'dark', language: 'en', width: 360, height: 780 },
  { theme: 'light', language: 'en', width: 1600, height: 1000 },
]

test.each(looks)('A11Y-DOCK open, rejected, queued, claiming and returned: $theme $language $width', async (look) => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const say = words[look.language ?? 'en']
  const page = await desk.page(session, look)
  await page.locator('.order > li').first().waitFor()
  await check(page, 'open', look)
  await page.getByRole('button', { name: say.submit, exact: true }).click()
  await page.locator('.issue').waitFor()
  await check(page, 'rejected', look)
  await page.locator('.dock-answer input[type="text"]').fill('OPS-2291')
  desk.gate.guard(session)
  await page.getByRole('button', { name: say.submit, exact: true }).click()
  await dockSays(page, say.queued)
  await check(page, 'queued', look)
  await desk.gate.claim(session, desk.changes)
  await dockSays(page, say.sending)
  await check(page, 'claiming', look)
  desk.gate.decide(session, { admit: false, reason: 'OPENAI_API_KEY is not set' })
  await page.locator('.notice-warning').waitFor()
  await check(page, 'returned', look)
  desk.gate.unguard(session)
  await page.context().close()
})

test.each(looks)('A11Y-DOCK content of every kind: $theme $language $width', async (look) => {
  const session = await desk.newSession()
  await desk.show(session, everyBlock)
  const page = await desk.page(session, look)
  await page.locator('.diff tr').first().waitFor()
  await check(page, 'content', look)
  await page.locator('.dock-read').evaluate((element) => element.scrollIntoView())
  await page.locator('.diff').scrollIntoViewIfNeeded()
  await check(page, 'content-end', look)
  await page.context().close()
})

test.each(looks)('A11Y-DOCK last known, collapsed and unreadable: $theme $language $width', async (look) => {
  const session = await desk.newSession()
  await desk.show(session, everyField)
  const wires: Wire[] = []
  const page = await desk.page(session, {
    ...look,
    prepare: async (context) => void wires.push(await tapWire(context)),
  })
  const [wire] = wires
  if (wire === undefined) throw new Error('no wire')
  await page.locator('.order > li').first().waitFor()
  await wire.cut()
  await dockSays(page, words[look.language ?? 'en'].offline)
  await check(page, 'last-known', look)
  await page.locator('.dock-head button').click()
  await check(page, 'collapsed', look)
  wire.rewrite((message) => message.replaceAll('"kind":"toggle"', '"kind":"slider"'))
  wire.mend()
  await page.reload()
  await page.locator('.dock .notice-warning').waitFor()
  await check(page, 'unreadable', look)
  await page.context().close()
})

test.each(looks)(
  'A11Y-ROW submitted, bypassed with what was kept, and the copy: $theme $language $width',
  async (look) => {
    const session = await desk.newSession()
    await desk.show(session, everyField)
    const page = await desk.page(session, look)
    await page.locator('.dock-answer input[type="text"]').fill('OPS-1')
    await page.getByRole('button', { name: 'Measure', exact: true }).click()
    await page.locator('.ts-row dl').waitFor()
    const call = await desk.changes.until(
      () => desk.model.calls.find((one) => one.isParked && one.userTexts.at(-1)?.includes('OPS-1')),
      'the submission',
    )
    call.answerCalls([{ name: 'show_task_surface', arguments: { model: { ...everyField, title: 'Once more' } } }])
    await page.locator('.dock-answer input[type="text"]').fill('typed and left')
    await page.locator('.dock-foot .is-old').waitFor()
    await desk.say(session)
    await page.locator('.ts-kept').waitFor()
    await page.locator('.ts-row').last().getByRole('group').locator('summary').click()
    await page.locator('.ts-replay').waitFor()
    await check(page, 'row', look)
    await page.context().close()
  },
)
