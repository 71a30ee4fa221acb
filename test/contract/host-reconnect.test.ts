/* SPEC 8 over a real host: whoever opens a session, whenever and however often, sees one contiguous log and the state of
   the moment. Each view checks incarnation, `n`, `seq` and stream offsets on every frame by itself. */
import { expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'
import type { ModelCall } from '../harness/scripted-model.ts'
import { surfaceModels } from '../harness/sequence-cases.ts'
import type { SessionView } from '../harness/session-view.ts'

const models = surfaceModels()
const show = { name: 'show_task_surface', arguments: { model: models['host:S1'] } }
/** Where in a baseline the values end: one frame per projection. */
const projectionKeys = ['subagents', 'taskSurface', 'taskSurfaceOutcomes', 'title', 'usage']

/** A stage with one session that is open on one socket. */
async function openSession(): Promise<{ stage: HostStage; client: Client; sessionId: string; view: SessionView }> {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  return { stage, client, sessionId, view: await client.open(sessionId) }
}

/** The same pseudo-random numbers in every run, below `bound`. */
function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const idle = (view: SessionView) => view.status?.status === 'idle'

test(
  'open-join: sockets that open, drop and open again while turns stream all converge on the log',
  { timeout: 120_000 },
  async () => {
    const { stage, client, sessionId, view } = await openSession()
    let isOver = false
    const opened: SessionView[] = []

    /** Opens sessions at moments that depend on how many frames have come, until the turns are over. */
    const follow = async (seed: number): Promise<void> => {
      const number = numbers(seed)
      let socket = await stage.connect()
      while (!isOver) {
        const own = await socket.open(sessionId, 1 + number(5))
        opened.push(own)
        const until = socket.frames.length + number(25)
        await stage.until(() => isOver || socket.frames.length >= until, 'further frames')
        if (number(3) === 0) {
          socket.drop()
          socket = await stage.connect()
        } else if (number(2) === 0) await socket.call('session.close', { sessionId })
      }
      await socket.open(sessionId)
      opened.push(socket.view(sessionId))
    }

    const stream = async (call: ModelCall, number: (bound: number) => number): Promise<void> => {
      const answer = call.stream()
      for (let piece = 0; piece < 60; piece += 1) {
        if (number(4) === 0) answer.reasoning(`thought ${piece}, `)
        else answer.text(`piece ${piece} 😀, `)
        // The next piece leaves once the host has shown this one, so that openings fall between pieces.
        const { n } = view
        if (piece % 3 === 0) await stage.until(() => view.n > n, 'the piece to be shown')
      }
      answer.finish('stop')
    }

    const followers = [1, 2, 3, 4].map(follow)
    const number = numbers(99)
    for (let turn = 1; turn <= 5; turn += 1) {
      await client.call('session.send', { sessionId, messageId: `m${turn}`, text: `message ${turn}` })
      await stream(await stage.call(`message ${turn}`), number)
      await stage.until(() => view.eventsOf('turn/end').length === turn && idle(view), `the end of turn ${turn}`)
    }
    isOver = true
    stage.changes.notify()
    await Promise.all(followers)

    const { events } = await client.call('session.history', { sessionId, limit: 500 })
    expect(view.events).toEqual(events)
    expect(opened.length).toBeGreaterThan(20)
    for (const { events: seen, lastSeq } of opened) {
      // Whatever it opened with and followed is one stretch of the log without a gap.
      expect(seen).toEqual(events.filter(({ seq }) => seq >= (seen[0]?.seq ?? 0) && seq <= lastSeq))
      expect(seen.at(-1)?.seq).toBe(lastSeq)
    }
  },
)

test('open-baseline: a socket that opens in the middle of an answer gets its snapshot, then the rest', async () => {
  const { stage, client, sessionId, view } = await openSession()
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'first' })
  const answer = (await stage.call('first')).stream()
  answer.reasoning('Let me think. ')
  answer.text('Half of ')
  await stage.until(() => [...view.streams.values()].some(({ text }) => text === 'Half of '), 'the streamed text')
  await client.call('session.send', { sessionId, messageId: 'm2', text: 'second' })

  const late = await (await stage.connect()).open(sessionId)
  await stage.until(() => late.queue.length === 1, 'the queue of the baseline')
  const { messageId, step } = { messageId: [...view.streams.keys()][0], step: 0 }
  const at = { sessionId, turn: 1, step, messageId, offset: 0 }
  expect(late.baseline).toEqual([
    ...[...view.projections.keys()].map((key) =>
      expect.objectContaining({ type: 'session/projection', key, seq: late.lastSeq }),
    ),
    { type: 'session/status', sessionId, status: 'running', turn: 1 },
    { type: 'session/stream', ...at, part: 'reasoning', text: 'Let me think. ' },
    { type: 'session/stream', ...at, part: 'text', text: 'Half of ' },
    { type: 'session/queue', sessionId, items: view.queue },
  ])
  expect([...late.projections.keys()].sort()).toEqual(projectionKeys)
  for (const [key, value] of view.projections) expect(late.projections.get(key)?.value).toEqual(value.value)

  answer.text('it.')
  answer.finish('stop')
  ;(await stage.call('second')).answerText('Also done.')
  // Two sockets: what one has seen, the other may see a moment later.
  const over = () => late.eventsOf('turn/end').length === 2 && idle(late) && idle(view) && late.n === view.n
  await stage.until(over, () => `both turns; n ${late.n} and ${view.n}`)
  expect(late.events).toEqual(view.events)
})

test('open-baseline: a pending question and a pending submission are told, and gone when they are over', async () => {
  const { stage, client, sessionId, view } = await openSession()
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'first' })
  const asking = await stage.call('first')
  await client.call('session.send', { sessionId, messageId: 's1', text: 'steer', placement: 'steering' })
  asking.answerCalls([show])
  const question = { id: 'q', question: 'Which?', options: [{ label: 'This' }, { label: 'That' }] }
  ;(await stage.call('steer')).answerCalls([{ name: 'ask_user_question', arguments: { questions: [question] } }])
  const asked = await stage.until(() => [...view.questions.values()][0], 'the question')
  const surfaceId = await stage.until(
    () =>
      view.eventsOf('tool/result').flatMap(({ data }) => (data.meta === undefined ? [] : [surfaceOf(data.meta)]))[0],
    'the surface',
  )
  const values = { name: 'Ada', ship: true }
  await client.call('taskSurface.submit', { sessionId, surfaceId, submissionId: 'q1', values })

  const late = await (await stage.connect()).open(sessionId)
  await stage.until(() => late.queue.length === 1, 'the queue of the baseline')
  const push = view.pushes.at(-1)
  expect(late.baseline.slice(projectionKeys.length)).toEqual([
    { type: 'session/status', sessionId, status: 'running', turn: 1 },
    {
      type: 'question/requested',
      sessionId,
      questionId: asked.questionId,
      callId: asked.callId,
      questions: [question],
    },
    { type: 'session/task-surface', sessionId, surfaceId, pending: push?.pending },
    { type: 'session/queue', sessionId, items: view.queue },
  ])
  expect(push?.pending).toMatchObject({ submissionId: 'q1', phase: 'queued' })

  const { questionId } = asked
  const answers = [{ id: 'q', selected: ['This'] }]
  expect(await client.call('question.answer', { sessionId, questionId, answers })).toEqual({ accepted: true })
  expect(await client.call('question.answer', { sessionId, questionId, answers })).toEqual({
    accepted: false,
    reason: 'not-pending',
  })
  await stage.until(() => late.eventsOf('turn/start').length === 2, 'the turn of the submission')
  expect(late.questions.size).toBe(0)
  const later = await (await stage.connect()).open(sessionId)
  await stage.until(() => later.status !== null, 'the baseline')
  expect(later.baseline.slice(projectionKeys.length)).toEqual([
    { type: 'session/status', sessionId, status: 'running', turn: 2 },
  ])
})

test('open-twice: opening again on the same socket delivers nothing twice', async () => {
  const { stage, client, sessionId } = await openSession()
  for (let times = 0; times < 3; times += 1) await client.open(sessionId)
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'first' })
  ;(await stage.call('first')).answerText('Done.')
  const view = client.view(sessionId)
  await stage.until(() => view.eventsOf('turn/end').length === 1 && idle(view), 'the end of the turn')
})

test('close: a socket that closed the session hears nothing of it and misses nothing when it opens again', async () => {
  const { stage, client, sessionId } = await openSession()
  const quiet = await stage.connect()
  await quiet.open(sessionId)
  await quiet.call('session.close', { sessionId })
  // Closing twice, and what was never open, is fine.
  await quiet.call('session.close', { sessionId })
  const heard = quiet.frames.filter(({ type }) => !type.startsWith('host/')).length
  const view = client.view(sessionId)
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'first' })
  ;(await stage.call('first')).answerText('Done.')
  await stage.until(() => view.eventsOf('turn/end').length === 1 && idle(view), 'the end of the turn')
  await quiet.call('host.describe', {})
  expect(quiet.frames.filter(({ type }) => !type.startsWith('host/'))).toHaveLength(heard)
  expect((await quiet.open(sessionId)).events).toEqual(view.events)
})

test('open-post: over POST the answer comes without a subscription', async () => {
  const { stage, client, sessionId, view } = await openSession()
  await client.call('session.send', { sessionId, messageId: 'm1', text: 'first' })
  ;(await stage.call('first')).answerText('Done.')
  await stage.until(() => idle(view) && view.eventsOf('turn/end').length === 1, 'the end of the turn')
  const { url, token } = stage.host.ready
  const post = async (method: string) => {
    const response = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'one', method, params: { sessionId } }),
    })
    const answer: unknown = await response.json()
    return answer
  }
  const { events, n, incarnation, lastSeq } = view
  expect(await post('session.open')).toMatchObject({ result: { events, n, incarnation, lastSeq, hasMore: false } })
  expect(await post('session.close')).toMatchObject({ error: { code: -32600 } })
})

test('rewind-renews: every subscriber is told the new incarnation and the state after the rewind', async () => {
  const { stage, client, sessionId, view } = await openSession()
  const other = await (await stage.connect()).open(sessionId)
  for (const turn of [1, 2]) {
    await client.call('session.send', { sessionId, messageId: `m${turn}`, text: `message ${turn}` })
    ;(await stage.call(`message ${turn}`)).answerText('Done.')
    await stage.until(() => view.eventsOf('turn/end').length === turn && idle(view), `the end of turn ${turn}`)
  }
  const toSeq = view.eventsOf('turn/end')[0]?.seq
  const { incarnation } = view
  const { lastSeq } = await client.call('session.rewind', { sessionId, toSeq })
  for (const told of [view, other]) {
    await stage.until(() => told.status !== null && told.incarnation !== incarnation, 'the new baseline')
    expect(told).toMatchObject({ renewals: 1, lastSeq, n: 0, incarnation: view.incarnation })
    expect(told.baseline.map(({ type }) => type)).toEqual([
      ...projectionKeys.map(() => 'session/projection'),
      'session/status',
    ])
  }
  const again = await client.open(sessionId)
  expect(again).toMatchObject({ incarnation: view.incarnation, n: 0, lastSeq })
  expect(again.events.at(-1)?.seq).toBe(toSeq)
})

test(
  'slow-reader: a socket that does not read is closed, others go on, and it converges by opening again',
  { timeout: 120_000 },
  async () => {
    const stage = await HostStage.open()
    const [client, slow] = [await stage.connect(), await stage.connect()]
    // Sent twice each, as a stream and as a message, these are far over any bound and what the kernel buffers.
    const sessions = await Promise.all(Array.from({ length: 30 }, () => stage.createSession(client)))
    for (const { id } of sessions) await Promise.all([client.open(id), slow.open(id)])
    slow.pause()
    const piece = 'x'.repeat(128 * 1024)
    for (const { id: sessionId } of sessions) {
      const view = client.view(sessionId)
      await client.call('session.send', { sessionId, messageId: 'm1', text: sessionId })
      const answer = (await stage.call(sessionId)).stream()
      for (let part = 0; part < 7; part += 1) answer.text(piece)
      answer.finish('stop')
      await stage.until(() => view.eventsOf('turn/end').length === 1 && idle(view), 'the end of the turn')
    }
    slow.resume()
    await stage.until(() => slow.isClosed, 'the slow socket to be closed')
    const again = await stage.connect()
    for (const { id } of sessions) {
      const { events, lastSeq, incarnation, n } = client.view(id)
      const opened = await again.open(id)
      expect(opened).toMatchObject({ lastSeq, incarnation, n })
      // A page may end at 1 MiB.
      expect(opened.events.length).toBeGreaterThan(0)
      expect(opened.events).toEqual(events.slice(-opened.events.length))
    }
  },
)

function surfaceOf(meta: unknown): string {
  if (typeof meta !== 'object' || meta === null || !('surfaceId' in meta)) throw new Error('no surface')
  return String(meta.surfaceId)
}
