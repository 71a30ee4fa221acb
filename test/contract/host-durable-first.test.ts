/* SPEC 2, durable before visible, from inside: a store whose writes wait or fail on purpose. What is not durable is in no
   frame and no answer; what became of a failed write is read from the log; the conversation ends the same. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryStore } from '../../host/log/memory-store.ts'
import { LogError, type Append, type AppendOutcome, type LogStore } from '../../host/log/port.ts'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { nothing, Player, submission } from '../harness/crash-player.ts'
import { checkWhole } from '../harness/crash-scenario.ts'
import { startInProcessHost, type InProcessHost } from '../harness/in-process-host.ts'
import { scriptedAgent, startScriptedModel, type ScriptedModel } from '../harness/scripted-model.ts'

interface Scene {
  host: InProcessHost
  model: ScriptedModel
  changes: Changes
}

async function open(store: LogStore): Promise<Scene> {
  const model = await startScriptedModel()
  const changes = new Changes()
  model.watchers.add(changes)
  const host = await startInProcessHost(store, model.baseUrl)
  onTestFinished(async () => {
    await host.close()
    await model.close()
  })
  return { host, model, changes }
}

/** Replaces what the store does with one group of appends. */
type WriteGroup = (appends: readonly Append[], write: () => Promise<AppendOutcome[]>) => Promise<AppendOutcome[]>

function storeThat(writeGroup: WriteGroup): LogStore {
  const store = createMemoryStore()
  return { ...store, appendGroup: (appends, options) => writeGroup(appends, () => store.appendGroup(appends, options)) }
}

/** The whole conversation, then everything that must hold of it. */
async function converse(scene: Scene): Promise<void> {
  const player = new Player(scene, nothing)
  try {
    await player.play(scene.host.address, 'answered')
  } finally {
    player.drop()
  }
  await checkWhole(scene, scene.host.address, player.memory)
  expect(scene.host.early).toEqual([])
}

/** Long enough for everything that does not wait for a write to happen, sockets included. */
async function everythingElse(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await turnOfTheLoop()
}

test(
  'durable-first: while a write is in flight nothing of it is seen, said or acted on',
  { timeout: 120_000 },
  async () => {
    let groups = 0
    const started = { calls: 0, model: new Array<ScriptedModel>() }
    const store = storeThat(async (appends, write) => {
      groups += 1
      const calls = started.model[0]?.calls.length ?? 0
      await everythingElse()
      // A model call that starts meanwhile would rest on what is not written.
      expect(started.model[0]?.calls.length ?? 0).toBe(calls)
      const outcomes = await write()
      await everythingElse()
      expect(appends.length).toBe(1)
      return outcomes
    })
    const scene = await open(store)
    started.model.push(scene.model)
    await converse(scene)
    expect(groups).toBeGreaterThanOrEqual(9)
    expect(scene.host.errors).toEqual([])
  },
)

test('durable-first: answers that name an event wait for it', { timeout: 120_000 }, async () => {
  const scene = await open(
    storeThat(async (_, write) => {
      await everythingElse()
      return write()
    }),
  )
  const player = new Player(scene, nothing)
  await player.play(scene.host.address, 'open')
  player.drop()
  const { sessionId } = player.memory
  if (sessionId === null) throw new Error('there is no session')
  const client = await Client.connect(scene.host.address, scene.changes)
  const view = await client.open(sessionId)
  await scene.changes.until(() => view.status, 'the baseline')
  const surfaceId = /"surfaceId":"([^"]+)"/.exec(JSON.stringify(view.projections.get('taskSurface')))?.[1]
  const dismiss = { sessionId, surfaceId, dismissalId: 'd1' }
  // Twice at once: one event, one answer for both.
  const answers = await Promise.all([1, 2].map(() => client.call('taskSurface.dismiss', dismiss)))
  const [first] = answers
  if (first?.dismissed !== true) throw new Error(JSON.stringify(first))
  expect(answers).toEqual([first, first])
  expect(first.eventSeq).toBeLessThanOrEqual(scene.host.durableSeq(sessionId))
  await client.call('session.rename', { sessionId, title: 'Another' })
  const toSeq = view.eventsOf('turn/end')[0]?.seq
  const { lastSeq } = await client.call('session.rewind', { sessionId, toSeq })
  expect(lastSeq).toBe(scene.host.durableSeq(sessionId))
  client.drop()
  expect(scene.host.early).toEqual([])
})

const fates: Record<string, WriteGroup> = {
  'cannot be reached': async (appends) => appends.map(() => ({ kind: 'unavailable', cause: new Error('no disk') })),
  'ends unknown, nothing written': async (appends) =>
    appends.map(() => ({ kind: 'unknown', cause: new Error('lost') })),
  'ends unknown, and was written': async (appends, write) => {
    await write()
    return appends.map(() => ({ kind: 'unknown', cause: new Error('lost') }))
  },
  'lost its ownership': async (appends) => appends.map(() => ({ kind: 'refused', why: 'owner' })),
}

test.for(Object.keys(fates))(
  'write-fails: whichever write of a conversation %s, it goes on from the log and ends in one message',
  { timeout: 120_000 },
  async (fate) => {
    const failing = fates[fate]
    if (failing === undefined) throw new Error('no such fate')
    let failed = true
    for (let at = 1; failed; at += 1) {
      failed = false
      let groups = 0
      const scene = await open(
        storeThat((appends, write) => {
          groups += 1
          if (groups !== at) return write()
          failed = true
          return failing(appends, write)
        }),
      )
      await converse(scene).catch((cause: unknown) => {
        const why = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
        throw new Error(`write ${at}: ${why}\n${scene.host.errors.join('\n')}`, { cause })
      })
    }
  },
)

test(
  'store-away: while the store is away sessions answer −32010; when it is back every watcher is told by itself',
  { timeout: 120_000 },
  async () => {
    const store = createMemoryStore()
    let isAway = false
    let loseNext = false
    const away = () => new LogError('unavailable', 'the store is being reopened')
    const scene = await open({
      ...store,
      async appendGroup(appends, options) {
        if (isAway) return appends.map(() => ({ kind: 'unavailable', cause: away() }))
        const outcomes = await store.appendGroup(appends, options)
        if (!loseNext) return outcomes
        loseNext = false
        isAway = true
        return appends.map(() => ({ kind: 'unknown', cause: new Error('lost') }))
      },
      acquire: async (...call) => (isAway ? { kind: 'unavailable', cause: away() } : store.acquire(...call)),
      read: async (...call) => (isAway ? Promise.reject(away()) : store.read(...call)),
      lookup: async (...call) => (isAway ? Promise.reject(away()) : store.lookup(...call)),
      checkpoint: async (...call) => (isAway ? Promise.reject(away()) : store.checkpoint(...call)),
      header: async (...call) => (isAway ? Promise.reject(away()) : store.header(...call)),
    })
    const player = new Player(scene, nothing)
    await player.play(scene.host.address, 'open')
    player.drop()
    const { sessionId } = player.memory
    if (sessionId === null) throw new Error('there is no session')
    const [client, watcher] = [
      await Client.connect(scene.host.address, scene.changes),
      await Client.connect(scene.host.address, scene.changes),
    ]
    const views = [await client.open(sessionId), await watcher.open(sessionId)]
    await scene.changes.until(() => views.every(({ status }) => status !== null), 'the baselines')
    const surfaceId = /"surfaceId":"([^"]+)"/.exec(JSON.stringify(views[0]?.projections.get('taskSurface')))?.[1]
    const submit = { sessionId, surfaceId, ...submission }
    loseNext = true
    const accepted = await client.call('taskSurface.submit', submit)
    await scene.changes.until(() => views.every(({ discarded }) => discarded.length === 1), 'the discarded submission')
    for (const view of views) expect(view.discarded[0]).toMatchObject({ reason: 'error', text: null })
    const asked = [
      client.ask('session.open', { sessionId }),
      client.ask('taskSurface.getActive', { sessionId, surfaceId }),
      client.ask('taskSurface.submit', submit),
      client.ask('session.send', { sessionId, messageId: 'm9', text: 'hello' }),
      client.ask('session.history', { sessionId }),
    ]
    for (const reply of await Promise.all(asked)) expect(reply).toMatchObject({ ok: false, error: { code: -32010 } })
    expect(views.map(({ renewals }) => renewals)).toEqual([0, 0])

    isAway = false
    // Nobody asks anything: the host tells them.
    await scene.changes.until(
      () => views.every(({ renewals, status }) => renewals === 1 && status !== null),
      'the renewal',
    )
    const again = await client.open(sessionId)
    // The write that was lost sight of had been written.
    expect(again.eventsOf('user/message').at(-1)?.data.message.id).toBe(accepted.accepted ? accepted.messageId : null)
    expect(await client.call('taskSurface.submit', submit)).toEqual(accepted)
    expect(await client.call('taskSurface.getActive', { sessionId, surfaceId })).toEqual({
      active: false,
      reason: 'not-open',
    })
    client.drop()
    watcher.drop()
  },
)

test('barrier: an interrupt while the answer is written leaves no call without its result', async () => {
  let whileWriting = async () => {}
  const scene = await open(
    storeThat(async (appends, write) => {
      if (appends.some(({ bodies }) => bodies.some((body) => body.includes('"type":"assistant/message"'))))
        await whileWriting()
      return write()
    }),
  )
  const client = await Client.connect(scene.host.address, scene.changes)
  const { session } = await client.call('session.create', { agent: scriptedAgent })
  const { id: sessionId } = session
  const view = await client.open(sessionId)
  whileWriting = async () => {
    await client.call('session.interrupt', { sessionId })
  }
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'Go.' })
  const call = await scene.changes.until(() => scene.model.calls[0], 'a model call')
  const questions = [{ id: 'q', question: 'Which?' }]
  call.answerCalls([1, 2].map(() => ({ name: 'ask_user_question', arguments: { questions } })))
  const end = await scene.changes.until(() => view.eventsOf('turn/end')[0], 'the end of the turn')
  expect(end.data.reason).toBe('aborted')
  expect(view.eventsOf('tool/result').map(({ data }) => data.error?.code)).toEqual(['INTERRUPTED', 'INTERRUPTED'])
  expect((await client.call('data.verify', { sessionId })).broken).toEqual([])
  client.drop()
})
