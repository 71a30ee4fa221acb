/* Every view of the shell in Chromium: narrow, both themes, both languages, keyboard alone, axe (SPEC 9). */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { patiently, useStage } from './web-browser.ts'
import type { ScriptedHost } from './web-scripted-host.ts'

const stage = useStage()

const said = (id: string, text = id) => ({
  message: { id, role: 'user', source: { kind: 'user', rpcId: '1' }, content: [{ type: 'text', text }] },
})

/** A session with everything the record and the desk can show at once. */
function fill(host: ScriptedHost): void {
  const one = host.add('s', { title: 'A session with a title that is much longer than any head has room for' })
  host.append('s', 'turn/start', { turn: 1 })
  host.append('s', 'user/message', said('m1', `A word: ${'x'.repeat(120)} and \`code\``))
  const content = [
    { type: 'reasoning', text: 'Thinking.' },
    { type: 'text', text: '# Heading\n\n- one\n- two\n\n```sql\nselect 1\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |' },
    { type: 'tool-call', callId: 'c1', name: 'bash', arguments: '{}' },
    { type: 'tool-call', callId: 'c2', name: 'etl_sync', arguments: '{}' },
  ]
  host.append('s', 'assistant/message', { turn: 1, step: 0, message: { id: 'a1', role: 'assistant', content } })
  host.append('s', 'tool/call', {
    turn: 1,
    step: 0,
    callId: 'c1',
    name: 'bash',
    arguments: { command: 'npm test '.repeat(20) },
  })
  host.append('s', 'tool/result', {
    turn: 1,
    step: 0,
    callId: 'c1',
    name: 'bash',
    isError: true,
    content: [{ type: 'text', text: 'no' }],
  })
  host.append('s', 'turn/end', { turn: 1, reason: 'error', error: '401: the key was refused.' })
  host.append('s', 'turn/start', { turn: 2 })
  host.append('s', 'user/message', said('m2'))
  const source = { kind: 'user', rpcId: '1' }
  const row = {
    id: 'i',
    messageId: 'q',
    placement: 'queued',
    source,
    content: [],
    preview: 'Long '.repeat(40),
    text: 'Long',
  }
  one.baseline = [
    { type: 'session/status', status: 'running', turn: 2, retry: { attempt: 2, waitMs: 60_000, why: 'Busy (429).' } },
    { type: 'session/queue', items: [row] },
  ]
  host.add('idle', { title: 'Idle' })
  const asking = host.add('asking', { title: 'Asking' })
  const options = [{ label: 'Local disk', description: '212 GB free' }, { label: 'x'.repeat(90) }]
  asking.baseline = [
    {
      type: 'question/requested',
      questionId: 'q',
      callId: 'c',
      questions: [
        { id: 'a', question: 'Where?', options },
        { id: 'b', question: 'Who?' },
      ],
    },
  ]
}

const views = {
  'first run': { path: '/', ready: '.hero', filled: false },
  'new session': { path: '/', ready: '.opts', filled: true },
  settings: { path: '/settings', ready: '.agents', filled: true },
  conversation: { path: '/s/s', ready: '.notice-danger', filled: true },
  idle: { path: '/s/idle', ready: '#composer', filled: true },
  question: { path: '/s/asking', ready: '.take', filled: true },
  missing: { path: '/s/none', ready: '.hero', filled: true },
} as const

async function show(name: keyof typeof views, options: { width: number; dark: boolean; zh: boolean }): Promise<Page> {
  const { path, ready, filled } = views[name]
  if (filled) fill(stage.host)
  const page = await stage.open(path, {
    viewport: { width: options.width, height: 720 },
    colorScheme: options.dark ? 'dark' : 'light',
    locale: options.zh ? 'zh-CN' : 'en-GB',
  })
  await page.locator(ready).first().waitFor()
  return page
}

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`))
}

const names = ['first run', 'new session', 'settings', 'conversation', 'idle', 'question', 'missing'] as const

describe('axe', () => {
  it.each(names)('A11Y-AXE: %s, wide and light', async (name) => {
    expect(await violations(await show(name, { width: 1280, dark: false, zh: false }))).toEqual([])
  })

  it.each(names)('A11Y-AXE: %s, narrow, dark and Chinese', async (name) => {
    const page = await show(name, { width: 360, dark: true, zh: true })
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN')
    expect(await violations(page)).toEqual([])
  })

  it('A11Y-AXE: with the connection lost', async () => {
    const page = await show('conversation', { width: 1280, dark: false, zh: false })
    stage.host.drop({ stay: true })
    await page.locator('.bar-warn').waitFor()
    expect(await violations(page)).toEqual([])
  })

  it('A11Y-AXE: menus, dialogs and an open tool', async () => {
    const page = await show('conversation', { width: 1280, dark: true, zh: false })
    await page.locator('details.tool summary').first().click()
    await page.getByRole('button', { name: 'Session menu' }).click()
    expect(await violations(page)).toEqual([])
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    expect(await violations(page)).toEqual([])
  })
})

describe('320 px', () => {
  it.each(names)('A11Y-320: %s needs no sideways scrolling, in both languages', async (name) => {
    for (const zh of [false, true]) {
      const page = await show(name, { width: 320, dark: false, zh })
      const wide = await page.evaluate(() => {
        const over = [...document.querySelectorAll('.main *')].filter((element) => {
          const { right, width } = element.getBoundingClientRect()
          return width > 0 && right > innerWidth + 1 && element.closest('pre, .tbl-wrap, .vh, svg') === null
        })
        return [
          document.documentElement.scrollWidth - innerWidth,
          ...over.map((element) => element.outerHTML.slice(0, 120)),
        ]
      })
      expect(wide).toEqual([0])
      for (const context of page.context().pages()) await context.close()
    }
  })

  it('A11Y-TARGET: with a coarse pointer every control of the desk is 24 px or more', async () => {
    fill(stage.host)
    const page = await stage.open('/s/s', { viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true })
    await page.locator('.queue').waitFor()
    const small = await page.evaluate(() =>
      [...document.querySelectorAll('button, a, summary, textarea')].flatMap((element) => {
        const { width, height } = element.getBoundingClientRect()
        return width > 1 && (width < 24 || height < 24) ? [`${element.outerHTML.slice(0, 80)} ${width}x${height}`] : []
      }),
    )
    expect(small).toEqual([])
  })
})

describe('keyboard', () => {
  it('KB-DRAWER: the list opens with the focus in it; Escape gives it back; the rest is out of reach meanwhile', async () => {
    const page = await show('idle', { width: 360, dark: false, zh: false })
    const opener = page.getByRole('button', { name: 'Open the session list' })
    await opener.focus()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), patiently)
      .toBe('Close the session list')
    expect(await page.locator('main').evaluate((main) => main.hasAttribute('inert'))).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patiently).toBe('drawer-open')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /Asking/ }).click()
    await page.locator('.take').waitFor()
    await expect.poll(() => page.locator('.app').getAttribute('data-drawer'), patiently).toBeNull()
  })

  it('KB-SKIP: the first Tab leads past the list to the message field, or to what stands in its place', async () => {
    const page = await show('idle', { width: 1280, dark: false, zh: false })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('composer')
    await page.goto(`${stage.host.url}/s/asking`)
    await page.locator('.take').waitFor()
    await page.locator('.skip').focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2')
  })

  it('KB-MENU: arrows, first letters and Escape; a choice is made by Enter and gives the focus back', async () => {
    const page = await show('idle', { width: 1280, dark: false, zh: false })
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await page.getByRole('button', { name: 'Theme' }).focus()
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('System')
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toBe('Dark')
    await page.keyboard.press('l')
    expect(await focused()).toBe('Light')
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Theme')
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Theme')
    await page.reload()
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  })

  it('KB-QUESTION: digits, Enter and the free field answer without a mouse; the message field has the focus after', async () => {
    const { host } = stage
    const page = await show('question', { width: 1280, dark: false, zh: false })
    const chosen = async () => {
      await page.keyboard.press('1')
      return page.getByRole('radio', { name: 'Local disk' }).isChecked()
    }
    await expect.poll(chosen, patiently).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Who?' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('Data team, support')
    await page.keyboard.press('Enter')
    await expect
      .poll(
        () => host.requests.filter(({ method }) => method === 'question.answer').map(({ params }) => params['answers']),
        patiently,
      )
      .toEqual([
        [
          { id: 'a', selected: ['Local disk'] },
          { id: 'b', selected: [], custom: 'Data team, support' },
        ],
      ])
    host.emit('asking', { type: 'question/resolved', questionId: 'q', outcome: 'answered' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patiently).toBe('composer')
  })
})

describe('announcements', () => {
  it('LIVE-END: a finished answer is announced once, its tokens are not', async () => {
    const { host } = stage
    host.add('s')
    const page = await stage.open('/s/s')
    await page.getByText('Nothing said yet.').waitFor()
    await page.evaluate(() => {
      const heard: string[] = []
      Object.assign(window, { heard })
      const watch = (region: Element) =>
        new MutationObserver(() => heard.push(region.textContent ?? '')).observe(region, {
          childList: true,
          subtree: true,
          characterData: true,
        })
      for (const region of document.querySelectorAll('[aria-live=polite], [role=status]')) watch(region)
    })
    host.append('s', 'turn/start', { turn: 1 })
    for (let n = 0; n < 5; n += 1) {
      host.emit('s', {
        type: 'session/stream',
        turn: 1,
        step: 0,
        messageId: 'a',
        offset: n * 5,
        part: 'text',
        text: 'word ',
      })
    }
    await page.getByText('word word word word word').waitFor()
    const content = [{ type: 'text', text: 'word word word word word' }]
    host.append('s', 'assistant/message', { turn: 1, step: 0, message: { id: 'a', role: 'assistant', content } })
    await expect
      .poll(
        () => page.evaluate(() => JSON.stringify(Object.getOwnPropertyDescriptor(window, 'heard')?.value)),
        patiently,
      )
      .toBe(JSON.stringify(['demo answered: word word word word word']))
    expect(await page.locator('.log').getAttribute('aria-live')).toBe('off')
  })
})
