/* Several clients act on one session at the same moment, over a real host: whatever they were answered, each message, each
   submission and each surface has exactly one outcome, and every client saw the same. Seeded, so a failure repeats what
   was asked; the interleaving is the machine's. */
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../shared/event.ts'
import type { Client } from '../harness/client.ts'
import { HostStage } from '../harness/host-stage.ts'
import { isTurnOpen, openSurface } from '../harness/counted-log.ts'
import { surfaceModels } from '../harness/sequence-cases.ts'
import type { SessionView } from '../harness/session-view.ts'

const show = { name: 'show_task_surface', arguments: { model: surfaceModels()['host:S1'] } }
const values = { name: 'Ada', ship: true }

function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

interface Scene {
  stage: HostStage
  clients: Client[]
  sessionId: string
  view: SessionView
}

async function open(count: number, shared?: HostStage): Promise<Scene> {
  const stage = shared ?? (await HostStage.open())
  const clients = await Promise.all(Array.from({ length: count }, () => stage.connect()))
  const [first] = clients
  if (first === undefined) throw new Error('no client')
  const { id: sessionId } = await stage.createSession(first)
  const [view] = await Promise.all(clients.map((client) => client.open(sessionId)))
  if (view === undefined) throw new Error('no view')
  return { stage, clients, sessionId, view }
}

async function showSurface({ stage, clients, sessionId, view }: Scene): Promise<string> {
  await clients[0]?.call('session.send', { sessionId, messageId: 'show', text: 'show' })
  ;(await stage.call('show')).answerCalls([show])
  await stage.until(() => view.status?.status === 'idle' && view.eventsOf('turn/end').length > 0, 'the surface')
  const surface = openSurface(view.events)
  if (surface === null) throw new Error('no surface is open')
  return surface.surfaceId
}

const submissionsIn = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) => {
    const found = event.type === 'user/message' ? /"submissionId":"([^"]+)"/.exec(JSON.stringify(event)) : null
    return found?.[1] === undefined ? [] : [found[1]]
  })

test('one-submission: the same submission from five clients at once is one message with one answer', async () => {
  const scene = await open(5)
  const { stage, clients, sessionId, view } = scene
  const surfaceId = await showSurface(scene)
  const answers = await Promise.all(
    clients.flatMap((client) =>
      [1, 2].map(() => client.call('taskSurface.submit', { sessionId, surfaceId, submissionId: 'q1', values })),
    ),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]).toMatchObject({ accepted: true })
  await stage.until(() => view.eventsOf('turn/start').length === 2, 'the turn')
  expect(submissionsIn(view.events)).toEqual(['q1'])
})

test('one-submission: of five different submissions at once one is accepted, the others wait for nothing', async () => {
  const scene = await open(5)
  const { stage, clients, sessionId, view } = scene
  const surfaceId = await showSurface(scene)
  const answers = await Promise.all(
    clients.map((client, index) =>
      client.call('taskSurface.submit', { sessionId, surfaceId, submissionId: `q${index}`, values }),
    ),
  )
  const accepted = answers.flatMap((answer, index) => (answer.accepted ? [`q${index}`] : []))
  expect(accepted).toHaveLength(1)
  for (const answer of answers) {
    if (!answer.accepted) expect(['submission-pending', 'not-open']).toContain(answer.reason)
  }
  await stage.until(() => view.eventsOf('turn/start').length === 2, 'the turn')
  expect(submissionsIn(view.events)).toEqual(accepted)
})

test(
  'one-outcome: a dismissal, a submission and a message at once close the surface once',
  { timeout: 120_000 },
  async () => {
    const shared = await HostStage.open()
    for (let round = 0; round < 6; round += 1) {
      const scene = await open(3, shared)
      const { stage, clients, sessionId, view } = scene
      const surfaceId = await showSurface(scene)
      const [a, b, c] = clients
      if (a === undefined || b === undefined || c === undefined) throw new Error('three clients')
      const acts = [
        () => a.call('taskSurface.dismiss', { sessionId, surfaceId, dismissalId: 'd1' }),
        () => b.call('taskSurface.submit', { sessionId, surfaceId, submissionId: 'q1', values }),
        () => c.call('session.send', { sessionId, messageId: 'm1', text: 'm1' }),
      ]
      // Every order of leaving, rotated.
      const turned = [...acts.slice(round % 3), ...acts.slice(0, round % 3)]
      const answers = await Promise.all((round < 3 ? turned : turned.reverse()).map((act) => act()))
      ;(await stage.call(await lastTextOf(stage, view, 2))).answerText('Done.')
      const ids = [
        'm1',
        ...answers.flatMap((answer) => ('accepted' in answer && answer.accepted ? [answer.messageId] : [])),
      ]
      const quiet = () => isQuiet(view, ids)
      await stage.until(() => quiet() || stage.model.calls.some((call) => call.isParked), 'the next turn or none')
      stage.model.calls.find((call) => call.isParked)?.answerText('Done.')
      await stage.until(quiet, 'the end')
      const outcomes = view.projections.get('taskSurfaceOutcomes')?.value
      expect(outcomes).toMatchObject({ outcomes: [{ surfaceId }] })
      const dismissed = answers.some((answer) => 'dismissed' in answer && answer.dismissed)
      expect(view.eventsOf('task-surface/dismissed')).toHaveLength(dismissed ? 1 : 0)
      const submitted = submissionsIn(view.events).length
      const accepted = answers.some((answer) => 'accepted' in answer && answer.accepted)
      // Accepted and not committed is said to everybody.
      expect(view.discarded.length).toBe((accepted ? 1 : 0) - submitted)
      expect(
        view.events.filter((event) => event.type === 'user/message' && event.data.message.id === 'm1'),
      ).toHaveLength(1)
    }
  },
)

test.for([1, 2])(
  'one-outcome: a storm of everything from four clients, seed %d',
  { timeout: 120_000 },
  async (seed) => {
    const scene = await open(4)
    const { stage, clients, sessionId, view } = scene
    const number = numbers(seed)
    let storms = true

    /** The model answers at once, with this or that. */
    const answer = async (): Promise<void> => {
      for (;;) {
        const call = await stage.until(
          () => stage.model.calls.find((candidate) => candidate.isParked) ?? (storms ? null : 'over'),
          'a model call',
        )
        if (call === 'over') return
        const kind = number(6)
        if (kind < 2) call.answerCalls([show])
        else if (kind === 2) call.answerError(400, 'refused')
        else call.answerText(`answer ${call.callNo}`)
      }
    }
    const answering = answer()

    const sent: string[] = []
    const accepted: { submissionId: string; messageId: string }[] = []
    const knownSurface = () => openSurface(view.events)?.surfaceId ?? view.pushes.at(-1)?.surfaceId ?? 'none'
    const act = async (client: Client): Promise<void> => {
      const kind = number(10)
      const surfaceId = knownSurface()
      if (kind < 3) {
        const messageId = `m${sent.length}`
        sent.push(messageId)
        const placement = number(3) === 0 ? 'steering' : 'queued'
        await client.call('session.send', { sessionId, messageId, text: messageId, placement })
      } else if (kind < 6) {
        const submissionId = `q${number(40)}`
        const reply = await client.call('taskSurface.submit', { sessionId, surfaceId, submissionId, values })
        if (reply.accepted) accepted.push({ submissionId, messageId: reply.messageId })
      } else if (kind === 6) {
        await client.call('taskSurface.dismiss', { sessionId, surfaceId, dismissalId: `d${number(40)}` })
      } else if (kind === 7) {
        await client.call('session.interrupt', { sessionId })
      } else if (kind === 8) {
        const row = view.queue[number(Math.max(1, view.queue.length))]
        const action = { kind: number(2) === 0 ? 'remove' : 'steer' }
        await client.ask('session.updateQueue', { sessionId, itemId: row?.id ?? 'none', action })
      } else {
        const pendingBefore = view.pushes.at(-1)?.pending
        const reply = await client.call('taskSurface.getActive', { sessionId, surfaceId })
        const pendingAfter = view.pushes.at(-1)?.pending
        // Claimed all the while: never open and free.
        const isClaimed = pendingBefore?.phase === 'claiming' && pendingAfter === pendingBefore
        if (isClaimed && client === clients[0] && reply.active) expect(reply.pending).not.toBeNull()
      }
    }
    await Promise.all(
      clients.map(async (client) => {
        for (let count = 0; count < 45; count += 1) await act(client)
      }),
    )
    const ids = [...new Set([...sent, ...accepted.map(({ messageId }) => messageId)])]
    while (!isQuiet(view, ids)) {
      const { n } = view
      await stage.until(
        () => view.n > n || isQuiet(view, ids),
        () => `the storm to go on; ${stateOf(view, ids)}`,
      )
    }
    storms = false
    stage.changes.notify()
    await answering
    const { events, hasMore } = (await clients[0]?.call('session.history', { sessionId, limit: 500 })) ?? {
      events: [],
      hasMore: true,
    }

    // Everybody saw the same log and the same frames.
    expect(hasMore).toBe(false)
    for (const client of clients) {
      await client.call('host.describe', {})
      expect(client.view(sessionId).events).toEqual(events)
      expect(client.view(sessionId).n).toBe(view.n)
    }
    // Every message has one outcome.
    expect(outcomesOf(view)).toEqual([...ids].sort())
    // Every submission id stands for one message, whoever asked how often.
    const messageBySubmission = new Map<string, string>()
    for (const { submissionId, messageId } of accepted) {
      expect(messageBySubmission.get(submissionId) ?? messageId).toBe(messageId)
      messageBySubmission.set(submissionId, messageId)
    }
    expect(new Set(submissionsIn(events)).size).toBe(submissionsIn(events).length)
    // Every surface that was shown closed once, but for the one that is open.
    const shown = events.flatMap((event) =>
      event.type === 'tool/result'
        ? (/"surfaceId":"([^"]+)"/.exec(JSON.stringify(event.data.meta ?? null))?.[1] ?? [])
        : [],
    )
    const open_ = openSurface(events)?.surfaceId
    const outcomes = JSON.stringify(view.projections.get('taskSurfaceOutcomes')?.value)
    const closed = [...outcomes.matchAll(/"surfaceId":"([^"]+)"/g)].map((match) => match[1])
    expect(closed).toEqual(shown.filter((surfaceId) => surfaceId !== open_))
  },
)

/** Messages that became durable, and those that were given back. */
function outcomesOf(view: SessionView): string[] {
  const durable = view.events.flatMap((event) =>
    event.type === 'user/message' || event.type === 'steering/message' ? [event.data.message.id] : [],
  )
  return [...durable, ...view.discarded.map(({ messageId }) => messageId)].sort()
}

function stateOf(view: SessionView, messageIds: readonly string[]): string {
  const outcomes = outcomesOf(view)
  const open = messageIds.filter((id) => !outcomes.includes(id))
  return JSON.stringify({ open, status: view.status, queue: view.queue.length, last: view.events.slice(-2) })
}

/** Every one of these messages has an outcome, and the last turn is over. */
function isQuiet(view: SessionView, messageIds: readonly string[]): boolean {
  const outcomes = outcomesOf(view)
  const isOver = view.queue.length === 0 && view.status?.status === 'idle' && !isTurnOpen(view.events)
  return isOver && messageIds.every((id) => outcomes.includes(id))
}

/** The last user text of the model call that the n-th turn makes. */
async function lastTextOf(stage: HostStage, view: SessionView, turn: number): Promise<string> {
  return stage.until(() => {
    if (view.eventsOf('turn/start').length < turn) return null
    return stage.model.calls.find((call) => call.isParked)?.userTexts.at(-1)
  }, `the model call of turn ${turn}`)
}
