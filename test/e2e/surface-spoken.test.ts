/* What a listener hears of the order field: a virtual screen reader runs inside the real page, real keys work it, and
   its whole spoken log is held. Nothing that was not expected was said, and nothing twice. */
import { readFile } from 'node:fs/promises'
import type { virtual } from '@guidepup/virtual-screen-reader'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import { Desk, eventually } from './surface-desk.ts'

declare global {
  interface Window {
    virtual: typeof virtual
  }
}

const readerFile = new URL(
  '../../node_modules/@guidepup/virtual-screen-reader/lib/esm/index.browser.js',
  import.meta.url,
)

const steps: TaskSurfaceModelV1 = {
  version: 1,
  title: 'Plan the switch',
  sections: [],
  fields: [
    { kind: 'toggle', id: 'freeze', label: 'Freeze deploys' },
    {
      kind: 'order',
      id: 'steps',
      label: 'Order of the steps',
      options: [
        { id: 'a', label: 'Snapshot' },
        { id: 'b', label: 'Copy', detail: 'Takes an hour' },
        { id: 'c', label: 'Warm' },
        { id: 'd', label: 'Swap' },
      ],
    },
  ],
  submit: { label: 'Plan' },
}

/** A key or a press of the pointer, and what is heard of it. */
type Said = readonly [press: string, ...phrases: string[]]

/** The same walk in both languages: into the field, a row to its end, back, lifted and carried, by its buttons, out. */
const walks: Record<'en' | 'zh', { read: string[]; walk: Said[] }> = {
  en: {
    read: [
      'group, Order of the steps, Drag a row, use its buttons, or hold Alt and press the up or down arrow key on it.',
      'list',
      'listitem, level 1, position 1, set size 4',
      'button, “Snapshot”, position 1 of 4, not pressed',
      'button, Move “Snapshot” up, disabled',
      'button, Move “Snapshot” down',
      'end of listitem, level 1, position 1, set size 4',
      'listitem, level 1, position 2, set size 4',
      'button, “Copy”, position 2 of 4. Takes an hour, not pressed',
      'button, Move “Copy” up',
      'button, Move “Copy” down',
      'end of listitem, level 1, position 2, set size 4',
    ],
    walk: [
      ['Tab', 'button, “Snapshot”, position 1 of 4, not pressed'],
      ['Alt+ArrowUp', 'polite: “Snapshot” is first already'],
      ['Alt+ArrowDown', 'button, “Snapshot”, position 2 of 4, not pressed'],
      ['Alt+ArrowDown', 'button, “Snapshot”, position 3 of 4, not pressed'],
      ['Alt+ArrowDown', 'button, “Snapshot”, position 4 of 4, not pressed'],
      ['Alt+ArrowDown', 'polite: “Snapshot” is last already'],
      ['Alt+ArrowDown', 'polite: “Snapshot” is last already'],
      ['Alt+Home', 'button, “Snapshot”, position 1 of 4, not pressed'],
      ['ArrowDown', 'button, “Copy”, position 2 of 4. Takes an hour, not pressed'],
      ['Alt+ArrowUp', 'button, “Copy”, position 1 of 4. Takes an hour, not pressed'],
      ['Alt+ArrowDown', 'button, “Copy”, position 2 of 4. Takes an hour, not pressed'],
      ['Space', 'polite: “Copy” lifted. The arrow keys move it, Space puts it down, Escape takes it back.'],
      ['ArrowDown', 'button, “Copy”, position 3 of 4. Takes an hour, pressed'],
      ['Escape', 'button, “Copy”, position 2 of 4. Takes an hour, not pressed', 'polite: “Copy” is back where it was'],
      ['Space', 'polite: “Copy” lifted. The arrow keys move it, Space puts it down, Escape takes it back.'],
      ['End', 'button, “Copy”, position 4 of 4. Takes an hour, pressed'],
      ['Space', 'polite: “Copy” put down at position 4 of 4'],
      ['Tab', 'button, Move “Copy” up'],
      ['Enter', 'button, Move “Copy” up', 'polite: “Copy” moved to position 3 of 4'],
      ['Tab', 'button, Move “Copy” down'],
      ['Enter', 'button, Move “Copy” up', 'polite: “Copy” moved to position 4 of 4'],
      ['Tab', 'textbox, Note to the agent, placeholder Anything the fields do not cover'],
    ],
  },
  zh: {
    read: [
      'group, Order of the steps, 拖动行、使用按钮，或在行上按住 Alt 并按上、下方向键。',
      'list',
      'listitem, level 1, position 1, set size 4',
      'button, “Snapshot”，第 1 位，共 4 位, not pressed',
      'button, 上移“Snapshot”, disabled',
      'button, 下移“Snapshot”',
      'end of listitem, level 1, position 1, set size 4',
      'listitem, level 1, position 2, set size 4',
      'button, “Copy”，第 2 位，共 4 位。Takes an hour, not pressed',
      'button, 上移“Copy”',
      'button, 下移“Copy”',
      'end of listitem, level 1, position 2, set size 4',
    ],
    walk: [
      ['Tab', 'button, “Snapshot”，第 1 位，共 4 位, not pressed'],
      ['Alt+ArrowUp', 'polite: “Snapshot”已在第一位'],
      ['Alt+ArrowDown', 'button, “Snapshot”，第 2 位，共 4 位, not pressed'],
      ['Alt+End', 'button, “Snapshot”，第 4 位，共 4 位, not pressed'],
      ['Alt+End', 'polite: “Snapshot”已在最后一位'],
      ['Space', 'polite: 已拿起“Snapshot”。用方向键移动，按空格键放下，按 Esc 键放回原处。'],
      ['ArrowUp', 'button, “Snapshot”，第 3 位，共 4 位, pressed'],
      ['Escape', 'button, “Snapshot”，第 4 位，共 4 位, not pressed', 'polite: “Snapshot”已放回原处'],
      ['Tab', 'button, 上移“Snapshot”'],
      ['Enter', 'button, 上移“Snapshot”', 'polite: “Snapshot”已移到第 3 位，共 4 位'],
      ['Tab', 'button, 下移“Snapshot”'],
      ['Enter', 'button, 上移“Snapshot”', 'polite: “Snapshot”已移到第 4 位，共 4 位'],
      ['Tab', 'textbox, 给智能体的备注, placeholder 以上字段未涵盖的内容'],
    ],
  },
}

let desk: Desk

beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.end())

async function listeningPage(language: 'en' | 'zh'): Promise<Page> {
  const session = await desk.newSession()
  await desk.show(session, steps)
  const page = await desk.page(session, { language })
  await page.locator('.order > li').first().waitFor()
  const body = await readFile(readerFile, 'utf8')
  await page.route('**/virtual-screen-reader.js', (route) => route.fulfill({ body, contentType: 'text/javascript' }))
  await page.evaluate(
    'import("/virtual-screen-reader.js").then(({ virtual }) => void Object.assign(window, { virtual }))',
  )
  return page
}

/** What has been said so far. The reader leaves out a phrase equal to the one before it; an emptied log has none. */
function listenTo(page: Page): () => Promise<string[]> {
  const heard: string[] = []
  return async () => {
    const log = await page.evaluate(async () => {
      const said = await window.virtual.spokenPhraseLog()
      await window.virtual.clearSpokenPhraseLog()
      return said
    })
    heard.push(...log)
    return [...heard]
  }
}

async function startListening(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => window.virtual.start({ container: document.body }))
  await listenTo(page)()
  return listenTo(page)
}

/** Everything that is read between the beginning of the field and here, by going on and on. */
async function readThrough(page: Page, phrases: number): Promise<string[]> {
  return page.evaluate(async (count) => {
    const container = document.querySelector('[data-field="steps"]')
    if (container === null) throw new Error('no field')
    await window.virtual.start({ container })
    for (let step = 1; step < count; step += 1) await window.virtual.next()
    const log = await window.virtual.spokenPhraseLog()
    await window.virtual.stop()
    return log
  }, phrases)
}

test.each(['en', 'zh'] as const)(
  'OF-SAY what a listener hears of the order field, step by step: %s',
  async (language) => {
    const page = await listeningPage(language)
    const { read, walk } = walks[language]
    expect(await readThrough(page, read.length)).toEqual(read)

    await page.getByRole('switch', { name: 'Freeze deploys' }).focus()
    const heard = await startListening(page)
    const expected: string[] = []
    for (const [press, ...phrases] of walk) {
      await page.keyboard.press(press)
      expected.push(...phrases)
      await eventually(heard, expected)
    }
    // What was said late would stand here.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
    expect(await heard()).toEqual(expected)
    await page.context().close()
  },
)

test('OF-SAY a row that the pointer moves is announced once, and two announcements in a row are both heard', async () => {
  const page = await listeningPage('en')
  const heard = await startListening(page)
  const [grip, target] = await Promise.all([
    page.locator('.order > li', { hasText: 'Snapshot' }).locator('.order-text').boundingBox(),
    page.locator('.order > li', { hasText: 'Warm' }).boundingBox(),
  ])
  if (grip === null || target === null) throw new Error('no boxes')
  await page.mouse.move(grip.x + 4, grip.y + 4)
  await page.mouse.down()
  await page.mouse.move(target.x + 40, target.y + target.height / 2, { steps: 6 })
  await eventually(() => page.locator('.order > li', { hasText: 'Warm' }).getAttribute('data-drop'), 'after')
  await page.mouse.up()
  const moved = 'polite: “Snapshot” moved to position 3 of 4'
  await eventually(async () => (await heard()).filter((phrase) => phrase.includes('Snapshot')), [moved])

  // Both come in one task: with one place for a text the first would be gone before it is spoken.
  await page.evaluate(() => {
    for (const name of ['Move “Copy” down', 'Move “Swap” up']) {
      document.querySelector<HTMLButtonElement>(`button[aria-label="${name}"]`)?.click()
    }
  })
  await eventually(
    async () => (await heard()).filter((phrase) => phrase.startsWith('polite: ')),
    [moved, 'polite: “Copy” moved to position 2 of 4', 'polite: “Swap” moved to position 3 of 4'],
  )
  await page.context().close()
})
