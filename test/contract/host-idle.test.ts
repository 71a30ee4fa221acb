/* What a host does when nothing happens, and how it ends (SPEC 8, 13). */
import { setTimeout as wait } from 'node:timers/promises'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HostStage } from '../harness/host-stage.ts'

/** The one real wait of these suites: silence can only be seen by listening for a while. */
const silenceMs = 4000

test(
  'idle: a session nobody touches sends nothing, neither before nor after its first turn',
  { timeout: 120_000 },
  async () => {
    const stage = await HostStage.open()
    const client = await stage.connect()
    const { id: sessionId } = await stage.createSession(client)
    const view = await client.open(sessionId)
    await stage.until(() => view.status, 'the baseline')
    const cold = client.frames.length
    await wait(silenceMs / 2)
    expect(client.frames.slice(cold)).toEqual([])
    await client.call('session.send', { sessionId, messageId: 'm1', text: 'first' })
    ;(await stage.call('first')).answerText('Done.')
    await stage.until(
      () => view.eventsOf('turn/end').length === 1 && view.status?.status === 'idle',
      'the end of the turn',
    )
    // An answer on the same socket: every frame of the turn has arrived before it.
    await client.call('host.describe', {})
    const warm = client.frames.length
    await wait(silenceMs)
    expect(client.frames.slice(warm)).toEqual([])
    expect(client.isClosed).toBe(false)
  },
)

test(
  'stop: SIGTERM ends an idle host with 0 within 5 s and takes its announcement away',
  { timeout: 120_000 },
  async () => {
    const stage = await HostStage.open()
    const client = await stage.connect()
    await stage.createSession(client)
    const began = performance.now()
    expect(await stage.host.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(performance.now() - began).toBeLessThan(5000)
    await client.closed
  },
)

test(
  'stop: SIGTERM in the middle of a turn writes its end; the next start has nothing to repair',
  { timeout: 120_000 },
  async () => {
    const stage = await HostStage.open()
    const client = await stage.connect()
    const { id: sessionId } = await stage.createSession(client)
    await client.open(sessionId)
    await client.call('session.send', { sessionId, messageId: 'm1', text: 'first' })
    const call = await stage.call('first')
    const answer = call.stream()
    answer.text('Half of it')
    await stage.until(() => client.view(sessionId).streams.size > 0, 'the streamed text')
    const began = performance.now()
    expect(await stage.host.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(performance.now() - began).toBeLessThan(5000)
    await stage.until(() => call.isAbandoned, 'the host to leave the model call')

    await stage.start()
    const view = await (await stage.connect()).open(sessionId)
    expect(view.events.slice(-2)).toMatchObject([
      { type: 'assistant/message', data: { interrupted: true, message: { content: [{ text: 'Half of it' }] } } },
      { type: 'turn/end', data: { turn: 1, reason: 'interrupted' } },
    ])
  },
)

test('stop: SIGTERM while nothing answers an admission still ends in time', { timeout: 120_000 }, async () => {
  // A hook that accepts connections and never answers.
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  const connected = new Promise<void>((resolve) => server.once('connection', () => resolve()))
  const stage = await HostStage.open({ TASK_SURFACE_TEST_ADMISSION: `http://127.0.0.1:${port}/` })
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  await client.open(sessionId)
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'first' })
  await connected
  const began = performance.now()
  expect(await stage.host.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(performance.now() - began).toBeLessThan(5000)
  server.close()
})

test(
  'one-host: a second host on the same data says so in one sentence and ends; the first goes on',
  { timeout: 120_000 },
  async () => {
    const stage = await HostStage.open()
    const client = await stage.connect()
    const second = await stage.folder.startToEnd()
    expect(second.code).toBe(1)
    const lines = second.stderr.trim().split('\n')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^task-surface: .*(already|another|in use)/i)
    expect(lines[0]).toContain(stage.folder.dataDir)
    expect(await client.call('session.list', {})).toEqual({ sessions: [] })
  },
)

test('data-folder: what the host writes is private to the person', { timeout: 120_000 }, async () => {
  const stage = await HostStage.open()
  const client = await stage.connect()
  await stage.createSession(client)
  const { dataDir } = stage.folder
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true })
  expect(entries.length).toBeGreaterThan(0)
  for (const entry of entries) {
    const { mode } = statSync(join(entry.parentPath, entry.name))
    expect([entry.name, mode & 0o777]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600])
  }
})
