/* The largest forms the limits allow: every row is reachable, counts are true, typing draws one field, and the page
   stays alive while they open. Times are looked at by the bench; here only what no slow machine can excuse. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk, eventually } from './surface-desk.ts'
import {
  largestChoices,
  largestDiff,
  largestMixed,
  largestOrders,
  largestTable,
  largestText,
  longestLine,
} from './surface-large-models.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.end())

async function opened(model: object): Promise<Page> {
  const session = await desk.newSession()
  await desk.show(session, model)
  const page = await desk.page(session)
  await page.getByRole('textbox', { name: 'Line' }).waitFor()
  return page
}

/** Elements outside of the typed field that change while something is typed. */
async function changedWhileTyping(page: Page): Promise<string[]> {
  const line = page.getByRole('textbox', { name: 'Line' })
  await line.click()
  await page.keyboard.type('a')
  await page.getByText('Draft saved').waitFor()
  await page.evaluate(() => {
    const changed: string[] = []
    Object.assign(window, { changed })
    new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement
        const field = element?.closest('[data-field]')?.getAttribute('data-field')
        if (field !== 'line') changed.push(element?.outerHTML.slice(0, 120) ?? '')
      }
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
  })
  await page.keyboard.type('bcdefgh')
  expect(await line.inputValue()).toBe('abcdefgh')
  return page.evaluate(() => ('changed' in window && Array.isArray(window.changed) ? window.changed.map(String) : []))
}

/** How often the page looked at its styles again while so many letters were typed. */
async function stylesWhileTyping(page: Page, letters: string): Promise<number> {
  const metrics = await page.context().newCDPSession(page)
  await metrics.send('Performance.enable')
  const count = async () => {
    const { metrics: all } = await metrics.send('Performance.getMetrics')
    return all.find(({ name }) => name === 'RecalcStyleCount')?.value ?? 0
  }
  await page.getByRole('textbox', { name: 'Line' }).click()
  const before = await count()
  await page.keyboard.type(letters)
  return (await count()) - before
}

test.each([
  ['every kind at once', largestMixed, 32],
  ['1,700 rows to order', largestOrders, 32],
  ['1,700 options', largestChoices, 32],
])('SIZE-FORM %s: every field comes, and typing changes one', async (_, model, fields) => {
  const page = await opened(model)
  await eventually(() => page.locator('.dock-answer > .field').count(), fields + 1)
  expect(await changedWhileTyping(page)).toEqual([])
  // Work that grows with the form would show here: the count is the same on every machine.
  expect(await stylesWhileTyping(page, 'abcdefghijklmnopqrst')).toBeLessThan(10)
  await page.context().close()
})

test('SIZE-OPEN the part of the page is loaded ahead, and the form comes in one go with its dock', async () => {
  const session = await desk.newSession()
  const page = await desk.page(session)
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('surface-form')),
  )
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    new MutationObserver(() => {
      if (document.querySelector('.dock') === null) return
      seen.push(document.querySelector('.dock [data-field="line"]') === null ? 'a dock without its form' : 'form')
    }).observe(document.body, { subtree: true, childList: true })
  })
  await desk.show(session, largestMixed)
  await page.getByRole('textbox', { name: 'Line' }).waitFor()
  expect(await page.evaluate(() => ('seen' in window && Array.isArray(window.seen) ? window.seen[0] : null))).toBe(
    'form',
  )
  await page.context().close()
})

test('SIZE-TEXT a text of 60 KiB is there to its last word', async () => {
  const page = await opened(largestText)
  await eventually(() => page.locator('.dock-read .md p').count(), 590)
  await page.context().close()
})

test('SIZE-TABLE 200 rows are counted, windowed, and reached by the keyboard', async () => {
  const page = await opened(largestTable)
  const box = page.locator('.vtable-scroll')
  expect(await page.locator('.vtable table').getAttribute('aria-rowcount')).toBe('201')
  expect(await page.locator('.vtable tbody tr').count()).toBeLessThan(60)
  await page.getByText(/^Rows 1 to \d+ of 200$/).waitFor()
  await box.focus()
  await page.keyboard.press('End')
  await page.locator('tr[aria-rowindex="201"]').waitFor()
  await page.getByText(/^Rows \d+ to 200 of 200$/).waitFor()
  expect(await page.locator('tr[aria-rowindex="201"] td').first().innerText()).toBe('199')
  // Every row has the height its place was computed with, or the foot would lie.
  const heights = await page
    .locator('.vtable tbody tr:not([aria-hidden])')
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(new Set(heights)).toEqual(new Set([29]))
  await page.keyboard.press('Home')
  await page.locator('tr[aria-rowindex="2"]').waitFor()
  await page.context().close()
})

test('SIZE-DIFF 18,000 changed lines are windowed and reached by the keyboard', async () => {
  const page = await opened(largestDiff)
  await page.getByText('9000 added, 9000 removed').waitFor()
  expect(await page.locator('.diff tr').count()).toBeLessThan(80)
  await page.locator('.diff-scroll').focus()
  await page.keyboard.press('End')
  await page.locator('tr[aria-rowindex="18000"]').waitFor()
  const heights = await page
    .locator('.diff tbody tr:not([aria-hidden])')
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(new Set(heights)).toEqual(new Set([20]))
  await page.context().close()
})

test('SIZE-DIFF one line of 30 KiB on each side is two rows', async () => {
  const page = await opened(longestLine)
  await page.getByText('1 added, 1 removed').waitFor()
  expect(await page.locator('.diff tr').count()).toBe(2)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  await page.context().close()
})
