/* The inbox and the claim over the wire (SPEC 4), and what an answer to a surface may not do there (SPEC 6.4). Every
   row is held by the admission gate, so nothing depends on how fast the host is. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AdmissionGate } from '../harness/admission-gate.ts'
import { isSessionFrame, type Client } from '../harness/client.ts'
import { openSurface } from '../harness/counted-log.ts'
import { HostStage } from '../harness/host-stage.ts'
import { surfaceModels } from '../harness/sequence-cases.ts'
import type { SessionView } from '../harness/session-view.ts'

const show = { name: 'show_task_surface', arguments: { model: surfaceModels()['host:S1'] } }
const values = { name: 'Ada', ship: true }

let gate: AdmissionGate
beforeAll(async () => {
  gate = await AdmissionGate.start()
})
afterAll(() => gate.close())

interface Scene {
  stage: HostStage
  client: Client
  sessionId: string
  view: SessionView
  /** Sends, and answers what the host did or the conflict code. */
  send(messageId: string, text?: string, placement?: 'queued' | 'steering'): Promise<unknown>
  act(messageId: string, action: object): Promise<unknown>
  ended(turns: number): Promise<unknown>
}

const codeOf = (reply: { ok: true; result: unknown } | { ok: false; error: { data?: unknown } }): unknown =>
  reply.ok ? reply.result : reply.error.data

async function open(): Promise<Scene> {
  const stage = await HostStage.open({ TASK_SURFACE_TEST_ADMISSION: gate.url })
  gate.watchers.add(stage.changes)
  const client = await stage.connect()
  const { id: sessionId } = await stage.createSession(client)
  const view = await client.open(sessionId)
  return {
    stage,
    client,
    sessionId,
    view,
    async send(messageId, text = messageId, placement = 'queued') {
      return codeOf(await client.ask('session.send', { sessionId, messageId, text, placement }))
    },
    async act(messageId, action) {
      const itemId = view.queue.find((row) => row.messageId === messageId)?.id ?? messageId
      return codeOf(await client.ask('session.updateQueue', { sessionId, itemId, action }))
    },
    ended: (turns) =>
      stage.until(() => view.status?.status === 'idle' && view.eventsOf('turn/end')[turns - 1], `turn ${turns}`),
  }
}

/** Opens a surface in a turn of its own. */
async function showSurface({ stage, view, send, ended }: Scene): Promise<string> {
  await send('show')
  ;(await stage.call('show')).answerCalls([show])
  await ended(1)
  const surface = openSurface(view.events)
  if (surface === null) throw new Error('no surface is open')
  return surface.surfaceId
}

test('one-send: the first answer stands while it waits and once it is durable', { timeout: 120_000 }, async () => {
  const { stage, view, send, act, ended } = await open()
  expect(await send('m1')).toEqual({ messageId: 'm1', placement: 'queued' })
  const call = await stage.call('m1')
  expect(await send('m1')).toEqual({ messageId: 'm1', placement: 'queued' })
  expect(await send('m1', 'other')).toEqual({ code: 'id-reused' })

  await send('m2')
  expect(await send('m2')).toEqual({ messageId: 'm2', placement: 'queued' })
  expect(await send('m2', 'other')).toEqual({ code: 'id-reused' })
  // A retry is compared with the row as it stands.
  await act('m2', { kind: 'edit', text: 'better' })
  expect(await send('m2')).toEqual({ code: 'id-reused' })
  expect(await send('m2', 'better')).toEqual({ messageId: 'm2', placement: 'queued' })
  expect(view.queue.map(({ messageId, text }) => [messageId, text])).toEqual([['m2', 'better']])

  await act('m2', { kind: 'remove' })
  expect(await send('m2', 'better')).toEqual({ code: 'stale' })
  expect(await send('m2', 'other')).toEqual({ code: 'stale' })

  await send('s1', 's1', 'steering')
  call.answerCalls([show])
  ;(await stage.call('s1')).answerText('Done.')
  await ended(1)
  expect(await send('s1', 's1', 'queued')).toEqual({ messageId: 's1', placement: 'steering' })
  expect(view.eventsOf('user/message')).toHaveLength(1)
  expect(view.eventsOf('steering/message')).toHaveLength(1)
})

test('row-order, locked-rows: gone, then locked, then no turn', { timeout: 120_000 }, async () => {
  const scene = await open()
  const { client, stage, sessionId, view, send, act } = scene
  const surfaceId = await showSurface(scene)
  gate.guard(sessionId)
  const answer = await client.call('taskSurface.submit', {
    sessionId,
    surfaceId,
    submissionId: 'q1',
    values,
    note: 'n',
  })
  if (!answer.accepted) throw new Error(answer.reason)
  const { messageId } = answer
  await send('m1', 'First line\n\t second  line')
  await stage.until(() => view.queue.length === 2, 'both rows')

  // The row keeps its correlation, and shows no text that could be edited.
  expect(view.queue[0]).toMatchObject({ messageId, placement: 'queued', text: null })
  expect(view.queue[0]?.source).toMatchObject({
    kind: 'user',
    taskSurface: { version: 1, submissionId: 'q1', surfaceId, values },
  })
  expect(view.queue[0]?.preview).not.toContain('\n')

  for (const action of [{ kind: 'edit', text: 'x' }, { kind: 'steer' }]) {
    expect(await act('nobody', action)).toEqual({ code: 'queue-item-not-found' })
    expect(await act(messageId, action)).toEqual({ code: 'queue-item-locked' })
  }
  expect(await act('m1', { kind: 'steer' })).toEqual({ code: 'steer-unavailable' })
  expect(await act('m1', { kind: 'edit', text: 'm1' })).toEqual({})

  const item = view.queue[0]?.id ?? ''
  expect(await gate.claim(sessionId, stage.changes)).toBe(messageId)
  for (const action of [{ kind: 'edit', text: 'x' }, { kind: 'steer' }, { kind: 'remove' }]) {
    expect(await act(item, action)).toEqual({ code: 'queue-item-not-found' })
  }
  expect(await client.call('taskSurface.getActive', { sessionId, surfaceId })).toMatchObject({
    active: true,
    pending: { submissionId: 'q1', messageId, phase: 'claiming' },
  })

  await client.call('session.interrupt', { sessionId })
  await stage.until(() => view.discarded.length > 0, 'the discard')
  expect(view.discarded).toMatchObject([{ itemId: item, messageId, reason: 'cancelled', text: null }])
  expect(await act('m1', { kind: 'remove' })).toEqual({})
  await stage.until(() => view.discarded.length > 1, 'the removal')
  expect(view.discarded[1]).toMatchObject({ messageId: 'm1', reason: 'removed', text: 'm1' })
  gate.unguard(sessionId)
})

test('claim-order: what is published at a claim and at a commit, in its order', { timeout: 120_000 }, async () => {
  const scene = await open()
  const { client, stage, sessionId, view } = scene
  const surfaceId = await showSurface(scene)
  gate.guard(sessionId)
  await client.call('taskSurface.submit', { sessionId, surfaceId, submissionId: 'q1', values })
  await stage.until(() => view.queue.length === 1, 'the row')

  let seen = client.frames.length
  const next = () => {
    const told = client.frames.slice(seen).flatMap((frame) => {
      if (!isSessionFrame(frame)) return []
      if (frame.type === 'session/event') return frame.event.type
      if (frame.type === 'session/task-surface') return `pending ${frame.pending?.phase ?? null}`
      if (frame.type === 'session/queue') return `queue ${frame.items.length}`
      return frame.type === 'session/projection' ? `projection ${frame.key}` : frame.type
    })
    seen = client.frames.length
    return told
  }
  await gate.claim(sessionId, stage.changes)
  await stage.until(() => view.queue.length === 0, 'the claim')
  expect(next()).toEqual(['pending claiming', 'queue 0'])

  gate.decide(sessionId, { admit: true })
  await stage.until(() => view.status?.status === 'running', 'the turn')
  expect(next()).toEqual([
    'turn/start',
    'user/message',
    'projection taskSurface',
    'projection taskSurfaceOutcomes',
    'pending null',
    'session/status',
  ])
  gate.unguard(sessionId)
})

test('give-back: a refused admission gives the text back with the reason', { timeout: 120_000 }, async () => {
  const scene = await open()
  const { stage, sessionId, view, send } = scene
  gate.guard(sessionId)
  const text = `  ${'🙂'.repeat(150)}\n${'z'.repeat(100)}`
  await send('m1', text)
  const row = await stage.until(() => view.queue[0], 'the row')
  expect(row.text).toBe(text)
  expect(row.preview).toBe(`${'🙂'.repeat(150)} ${'z'.repeat(49)}`)
  await gate.claim(sessionId, stage.changes)
  gate.decide(sessionId, { admit: false, reason: 'The key is missing.' })
  await stage.until(() => view.discarded.length > 0, 'the discard')
  expect(view.discarded).toMatchObject([{ messageId: 'm1', reason: 'rejected', why: 'The key is missing.', text }])
  expect(view.eventsOf('turn/start')).toHaveLength(0)
  gate.unguard(sessionId)
})

test('issues: a refused submission says what is wrong and where, and takes nothing', { timeout: 120_000 }, async () => {
  const scene = await open()
  const { client, stage, sessionId, view } = scene
  const surfaceId = await showSurface(scene)
  gate.guard(sessionId)
  const submit = (submissionId: string, given: object, note?: string) =>
    client.call('taskSurface.submit', { sessionId, surfaceId, submissionId, values: given, ...(note && { note }) })
  const wrong = await submit('q1', { ...values, ship: 'yes', extra: 1 })
  expect(wrong).toMatchObject({ accepted: false, reason: 'invalid-submission' })
  const issues = 'issues' in wrong ? (wrong.issues ?? []) : []
  expect(issues.map(({ path }) => path).toSorted()).toEqual(['/values/extra', '/values/ship'])
  for (const { message } of issues) expect(message).toMatch(/\w{3}/)
  // Only acceptances are remembered: the same id goes through with other values.
  expect(await submit('q1', values)).toMatchObject({ accepted: true, phase: 'queued' })
  expect(await submit('q1', values, 'another note')).toMatchObject({
    accepted: false,
    reason: 'invalid-submission',
    issues: [{ path: '' }],
  })
  expect(await submit('q2', { ship: 'yes' })).toEqual({ accepted: false, reason: 'submission-pending' })
  expect(view.queue).toHaveLength(1)
  await client.call('session.updateQueue', { sessionId, itemId: view.queue[0]?.id, action: { kind: 'remove' } })
  await stage.until(() => view.discarded.length > 0, 'the discard')
  expect(await submit('q1', values)).toEqual({ accepted: false, reason: 'stale' })
  gate.unguard(sessionId)
})

test(
  'cold: reading an open surface starts nothing, and a surface is known in its session alone',
  { timeout: 120_000 },
  async () => {
    const scene = await open()
    const { stage, view, sessionId, send } = scene
    await send('m1')
    const call = await stage.call('m1')
    await send('steer', 'steer', 'steering')
    call.answerCalls([show])
    await stage.call('steer')
    const surface = openSurface(view.events)
    if (surface === null) throw new Error('no surface is open')
    const { lastSeq } = view
    await stage.restart()
    const client = await stage.connect()
    const { surfaceId } = surface
    const active = await client.call('taskSurface.getActive', { sessionId, surfaceId })
    expect(active).toMatchObject({ active: true, callId: surface.callId, surfaceId, pending: null })
    expect('model' in active && active.model.title).toBeTruthy()
    const { sessions } = await client.call('session.list', {})
    expect(sessions).toMatchObject([{ id: sessionId, status: 'idle' }])
    // Whatever starts the session writes the end of its open turn first.
    const again = await client.open(sessionId)
    expect(again.lastSeq).toBe(lastSeq)

    const other = await stage.createSession(client)
    expect(await client.call('taskSurface.getActive', { sessionId: other.id, surfaceId })).toEqual({
      active: false,
      reason: 'not-open',
    })
    expect(await client.call('taskSurface.getActive', { sessionId, surfaceId: 'another' })).toEqual({
      active: false,
      reason: 'not-open',
    })
    const submit = { sessionId: other.id, surfaceId, submissionId: 'q1', values }
    expect(await client.call('taskSurface.submit', submit)).toEqual({ accepted: false, reason: 'not-open' })
  },
)

test(
  'remembered: after a restart a submission and a dismissal get their first answer again',
  { timeout: 120_000 },
  async () => {
    const scene = await open()
    const { stage, view, sessionId } = scene
    const first = await showSurface(scene)
    const submission = { sessionId, surfaceId: first, submissionId: 'q1', values, note: 'n' }
    const accepted = await scene.client.call('taskSurface.submit', submission)
    expect(accepted).toMatchObject({ accepted: true, phase: 'queued' })
    const answering = await stage.until(() => stage.model.calls.find((call) => call.isParked), 'the answering turn')
    answering.answerCalls([show])
    await scene.ended(2)
    const second = openSurface(view.events)
    const dismissal = { sessionId, surfaceId: second?.surfaceId, dismissalId: 'd1' }
    const dismissed = await scene.client.call('taskSurface.dismiss', dismissal)
    expect(dismissed).toMatchObject({ dismissed: true, eventSeq: expect.any(Number) })
    await stage.until(() => view.eventsOf('task-surface/dismissed').length === 1, 'the event')
    const { lastSeq } = view

    await stage.restart()
    const client = await stage.connect()
    const again = await client.open(sessionId)
    expect(await client.call('taskSurface.submit', submission)).toEqual(accepted)
    expect(await client.call('taskSurface.submit', { ...submission, note: 'other' })).toMatchObject({
      accepted: false,
      reason: 'invalid-submission',
      issues: [{ path: '' }],
    })
    expect(await client.call('taskSurface.dismiss', dismissal)).toEqual(dismissed)
    expect(await client.call('taskSurface.dismiss', { ...dismissal, surfaceId: first })).toEqual({
      dismissed: false,
      reason: 'stale',
    })
    expect(again.lastSeq).toBe(lastSeq)
  },
)
