/* A keystroke in the largest legal form (SPEC 15): how long each key occupies the page's thread, script, style, layout and
   paint together, as Chromium accounts for it. The floor is one frame: busy for longer, and a frame is missed. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { connect, startHost } from './bench-host.mjs'
import { percentile, printRow } from './figures.mjs'
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

const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
const model = await startInstantModel(largest)
const host = await startHost(folder, { environment: model.environment })
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const sessionId = await showLargest()
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${host.port}/?token=${host.token}`)
  await page.goto(`http://127.0.0.1:${host.port}/s/${sessionId}`)
  const line = page.getByRole('textbox', { name: 'Line' })
  await line.click()
  const session = await page.context().newCDPSession(page)
  // Time on the processor: whatever else runs on this machine does not count as the page's.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busyMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000
  }
  const painted = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
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
} finally {
  await browser.close()
  await host.stop()
  model.close()
  rmSync(folder, { recursive: true, force: true })
}

async function showLargest() {
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
  await client.call('session.open', { sessionId: session.id })
  await client.call('session.send', { sessionId: session.id, messageId: 'begin', text: 'Begin.' })
  await idle
  client.close()
  return session.id
}
