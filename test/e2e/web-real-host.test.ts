/* The page on a real host that is killed and started again under it, with a scripted model (SPEC 2, 4, 9). */
import { createServer } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'
import { patiently } from './web-browser.ts'

let browser: Browser

beforeAll(async () => {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
})
afterAll(() => browser.close())

const field = (page: Page) => page.locator('#composer')
const entries = (page: Page) => page.locator('.entry-you .said').allTextContents()

/** A port that was free a moment ago. A host that got its port from the system cannot come back to it for a minute. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** A page on a fresh session of a fresh host. */
async function play() {
  const stage = await HostStage.open()
  await stage.host.kill('SIGKILL')
  const port = await freePort()
  let host = await stage.folder.start({}, port)
  const client = await Client.connect(host.ready, stage.changes)
  const session = await stage.createSession(client)
  client.drop()
  const context = await browser.newContext({ locale: 'en-GB' })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const broken: string[] = []
  page.on('pageerror', (error) => broken.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) broken.push(message.text())
  })
  const { url, token } = host.ready
  await page.goto(`${url}/?token=${token}`)
  await page.goto(`${url}/s/${session.id}`)
  await page.getByText('Nothing said yet.').waitFor()
  const send = async (text: string) => {
    await field(page).fill(text)
    await page.keyboard.press('Enter')
  }
  /** The host is killed and comes back at the same address, with the same data. */
  const restart = async () => {
    await host.kill('SIGKILL')
    await page.getByText('Connection lost').waitFor()
    host = await stage.folder.start({}, port)
  }
  return { stage, page, send, restart, broken }
}

it('REAL-TURN: a message, its streamed answer, its end', async () => {
  const { stage, page, send, broken } = await play()
  await send('Hello')
  const call = await stage.call('Hello')
  await page.locator('.run').waitFor()
  const stream = call.stream()
  stream.text('Half an ')
  await page.getByText('Half an').waitFor()
  stream.text('answer.')
  stream.finish('stop')
  await page.locator('.md').getByText('Half an answer.').waitFor()
  await page.locator('.run').waitFor({ state: 'detached' })
  expect(await page.locator('.md').getByText('Half an answer.').count()).toBe(1)
  expect(await page.locator('.head-meta').textContent()).toContain('Idle')
  expect(broken).toEqual([])
})

it('REAL-QUEUE: a second message waits, is edited, steers; Stop ends the turn and the next one runs', async () => {
  const { stage, page, send } = await play()
  await send('First')
  await stage.call('First')
  await send('Second')
  await page.getByRole('button', { name: 'Edit: Second' }).click()
  await page.locator('.queue-edit textarea').fill('Second, better')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove: Second, better' }).waitFor()
  await send('Third')
  await page.getByRole('button', { name: 'Remove: Third' }).click()
  await page.getByText('Removed from the queue').waitFor()
  await page.getByRole('button', { name: /^Throw away/ }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  const next = await stage.call('Second, better')
  await page.getByText('Interrupted by you.').waitFor()
  next.stream().finish('stop')
  await expect.poll(() => entries(page), patiently).toEqual(['First', 'Second, better'])
})

it('REAL-KILL: a killed host loses no text: durable ones stand once, queued ones are offered again, the draft is there', async () => {
  const { stage, page, send, restart, broken } = await play()
  await send('Durable')
  await stage.call('Durable')
  await send('Only in memory')
  await page.getByRole('button', { name: 'Remove: Only in memory' }).waitFor()
  await field(page).fill('Half a thought')
  await restart()
  await page.getByText('Interrupted: the host stopped.').waitFor()
  await page.getByRole('button', { name: 'Put back into the message field: Only in memory' }).waitFor()
  expect(await entries(page)).toEqual(['Durable'])
  expect(await field(page).inputValue()).toBe('Half a thought')
  expect(await page.locator('.run').count()).toBe(0)
  await page.getByRole('button', { name: /^Put back/ }).click()
  await page.keyboard.press('Enter')
  await stage.call('Half a thought\n\nOnly in memory')
  await expect.poll(() => entries(page), patiently).toHaveLength(2)
  expect(broken).toEqual([])
})

it('REAL-KILL: a question dies with its host and leaves no stale prompt behind', async () => {
  const { stage, page, send, restart } = await play()
  await send('Ask me')
  const call = await stage.call('Ask me')
  call.answerCalls([
    {
      name: 'ask_user_question',
      arguments: { questions: [{ id: 'a', question: 'Where to?', options: [{ label: 'Here' }] }] },
    },
  ])
  await page.getByRole('heading', { name: 'Where to?' }).waitFor()
  await restart()
  await page.locator('.take').waitFor({ state: 'detached' })
  expect(await field(page).isVisible()).toBe(true)
})

it('REAL-ASK: an answer given in the page reaches the model, and the same question in a second page goes quietly', async () => {
  const { stage, page, send } = await play()
  await send('Ask me')
  const call = await stage.call('Ask me')
  call.answerCalls([
    {
      name: 'ask_user_question',
      arguments: { questions: [{ id: 'a', question: 'Where to?', options: [{ label: 'Here' }, { label: 'There' }] }] },
    },
  ])
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByRole('heading', { name: 'Where to?' }).waitFor()
  await page.getByRole('radio', { name: 'There' }).check()
  await page.getByRole('button', { name: 'Answer', exact: true }).click()
  await page.locator('.take').waitFor({ state: 'detached' })
  await other.locator('.take').waitFor({ state: 'detached' })
  expect(await other.getByRole('alert').count()).toBe(0)
  const next = await stage.until(() => stage.model.calls.find((one) => one.isParked), 'the next model call')
  next.stream().finish('stop')
  await page.locator('.run').waitFor({ state: 'detached' })
})

it('REAL-REWIND: a rewind takes the turn out of every page and offers its text', async () => {
  const { stage, page, send } = await play()
  for (const text of ['First', 'Second']) {
    await send(text)
    const stream = (await stage.call(text)).stream()
    stream.text(`About ${text}.`)
    stream.finish('stop')
    await page.locator('.md').getByText(`About ${text}.`).waitFor()
    await page.locator('.run').waitFor({ state: 'detached' })
  }
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.locator('.md').getByText('About Second.').waitFor()
  await page.getByRole('button', { name: 'Rewind to here' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rewind' }).click()
  await page.locator('.md').getByText('About Second.').waitFor({ state: 'detached' })
  await other.locator('.md').getByText('About Second.').waitFor({ state: 'detached' })
  expect(await entries(page)).toEqual(['First'])
  expect(await field(page).inputValue()).toBe('Second')
})
