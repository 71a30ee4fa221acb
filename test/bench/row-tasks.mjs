/* From a request that starts a background command to the row of the task at the client, and from the end of the command to
   its row as settled, p50 and p95. Both hold what the product promises on the way: a process of its own group and a record
   on disk before the row, every process of the task gone and its end on disk before the settled one. The floor is one round
   trip over a raw socket; a ratio to it says little, so the goal is what a person takes for at once. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { connect, token } from './bench-host.mjs'
import { endsWithUs } from './children.mjs'
import { percentile, printRow } from './figures.mjs'
import { startRawServer } from './floors.mjs'

const rounds = 200
const warmUp = 50
/** Of a frame with one row; the request of a raw round trip is as long. */
const bytesOfFrame = 260
const atOnceMs = 100
const sessionId = 'session-1'

const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
const pipe = join(folder, 'pipe')
execFileSync('mkfifo', [pipe])
const hostFile = fileURLToPath(new URL('tasks-host.mjs', import.meta.url))
const host = endsWithUs(
  spawn(process.execPath, [hostFile, token, folder, pipe], { stdio: ['ignore', 'pipe', 'inherit'] }),
)
const echo = await startRawServer('echo')
try {
  const [line] = await once(host.stdout.setEncoding('utf8'), 'data')
  let onTasks = () => {}
  const client = await connect(JSON.parse(line), (frame) => {
    if (frame.type === 'session/tasks') onTasks(frame.tasks)
  })
  await client.call('session.close', { sessionId })
  /** The moment at which the list of tasks was as wanted. */
  const seen = (isWanted) =>
    new Promise((resolve) => {
      onTasks = (tasks) => isWanted(tasks) && resolve(performance.now())
    })

  const raw = new WebSocket(`ws://127.0.0.1:${echo.port}/`)
  await once(raw, 'open')
  async function roundTripMs() {
    const begun = performance.now()
    raw.send('x'.repeat(bytesOfFrame))
    await once(raw, 'message')
    return performance.now() - begun
  }
  async function startMs() {
    const visible = seen(([task]) => task?.status === 'running')
    const begun = performance.now()
    const answered = client.call('session.interrupt', { sessionId })
    const ms = (await visible) - begun
    await answered
    return ms
  }
  async function settleMs() {
    const settled = seen(([task]) => task?.status === 'completed')
    // Opens once the command reads.
    const file = openSync(pipe, 'w')
    const begun = performance.now()
    writeSync(file, 'go\n')
    closeSync(file)
    return (await settled) - begun
  }

  const samples = { floor: [], start: [], settle: [] }
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const sample = { floor: await roundTripMs(), start: await startMs(), settle: await settleMs() }
    await client.call('session.remove', { sessionId })
    if (round < warmUp) continue
    for (const [name, ms] of Object.entries(sample)) samples[name].push(ms)
  }
  raw.terminate()
  client.close()
  for (const [what, name] of [
    ['start', 'task start to row visible'],
    ['settle', 'task settled to row updated'],
  ])
    for (const [percent, share] of [
      ['p50', 0.5],
      ['p95', 0.95],
    ])
      printRow({
        name: `${name}, ${percent}`,
        unit: 'ms',
        floor: percentile(samples.floor, share),
        value: percentile(samples[what], share),
        goal: atOnceMs,
        judges: 'value',
      })
} finally {
  const gone = once(host, 'exit')
  host.kill()
  await gone
  await echo.stop()
  rmSync(folder, { recursive: true, force: true })
}
