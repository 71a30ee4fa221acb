/* Removing a session of a real host (SPEC 2): whatever belongs to it goes, and the removal always ends. */
import { expect, onTestFinished, test } from 'vitest'
import { createMemoryStore } from '../../host/log/memory-store.ts'
import { Changes } from '../harness/changes.ts'
import { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'
import { startInProcessHost } from '../harness/in-process-host.ts'

async function openParent() {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  const view = await client.open(sessionId)
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'delegate' })
  return { stage, client, sessionId, view, call: await stage.call('delegate') }
}

const delegation = (background: boolean) => ({
  name: 'subagent',
  arguments: { prompt: 'the work', description: 'A piece of work', run_in_background: background },
})

test.each([
  { mode: 'background', background: true },
  { mode: 'foreground', background: false },
])(
  '2 remove: a session goes with its $mode subagent, whose work is cut',
  { timeout: 120_000 },
  async ({ background }) => {
    const { stage, client, sessionId, call } = await openParent()
    call.answerCalls([delegation(background)])
    const child = await stage.call('the work')
    expect((await client.call('session.list', {})).sessions.map(({ id }) => id)).toHaveLength(2)
    await client.call('session.remove', { sessionId })
    expect((await client.call('session.list', {})).sessions).toEqual([])
    await stage.until(() => !child.isParked, 'the end of the subagent’s model call')
  },
)

test('2 remove: a session goes with what waits in it, and is unknown afterwards', { timeout: 120_000 }, async () => {
  const { client, sessionId } = await openParent()
  await client.call('session.send', { sessionId, messageId: 'm2', text: 'waits' })
  await client.call('session.remove', { sessionId })
  expect(await client.ask('session.remove', { sessionId })).toMatchObject({ ok: false, error: { code: -32004 } })
})

test('2 remove: an opening that the removal overtakes finds nothing, and no frame follows host/session-removed', async () => {
  const changes = new Changes()
  const bare = createMemoryStore()
  let hold: Promise<void> | null = null
  let isHeld = false
  const store: typeof bare = {
    ...bare,
    // The page of the opening, its last read, is read in time and answered late.
    read: async (sessionId, range, options) => {
      const page = await bare.read(sessionId, range, options)
      const held = range.direction === 'backward' ? hold : null
      if (held !== null) hold = null
      isHeld ||= held !== null
      changes.notify()
      await held
      return page
    },
  }
  const host = await startInProcessHost(store, 'http://127.0.0.1:9/v1')
  onTestFinished(() => host.close())
  const [client, other] = [
    await Client.connect(host.address, changes),
    await Client.connect(host.address, changes),
  ] as const
  const { id: sessionId } = (await client.call('session.create', { agent: 'demo' })).session
  let letGo = () => {}
  hold = new Promise((resolve) => (letGo = resolve))
  const opening = other.ask('session.open', { sessionId })
  await other.until(() => isHeld, 'the page being read')
  await client.call('session.remove', { sessionId })
  await other.until(() => other.frames.some(({ type }) => type === 'host/session-removed'), 'host/session-removed')
  letGo()
  expect(await opening).toMatchObject({ ok: false, error: { code: -32004 } })
  await other.call('session.list', {})
  expect(other.frames.at(-1)?.type).toBe('host/session-removed')
})
