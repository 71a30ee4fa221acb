/* From a request that starts a background command to the row of the task at the client, and from the end of the command to
   its row as settled, p50 and p95. Both hold what the product promises on the way: a process of its own group and a record
   on disk before the row, every process of the task gone and its end on disk before the settled one. The floor is one round
   trip over a raw socket; a ratio to it says little, so the goal is what a person takes for at once. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { percentile, printRow } from './figures.mjs'
import { startRawServer } from './floors.mjs'
import { openTasks } from './tasks-client.mjs'

const rounds = 200
const warmUp = 50
/** Of a frame with one row; the request of a raw round trip is as long. */
const bytesOfFrame = 260
const atOnceMs = 100
const sessionId = 'session-1'

const tasks = await openTasks()
const echo = await startRawServer('echo')
try {
  await tasks.watch(sessionId)
  const raw = new WebSocket(`ws://127.0.0.1:${echo.port}/`)
  await once(raw, 'open')
  async function roundTripMs() {
    const begun = performance.now()
    raw.send('x'.repeat(bytesOfFrame))
    await once(raw, 'message')
    return performance.now() - begun
  }

  const samples = { floor: [], start: [], settle: [] }
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const sample = {
      floor: await roundTripMs(),
      start: await tasks.startMs(sessionId),
      settle: await tasks.settleMs(sessionId),
    }
    await tasks.forget(sessionId)
    if (round < warmUp) continue
    for (const [name, ms] of Object.entries(sample)) samples[name].push(ms)
  }
  raw.terminate()
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
        // The median for both: the worst of a raw round trip is the machine's, not a floor.
        floor: percentile(samples.floor, 0.5),
        value: percentile(samples[what], share),
        goal: atOnceMs,
        judges: 'value',
      })
} finally {
  await tasks.close()
  await echo.stop()
}
