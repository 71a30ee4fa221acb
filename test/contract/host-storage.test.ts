/* A host whose disk takes nothing more, and a folder that cannot be written (SPEC 2): people are told in words, nothing is
   half there, nothing that was written is lost, and once there is room every session goes on. A limit on the size of
   files stands for the disk: it is put on the running process and taken away again. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { HostFolder } from '../harness/host-process.ts'
import { HostStage } from '../harness/host-stage.ts'

/** Of the soft limit: the hard one stays, so that it can be taken away. */
function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
}

test('storage: on a full disk nothing is half done, everything is told, and with room all sessions go on', async () => {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const sessions = await Promise.all(['first', 'second'].map(() => stage.createSession(client)))
  const views = await Promise.all(sessions.map(({ id }) => client.open(id)))
  const [view] = views
  const [sessionId = ''] = sessions.map(({ id }) => id)
  if (view === undefined) throw new Error('there is no session')
  const { pid } = stage.host.ready
  limitFiles(pid, 0)
  // What must be written before it is answered says so; what waits for its turn comes back to the person.
  const renamed = await client.ask('session.rename', { sessionId, title: 'New' })
  expect(renamed).toMatchObject({ ok: false, error: { code: -32010, message: expect.stringMatching(/\w+ \w+/) } })
  const sent = await client.ask('session.send', { sessionId, messageId: 'm1', text: 'Do not lose me.' })
  if (sent.ok) {
    const back = () => client.frames.find((frame) => frame.type === 'session/discarded')
    expect(await stage.until(back, 'the text comes back')).toMatchObject({ messageId: 'm1', text: 'Do not lose me.' })
  } else expect(sent.error.code).toBe(-32010)
  expect(await client.ask('session.create', {})).toMatchObject({ ok: false, error: { code: -32010 } })
  expect(stage.host.isRunning).toBe(true)

  // Continuity is broken: whoever watched opens again.
  client.drop()
  limitFiles(pid, 'unlimited')
  const after = await stage.connect()
  for (const { id } of sessions) {
    const opened = await stage.retried(() => after.ask('session.open', { sessionId: id }), 'the session is there again')
    expect(opened.events.map(({ type }) => type)).toEqual(['session/created'])
    const text = `after in ${id}`
    await stage.retried(() => after.ask('session.send', { sessionId: id, messageId: 'm2', text }), 'a message is taken')
    ;(await stage.call(text)).answerText('Here.')
    await stage.until(() => after.view(id).eventsOf('turn/end')[0], 'the end of the turn')
    expect((await after.call('data.verify', { sessionId: id })).broken).toEqual([])
  }
  expect((await after.call('session.list', {})).sessions.map(({ id }) => id).toSorted()).toEqual(
    sessions.map(({ id }) => id).toSorted(),
  )
})

test.each([
  { what: 'below a file', path: '/proc/self/status/data' },
  { what: 'that is a file', path: '/proc/self/status' },
])('storage: a data folder $what is said in one line, and the host ends', async ({ path }) => {
  const folder = new HostFolder({}, undefined, undefined, path)
  try {
    const exit = await folder.startToEnd()
    expect(exit).toMatchObject({ code: 1, signal: null })
    expect(exit.stderr).toMatch(/^task-surface: the data folder \/proc\/\S+ cannot be used: .+\n$/)
  } finally {
    await folder.remove()
  }
})
