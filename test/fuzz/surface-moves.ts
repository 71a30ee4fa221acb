/* What a person does with a form, a question and a request for permission: see `moves.ts`. */
import type { JsonObject } from '../../shared/json.ts'
import type { At } from './moves.ts'
import { rightValues, wrongValues } from './surfaces.ts'
import type { World } from './world.ts'

/** The surface that is open by the projection; sometimes any that ever was. */
function someSurface({ world, sessionId, shown }: At): { surfaceId: string; sessionId: string } {
  const { random, book } = world
  const active = /"surfaceId":"([^"]+)"/.exec(JSON.stringify(shown.values.get('taskSurface') ?? null))?.[1]
  if (active !== undefined && random.chance(0.85)) return { surfaceId: active, sessionId }
  const any = random.pick([...book.surfaces])
  if (any === undefined) return { surfaceId: 'ts-none', sessionId }
  return { surfaceId: any[0], sessionId: random.chance(0.8) ? any[1].sessionId : sessionId }
}

export async function submit(at: At): Promise<void> {
  const { world } = at
  const { random, book } = world
  const known = random.pick([...book.submitted.values()])
  if (known !== undefined && random.chance(0.25)) {
    const values = random.chance(0.7) ? known.values : { other: true }
    return submitValues({ ...at, sessionId: known.sessionId }, { ...known, values })
  }
  const { surfaceId, sessionId } = someSurface(at)
  const model = book.surfaces.get(surfaceId)?.model
  const submissionId = world.newId('s')
  if (model === undefined) return submitValues(at, { surfaceId, submissionId, values: {}, note: undefined })
  const values = random.chance(0.85) ? rightValues(random, model) : wrongValues(random, model)
  const note = random.chance(0.3) ? 'a note' : undefined
  const submission = { surfaceId, submissionId, values, note }
  const twice = random.chance(0.3) ? [submitValues({ ...at, sessionId, index: random.below(3) }, submission)] : []
  await Promise.all([submitValues({ ...at, sessionId }, submission), ...twice])
}

interface Submission {
  surfaceId: string
  submissionId: string
  values: JsonObject
  note: string | undefined
}

async function submitValues(
  { world, index, sessionId }: Pick<At, 'world' | 'index' | 'sessionId'>,
  { surfaceId, submissionId, values, note }: Submission,
): Promise<void> {
  const screen = world.screen(index)
  if (screen === null) return
  const { hostLife } = world.book
  const params = { sessionId, surfaceId, submissionId, values, ...(note !== undefined && { note }) }
  const reply = await world.ask(screen.client, 'taskSurface.submit', params)
  if (reply?.ok !== true || !reply.result.accepted) return
  const { messageId } = reply.result
  const key = `${sessionId} ${submissionId}`
  const known = world.book.submitted.get(key)
  if (known !== undefined && known.messageId !== messageId && known.hostLife === hostLife && !isGone(world, known)) {
    throw new Error(`${submissionId} was ${known.messageId}, is ${messageId}`)
  }
  world.book.submitted.set(key, {
    kind: 'submission',
    sessionId,
    surfaceId,
    submissionId,
    messageId,
    values,
    note,
    hostLife,
  })
}

/** Given back, and then forgotten with the session's memory. */
const isGone = (world: World, { messageId }: { messageId: string }): boolean => {
  world.read()
  return world.book.givenBack.has(messageId)
}

export async function dismiss(at: At): Promise<void> {
  const { world, index } = at
  const { random, book } = world
  const screen = world.screen(index)
  if (screen === null) return
  const known = random.chance(0.2) ? random.pick(book.dismissed) : undefined
  const { surfaceId, sessionId } = known ?? someSurface(at)
  const dismissalId = known?.dismissalId ?? world.newId('d')
  const reply = await world.ask(screen.client, 'taskSurface.dismiss', { sessionId, surfaceId, dismissalId })
  if (reply?.ok !== true || !reply.result.dismissed) return
  const { eventSeq } = reply.result
  const before = book.dismissed.find((one) => one.sessionId === sessionId && one.dismissalId === dismissalId)
  if (before !== undefined && before.eventSeq !== eventSeq) {
    throw new Error(`${dismissalId} was ${before.eventSeq}, is ${eventSeq}`)
  }
  if (before === undefined) book.dismissed.push({ sessionId, surfaceId, dismissalId, eventSeq })
}

export async function answerQuestion({ world, index, sessionId, shown }: At): Promise<void> {
  const { random, book } = world
  const screen = world.screen(index)
  if (screen === null) return
  const asked = random.pick([...shown.questions.values()])
  const questionId = asked?.questionId ?? random.pick(book.old.questions) ?? 'q-never'
  const answers = random.weighted([
    [6, [{ id: 'q', selected: [], custom: 'free text' }]],
    [2, [{ id: 'q', selected: ['Red'] }]],
    [3, null],
    [2, [{ id: 'other', selected: ['Green'] }]],
  ])
  await world.ask(screen.client, 'question.answer', { sessionId, questionId, answers: answers ?? null })
}

export async function decideApproval({ world, index, sessionId, shown }: At): Promise<void> {
  const { random, book } = world
  const screen = world.screen(index)
  if (screen === null) return
  const asked = random.pick([...shown.approvals.values()])
  const approvalId = asked?.approvalId ?? random.pick(book.old.approvals) ?? 'a-never'
  const decision = random.one('allow', 'allow', 'deny')
  const params = { sessionId, approvalId, decision, ...(random.chance(0.1) && { remember: true }) }
  await world.ask(screen.client, 'approval.decide', params)
}
