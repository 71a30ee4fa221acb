/* The main job with a chat-completions server on loopback in place of a provider: the model shows a surface that
   it composed, a person answers it with the keyboard alone, the model reads the answer (SPEC 5, 6, 11). */
import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { HostFolder } from '../harness/host-process.ts'

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']

let browser: Browser
const provider = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 8 })
beforeAll(async () => {
  await provider.start()
  browser = await chromium.launch({ executablePath, args })
})
afterAll(async () => {
  await browser.close()
  await provider.stop()
})

const model = {
  version: 1,
  title: 'Where to eat',
  sections: [{ id: 's', blocks: [{ kind: 'markdown', text: 'Both are **open** tonight.' }] }],
  fields: [
    {
      kind: 'choice',
      id: 'place',
      label: 'Place',
      options: [
        { id: 'a', label: 'Noodles' },
        { id: 'b', label: 'Dumplings' },
      ],
    },
    { kind: 'text', id: 'name', label: 'Name', required: true },
  ],
  submit: { label: 'Book it' },
}
const broken = { ...model, title: '', fields: [{ kind: 'date', id: 'when', label: 'When' }], colour: 'red' }
const answer = 'Where to eat\n- Place: Dumplings\n- Name: Ada'

type ChatMessage = ChatCompletionRequest['messages'][number]

const textOf = ({ content }: { content?: unknown }): string =>
  typeof content === 'string' ? content : JSON.stringify(content)
const last = (request: ChatCompletionRequest): ChatMessage | undefined => request.messages.at(-1)
const lastUserText = (request: ChatCompletionRequest): string =>
  request.messages
    .filter(({ role }) => role === 'user')
    .map(textOf)
    .at(-1) ?? ''
const show = (shown: object) => ({
  toolCalls: [{ name: 'show_task_surface', arguments: JSON.stringify({ model: shown }) }],
})

const messagesSchema = z.object({ messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })) })

/** What the provider was sent with the newest request. */
function sentMessages() {
  return messagesSchema.parse(provider.getLastRequest()?.body).messages
}

/** A page on a fresh host whose default agent is the scripted provider. */
async function openPage(): Promise<Page> {
  const folder = new HostFolder({
    OPENAI_BASE_URL: `${provider.url}/v1`,
    OPENAI_API_KEY: 'no-key',
    TASK_SURFACE_AGENT: 'openai-compatible/any',
  })
  onTestFinished(() => folder.remove())
  const host = await folder.start()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${host.ready.url}/?token=${host.ready.token}`)
  return page
}

/** The first message; the field has the focus on arrival. The surface that comes of it is shown. */
async function ask(page: Page): Promise<void> {
  await page.locator('textarea:focus').waitFor()
  await page.keyboard.type('Book a table')
  await page.keyboard.press('Enter')
  await page.locator('.dock').getByRole('heading', { name: 'Where to eat' }).waitFor()
}

/** Presses Tab until the element of this role and name has the focus. */
async function tabTo(page: Page, role: 'radio' | 'textbox' | 'button', name: string | RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name })
  await wanted.waitFor()
  for (let presses = 0; presses < 60; presses += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${role} ${String(name)}`)
}

it('5, 6.2, 6.4: a surface of a provider is answered by keyboard and read by its next call', async () => {
  provider.reset()
  provider.on({ predicate: (request) => lastUserText(request) === 'Book a table' }, show(model))
  provider.on(
    { predicate: (request) => lastUserText(request) === answer },
    { content: 'Booked **dumplings** for Ada.' },
  )
  const page = await openPage()
  await ask(page)
  await tabTo(page, 'radio', /Noodles/)
  await page.keyboard.press('ArrowDown')
  await tabTo(page, 'textbox', /^Name/)
  await page.keyboard.type('Ada')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Booked dumplings for Ada.').waitFor()
  expect(
    sentMessages()
      .filter(({ role }) => role === 'user')
      .map(textOf),
  ).toEqual(['Book a table', answer])
  expect(await page.getByRole('button', { name: /Book it/ }).count()).toBe(0)
})

it('6.1, 6.2: an invalid model comes back with every problem, and the corrected one opens', async () => {
  provider.reset()
  const isCorrecting = (request: ChatCompletionRequest): boolean => last(request)?.role === 'tool'
  provider.on({ predicate: isCorrecting }, show(model))
  provider.on({ predicate: (request) => lastUserText(request) === 'Book a table' }, show(broken))
  const page = await openPage()
  await ask(page)
  const problems = sentMessages()
    .filter(({ role }) => role === 'tool')
    .map(textOf)
    .join('\n')
  expect(problems).toContain('INVALID_MODEL')
  for (const path of ['/title', '/fields/0/kind', '/colour']) expect(problems).toContain(path)
})
