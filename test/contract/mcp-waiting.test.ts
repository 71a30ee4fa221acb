/* Calls that take long (SPEC 11), in time that a test moves: an agent whose client gives up after 60 s waits for a person
   for as long as the person takes. The real endpoint and client libraries, over a host in this process. */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Clock } from '../../host/clock.ts'
import { createMemoryMedium, createMemoryStore } from '../../host/log/memory-store.ts'
import { createMcpEndpoint } from '../../host/mcp/endpoint.ts'
import { defineTool } from '../../host/tools/tool.ts'
import { rpcIdSchema, sessionIdSchema, taskSurfaceIdSchema, taskSurfaceSubmissionIdSchema } from '../../shared/ids.ts'
import { defaultTaskSurfaceLimits } from '../../shared/surface/limits.ts'
import { Changes } from '../harness/changes.ts'
import { Client as Person } from '../harness/client.ts'
import { startInProcessHost } from '../harness/in-process-host.ts'
import { StillClock } from '../unit/tasks/still-clock.ts'
import { revisions, said, smallModel, surfaceIdOf, type Revision, type Said } from './mcp-bench.ts'

/** The longest a call may keep its client. */
const answerWithinMs = 45_000

/** Says when somebody begins to wait. */
class WatchedClock implements Clock {
  readonly still = new StillClock()
  readonly #changes: Changes
  #waits: { ms: number; over: boolean }[] = []

  constructor(changes: Changes) {
    this.#changes = changes
  }

  now(): number {
    return this.still.now()
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    const wait = { ms, over: false }
    this.#waits.push(wait)
    this.#changes.notify()
    await this.still.sleep(ms, signal)
    this.#waits = this.#waits.filter((other) => other !== wait)
  }

  /** Resolves once somebody waits for so long. */
  waiting(ms: number): Promise<unknown> {
    return this.#changes.until(() => this.#waits.find((wait) => wait.ms === ms), `a wait of ${ms} ms`)
  }
}

async function open(revision: Revision) {
  const changes = new Changes()
  const clock = new WatchedClock(changes)
  const ran: string[] = []
  const bash = defineTool({
    name: 'bash',
    description: 'A command that only notes that it ran.',
    input: z.object({ command: z.string() }),
    asks: ({ command }) => command,
    execute: ({ command }) => {
      ran.push(command)
      return command
    },
    render: (_, command) => `Ran ${command}.`,
  })
  const host = await startInProcessHost(createMemoryStore(createMemoryMedium()), 'http://127.0.0.1:9/v1', {
    clock,
    tools: [bash],
  })
  const endpoint = createMcpEndpoint({
    directory: host.directory,
    version: '0.0.0',
    surfaceLimits: defaultTaskSurfaceLimits,
    defaultCwd: process.cwd(),
    maxBodyBytes: 256 * 1024,
  })
  const person = await Person.connect(host.address, changes)
  onTestFinished(async () => {
    person.drop()
    await endpoint.close()
    await host.close()
  })
  const call = await connect(revision, (url, init) => endpoint.fetch(new Request(url, init), null))
  return { changes, clock, ran, host, person, call }
}

interface Options {
  signal?: AbortSignal
  onprogress?: (progress: { progress: number; message?: string | undefined }) => void
}

async function connect(
  revision: Revision,
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>,
): Promise<(name: string, args: Record<string, unknown>, options?: Options) => Promise<Said>> {
  const url = new URL('http://127.0.0.1/mcp')
  const info = { name: 'patient', version: '1' }
  if (revision === '2025-11-25') {
    const client = new LegacyClient(info)
    await client.connect(new LegacyTransport(url, { fetch }))
    onTestFinished(() => client.close())
    return async (name, args, options) => said(await client.callTool({ name, arguments: args }, undefined, options))
  }
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: revision } } })
  await client.connect(new ModernTransport(url, { fetch }))
  onTestFinished(() => client.close())
  return async (name, args, options) => said(await client.callTool({ name, arguments: args }, options))
}

type Scene = Awaited<ReturnType<typeof open>>

async function submit({ host }: Scene, shown: Said): Promise<void> {
  const runtime = await host.directory.load(sessionIdSchema.parse(shown.sessionId))
  const surfaceId = taskSurfaceIdSchema.parse(surfaceIdOf(shown))
  const submissionId = taskSurfaceSubmissionIdSchema.parse('submission-1')
  const request = { sessionId: runtime.sessionId, surfaceId, submissionId, values: { database: 'lite' } }
  expect(await runtime.surfaces.submit(request, rpcIdSchema.parse('1'))).toMatchObject({ accepted: true })
}

describe.each(revisions)('MCP %s', (revision) => {
  test('mcp-await: 400 s of waiting, in calls of which none takes more than 45 s', async () => {
    const scene = await open(revision)
    const { clock, call } = scene
    const shown = await call('show_task_surface', { model: smallModel })
    const named = { surfaceId: surfaceIdOf(shown), session: shown.sessionId }
    let args: typeof named & { round?: number } = named
    const begun = clock.now()
    const said = new Set([JSON.stringify(args)])
    while (clock.now() - begun < 400_000) {
      const waiting = call('await_task_surface', args)
      await clock.waiting(answerWithinMs)
      await clock.still.advance(answerWithinMs)
      const [, round] = /still open.*again.*\{"round": (\d+)\}/.exec((await waiting).text) ?? []
      args = { ...named, round: Number(round) }
      said.add(JSON.stringify(args))
    }
    // Programs stop a model that says the very same again and again.
    expect(said.size).toBe(10)
    const last = call('await_task_surface', args)
    await clock.waiting(answerWithinMs)
    await submit(scene, shown)
    expect((await last).text).toMatch(/- Database: SQLite$/)
  })

  test('mcp-progress: a client that asks for it hears every few seconds that the person is waited for', async () => {
    const scene = await open(revision)
    const { clock, call, changes } = scene
    const shown = await call('show_task_surface', { model: smallModel })
    const heard: number[] = []
    const onprogress = ({ progress }: { progress: number }) => {
      heard.push(progress)
      changes.notify()
    }
    const args = { surfaceId: surfaceIdOf(shown), session: shown.sessionId }
    const waiting = call('await_task_surface', args, { onprogress })
    for (const seconds of [5, 10, 15]) {
      await clock.waiting(5_000)
      await clock.still.advance(5_000)
      await changes.until(() => heard.includes(seconds), `progress at ${seconds} s`)
    }
    await submit(scene, shown)
    expect((await waiting).isError).toBe(false)
    expect(heard).toEqual([5, 10, 15])
  })

  test('mcp-detached: a call that waits for permission answers in time, goes on, and is taken up, not done twice', async () => {
    const { clock, call, person, changes, ran } = await open(revision)
    const { sessionId } = await call('show_task_surface', { model: smallModel })
    const view = await person.open(sessionId)
    const asked = () => person.frames.find((frame) => frame.type === 'approval/requested')
    const args = { command: 'make', session: sessionId }
    const first = call('start_background_task', args)
    const request = await changes.until(asked, 'a request for permission')
    await clock.still.advance(answerWithinMs)
    expect((await first).text).toMatch(/^Not done yet.*again with the same arguments, with \{"round": 2\}/)
    const second = call('start_background_task', { ...args, round: 2 })
    await clock.waiting(answerWithinMs)
    const { approvalId } = z.object({ approvalId: z.string() }).parse(request)
    await person.call('approval.decide', { sessionId, approvalId, decision: 'allow' })
    expect((await second).text).toMatch(/^Ran make\./)
    expect(ran).toEqual(['make'])
    expect(view.eventsOf('tool/call').filter(({ data }) => data.name === 'bash')).toHaveLength(1)
  })

  test('mcp-detached: other calls of the session are told in time as well, and run in their turn', async () => {
    const { clock, call, person, changes } = await open(revision)
    const { sessionId } = await call('show_task_surface', { model: smallModel })
    await person.open(sessionId)
    const blocking = call('start_background_task', { command: 'make', session: sessionId })
    const asked = () => person.frames.find((frame) => frame.type === 'approval/requested')
    const request = z.object({ approvalId: z.string() }).parse(await changes.until(asked, 'a request for permission'))
    const waiting = call('show_task_surface', { model: smallModel, session: sessionId })
    await changes.until(() => clock.still.sleeping >= 4, 'the second call')
    await clock.still.advance(answerWithinMs)
    expect((await blocking).text).toMatch(/^Not done yet/)
    expect((await waiting).text).toMatch(/^Not done yet/)
    await person.call('approval.decide', { sessionId, approvalId: request.approvalId, decision: 'deny' })
    const again = await call('show_task_surface', { model: smallModel, session: sessionId })
    expect(again.text).toMatch(/^TASK_SURFACE_OPEN/)
    expect((await call('start_background_task', { command: 'make', session: sessionId })).text).toMatch(/^DENIED/)
  })

  test('mcp-cancel: a call that is taken back while it waits for permission is withdrawn, and nothing runs', async () => {
    const { call, person, changes, ran } = await open(revision)
    const { sessionId } = await call('show_task_surface', { model: smallModel })
    const view = await person.open(sessionId)
    const gone = new AbortController()
    const waiting = call('start_background_task', { command: 'make', session: sessionId }, { signal: gone.signal })
    await changes.until(() => person.frames.find((frame) => frame.type === 'approval/requested'), 'a request')
    gone.abort()
    await expect(waiting).rejects.toThrow()
    await changes.until(() => view.eventsOf('turn/end').length === 2, 'the end of the turn')
    expect(view.eventsOf('turn/end').at(-1)).toMatchObject({ data: { reason: 'aborted' } })
    expect(person.frames.findLast((frame) => frame.type === 'approval/resolved')).toMatchObject({
      outcome: 'cancelled',
    })
    expect(ran).toEqual([])
  })

  test('mcp-interrupt: a person who stops the turn of a call stops the call, and the agent reads so', async () => {
    const { call, person, changes, ran } = await open(revision)
    const { sessionId } = await call('show_task_surface', { model: smallModel })
    await person.open(sessionId)
    const waiting = call('start_background_task', { command: 'make', session: sessionId })
    await changes.until(() => person.frames.find((frame) => frame.type === 'approval/requested'), 'a request')
    await person.call('session.interrupt', { sessionId })
    expect(await waiting).toMatchObject({ isError: true, text: expect.stringMatching(/^INTERRUPTED/) })
    expect(ran).toEqual([])
  })

  test('mcp-news: what the person says into the turn of a call joins it and is told with its result', async () => {
    const { call, person, changes } = await open(revision)
    const { sessionId } = await call('show_task_surface', { model: smallModel })
    await person.open(sessionId)
    const waiting = call('start_background_task', { command: 'make', session: sessionId })
    const asked = () => person.frames.find((frame) => frame.type === 'approval/requested')
    const { approvalId } = z.object({ approvalId: z.string() }).parse(await changes.until(asked, 'a request'))
    const steering = { sessionId, messageId: 'm-1', text: 'Only once.', placement: 'steering' } as const
    await person.call('session.send', steering)
    await person.call('approval.decide', { sessionId, approvalId, decision: 'allow' })
    const { texts } = await waiting
    expect(texts).toHaveLength(2)
    expect(texts[1]).toMatch(/The person wrote meanwhile.*\n\nOnly once\.$/)
    expect(
      (await call('await_task_surface', { surfaceId: 'ts-none', session: sessionId, timeoutMs: 0 })).texts,
    ).toHaveLength(1)
  })

  test('mcp-news: what a call that was taken back would have told is told with the next one', async () => {
    const { call, person, changes } = await open(revision)
    const shown = await call('show_task_surface', { model: smallModel })
    const { sessionId } = shown
    const view = await person.open(sessionId)
    await person.call('session.send', { sessionId, messageId: 'm-1', text: 'Wait for Ada.' })
    await changes.until(() => view.eventsOf('turn/end').length === 2, 'the turn of the message')
    const gone = new AbortController()
    const waiting = call('start_background_task', { command: 'make', session: sessionId }, { signal: gone.signal })
    await changes.until(() => person.frames.find((frame) => frame.type === 'approval/requested'), 'a request')
    gone.abort()
    await expect(waiting).rejects.toThrow()
    await changes.until(() => view.eventsOf('turn/end').length === 3, 'the end of the turn')
    const { texts } = await call('await_task_surface', { surfaceId: 'ts-none', session: sessionId })
    expect(texts[1]).toMatch(/\n\nWait for Ada\.$/)
  })
})
