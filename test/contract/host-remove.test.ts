/* Removing a session of a real host (SPEC 2): whatever belongs to it goes, and the removal always ends. */
import { expect, test } from 'vitest'
import { HostStage } from '../harness/host-stage.ts'

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
  { timeout: 40_000 },
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

test('2 remove: a session goes with what waits in it, and is unknown afterwards', { timeout: 40_000 }, async () => {
  const { client, sessionId } = await openParent()
  await client.call('session.send', { sessionId, messageId: 'm2', text: 'waits' })
  await client.call('session.remove', { sessionId })
  expect(await client.ask('session.remove', { sessionId })).toMatchObject({ ok: false, error: { code: -32004 } })
})
