import { it } from 'vitest'
import { addChild, addShip, approvalFrame, openShip, sampleTasks, subagentsFrame, tasksFrame } from './tasks-scenes.ts'
import { useStage } from './web-browser.ts'
const stage = useStage()
const out = process.env['SHOTS'] ?? '/tmp/shots'
const only = process.env['ONLY']
const looks = []
for (const theme of ['light', 'dark'] as const)
  for (const lang of ['en-GB', 'zh-CN'])
    for (const width of [320, 360, 1280]) looks.push({ theme, lang, width })
const children = subagentsFrame([
  { sessionId: 'ch1', label: 'Compare three queue libraries', mode: 'foreground', status: 'completed', startedSeq: 1, endedSeq: 2 },
  { sessionId: 'ch2', label: 'Read the changelog of the driver and list what breaks', mode: 'foreground', status: 'failed', startedSeq: 1, endedSeq: 3 },
  { sessionId: 'ch3', label: 'Review the rollback script', mode: 'background', status: 'running', startedSeq: 3 },
])
for (const { theme, lang, width } of looks.filter((l) => !only || `${l.theme}-${l.lang}-${l.width}`.includes(only))) {
  it(`shots ${theme} ${lang} ${width}`, async () => {
    const surface = { type: 'session/projection', key: 'taskSurface', value: { active: { callId: 'c', surfaceId: 'sf-1' } }, seq: 1 }
    addShip(stage.host, [tasksFrame(sampleTasks(Date.now())), children, surface])
    addChild(stage.host, 'ch1', 'Compare three queue libraries')
    addChild(stage.host, 'ch2', 'Read the changelog of the driver and list what breaks')
    addChild(stage.host, 'ch3', 'Review the rollback script', true)
    const page = await openShip(stage, { viewport: { width, height: width < 500 ? 780 : 800 }, locale: lang, colorScheme: theme })
    const shot = (name: string) => page.screenshot({ path: `${out}/${name}-${theme}-${lang.slice(0, 2)}-${width}.png` })
    const act = (n: number) => page.locator('.head-actions button.act').nth(n)
    await shot('head')
    await act(0).click()
    await page.locator('.pop').waitFor()
    await shot('tasks')
    await page.locator('.fold-btn').click()
    await shot('tasks-open')
    await page.keyboard.press('Escape')
    await act(1).click()
    await page.locator('.pop').waitFor()
    await shot('subs')
    await page.locator('.pop a').first().click()
    await page.locator('.read-only').waitFor()
    await shot('child')
    await page.goBack()
    await page.locator('.head-actions button.act').first().waitFor()
    stage.host.emit('ship', approvalFrame())
    stage.host.emit('ship', approvalFrame({ approvalId: 'ap-2', fromSession: 'ch3', input: { command: 'x', run_in_background: true } }))
    await page.locator('.take').waitFor()
    await page.locator('.take .btn-main:enabled').waitFor()
    await shot('approval')
    stage.host.emit('ship', { type: 'approval/resolved', approvalId: 'ap-1', outcome: 'allow' })
    await page.locator('.take dt').nth(4).waitFor()
    await shot('approval2')
    stage.host.emit('ship', { type: 'approval/resolved', approvalId: 'ap-2', outcome: 'allow' })
    stage.host.drop({ stay: true })
    await act(0).click()
    await page.locator('.badge-old').waitFor()
    await shot('tasks-lost')
    stage.host.accept()
  })
}
