/* The largest legal form (SPEC 15): how long opening it, and then each key in it, occupies the page's thread, script, style,
   layout and paint together, as Chromium accounts for it. A key has one frame: busy for longer, and a frame is missed.
   Opening goes from the host's answer with the model to the painted form; what was not in view then comes in slices. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { connect, startHost } from './bench-host.mjs'
import { median, percentile, printRow } from './figures.mjs'
import { startInstantModel } from './instant-model.mjs'

const frameMs = 16
const keys = 'The second plan costs less in the first year, and the third one leaves a way out of it. '.repeat(2)

const many = (count, make) => Array.from({ length: count }, (_, index) => make(index))
const options = many(8, (index) => ({ id: `o${index}`, label: `Option ${index}`, detail: 'What it means' }))
const fieldKinds = [
  { kind: 'order', options },
  { kind: 'choice', options },
  { kind: 'multi-choice', options },
  { kind: 'toggle' },
  { kind: 'text', multiline: true },
]
const point = (index) => `- **Point ${index}** with _some_ \`code\` and [a link](https://a.example/${index}).`
/** 32 fields, 64 blocks, 200 rows, close to 64 KiB. */
const largest = {
  version: 1,
  title: 'Everything at once',
  sections: many(32, (section) => ({
    id: `s${section}`,
    title: `Section ${section}`,
    blocks: [
      { kind: 'markdown', text: many(6, point).join('\n') },
      section % 4 === 0
        ? {
            kind: 'table',
            columns: [
              { id: 'a', label: 'A' },
              { id: 'b', label: 'B' },
            ],
            rows: many(25, (index) => ({ a: index, b: `row ${index}` })),
          }
        : { kind: 'metrics', items: many(2, (index) => ({ label: `Metric ${index}`, value: `${index} ms` })) },
    ],
  })),
  fields: [
    { kind: 'text', id: 'line', label: 'Line' },
    ...many(31, (index) => ({ id: `f${index}`, label: `Field ${index}`, ...fieldKinds[index % fieldKinds.length] })),
  ],
  submit: { label: 'Send' },
}

const browserPath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', chromium.executablePath()].find(
  (path) => path !== undefined && existsSync(path),
)
if (browserPath === undefined) throw new Error('a keystroke needs Chromium: install it or set CHROMIUM_PATH')

const openingGoalMs = 100
const openings = 9

const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
const model = await startInstantModel(largest)
const host = await startHost(folder, { environment: model.environment })
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const page = await browser.newPage()
  const wire = await tapAnswers(page)
  await page.goto(`http://127.0.0.1:${host.port}/?token=${host.token}`)
  const session = await page.context().newCDPSession(page)
  // Time on the processor: whatever else runs on this machine does not count as the page's.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busyMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
  }
  const painted = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))

  const opened = []
  for (let run = 0; run < openings; run += 1) {
    const show = await emptySession()
    await page.locator(`a[href="/s/${show.sessionId}"]`).first().click()
    await page.locator('#composer').waitFor()
    wire.hold()
    await show()
    await wire.held()
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done)))
    const formPainted = page.evaluate(
      () =>
        new Promise((done) => {
          const look = () => {
            if (document.querySelector('.dock [data-field="line"]') === null) return
            observer.disconnect()
            requestAnimationFrame(() => setTimeout(done))
          }
          const observer = new MutationObserver(look)
          observer.observe(document.body, { childList: true, subtree: true })
        }),
    )
    await painted()
    const before = await busyMs()
    wire.release()
    await formPainted
    opened.push((await busyMs()) - before)
    await page.locator('.dock-answer > .field').nth(32).waitFor({ state: 'attached' })
  }
  const opening = { name: 'opening the largest legal form', unit: 'ms', value: median(opened), goal: openingGoalMs }

  await page.getByRole('textbox', { name: 'Line' }).click()
  const samples = []
  for (const key of keys) {
    await painted()
    const before = await busyMs()
    await page.keyboard.press(key === ' ' ? 'Space' : key)
    await painted()
    samples.push((await busyMs()) - before)
  }
  const value = percentile(samples.slice(20), 0.95)
  printRow({ name: 'keystroke in the largest legal form, p95', unit: 'ms', floor: frameMs, value, goal: 1 })
  printRow(opening)
} finally {
  await browser.close()
  await host.stop()
  model.close()
  rmSync(folder, { recursive: true, force: true })
}

/** The socket of a page, whose answer with the model can be held back. */
async function tapAnswers(page) {
  let holds = false
  let waiting = null
  let arrived = deferred()
  await page.routeWebSocket(/\/ws$/, (route) => {
    const server = route.connectToServer()
    server.onMessage((message) => {
      if (!holds || !String(message).includes('"active":true')) return route.send(message)
      waiting = () => route.send(message)
      arrived.resolve()
    })
  })
  return {
    hold() {
      holds = true
      arrived = deferred()
    },
    held: () => arrived.promise,
    release() {
      holds = false
      waiting()
    },
  }
}

function deferred() {
  let resolve = () => {}
  const promise = new Promise((settle) => (resolve = settle))
  return { promise, resolve }
}

/** A new session; calling it has the agent show the form, and resolves when the turn is over. */
async function emptySession() {
  let ended = () => {}
  const idle = new Promise((resolve) => (ended = resolve))
  let shown = false
  const client = await connect(host, ({ type, event, status }) => {
    if (type === 'session/event' && event.type === 'tool/result') {
      if (event.data.isError) throw new Error(event.data.content[0].text)
      shown = true
    }
    if (type === 'session/status' && status === 'idle' && shown) ended()
  })
  const { session } = await client.call('session.create', { agent: 'openai-compatible/instant', cwd: folder })
  const { id: sessionId } = session
  await client.call('session.open', { sessionId })
  const show = async () => {
    await client.call('session.send', { sessionId, messageId: 'begin', text: 'Begin.' })
    await idle
    client.close()
  }
  return Object.assign(show, { sessionId })
}
