/* Background tasks, subagents and approvals in Chromium, on a host the test plays (SPEC 9): what a person sees,
   does with the keyboard alone, and hears. TASKS_SHOTS names a folder for pictures of the design pages. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  addChild,
  addShip,
  approvalFrame,
  command,
  minute,
  openShip,
  type SampleChild,
  sampleTasks,
  subagentsFrame,
  tasksFrame,
} from './tasks-scenes.ts'
import { useStage } from './web-browser.ts'

const stage = useStage()

const everyLook = (['light', 'dark'] as const).flatMap((theme) =>
  (['en-GB', 'zh-CN'] as const).flatMap((locale) => [320, 360, 1280].map((width) => ({ theme, locale, width }))),
)
const pictures = process.env['TASKS_SHOTS']
/** Without pictures to make, every theme with every language, and every width. */
const looks = pictures === undefined ? [0, 4, 8, 11].flatMap((at) => everyLook.slice(at, at + 1)) : everyLook
type Look = (typeof everyLook)[number]

const children: SampleChild[] = [
  {
    sessionId: 'ch1',
    label: 'Compare three queue libraries',
    mode: 'foreground',
    status: 'completed',
    startedSeq: 1,
    endedSeq: 2,
  },
  {
    sessionId: 'ch2',
    label: 'Read the changelog and list what breaks',
    mode: 'foreground',
    status: 'failed',
    startedSeq: 1,
    endedSeq: 3,
  },
  { sessionId: 'ch3', label: 'Review the rollback script', mode: 'background', status: 'running', startedSeq: 3 },
]

async function show(look: Partial<Look> = {}): Promise<Page> {
  const { theme = 'light', locale = 'en-GB', width = 1280 } = look
  const surface = { key: 'taskSurface', value: { active: { callId: 'c', surfaceId: 'sf-1' } }, seq: 1 }
  addShip(stage.host, [
    tasksFrame(sampleTasks(Date.now())),
    subagentsFrame(children),
    { type: 'session/projection', ...surface },
  ])
  for (const { sessionId, label, status } of children) addChild(stage.host, sessionId, label, status === 'running')
  return openShip(stage, { viewport: { width, height: 780 }, locale, colorScheme: theme })
}

const tasksAction = (page: Page): Locator => page.locator('.head-actions button.act').nth(0)
const subagentsAction = (page: Page): Locator => page.locator('.head-actions button.act').nth(1)

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`))
}

const isWideAsItself = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)

/** Everything inside of `selector` that reaches over its edges. */
const overEdges = (page: Page, selector: string) =>
  page.evaluate((wanted) => {
    const box = document.querySelector(wanted)
    if (box === null) return ['nothing is there']
    const { left, right } = box.getBoundingClientRect()
    return [...box.querySelectorAll('*')]
      .filter((element) => {
        const rect = element.getBoundingClientRect()
        const hidden = element.closest('.vh, .act-label') !== null
        return rect.width > 0 && !hidden && (rect.left < left - 1 || rect.right > right + 1)
      })
      .map((element) => element.outerHTML.slice(0, 120))
  }, selector)

async function picture(page: Page, name: string, { theme, locale, width }: Look): Promise<void> {
  if (pictures !== undefined)
    await page.screenshot({ path: `${pictures}/${name}-${theme}-${locale.slice(0, 2)}-${width}.png` })
}

describe('every look', () => {
  it.each(looks)(
    'TASK-LOOK: the lists at $width px, $theme, $locale: axe finds nothing, nothing is cut off',
    async (look) => {
      const page = await show(look)
      for (const [name, action] of [
        ['tasks', tasksAction(page)],
        ['subagents', subagentsAction(page)],
      ] as const) {
        await action.click()
        await page.locator('.pop').waitFor()
        await picture(page, name, look)
        expect(await violations(page)).toEqual([])
        expect([await isWideAsItself(page), await overEdges(page, '.pop')]).toEqual([true, []])
        const box = await page.locator('.pop').boundingBox()
        // DESIGN: 496 px wide, the full width where it is narrow.
        expect(box?.width).toBe(look.width === 1280 ? 496 : look.width - 16)
        await page.keyboard.press('Escape')
      }
      stage.host.drop({ stay: true })
      await page.locator('.badge-old').waitFor()
      await tasksAction(page).click()
      await picture(page, 'tasks-lost', look)
      expect(await violations(page)).toEqual([])
      expect(await overEdges(page, '.pop')).toEqual([])
    },
  )

  it.each(looks)(
    'APPR-LOOK: the takeover at $width px, $theme, $locale: axe finds nothing, nothing is cut off',
    async (look) => {
      const page = await show(look)
      stage.host.emit('ship', approvalFrame({ summary: `${command}${' --x'.repeat(300)}` }))
      stage.host.emit('ship', approvalFrame({ approvalId: 'ap-2', fromSession: 'ch3' }))
      await page.locator('.take .btn-main:enabled').waitFor()
      await picture(page, 'approval', look)
      expect(await violations(page)).toEqual([])
      expect([await isWideAsItself(page), await overEdges(page, '.take')]).toEqual([true, []])
      const whole = await page.locator('.cmd').evaluate((pre) => ({ seen: pre.clientHeight, all: pre.scrollHeight }))
      expect(whole.seen).toBeLessThanOrEqual(176)
      expect(whole.all).toBeGreaterThan(whole.seen)
      stage.host.emit('ship', { type: 'approval/resolved', approvalId: 'ap-1', outcome: 'deny' })
      await page.locator('.facts a').waitFor()
      await picture(page, 'approval-child', look)
      expect(await overEdges(page, '.take')).toEqual([])
    },
  )
})

describe('background tasks', () => {
  it('TASK-NONE: no action before the first task; it comes with the frame and goes with the emptied list', async () => {
    addShip(stage.host)
    const page = await openShip(stage)
    expect(await page.locator('.act').filter({ hasText: 'Background tasks' }).count()).toBe(0)
    stage.host.emit(
      'ship',
      tasksFrame([{ id: 'b', kind: 'bash', label: 'make', status: 'running', startedAt: Date.now() }]),
    )
    await page.getByRole('button', { name: 'Background tasks 1 Running' }).waitFor()
    stage.host.emit('ship', tasksFrame([]))
    await page.getByRole('button', { name: 'Background tasks' }).waitFor({ state: 'detached' })
  })

  it('TASK-KEYS: opened, read to the end and shut with the keyboard alone', async () => {
    const page = await show({ width: 360 })
    await tasksAction(page).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Background tasks' }).waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    const reached: string[] = []
    for (let step = 0; step < 12 && !/^Show \d+ older$/.test(reached.at(-1) ?? ''); step += 1) {
      await page.keyboard.press('Tab')
      reached.push(await focused())
    }
    // The label that two lines cannot hold is reached, opens, and shows whole.
    const long = sampleTasks(0).find(({ id }) => id === 'bash-13')?.label ?? ''
    expect(reached).toContain(long)
    await page.keyboard.press('Enter')
    await page.getByText('make step-13').waitFor()
    const label = page.getByRole('button', { name: long })
    await label.focus()
    await page.keyboard.press('Space')
    const cut = await label.locator('.task-label').evaluate((node) => node.scrollHeight > node.clientHeight + 1)
    expect([await label.getAttribute('aria-expanded'), cut]).toEqual(['true', false])
    await page.keyboard.press('Escape')
    await page.locator('.pop').waitFor({ state: 'detached' })
    expect(await tasksAction(page).evaluate((node) => node === document.activeElement)).toBe(true)
  })

  it('TASK-TICK: a duration counts while the list is open and stands still while the host is away', async () => {
    const page = await show()
    await tasksAction(page).click()
    const time = page.locator('.task time').first()
    const first = (await time.textContent()) ?? ''
    await expect.poll(() => time.textContent(), { timeout: 5_000 }).not.toBe(first)
    stage.host.drop({ stay: true })
    await page.locator('.badge-old').waitFor()
    const seen = await time.textContent()
    await page.locator('.bar-warn').getByText('Trying again').waitFor()
    expect([await time.textContent(), await page.locator('.task svg.live').count()]).toEqual([seen, 0])
    expect(await page.locator('.pop .state').first().textContent()).toBe('Stopping when last seen')
  })

  it('TASK-BACK: a short drop flashes nothing empty, and what ended meanwhile is said and shown', async () => {
    const page = await show()
    await tasksAction(page).click()
    const ship = stage.host.sessions.get('ship')
    if (ship === undefined) throw new Error('the session is gone')
    const now = Date.now()
    const after = sampleTasks(now).map((task) =>
      task.id === 'bash-14'
        ? { ...task, status: 'failed' as const, detail: 'the host stopped', finishedAt: now }
        : task,
    )
    ship.baseline = [tasksFrame(after), subagentsFrame(children)]
    await page.evaluate(() => {
      const seen: number[] = []
      Object.assign(window, { seen })
      new MutationObserver(() => seen.push(document.querySelectorAll('.task').length)).observe(document.body, {
        childList: true,
        subtree: true,
      })
    })
    stage.host.drop()
    await page.locator('.task-detail').filter({ hasText: 'the host stopped' }).waitFor()
    expect(
      await page.evaluate(() => ('seen' in window && Array.isArray(window.seen) ? Math.min(...window.seen) : 0)),
    ).toBeGreaterThan(4)
    await page.getByText('Background task failed: npm run build').waitFor({ state: 'attached' })
    expect(await page.locator('.badge').textContent()).toBe('2 Running')
  })

  it('TASK-SAME: whatever the host says, badge, headings and rows agree', async () => {
    const page = await show()
    await tasksAction(page).click()
    const all = sampleTasks(Date.now())
    for (let ends = 0; ends <= all.length; ends += 3) {
      const now = Date.now()
      const tasks = all.map((task, at) =>
        at < ends
          ? { ...task, status: 'failed' as const, finishedAt: now - at }
          : { ...task, status: 'running' as const },
      )
      stage.host.emit('ship', tasksFrame(tasks))
      await expect.poll(() => page.locator('.task .is-bad').count()).toBe(ends)
      const shown = await page.evaluate(() => ({
        badge: Number.parseInt(document.querySelector('.badge')?.textContent ?? '0', 10),
        heads: [...document.querySelectorAll('.pop h3 .num')].map((number) => Number(number.textContent)),
        rows: document.querySelectorAll('.task').length,
      }))
      expect(shown).toEqual({
        badge: all.length - ends,
        heads: [all.length - ends, ends].filter((count) => count > 0),
        rows: all.length,
      })
    }
  })

  it('TASK-CLOSE: moving on with Tab, or pressing elsewhere, shuts the list that would cover what has the focus', async () => {
    const page = await show()
    await tasksAction(page).click()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    await page.locator('.pop').waitFor({ state: 'detached' })
    await tasksAction(page).click()
    await page.mouse.click(400, 500)
    await page.locator('.pop').waitFor({ state: 'detached' })
  })

  it('TASK-MANY: a thousand settled tasks open at once and stay readable', async () => {
    addShip(stage.host)
    const page = await openShip(stage)
    const now = Date.now()
    const many = Array.from({ length: 1_000 }, (_, at) => {
      const finishedAt = now - at * minute
      const status = at === 999 ? ('failed' as const) : ('completed' as const)
      return {
        id: `bash-${at}`,
        kind: 'bash',
        label: 'x'.repeat(500),
        status,
        startedAt: finishedAt - 1_000,
        finishedAt,
      }
    })
    stage.host.emit('ship', tasksFrame(many))
    await tasksAction(page).click()
    await page.getByRole('button', { name: 'Show 996 older' }).click()
    await page.getByText('899 older ones are not listed.').waitFor()
    expect(await page.locator('.task').count()).toBe(101)
  })
})

describe('subagents', () => {
  it('SUB-OPEN: a child opens read only, says so, and leads back; the session list does not show it', async () => {
    const page = await show()
    await subagentsAction(page).click()
    await page
      .getByRole('dialog', { name: 'Subagents' })
      .getByRole('link', { name: 'Review the rollback script' })
      .click()
    await page.getByRole('heading', { level: 1, name: 'Review the rollback script' }).waitFor()
    expect([await page.locator('textarea').count(), await page.locator('.sess').count()]).toEqual([0, 1])
    expect(await violations(page)).toEqual([])
    await page.locator('.read-only').getByRole('link', { name: 'Go to “Ship 2.4: orders migration”' }).click()
    await page.locator('#composer').waitFor()
  })

  it('SUB-ELSEWHERE: on the child’s page its waiting request leads to where it is decided', async () => {
    const page = await show()
    stage.host.emit('ship', approvalFrame({ fromSession: 'ch3' }))
    await page.locator('.facts a').click()
    await page.getByText('This subagent waits for your approval.').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Decide in “Ship 2.4: orders migration”' }).click()
    await page.getByRole('heading', { name: 'Run this command?' }).waitFor()
  })
})

describe('approvals', () => {
  const decided = () =>
    stage.host.requests.filter(({ method }) => method === 'approval.decide').map(({ params }) => params)

  it('APPR-TYPING: keys of a person who is writing when it appears decide nothing, and the draft is kept', async () => {
    addShip(stage.host)
    const page = await openShip(stage)
    await page.locator('#composer').fill('half a sentence')
    await page.locator('#composer').focus()
    stage.host.emit('ship', approvalFrame())
    await page.locator('.take .btn-main:enabled').waitFor()
    for (const key of ['Enter', 'Space', 'y', '1', 'Escape', 'Control+Enter']) await page.keyboard.press(key)
    expect(decided()).toEqual([])
    expect(
      await page
        .getByRole('heading', { name: 'Run this command?' })
        .evaluate((node) => node === document.activeElement),
    ).toBe(true)
    stage.host.emit('ship', { type: 'approval/resolved', approvalId: 'ap-1', outcome: 'deny' })
    await page.locator('.take').waitFor({ state: 'detached' })
    expect(await page.locator('#composer').inputValue()).toBe('half a sentence')
  })

  it('APPR-KEYS: reached, read and decided with the keyboard; the focus goes on in the message field', async () => {
    addShip(stage.host)
    const page = await openShip(stage)
    stage.host.emit('ship', approvalFrame())
    await page.locator('.take .btn-main:enabled').waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('cmd')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Deny')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(decided).toEqual([{ sessionId: 'ship', approvalId: 'ap-1', decision: 'allow', remember: true }])
    stage.host.emit('ship', { type: 'approval/resolved', approvalId: 'ap-1', outcome: 'allow' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('composer')
  })

  it('APPR-HASTE: a double click allows one call, not the next one too', async () => {
    addShip(stage.host)
    stage.host.on('approval.decide', ({ approvalId }) => {
      queueMicrotask(() => stage.host.emit('ship', { type: 'approval/resolved', approvalId, outcome: 'allow' }))
      return { result: { accepted: true } }
    })
    const page = await openShip(stage)
    stage.host.emit('ship', approvalFrame())
    stage.host.emit(
      'ship',
      approvalFrame({ approvalId: 'ap-2', summary: 'rm -r out', input: { command: 'rm -r out' } }),
    )
    const allow = page.locator('.take .btn-main:enabled')
    await allow.waitFor()
    const box = await allow.boundingBox()
    if (box === null) throw new Error('no button')
    await page.mouse.dblclick(box.x + 20, box.y + 10)
    await page.locator('.cmd').getByText('rm -r out').waitFor()
    await allow.waitFor()
    expect(decided().map(({ approvalId }) => approvalId)).toEqual(['ap-1'])
  })

  it('APPR-TWO: decided in one tab it goes in the other, quietly', async () => {
    addShip(stage.host, [approvalFrame()])
    const page = await openShip(stage)
    const other = await stage.tabOf(page, '/s/ship')
    await other.locator('.take').waitFor()
    await page.getByRole('button', { name: 'Deny' }).click()
    stage.host.emit('ship', { type: 'approval/resolved', approvalId: 'ap-1', outcome: 'deny' })
    for (const tab of [page, other]) {
      await tab.locator('.take').waitFor({ state: 'detached' })
      expect(await tab.getByRole('alert').count()).toBe(0)
    }
  })
})
