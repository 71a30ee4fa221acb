/* Inspectors in Chromium, on a real host: the official one, whose page the test plays with the real receiver of
   `@statelyai/inspect`, and the page of our own. */
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { z } from 'zod'
import type { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'
import { surfaceModels } from '../harness/sequence-cases.ts'

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const library = fileURLToPath(new URL('../../node_modules/@statelyai/inspect/dist/index.mjs', import.meta.url))
const secret = 'Xylophon-4711'
const show = { name: 'show_task_surface', arguments: { model: surfaceModels()['host:S1'] } }
const openSurfaceSchema = z.object({ active: z.object({ surfaceId: z.string() }) })
const patiently = { timeout: 20_000 }
const official = 'https://stately.ai/inspect'

const receivedSchema = z.array(
  z.object({
    type: z.enum(['@xstate.actor', '@xstate.event', '@xstate.snapshot']),
    sessionId: z.string(),
    rootId: z.string(),
    definition: z.string().optional(),
    event: z.object({ type: z.string() }).optional(),
    snapshot: z.object({ status: z.string(), value: z.json(), context: z.record(z.string(), z.json()) }).optional(),
  }),
)
type Received = z.infer<typeof receivedSchema>

let browser: Browser
let receiver = ''

beforeAll(async () => {
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const lib = { entry: library, formats: ['es' as const], fileName: 'receiver' }
  const built = await build({ configFile: false, logLevel: 'silent', build: { write: false, lib } })
  receiver = z
    .array(z.object({ output: z.array(z.object({ code: z.string() })) }))
    .parse(built)
    .flatMap(({ output }) => output.map(({ code }) => code))
    .join('')
})
afterAll(() => browser.close())

interface Scene {
  stage: HostStage
  client: Client
  sessionId: string
}

async function turn({ stage, client, sessionId }: Scene, text: string): Promise<void> {
  const ended = client.view(sessionId).eventsOf('turn/end').length
  await client.call('session.send', { sessionId, messageId: `m-${text.replaceAll(' ', '-')}`, text })
  ;(await stage.call(text)).answerText('done')
  await stage.until(() => client.view(sessionId).eventsOf('turn/end').length > ended, 'the end of the turn')
}

async function shown({ stage, client, sessionId }: Scene): Promise<string> {
  const view = client.view(sessionId)
  await client.call('session.send', { sessionId, messageId: 'm-show', text: secret })
  ;(await stage.call(secret)).answerCalls([show])
  await stage.until(() => view.eventsOf('turn/end').length > 0 && view.status?.status === 'idle', 'the surface')
  return openSurfaceSchema.parse(view.projections.get('taskSurface')?.value).active.surfaceId
}

async function answered({ stage, client, sessionId }: Scene, surfaceId: string): Promise<void> {
  const values = { name: secret, ship: true }
  await client.call('taskSurface.submit', { sessionId, surfaceId, submissionId: 'sub-1', values })
  const call = await stage.until(() => stage.model.calls.find(({ isParked }) => isParked), 'the turn of the answer')
  const ended = client.view(sessionId).eventsOf('turn/end').length
  call.answerText(secret)
  await stage.until(() => client.view(sessionId).eventsOf('turn/end').length > ended, 'the end of that turn')
}

async function openScene(): Promise<Scene> {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  await client.open(sessionId)
  return { stage, client, sessionId }
}

/** Requests to anywhere but the host, and what the page of the test answers at the official address. */
async function watchNetwork(context: BrowserContext, own: string): Promise<string[]> {
  const elsewhere: string[] = []
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== own) elsewhere.push(request.url())
  })
  const page = `<!doctype html><title>played</title><script type="module">
    import { createBrowserReceiver } from '/receiver.js'
    globalThis.received = []
    createBrowserReceiver().subscribe((event) => globalThis.received.push(event))
  </script>`
  await context.route('https://stately.ai/**', (route) =>
    route.request().url().endsWith('/receiver.js')
      ? route.fulfill({ contentType: 'text/javascript', body: receiver })
      : route.fulfill({ contentType: 'text/html', body: page }),
  )
  return elsewhere
}

async function openLifecycles(context: BrowserContext, { stage, sessionId }: Scene): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(patiently.timeout)
  const { url, token } = stage.host.ready
  await page.goto(`${url}/?token=${token}`)
  // By way of the conversation, so that its dock lives.
  await page.goto(`${url}/s/${sessionId}`)
  await page.locator('.dock').first().waitFor()
  await page.getByRole('link', { name: 'Lifecycles' }).click()
  await page.getByRole('button', { name: /^Session/ }).waitFor()
  return page
}

/** Presses the button and, in the dialog, the one that is called so; the window that opens. */
async function choose(context: BrowserContext, page: Page, name: string): Promise<Page> {
  await page.getByRole('button', { name: 'Open the inspector' }).click()
  const opened = context.waitForEvent('page')
  await page.getByRole('dialog').getByRole('button', { name }).click()
  const popup = await opened
  popup.setDefaultTimeout(patiently.timeout)
  return popup
}

const receivedBy = async (popup: Page): Promise<Received> =>
  receivedSchema.parse(await popup.evaluate(() => Reflect.get(globalThis, 'received') ?? []))

/** The last state that was told of each actor. */
function standOf(received: Received): Record<string, unknown> {
  return Object.fromEntries(
    received.flatMap(({ sessionId, snapshot }) => (snapshot === undefined ? [] : [[sessionId, snapshot.value]])),
  )
}

/** As the journal has it. */
async function standInJournal({ client, sessionId }: Scene): Promise<Record<string, unknown>> {
  const { entries } = await client.call('inspect.journal', { sessionId, limit: 500 })
  return Object.fromEntries(entries.map(({ actorId, to }) => [actorId, to]))
}

const ofHost = (stand: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(stand).filter(([id]) => !/^(connection|dock|composer)/.test(id)))

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`))
}

test('INSPECT-OFFICIAL: the real receiver gets actors, events and snapshots once somebody agreed, a late viewer all of them, and nothing before or after', async () => {
  const scene = await openScene()
  const surfaceId = await shown(scene)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  const own = new URL(scene.stage.host.ready.url).origin
  const elsewhere = await watchNetwork(context, own)
  const page = await openLifecycles(context, scene)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))

  // Asking opens nothing, and saying no neither.
  await page.getByRole('button', { name: 'Open the inspector' }).click()
  const dialog = page.getByRole('dialog', { name: 'Open the inspector' })
  await dialog.getByText('https://stately.ai/inspect').waitFor()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect([context.pages().length, elsewhere]).toEqual([1, []])

  const popup = await choose(context, page, 'Open stately.ai')
  await page.getByText('stately.ai is watching').waitFor()
  expect(popup.url()).toBe(official)
  const before = await standInJournal(scene)
  await expect.poll(async () => ofHost(standOf(await receivedBy(popup))), patiently).toEqual(before)

  // Each registration is a whole machine: XState itself begins in its state from what was sent.
  const actors = (await receivedBy(popup)).filter(({ type }) => type === '@xstate.actor')
  expect(new Set(actors.map(({ rootId }) => rootId))).toContain(`session:${scene.sessionId}`)
  for (const { sessionId, definition, snapshot } of actors) {
    const machine = createMachine(z.looseObject({}).parse(JSON.parse(definition ?? '')))
    const actor = createActor(machine, { snapshot: machine.resolveState(z.object({ value: z.any() }).parse(snapshot)) })
    expect([sessionId, actor.getSnapshot().value]).toEqual([sessionId, snapshot?.value])
  }
  for (const id of ['connection', `dock:${scene.sessionId}`, `composer:${scene.sessionId}`]) {
    expect(actors.map(({ sessionId }) => sessionId)).toContain(id)
  }

  // Live, and on when the view was left.
  await page.getByRole('button', { name: 'Back to the conversation' }).click()
  await answered(scene, surfaceId)
  const after = await standInJournal(scene)
  await expect.poll(async () => ofHost(standOf(await receivedBy(popup))), patiently).toEqual(after)
  const all = await receivedBy(popup)
  const ofSurface = all.filter(
    ({ sessionId }) => sessionId === Object.keys(after).find((id) => id.startsWith('surface')),
  )
  const seen = ofSurface.map(({ type, event, snapshot }) => [type, event?.type ?? '', snapshot?.value ?? null])
  expect(seen.slice(-6)).toEqual([
    ['@xstate.event', 'SUBMIT', null],
    ['@xstate.snapshot', 'SUBMIT', { live: 'queued' }],
    ['@xstate.event', 'CLAIM', null],
    ['@xstate.snapshot', 'CLAIM', { live: 'claiming' }],
    ['@xstate.event', 'COMMIT', null],
    ['@xstate.snapshot', 'COMMIT', 'closed'],
  ])
  expect(ofSurface.at(-1)?.snapshot).toMatchObject({ status: 'done', context: { surfaceId } })
  expect(JSON.stringify(all)).not.toContain(secret)

  // A viewer that comes now.
  await popup.reload()
  await expect.poll(async () => ofHost(standOf(await receivedBy(popup))), patiently).toEqual(after)
  const late = (await receivedBy(popup)).filter(({ type }) => type === '@xstate.actor')
  expect(new Set(late.map(({ sessionId }) => sessionId))).toEqual(new Set(Object.keys(standOf(all))))

  // Ended from the view, which is another one than it was opened from.
  await page.getByRole('link', { name: 'Lifecycles' }).click()
  await page.getByRole('button', { name: 'Stop the inspector' }).click()
  await page.getByRole('button', { name: 'Open the inspector' }).waitFor()
  const told = (await receivedBy(popup)).length
  await turn(scene, 'unwatched')
  await page.getByRole('button', { name: /^Turn 3/ }).waitFor()
  expect((await receivedBy(popup)).length).toBe(told)
  expect(elsewhere.filter((url) => !url.startsWith('https://stately.ai/'))).toEqual([])
  expect(problems).toEqual([])
  await context.close()
})

test('INSPECT-HERE: our own page shows the actors, their states and events of a live session, to a late viewer as well, and asks nobody but the host', async () => {
  const scene = await openScene()
  const surfaceId = await shown(scene)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  const own = new URL(scene.stage.host.ready.url).origin
  const elsewhere = await watchNetwork(context, own)
  const problems: string[] = []
  const page = await openLifecycles(context, scene)
  const popup = await choose(context, page, 'Open here')
  popup.on('pageerror', (error) => problems.push(error.message))
  popup.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  const sockets: string[] = []
  popup.on('websocket', (socket) => sockets.push(socket.url()))
  expect(new URL(popup.url()).pathname).toBe('/inspector.html')

  const actor = (name: RegExp) => popup.getByRole('button', { name })
  await actor(/^Surface \w+ open/).click()
  const chart = popup.locator('.chart-box').getByRole('img')
  await expect.poll(() => chart.getAttribute('aria-label'), patiently).toContain('Current state: open')
  for (const name of [/^Session idle/, /^Turn 1 ended/, /^Connection/, /^Dock/, /^Composer/])
    await actor(name).waitFor()

  await answered(scene, surfaceId)
  const says = 'Current state: closed. Last transition: COMMIT, from claiming to closed.'
  await expect.poll(() => chart.getAttribute('aria-label'), patiently).toContain(says)
  const events = () => popup.getByRole('option').locator('b').allInnerTexts()
  expect(await events()).toEqual(['begins', 'SUBMIT', 'CLAIM', 'COMMIT'])
  await actor(/^Turn 2 ended/).waitFor()
  expect(await violations(popup)).toEqual([])

  // A viewer that comes late, and what happens behind it.
  await popup.reload()
  await actor(/^Surface \w+ closed/).click()
  expect(await events()).toEqual(['begins', 'SUBMIT', 'CLAIM', 'COMMIT'])
  for (const name of [/^Session idle/, /^Turn 1 ended/, /^Turn 2 ended/, /^Dock/]) await actor(name).waitFor()
  await turn(scene, 'behind it')
  await actor(/^Turn 3 ended/).waitFor()
  expect(await popup.content()).not.toContain(secret)

  // A receiver only; and a closed window ends what fed it.
  expect([sockets, elsewhere, problems]).toEqual([[], [], []])
  await popup.close()
  await page.getByRole('button', { name: 'Open the inspector' }).waitFor()
  // By itself it says what it is for.
  await page.goto(`${own}/inspector.html`)
  await page.getByText('This page shows what another window tells it.').waitFor()
  expect(await violations(page)).toEqual([])
  await context.close()
})
