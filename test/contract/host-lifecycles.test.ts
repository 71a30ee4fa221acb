/* Lifecycles of a real host, as a client sees them (SPEC 8 and 10): live, afterwards, after a crash, and from the command
   line. What the entries say is compared with the machines themselves. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { sessionRange } from '../../host/log/keys.ts'
import { openLevelDatabase } from '../../host/log/level-database.ts'
import { pageMaxBytes } from '../../host/log/port.ts'
import { machineById } from '../../machines/definitions.ts'
import { sessionIdSchema } from '../../shared/ids.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import { isJson } from '../../shared/json.ts'
import type { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'
import { surfaceModels } from '../harness/sequence-cases.ts'

const mainFile = fileURLToPath(new URL('../../dist/run/main.js', import.meta.url))
const run = promisify(execFile)
const secret = 'Xylophon-4711'
const show = { name: 'show_task_surface', arguments: { model: surfaceModels()['host:S1'] } }

const restingSchema = z.object({ cause: z.object({ seq: z.number() }) })
const openSurfaceSchema = z.object({ active: z.object({ surfaceId: z.string() }) })

interface Scene {
  stage: HostStage
  client: Client
  sessionId: string
}

async function open(): Promise<Scene> {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  return { stage, client, sessionId }
}

/** Until the agent's surface is open, in a turn that ended. */
async function shown({ stage, client, sessionId }: Scene): Promise<{ surfaceId: string }> {
  const view = await client.open(sessionId)
  await client.call('session.send', { sessionId, messageId: 'm1', text: `${secret} begins` })
  ;(await stage.call(`${secret} begins`)).answerCalls([show])
  await stage.until(() => view.eventsOf('turn/end').length === 1 && view.status?.status === 'idle', 'the first end')
  return openSurfaceSchema.parse(view.projections.get('taskSurface')?.value).active
}

/** A surface is shown and answered, the turn of the answer ends, and every actor has come to rest. */
async function oneRound(scene: Scene): Promise<void> {
  const { stage, client, sessionId } = scene
  const watcher = await stage.connect()
  await watcher.call('inspect.subscribe', { sessionId })
  const { surfaceId } = await shown(scene)
  const values = { name: secret, ship: true }
  await client.call('taskSurface.submit', { sessionId, surfaceId, submissionId: 'submission-1', values })
  const call = await stage.until(() => stage.model.calls.find((parked) => parked.isParked), 'the turn of the answer')
  call.answerText(`${secret} ends`)
  await stage.until(() => {
    const seen = framesOf(watcher)
    const ends = seen.filter(({ machine, to }) => machine === 'turn' && to === 'ended')
    const rests = JSON.stringify(seen.at(-1)?.to) === '{"live":"idle"}'
    return ends.length === 2 && rests
  }, 'the rest behind the second turn')
}

async function journalOf(client: Client, sessionId: string): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (let afterId = '0'; ;) {
    const page = await client.call('inspect.journal', { sessionId, afterId, limit: 7 })
    entries.push(...page.entries)
    afterId = page.entries.at(-1)?.id ?? afterId
    if (!page.hasMore) return entries
  }
}

const typeOf = ({ event }: JournalEntry): string =>
  typeof event === 'object' && event !== null && !Array.isArray(event) ? String(event['type']) : ''
const framesOf = (client: Client): JournalEntry[] =>
  client.frames.flatMap((frame) => (frame.type === 'actor/inspect' ? [frame.entry] : []))

test('10 journal: an answered surface is in it from its opening to its end, each step where the last one ended', async () => {
  const scene = await open()
  await oneRound(scene)
  const entries = await journalOf(scene.client, scene.sessionId)
  const surface = entries.filter(({ machine }) => machine === 'surface')
  expect(surface.map((entry) => [typeOf(entry), entry.from, entry.to])).toEqual([
    ['xstate.init', null, { live: 'open' }],
    ['SUBMIT', { live: 'open' }, { live: 'queued' }],
    ['CLAIM', { live: 'queued' }, { live: 'claiming' }],
    ['COMMIT', { live: 'claiming' }, 'closed'],
  ])
  // What rests on the log names the event; what does not, names none.
  expect(surface.map(({ event }) => isJson(event) && JSON.stringify(event).includes('"cause":{"seq":'))).toEqual([
    true,
    false,
    false,
    true,
  ])
  const { events } = await scene.client.call('session.history', { sessionId: scene.sessionId, limit: 500 })
  const typeBySeq = new Map(events.map(({ seq, type }) => [seq, type]))
  const resting = entries.flatMap((entry) => {
    const seq = restingSchema.safeParse(entry.event).data?.cause.seq
    return seq === undefined ? [] : [`${entry.machine} ${typeOf(entry)}: ${typeBySeq.get(seq)}`]
  })
  expect(new Set(resting)).toEqual(
    new Set([
      'session COMMIT: user/message',
      'surface xstate.init: tool/result',
      'turn ENDED: turn/end',
      'session TURN_ENDED: turn/end',
      'surface COMMIT: user/message',
    ]),
  )
  const actorIds = new Set(entries.map(({ actorId }) => actorId))
  expect(new Set(entries.map(({ machine }) => machine))).toEqual(new Set(['session', 'turn', 'surface']))
  for (const id of actorIds) {
    const ofActor = entries.filter(({ actorId }) => actorId === id)
    for (const [index, entry] of ofActor.entries()) expect(entry.from).toEqual(ofActor[index - 1]?.to ?? null)
  }
})

test('10 journal: ids and sizes, never a text or a value', async () => {
  const scene = await open()
  const watcher = await scene.stage.connect()
  await watcher.call('inspect.subscribe', {})
  await oneRound(scene)
  const entries = await journalOf(scene.client, scene.sessionId)
  expect(entries.length).toBeGreaterThan(10)
  await scene.stage.until(() => framesOf(watcher).length >= entries.length, 'every entry as a frame')
  expect(JSON.stringify([entries, watcher.frames.filter(({ type }) => type === 'actor/inspect')])).not.toContain(secret)
})

test('10 journal: a refused event is an entry that changes nothing', async () => {
  const { stage, client, sessionId } = await open()
  await client.open(sessionId)
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'begin' })
  const call = await stage.call('begin')
  expect(await client.ask('session.configure', { sessionId, approval: 'ask' })).toMatchObject({ ok: false })
  expect(
    await client.ask('session.updateQueue', { sessionId, itemId: 'item-foreign', action: { kind: 'remove' } }),
  ).toMatchObject({ ok: false })
  const refused = (await journalOf(client, sessionId)).filter(({ accepted }) => !accepted)
  expect(refused.map((entry) => [entry.machine, typeOf(entry), entry.from, entry.to])).toEqual([
    ['session', 'CONFIGURE', { live: 'running' }, { live: 'running' }],
    ['session', 'REMOVE', { live: 'running' }, { live: 'running' }],
  ])
  call.answerText('end')
})

test('8 inspect: frames go to sockets that asked, once each, and stop when they say so', async () => {
  const scene = await open()
  const { stage, client, sessionId } = scene
  const everything = await stage.connect()
  const both = await stage.connect()
  const elsewhere = await stage.connect()
  expect(await everything.call('inspect.subscribe', {})).toEqual({ actors: [] })
  await both.call('inspect.subscribe', { sessionId })
  await both.call('inspect.subscribe', {})
  const { id: otherId } = await stage.createSession(client)
  await elsewhere.call('inspect.subscribe', { sessionId: otherId })
  await oneRound(scene)
  const entries = await journalOf(client, sessionId)
  for (const watcher of [everything, both]) {
    await stage.until(() => framesOf(watcher).length >= entries.length, 'every entry as a frame')
    expect(framesOf(watcher)).toEqual(entries)
  }
  expect(framesOf(client)).toEqual([])
  expect(framesOf(elsewhere)).toEqual([])
  await everything.call('inspect.unsubscribe', {})
  await both.call('inspect.unsubscribe', {})
  const seen = framesOf(both).length
  await client.call('session.send', { sessionId, messageId: 'm9', text: 'once more' })
  ;(await stage.call('once more')).answerText('done')
  // One of its two subscriptions stands: it sees what happens, the other socket nothing.
  await stage.until(() => framesOf(both).length > seen, 'a frame of the session')
  expect(framesOf(everything)).toHaveLength(entries.length)
})

test('8 inspect: who ends the watch of one session hears no more of it, and others still do', async () => {
  const { stage, client, sessionId } = await open()
  const other = await stage.connect()
  for (const each of [client, other]) await each.call('inspect.subscribe', { sessionId })
  const heard = (of: Client) => of.frames.filter(({ type }) => type === 'actor/inspect').length
  await client.call('session.configure', { sessionId })
  await stage.until(() => heard(client) === 2 && heard(other) === 2, 'the first entries')
  await client.call('inspect.unsubscribe', { sessionId })
  await client.call('session.configure', { sessionId })
  await stage.until(() => heard(other) === 3, 'the next entry')
  await client.call('host.describe', {})
  expect(heard(client)).toBe(2)
})

test('8 inspect: the answer to inspect.subscribe is what lives now, and the frames go on from there', async () => {
  const scene = await open()
  const { stage, client, sessionId } = scene
  await shown(scene)
  const { actors } = await client.call('inspect.subscribe', { sessionId })
  expect(actors.map(({ machine, snapshot }) => [machine, snapshot])).toEqual([
    ['session', expect.objectContaining({ status: 'active', value: { live: 'idle' } })],
    ['surface', expect.objectContaining({ status: 'active', value: { live: 'open' } })],
  ])
  await client.call('session.send', { sessionId, messageId: 'm2', text: 'past it' })
  ;(await stage.call('past it')).answerText('done')
  await stage.until(() => framesOf(client).find((entry) => entry.machine === 'surface'), 'the bypass')
  expect(framesOf(client).find((entry) => entry.machine === 'surface')).toMatchObject({
    event: { type: 'BYPASS' },
    from: { live: 'open' },
    to: 'closed',
  })
})

test('10 cold: after a crash the journal is there, with what no client saw, and reading it starts no actor', async () => {
  const scene = await open()
  const { stage, client, sessionId } = scene
  await oneRound(scene)
  const before = await journalOf(client, sessionId)
  await stage.restart()
  const later = await stage.connect()
  const after = await journalOf(later, sessionId)
  // A crash may cost the last moment, which decides nothing; what was written is unchanged.
  expect(after).toEqual(before.slice(0, after.length))
  expect(after.map(typeOf)).toContain('COMMIT')
  expect((await later.call('inspect.subscribe', {})).actors).toEqual([])
  await later.call('session.rename', { sessionId, title: 'Loaded' })
  await later.call('session.send', { sessionId, messageId: 'm3', text: 'again' })
  ;(await stage.call('again')).answerText('done')
  const grown = await stage.until(
    () =>
      framesOf(later).some((entry) => entry.machine === 'turn' && entry.to === 'ended') && journalOf(later, sessionId),
    'the end of the turn',
  )
  expect(grown.slice(0, after.length)).toEqual(after)
  expect(grown.map(({ id }) => Number(id))).toEqual(grown.map((_, index) => index + 1))
})

test('10 removed: the journal of a removed session is gone, and stays gone', async () => {
  const scene = await open()
  const { stage, client, sessionId } = scene
  await oneRound(scene)
  await client.call('session.remove', { sessionId })
  // A host that stops writes what it still holds: nothing of this session.
  await stage.host.kill('SIGTERM')
  const database = await openLevelDatabase(stage.folder.dataDir)
  const left = await database.scan({
    ...sessionRange(sessionIdSchema.parse(sessionId)),
    limit: 10,
    maxBytes: pageMaxBytes,
  })
  await database.close()
  expect(left).toEqual([])
  await stage.start()
  const later = await stage.connect()
  expect(await later.ask('inspect.journal', { sessionId })).toMatchObject({ ok: false, error: { code: -32004 } })
})

test('8 inspect: an afterId that is no entry, and an unknown session, are refused', async () => {
  const { client, sessionId } = await open()
  for (const afterId of ['', 'x', '-1', '1e3']) {
    const reply = await client.ask('inspect.journal', { sessionId, afterId })
    expect(reply).toMatchObject({ ok: false, error: { code: -32602 } })
  }
  const reply = await client.ask('inspect.journal', { sessionId: 'nobody' })
  expect(reply).toMatchObject({ ok: false, error: { code: -32004 } })
})

test('10 machines: inspect.machines draws every machine: its states and events are those of the code', async () => {
  const { client } = await open()
  const { machines } = await client.call('inspect.machines', {})
  expect(machines.map((machine) => isJson(machine) && JSON.stringify(machine))).toEqual(
    Object.values(machineById).map(({ config }) => JSON.stringify(config)),
  )
})

test(
  '13 journal: the command prints the same from a running host and from the folder of one that has ended',
  { timeout: 120_000 },
  async () => {
    const scene = await open()
    const { stage, client, sessionId } = scene
    await oneRound(scene)
    const entries = await journalOf(client, sessionId)
    const print = async (...options: string[]) => {
      const args = [mainFile, 'journal', sessionId, '--data', stage.folder.dataDir, ...options]
      return (await run(process.execPath, args)).stdout.trimEnd().split('\n')
    }
    expect((await print('--json')).map((line): unknown => JSON.parse(line))).toEqual(entries)
    const lines = await print()
    expect(lines).toHaveLength(entries.length)
    expect(lines.find((line) => line.includes('SUBMIT'))).toMatch(/surface:\S+ +SUBMIT +live\.open → live\.queued/)
    await stage.host.kill('SIGTERM')
    const stopped = (await print('--json')).map((line): unknown => JSON.parse(line))
    expect(stopped.slice(0, entries.length)).toEqual(entries)
    await expect(
      run(process.execPath, [mainFile, 'journal', 'nobody', '--data', stage.folder.dataDir]),
    ).rejects.toThrow(/there is no session nobody/i)
  },
)
