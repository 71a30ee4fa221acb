/* Turns against a real host (SPEC 4, 5): what models and people do to them. The model is scripted, the wire is real. */
import { expect, test } from 'vitest'
import type { EventOf } from '../../shared/event.ts'
import type { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'
import { surfaceModels } from '../harness/sequence-cases.ts'
import type { SessionView } from '../harness/session-view.ts'

const show = { name: 'show_task_surface', arguments: { model: surfaceModels()['host:S1'] } }
const values = { name: 'Ada', ship: true }

interface Scene {
  stage: HostStage
  client: Client
  sessionId: string
  view: SessionView
  send(messageId: string, text?: string, placement?: 'queued' | 'steering'): Promise<void>
  /** Waits for the n-th `turn/end` and the idle status behind it. */
  ended(turns: number): Promise<EventOf<'turn/end'>>
}

async function open(): Promise<Scene> {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  const view = await client.open(sessionId)
  return {
    stage,
    client,
    sessionId,
    view,
    async send(messageId, text = messageId, placement = 'queued') {
      await client.call('session.send', { sessionId, messageId, text, placement })
    },
    ended: (turns) =>
      stage.until(
        () => (view.status?.status === 'idle' ? view.eventsOf('turn/end')[turns - 1] : null),
        () => `the end of turn ${turns}; events ${JSON.stringify(view.events.slice(-3)).slice(0, 2000)}`,
      ),
  }
}

const textOf = (view: SessionView): string =>
  view
    .eventsOf('assistant/message')
    .flatMap(({ data }) => data.message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('')

test(
  'retry: 429, 5xx, a dropped connection and a cut stream are tried again, visibly; the text is there once',
  { timeout: 120_000 },
  async () => {
    const { stage, client, view, send, ended } = await open()
    await send('m1')
    ;(await stage.call('m1')).answerError(429, 'too many requests')
    ;(await stage.call('m1')).answerError(503, 'overloaded')
    const cut = (await stage.call('m1')).stream()
    cut.text('The first half')
    await stage.until(() => [...view.streams.values()].some(({ text }) => text === 'The first half'), 'the first half')
    cut.cut()
    ;(await stage.call('m1')).answerText('The whole answer.')
    expect((await ended(1)).data).toEqual({ turn: 1, reason: 'completed' })
    expect(textOf(view)).toBe('The whole answer.')
    const retries = client.frames.flatMap((frame) =>
      frame.type === 'session/status' && frame.retry !== undefined ? [frame.retry] : [],
    )
    expect(retries.map(({ attempt }) => attempt)).toEqual([2, 3, 4])
    // Whoever waits is told when the waiting is over.
    const told = client.frames.flatMap((frame) =>
      frame.type === 'session/status' && frame.incarnation !== undefined ? [frame.retry?.attempt ?? frame.status] : [],
    )
    expect(told).toEqual(['running', 2, 'running', 3, 'running', 4, 'running', 'idle'])
    for (const { waitMs, why } of retries) {
      expect(waitMs).toBeGreaterThan(0)
      expect(why.length).toBeGreaterThan(10)
    }
  },
)

test('failure: a refused call ends the turn with words and without a secret; the next message runs', async () => {
  const { stage, view, send, ended } = await open()
  await send('m1')
  ;(await stage.call('m1')).answerError(401, 'bad key no-key')
  const { data } = await ended(1)
  expect(data.reason).toBe('error')
  expect(data.error?.length).toBeGreaterThan(10)
  expect(JSON.stringify(view.events)).not.toContain('no-key')
  await send('m2')
  ;(await stage.call('m2')).answerText('Fine.')
  expect((await ended(2)).data.reason).toBe('completed')
})

test('stop-reasons: a length stop keeps the text and runs no call; a filter blocks', async () => {
  const { stage, view, send, ended } = await open()
  await send('m1')
  const long = (await stage.call('m1')).stream()
  long.text('Up to here')
  long.finish('length')
  expect((await ended(1)).data.reason).toBe('max-tokens')
  expect(textOf(view)).toBe('Up to here')
  await send('m2')
  ;(await stage.call('m2')).stream().finish('content_filter')
  expect((await ended(2)).data.reason).toBe('blocked')
})

test('tool-errors: unknown tools and invalid input are results that the model reads', async () => {
  const { stage, view, send, ended } = await open()
  await send('m1')
  ;(await stage.call('m1')).answerCalls([
    { name: 'no_such_tool', arguments: {} },
    { name: 'show_task_surface', arguments: '{"model": ' },
    { name: 'show_task_surface', arguments: { model: { version: 1 }, extra: 1 } },
  ])
  const next = await stage.until(
    () => stage.model.calls.find((call) => call.isParked && call.messages.at(-1)?.role === 'tool'),
    'the call behind the results',
  )
  const results = view.eventsOf('tool/result').map(({ data }) => data)
  expect(results.map(({ isError, error }) => [isError, error?.code])).toEqual([
    [true, 'UNKNOWN_TOOL'],
    [true, 'INVALID_MODEL'],
    [true, 'INVALID_MODEL'],
  ])
  const read = next.messages.filter(({ role }) => role === 'tool').map(({ text }) => text)
  expect(read).toEqual(results.map(({ content }) => content[0]?.text))
  next.answerText('I see.')
  expect((await ended(1)).data.reason).toBe('completed')
})

test('interrupt: keeps what was said, ends the turn as aborted, leaves the queue, and the next row runs', async () => {
  const { stage, client, sessionId, view, send, ended } = await open()
  await send('m1')
  await send('m2')
  const call = await stage.call('m1')
  call.stream().text('Half of ')
  await stage.until(() => view.streams.size > 0, 'the streamed text')
  await client.call('session.interrupt', { sessionId })
  await stage.until(() => call.isAbandoned, 'the host to leave the call')
  ;(await stage.call('m2')).answerText('Second.')
  await ended(2)
  const [first, second] = view.eventsOf('assistant/message').map(({ data }) => data)
  expect(first).toMatchObject({ interrupted: true, message: { content: [{ type: 'text', text: 'Half of ' }] } })
  expect(second?.interrupted).toBeUndefined()
  expect(view.eventsOf('turn/end').map(({ data }) => data.reason)).toEqual(['aborted', 'completed'])
})

test('interrupt: in the wait before a retry ends the turn at once', async () => {
  const { stage, client, sessionId, view, send, ended } = await open()
  await send('m1')
  ;(await stage.call('m1')).answerError(503, 'overloaded')
  await stage.until(() => view.status?.retry, 'the wait')
  await client.call('session.interrupt', { sessionId })
  expect((await ended(1)).data.reason).toBe('aborted')
  expect(stage.model.calls.filter((call) => call.isParked)).toEqual([])
  // Interrupting what does not run is fine.
  expect(await client.call('session.interrupt', { sessionId })).toEqual({})
})

test('interrupt: a question that waits is withdrawn', async () => {
  const { stage, client, sessionId, view, send, ended } = await open()
  await send('m1')
  const questions = [{ id: 'q', question: 'Which?' }]
  ;(await stage.call('m1')).answerCalls([{ name: 'ask_user_question', arguments: { questions } }])
  const { questionId } = await stage.until(() => [...view.questions.values()][0], 'the question')
  await client.call('session.interrupt', { sessionId })
  expect((await ended(1)).data.reason).toBe('aborted')
  expect(view.questions.size).toBe(0)
  expect(view.eventsOf('tool/result')).toHaveLength(1)
  const answers = [{ id: 'q', selected: [], custom: 'late' }]
  expect(await client.call('question.answer', { sessionId, questionId, answers })).toEqual({
    accepted: false,
    reason: 'not-pending',
  })
})

test('large-answer: an answer without end is cut like one at the limit of its model, and the session goes on', async () => {
  const { stage, view, send, ended } = await open()
  await send('m1')
  const call = await stage.call('m1')
  const answer = call.stream()
  // Control characters are the worst case of an event and of a frame.
  const piece = '\u0001'.repeat(256 * 1024)
  for (let part = 0; part < 8; part += 1) answer.text(piece)
  expect((await ended(1)).data.reason).toBe('max-tokens')
  await stage.until(() => call.isAbandoned, 'the host to leave the call')
  const text = textOf(view)
  expect(text.length).toBeGreaterThan(piece.length)
  expect(text).toBe(piece.repeat(8).slice(0, text.length))
  await send('m2')
  ;(await stage.call('m2')).answerText('Fine.')
  expect((await ended(2)).data.reason).toBe('completed')
})

test('ids: a message id and a submission id are different things, the same text or not', async () => {
  const { stage, client, sessionId, view, send, ended } = await open()
  await send('m1')
  const call = await stage.call('m1')
  await send('same')
  const row = await stage.until(() => view.queue[0], 'the row')
  await client.call('session.updateQueue', { sessionId, itemId: row.id, action: { kind: 'remove' } })
  call.answerCalls([show])
  await ended(1)
  const surfaceId = surfaceOf(view)
  const submit = { sessionId, surfaceId, submissionId: 'same', values }
  expect(await client.call('taskSurface.submit', submit)).toMatchObject({ accepted: true })
  const reply = await client.ask('session.send', { sessionId, messageId: 'same', text: 'same' })
  expect(reply).toMatchObject({ ok: false, error: { code: -32009, data: { code: 'stale' } } })
})

test('queue-bound: a full queue refuses with words and locks nothing', { timeout: 120_000 }, async () => {
  const { stage, client, sessionId, view, send, ended } = await open()
  await send('m1')
  const first = await stage.call('m1')
  await send('steer', 'steer', 'steering')
  first.answerCalls([show])
  const last = await stage.call('steer')
  const surfaceId = surfaceOf(view)
  const large = 'z'.repeat(199_990)
  let sent = 0
  let refusal: unknown = null
  while (refusal === null && sent < 200) {
    const reply = await client.ask('session.send', { sessionId, messageId: `large${sent}`, text: `${sent}${large}` })
    if (reply.ok) sent += 1
    else refusal = reply.error
  }
  expect(refusal).toMatchObject({ code: -32009, data: { code: 'queue-full' } })
  // What fits still fits; a frame of the whole queue stays far below what closes a socket.
  expect(JSON.stringify(view.queue).length).toBeLessThan(8 * 1024 * 1024)
  const filled = await client.ask('session.send', { sessionId, messageId: 'small', text: 'small' })
  expect(filled.ok).toBe(true)
  const row = view.queue.find(({ messageId }) => messageId === 'small')
  const edit = { sessionId, itemId: row?.id, action: { kind: 'edit', text: large } }
  expect(await client.ask('session.updateQueue', edit)).toMatchObject({ error: { data: { code: 'queue-full' } } })

  const note = 'n'.repeat(31_000)
  let answer = await client.ask('taskSurface.submit', { sessionId, surfaceId, submissionId: 'q1', values, note })
  if (!answer.ok) {
    const active = await client.call('taskSurface.getActive', { sessionId, surfaceId })
    expect(active).toMatchObject({ active: true, pending: null })
    const itemId = view.queue[0]?.id
    await client.call('session.updateQueue', { sessionId, itemId, action: { kind: 'remove' } })
    answer = await client.ask('taskSurface.submit', { sessionId, surfaceId, submissionId: 'q1', values, note })
  }
  expect(answer).toMatchObject({ ok: true, result: { accepted: true } })
  await client.call('session.rename', { sessionId, title: 'Still here' })
  last.answerText('Done.')
  await stage.until(() => view.eventsOf('turn/start').length === 2, 'the next turn')
  await client.call('session.remove', { sessionId })
  void ended
})

function surfaceOf(view: SessionView): string {
  const active = view.projections.get('taskSurface')?.value
  const found = /"surfaceId":"([^"]+)"/.exec(JSON.stringify(active))?.[1]
  if (found === undefined) throw new Error('no surface is open')
  return found
}

test('text: half a character never reaches a model, and sending the same again is the same message', async () => {
  const { stage, client, sessionId, view, ended } = await open()
  const send = () => client.call('session.send', { sessionId, messageId: 'm1', text: 'half \ud83d and whole 😀' })
  await send()
  await send()
  ;(await stage.call('half \uFFFD and whole 😀')).answerText('done')
  await ended(1)
  await send()
  expect(view.eventsOf('user/message')).toHaveLength(1)
})

test('11 agents: a host told to use an agent that nobody knows says so and ends', async () => {
  const stage = await HostStage.open()
  await stage.host.kill('SIGTERM')
  const { code, stderr } = await stage.folder.startToEnd({ TASK_SURFACE_AGENT: 'nope' })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^task-surface: there is no agent named nope[^\n]*\n$/)
  // Its folder is free again.
  await stage.start({ TASK_SURFACE_AGENT: 'demo' })
})
