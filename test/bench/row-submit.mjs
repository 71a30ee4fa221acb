/* From `taskSurface.submit` leaving the client to its durable `user/message` frame arriving there, one client (SPEC 15).
   The floor is what no product can do without: one synced put of the same size, and one round trip over a raw
   socket. Both are sampled in turn. */
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { connect, startHost } from './bench-host.mjs'
import { inBlocks, inTurn, medianPair, printRow } from './figures.mjs'
import { openRawPut, startRawServer } from './floors.mjs'
import { startInstantModel } from './instant-model.mjs'

const rounds = 400
const warmUp = 200
/** Submissions in one session: a conversation of ordinary length. */
const perSession = 20
/** Of `turn/start`, `user/message`, the header and the index records of one submission. */
const bytesOfAppend = 1200
/** Of the request; the answer of a raw round trip is as long. */
const bytesOfRequest = 220

const folder = mkdtempSync(join(tmpdir(), 'task-surface-bench-'))
const model = await startInstantModel()
const host = await startHost(folder, { environment: model.environment })
const put = await openRawPut()
const echo = await startRawServer('echo')
try {
  const raw = new WebSocket(`ws://127.0.0.1:${echo.port}/`)
  await once(raw, 'open')
  const roundTripMs = async () => {
    const begun = performance.now()
    raw.send('x'.repeat(bytesOfRequest))
    await once(raw, 'message')
    return performance.now() - begun
  }
  const submitMs = await openSurfaces()
  const floorMs = async () => (await put.time(bytesOfAppend)) + (await roundTripMs())
  const samples = await inTurn({ rounds, warmUp, value: submitMs, floor: floorMs })
  raw.terminate()
  printRow({
    name: 'submit to durable user/message frame, p50',
    unit: 'ms',
    ...medianPair(inBlocks(samples, perSession)),
    goal: 1.5,
  })
} finally {
  await host.stop()
  await echo.stop()
  await put.close()
  model.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Answers what submits to an open surface and times it. Each session shows a surface after every message. */
async function openSurfaces() {
  let onFrame = () => {}
  const client = await connect(host, (frame) => onFrame(frame))
  let sessionId = ''
  let surfaceId = null
  let submissions = 0

  /** The next surface is open and its turn over. */
  const settled = () =>
    new Promise((resolve) => {
      surfaceId = null
      onFrame = ({ type, event, status }) => {
        if (type === 'session/event' && event.type === 'tool/result') surfaceId = event.data.meta.surfaceId
        if (type === 'session/status' && status === 'idle' && surfaceId !== null) resolve()
      }
    })

  async function begin() {
    if (sessionId !== '') await client.call('session.close', { sessionId })
    const { session } = await client.call('session.create', { agent: 'openai-compatible/instant', cwd: folder })
    sessionId = session.id
    await client.call('session.open', { sessionId })
    const first = settled()
    await client.call('session.send', { sessionId, messageId: 'begin', text: 'Begin.' })
    await first
  }

  return async () => {
    if (submissions % perSession === 0) await begin()
    const submissionId = `submission-${(submissions += 1)}`
    const begun = performance.now()
    const arrived = new Promise((resolve) => {
      onFrame = ({ type, event }) => {
        if (type === 'session/event' && event.type === 'user/message') resolve(performance.now())
      }
    })
    const values = { answer: 'This one.' }
    const answer = client.call('taskSurface.submit', { sessionId, surfaceId, submissionId, values })
    const ended = await arrived
    const next = settled()
    if (!(await answer).accepted) throw new Error(`${submissionId} was not accepted`)
    await next
    return ended - begun
  }
}
