/* What must hold of a session whose host died, as soon as the next one is up, and once it was gone on with. Rests on what
   went over the wire before: requests, answers and frames. Looks with the harness's own fold.
   - Whatever was shown is in the log, at its place; nothing is there that nobody sent.
   - What was not committed is gone as a whole: an answered form is open again, no row, no question, no task is left over.
   - Everything is sent again under its id, and each id becomes one message, the first one. */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { z } from 'zod'
import type { SessionEvent } from '../../shared/event.ts'
import { Changes } from '../harness/changes.ts'
import { Client, type Address } from '../harness/client.ts'
import { countedEvents, isTurnOpen, openSurface, turnsAndCallsClose } from '../harness/counted-log.ts'
import type { ScriptedModel } from '../harness/scripted-model.ts'
import type { Walking } from './crash-walk.ts'
import { rawLog } from './raw-log.ts'
import { shapeOf, type Death } from './survey.ts'
import { known, type Known } from './wire-memory.ts'

/** A death, and what the client that saw it knows. */
export interface Victim {
  death: Death
  walking: Walking
}

/** On a busy machine a turn may take long. */
const deadlineMs = 30_000

export async function lookAfter({ death, walking }: Victim, address: Address, model: ScriptedModel): Promise<void> {
  const changes = new Changes(deadlineMs)
  const unwatch = model.watchers.add(changes)
  const client = await Client.connect(address, changes)
  try {
    const memory = known(walking.client, walking.sessionId)
    const log = await rawLog(client, walking.sessionId)
    checkLog(death, memory, log)
    if (log === null) {
      expect(await client.ask('session.open', { sessionId: walking.sessionId })).toMatchObject({ ok: false })
      return
    }
    if (death.walk.isSteady) await checkCold(client, walking.sessionId, log)
    else await client.open(walking.sessionId)
    const untold = (await walking.look?.(client, death.move)) ?? null
    await goOn({ client, changes, model, walking, memory, untold }, log)
  } finally {
    unwatch()
    client.drop()
  }
}

/** Against the memory of the wire, the machine, and an undisturbed walk. */
function checkLog(death: Death, memory: Known, log: readonly SessionEvent[] | null): void {
  const { walk, move, durable, shape, from, to } = death
  if (durable === 'none') expect(walk.durableIn(log)).toEqual(walk.durable(move))
  if (durable === 'all') expect(walk.durableIn(log)).toEqual(walk.durable(move + 1))
  if (log === null) {
    // A removal takes effect as a whole, and only one that was asked for.
    expect(memory.removed).not.toBe('not-asked')
    return
  }
  expect(memory.removed).not.toBe('answered')
  for (const seen of memory.seen) expect(log[seen.seq]).toEqual(seen)
  if (walk.isSteady) {
    expect(log.length).toBeGreaterThanOrEqual(Math.min(from, to === 0 ? from : to))
    expect(log.length).toBeLessThanOrEqual(Math.max(from, to))
    expect(shapeOf(log)).toEqual(shape.slice(0, log.length))
  }
  const messages = messagesIn(log)
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
  for (const { id, submissionId } of messages) {
    // Nobody else writes here.
    const isOurs = submissionId === null ? memory.texts.has(id) : memory.submissions.has(submissionId)
    expect(isOurs).toBe(true)
    const accepted = submissionId === null ? undefined : memory.submissions.get(submissionId)?.messageId
    if (accepted !== undefined && accepted !== null) expect(id).toBe(accepted)
  }
  const submitted = messages.flatMap(({ submissionId }) => submissionId ?? [])
  expect(new Set(submitted).size).toBe(submitted.length)
}

/** A session that nobody has touched since: idle, with nothing that was only in memory. */
async function checkCold(client: Client, sessionId: string, log: readonly SessionEvent[]): Promise<void> {
  const view = await client.open(sessionId)
  await client.until(() => view.status, 'the baseline')
  // What follows `session/status` in a baseline is there before the next answer.
  await client.call('host.describe', {})
  const counted = countedEvents(log)
  expect(view.status?.status).toBe('idle')
  expect(view.events).toEqual(counted)
  expect({ queue: view.queue, questions: view.questions.size, pushes: view.pushes }).toEqual({
    queue: [],
    questions: 0,
    pushes: [],
  })
  expect(view.baseline.filter(({ type }) => type === 'approval/requested')).toEqual([])
  const open = openSurface(counted)
  const active = open === null ? null : { surfaceId: open.surfaceId, callId: open.callId }
  expect(view.projections.get('taskSurface')?.value).toEqual({ active })
  for (const surfaceId of surfacesIn(log)) {
    const answer = await client.call('taskSurface.getActive', { sessionId, surfaceId })
    if (surfaceId === open?.surfaceId) expect(answer).toMatchObject({ active: true, pending: null })
    else expect(answer).toMatchObject({ active: false })
  }
}

interface Scene {
  client: Client
  changes: Changes
  model: ScriptedModel
  walking: Walking
  memory: Known
  /** A task whose end its model must be told. */
  untold: string | null
}

/** Everything again, under its id, and one message more; to the end of the last turn. */
async function goOn(scene: Scene, log: readonly SessionEvent[]): Promise<void> {
  const { client, changes, model, walking, memory, untold } = scene
  const { sessionId, tag } = walking
  const expected = new Set([...(await submitAgain(scene, log)), ...(await sendAgain(scene, log))])
  const view = client.view(sessionId)
  const last = { messageId: `${tag}-after`, text: `${tag} after` }
  await client.call('session.send', { sessionId, ...last })
  expected.add(last.messageId)
  const missing = () => {
    const there = new Set(messagesIn(view.events).map(({ id }) => id))
    return [...expected].filter((id) => !there.has(id))
  }
  // The status comes behind the events of its turn.
  const isOver = () =>
    missing().length === 0 && view.queue.length === 0 && !isTurnOpen(view.events) && view.status?.status === 'idle'
  const ownCall = () =>
    model.calls.find(({ isParked, userTexts }) => isParked && userTexts.some((text) => text.startsWith(`${tag} `)))
  let told = false
  for (;;) {
    const next = await changes.until(
      () => ownCall() ?? (isOver() && 'over'),
      () => `the end; missing ${missing().join()}, queue ${JSON.stringify(view.queue)}`,
    )
    if (next === 'over') break
    told ||= untold !== null && next.userTexts.some((text) => text.includes(untold))
    next.answerText('Well.')
  }
  expect(told || untold === null).toBe(true)
  const whole = await rawLog(client, sessionId)
  if (whole === null) throw new Error('the session is gone')
  expect(whole.slice(0, log.length)).toEqual(log)
  const messages = messagesIn(whole)
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
  const submitted = messages.flatMap(({ submissionId }) => submissionId ?? [])
  expect(new Set(submitted).size).toBe(submitted.length)
  for (const id of expected) expect(messages.filter((message) => message.id === id)).toHaveLength(1)
  expect(turnsAndCallsClose(countedEvents(whole))).toBe(true)
  expect((await client.call('data.verify', { sessionId })).broken).toEqual([])
  if (memory.removed === 'asked') await client.call('session.remove', { sessionId })
}

/** The last submission, as a person would; answers the ids of messages that must come of it. */
async function submitAgain({ client, walking, memory }: Scene, log: readonly SessionEvent[]): Promise<string[]> {
  const { sessionId } = walking
  const counted = countedEvents(log)
  for (const dismissal of memory.dismissals) {
    const there = log.find(
      (event) =>
        event.type === 'task-surface/dismissed' && isDeepStrictEqual(event.data.dismissalId, dismissal.dismissalId),
    )
    if (there === undefined) continue
    const again = await client.call('taskSurface.dismiss', { sessionId, ...dismissal })
    expect(again).toMatchObject({ dismissed: true, eventSeq: there.seq })
  }
  const [id, submission] = [...memory.submissions].at(-1) ?? []
  if (id === undefined || submission === undefined) return []
  const again = await client.call('taskSurface.submit', { sessionId, ...submission.params })
  const there = messagesIn(log).find(({ submissionId }) => submissionId === id)
  if (there !== undefined) {
    const isCounted = messagesIn(counted).some((message) => message.id === there.id)
    if (!isCounted) expect(again).toEqual({ accepted: false, reason: 'stale' })
    else expect(again).toMatchObject({ accepted: true, messageId: there.id })
    return isCounted ? [there.id] : []
  }
  if (openSurface(counted)?.surfaceId !== submission.params.surfaceId) {
    expect(again).toMatchObject({ accepted: false })
    return []
  }
  const { messageId } = z.object({ accepted: z.literal(true), messageId: z.string() }).parse(again)
  return [messageId]
}

async function sendAgain({ client, walking, memory }: Scene, log: readonly SessionEvent[]): Promise<string[]> {
  const { sessionId } = walking
  const counted = new Set(messagesIn(countedEvents(log)).map(({ id }) => id))
  const logged = new Map(messagesIn(log).map((message) => [message.id, message]))
  const expected: string[] = []
  for (const [messageId, texts] of memory.texts) {
    const there = logged.get(messageId)
    if (there !== undefined) expect(texts).toContain(there.text)
    const text = there?.text ?? texts.at(-1)
    const again = await client.ask('session.send', { sessionId, messageId, text })
    if (there === undefined || counted.has(messageId)) {
      expect(again).toMatchObject({ ok: true, result: { messageId } })
      expected.push(messageId)
    } else expect(again).toMatchObject({ ok: false, error: { data: { code: 'stale' } } })
  }
  return expected
}

interface LoggedMessage {
  id: string
  text: string
  submissionId: string | null
}

/** Of the person. */
function messagesIn(log: readonly SessionEvent[]): LoggedMessage[] {
  return log.flatMap((event) => {
    if (event.type !== 'user/message' && event.type !== 'steering/message') return []
    const { id, source, content } = event.data.message
    if (source.kind !== 'user') return []
    const correlation = z.object({ taskSurface: z.object({ submissionId: z.string() }) }).safeParse(source)
    const submissionId = correlation.success ? correlation.data.taskSurface.submissionId : null
    return [{ id, submissionId, text: content.map(({ text }) => text).join('\n') }]
  })
}

const surfacesIn = (log: readonly SessionEvent[]): string[] =>
  log
    .flatMap((_, index) => openSurface(log.slice(0, index + 1))?.surfaceId ?? [])
    .filter((id, index, all) => all.indexOf(id) === index)
