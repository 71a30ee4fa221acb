/* The record in Chromium: long histories, streams, rewinds, and how quick typing stays beside them (SPEC 9). */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { patiently, useStage } from './web-browser.ts'
import type { ScriptedHost } from './web-scripted-host.ts'
import { calls, field, turn } from './web-turns.ts'

const stage = useStage()

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

/** What sixty keystrokes change of the page outside of the message field's own form. */
async function touchedElsewhere(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const element = document.querySelector('#composer')
    const own = element?.closest('form')
    if (!(element instanceof HTMLTextAreaElement) || own === null || own === undefined) throw new Error('no field')
    const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value') ?? {}
    const touched = new Set<string>()
    const observer = new MutationObserver((records) => {
      for (const { target, type } of records) if (!own.contains(target)) touched.add(`${type} of ${target.nodeName}`)
    })
    element.focus()
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    for (let n = 0; n < 60; n += 1) {
      set?.call(element, `${element.value}x`)
      element.dispatchEvent(new InputEvent('input', { bubbles: true }))
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    observer.disconnect()
    return [...touched]
  })
}

describe('size', () => {
  it('K-FAST: a keystroke touches nothing but the message field, however long the session is', async () => {
    const { host } = stage
    host.add('long', { page: 5_000 })
    const text = '- one\n- two\n\n```\ncode\n```\n\n'
    for (let n = 1; n <= 500; n += 1) turn(host, 'long', n, `Answer ${n}\n\n${text}${'Words. '.repeat(50)}`)
    const page = await stage.open('/s/long')
    await page.getByText('Answer 500', { exact: true }).waitFor()
    expect(await touchedElsewhere(page)).toEqual([])
  })
})
