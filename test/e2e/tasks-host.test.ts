/* Background tasks, approvals and subagents on a real host, seen in Chromium (SPEC 7, 9): no key, no fake. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostFolder, type HostProcess } from '../harness/host-process.ts'
import { closeServer, listenOnLoopback } from '../harness/loopback-server.ts'
import { scriptedAgent, type ScriptedModel, startScriptedModel } from '../harness/scripted-model.ts'

const patiently = { timeout: 30_000 }
let browser: Browser
let folder: HostFolder
let host: HostProcess
let model: ScriptedModel
let changes: Changes
let client: Client
let cwd: string

beforeAll(async () => {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
})
afterAll(() => browser.close())
beforeEach(async () => {
  changes = new Changes()
  model = await startScriptedModel()
  model.watchers.add(changes)
  cwd = mkdtempSync(join(tmpdir(), 'task-surface-work-'))
  folder = new HostFolder({ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'no-key' })
  host = await folder.start({}, await freePort())
  client = await Client.connect(host.ready, changes)
})
afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  await client.close()
  await folder.remove()
  await model.close()
  rmSync(cwd, { recursive: true, force: true })
})

/** A port that the page finds its host at again after a restart. */
async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  await closeServer(server)
  return port
}

async function session(agent: string, title: string): Promise<string> {
  const { session: made } = await client.call('session.create', { agent, approval: 'ask', title, cwd })
  return made.id
}

async function open(sessionId: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  const page = await context.newPage()
  page.setDefaultTimeout(patiently.timeout)
  await page.goto(`${host.ready.url}/?token=${host.ready.token}`)
  await page.goto(`${host.ready.url}/s/${sessionId}`)
  return page
}

async function say(page: Page, text: string): Promise<void> {
  await page.locator('#composer').fill(text)
  await page.keyboard.press('Enter')
}

const parked = (text: string) =>
  changes.until(() => model.calls.find((call) => call.isParked && call.userTexts.at(-1) === text), `a call for ${text}`)

const tasksAction = (page: Page) => page.getByRole('button', { name: /^Background tasks/ })
const row = (page: Page, label: string) => page.locator('.task').filter({ hasText: label })

describe('the demo agent', () => {
  it('TASK-E2E: what it asks for is allowed, started, counted, listed, ended and said', async () => {
    const page = await open(await session('demo', 'Tasks'))
    await page.locator('#composer').waitFor()
    expect(await tasksAction(page).count()).toBe(0)
    await say(page, 'task')
    await page.getByRole('heading', { name: 'Run this command?' }).waitFor()
    expect(await page.locator('.take-body > .cmd').textContent()).toContain('seq 1 30')
    expect(await page.locator('.facts').textContent()).toContain(cwd)
    await page.getByRole('button', { name: 'Always allow bash in this session' }).click()
    await page.locator('.take').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Background tasks 1 Running' }).click()
    await expect.poll(() => row(page, 'Count to 30').locator('.state').textContent(), patiently).toBe('Running')
    await expect.poll(() => row(page, 'Fail at once').locator('.state').textContent(), patiently).toBe('Failed')
    expect(await row(page, 'Fail at once').locator('.task-detail').textContent()).not.toBe('')
    const time = row(page, 'Count to 30').locator('time')
    const before = await time.textContent()
    await expect.poll(() => time.textContent(), patiently).not.toBe(before)
  })

  it('TASK-E2E: after the host was killed the list says that it stopped, in the open page too', async () => {
    const sessionId = await session('demo', 'Tasks')
    const page = await open(sessionId)
    await say(page, 'task')
    await page.getByRole('button', { name: 'Always allow bash in this session' }).click()
    await page.getByRole('button', { name: 'Background tasks 1 Running' }).click()
    await expect.poll(() => row(page, 'Count to 30').locator('.state').textContent(), patiently).toBe('Running')
    await host.kill('SIGKILL')
    await expect
      .poll(() => row(page, 'Count to 30').locator('.state').textContent(), patiently)
      .toBe('Running when last seen')
    host = await folder.start({}, host.ready.port)
    await expect.poll(() => row(page, 'Count to 30').locator('.state').textContent(), patiently).toBe('Failed')
    expect(await row(page, 'Count to 30').locator('.task-detail').textContent()).toBe('the host stopped')
    expect(await page.locator('.badge').count()).toBe(0)
  })
})

describe('approvals', () => {
  it('APPR-E2E: two pages look, one denies, both go on, and the command never ran', async () => {
    const sessionId = await session(scriptedAgent, 'Two pages')
    const [first, second] = [await open(sessionId), await open(sessionId)]
    await say(first, 'remove it')
    const call = await parked('remove it')
    call.answerCalls([{ name: 'bash', arguments: { command: 'touch ran' } }])
    for (const page of [first, second]) await page.getByRole('heading', { name: 'Run this command?' }).waitFor()
    await second.getByRole('button', { name: 'Deny' }).click()
    for (const page of [first, second]) await page.locator('.take').waitFor({ state: 'detached' })
    await first.getByText('Denied').waitFor()
    const next = await parked('remove it')
    next.answerText('As you say.')
    await first.getByText('As you say.', { exact: true }).waitFor()
    expect(next.messages.some(({ text }) => text.includes('DENIED'))).toBe(true)
  })

  it('APPR-E2E: a reload brings the request back, and Stop takes it away', async () => {
    const page = await open(await session(scriptedAgent, 'Reload'))
    await say(page, 'go')
    const call = await parked('go')
    call.answerCalls([{ name: 'bash', arguments: { command: 'sleep 1' } }])
    await page.getByRole('heading', { name: 'Run this command?' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Run this command?' }).waitFor()
    const [sessionId] = page.url().split('/').slice(-1)
    await client.call('session.interrupt', { sessionId })
    await page.locator('.take').waitFor({ state: 'detached' })
    await page.locator('#composer').waitFor()
  })
})

describe('subagents', () => {
  it('SUB-E2E: a child in the background is a task and a subagent; its request comes to its parent; its page reads', async () => {
    const page = await open(await session(scriptedAgent, 'The parent'))
    await say(page, 'delegate')
    const call = await parked('delegate')
    const order = { prompt: 'Look at the lag.', description: 'Check the lag', run_in_background: true }
    call.answerCalls([{ name: 'subagent', arguments: order }])
    const child = await parked('Look at the lag.')
    const parent = await parked('delegate')
    parent.answerText('It works on it.')
    child.answerCalls([{ name: 'bash', arguments: { command: 'uptime' } }])
    await page.getByRole('heading', { name: 'Run this command?' }).waitFor()
    expect(await page.locator('.facts').textContent()).toContain('From subagentCheck the lag')
    await page.getByRole('button', { name: 'Allow once' }).click()
    await page.locator('.take').waitFor({ state: 'detached' })

    await tasksAction(page).click()
    await expect.poll(() => row(page, 'Check the lag').locator('.state').textContent(), patiently).toBe('Running')
    expect(await row(page, 'Check the lag').locator('.task-meta').textContent()).toContain('Subagent · subagent-')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Subagents' }).click()
    await expect.poll(() => row(page, 'Check the lag').locator('.state').textContent(), patiently).toBe('Running')
    await row(page, 'Check the lag').getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Check the lag' }).waitFor()
    await page.getByText('Look at the lag.').first().waitFor()
    expect([await page.locator('textarea').count(), await page.locator('.sess').count()]).toEqual([0, 1])

    const last = await parked('Look at the lag.')
    last.answerText('The lag is fine.')
    await page.getByText('The lag is fine.', { exact: true }).waitFor()
    await page.locator('.read-only a').click()
    await page.getByRole('button', { name: 'Subagents' }).click()
    await expect.poll(() => row(page, 'Check the lag').locator('.state').textContent(), patiently).toBe('Completed')
    await page.keyboard.press('Escape')
    await tasksAction(page).click()
    await expect.poll(() => row(page, 'Check the lag').locator('.state').textContent(), patiently).toBe('Completed')
    expect(await page.locator('.badge').count()).toBe(0)
  })
})
