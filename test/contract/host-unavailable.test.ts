/* A session whose agent cannot answer (SPEC 4, 11): what waits is refused at its admission with the reason, its text goes
   back to the person, and once the agent is there again the next message runs. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { HostStage } from '../harness/host-stage.ts'
import { scriptedAgent } from '../harness/scripted-model.ts'

const timeout = 40_000

async function open(options: { agent?: string; cwd?: string } = {}) {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { session } = await client.call('session.create', { agent: scriptedAgent, ...options })
  const view = await client.open(session.id)
  const send = (messageId: string) =>
    client.call('session.send', { sessionId: session.id, messageId, text: `Text of ${messageId}` })
  return { stage, client, sessionId: session.id, view, send }
}

test(
  'unavailable: messages behind a turn whose folder goes come back, and the next one runs',
  { timeout },
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'task-surface-unavailable-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const cwd = join(root, 'work')
    mkdirSync(cwd)
    const { stage, view, send } = await open({ cwd })
    await send('m1')
    const running = await stage.call('Text of m1')
    for (const messageId of ['m2', 'm3']) expect(await send(messageId)).toEqual({ messageId, placement: 'queued' })
    expect(view.queue).toHaveLength(2)
    rmSync(cwd, { recursive: true })
    running.answerText('Done.')
    await stage.until(() => view.discarded.length === 2 && view.queue.length === 0, 'both come back')
    expect(view.discarded.map(({ messageId, reason, text }) => [messageId, reason, text])).toEqual([
      ['m2', 'rejected', 'Text of m2'],
      ['m3', 'rejected', 'Text of m3'],
    ])
    for (const { why } of view.discarded) expect(why).toContain(cwd)
    // Nothing of them is in the log, and no turn began.
    expect(view.eventsOf('user/message').map(({ data }) => data.message.id)).toEqual(['m1'])
    expect(view.eventsOf('turn/start')).toHaveLength(1)
    expect(view.status?.status).toBe('idle')
    mkdirSync(cwd)
    await send('m4')
    ;(await stage.call('Text of m4')).answerText('Here again.')
    await stage.until(() => view.eventsOf('turn/end')[1], 'the end of the next turn')
  },
)

test(
  'unavailable: an agent without its key says so at each message; another agent then runs',
  { timeout },
  async () => {
    const { stage, client, sessionId, view, send } = await open({ agent: 'deepseek/deepseek-chat' })
    await send('m1')
    const first = await stage.until(() => view.discarded[0], 'the text comes back')
    expect(first).toMatchObject({ messageId: 'm1', reason: 'rejected', text: 'Text of m1' })
    expect(first.why).toContain('DEEPSEEK_API_KEY')
    // A discarded id is used up: what the composer offers again is a message of its own.
    expect(await client.ask('session.send', { sessionId, messageId: 'm1', text: 'Text of m1' })).toMatchObject({
      ok: false,
      error: { code: -32009, data: { code: 'stale' } },
    })
    await client.call('session.configure', { sessionId, agent: scriptedAgent })
    await send('m2')
    ;(await stage.call('Text of m2')).answerText('I am here.')
    await stage.until(() => view.eventsOf('turn/end')[0], 'the end of the turn')
    expect(view.eventsOf('user/message').map(({ data }) => data.message.id)).toEqual(['m2'])
  },
)
