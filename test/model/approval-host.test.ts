/* The approval machine against the real host: a call of the model needs permission, a person allows it, denies it or
   interrupts. After each event the journal says what the machine says; the log has the decision, and whether it ran. */
import { afterAll, beforeAll, describe, it, type ExpectStatic } from 'vitest'
import type { EventFrom, SnapshotFrom } from 'xstate'
import { outcomeOf, type approvalMachine } from '../../machines/approval.ts'
import { LifecycleSession, LifecycleStage, moveOf, movesOf, titleOf } from './lifecycle-stage.ts'
import { approvalRefusals, approvalWalks } from './person-paths.ts'

type Event = EventFrom<typeof approvalMachine>
type Snapshot = SnapshotFrom<typeof approvalMachine>
type Path = (typeof approvalWalks)[number]
/** What the host takes for "whatever else happens". */
type Cancelling = 'interrupt' | 'remove'

let stage: LifecycleStage
beforeAll(async () => {
  stage = await LifecycleStage.start()
}, 60_000)
afterAll(() => stage.close())

/** What the log says of the call: the decision, and the code of the error where it did not run. */
const logByState = {
  pending: [],
  allowed: ['allow', 'ran'],
  denied: ['deny', 'DENIED'],
  cancelled: ['INTERRUPTED'],
} as const

class Walk {
  readonly #session: LifecycleSession
  readonly #expect: ExpectStatic
  readonly #approvalId: string

  private constructor(session: LifecycleSession, expect: ExpectStatic, approvalId: string) {
    this.#session = session
    this.#expect = expect
    this.#approvalId = approvalId
  }

  static async with(expect: ExpectStatic, run: (walk: Walk) => Promise<void>): Promise<void> {
    const session = await LifecycleSession.open(stage, { approval: 'ask' })
    try {
      await session.send()
      ;(await session.call()).answerCalls([{ name: 'bash', arguments: { command: 'true' } }])
      const requested = () =>
        session.client.frames.flatMap((frame) => (frame.type === 'approval/requested' ? [frame.approvalId] : []))
      const approvalId = await session.until(() => requested()[0], 'a request for permission')
      await run(new Walk(session, expect, approvalId))
    } finally {
      await session.close()
    }
  }

  async go(path: Path, cancelling: Cancelling): Promise<void> {
    await this.check(path, 0, cancelling)
    for (const [index, { event }] of path.steps.entries()) {
      if (event.type === 'CANCEL' && cancelling === 'remove') await this.#remove()
      else this.#expect(await this.#perform(event)).toBe('accepted')
      await this.check(path, index + 1, cancelling)
    }
  }

  async #remove(): Promise<void> {
    await this.#session.client.call('session.remove', { sessionId: this.#session.sessionId })
  }

  async #perform({ type }: Event): Promise<string> {
    if (type === 'CANCEL') {
      await this.#session.interrupt()
      return 'accepted'
    }
    const decision = type === 'ALLOW' ? 'allow' : 'deny'
    const { client, sessionId } = this.#session
    const answer = await client.call('approval.decide', { sessionId, approvalId: this.#approvalId, decision })
    return answer.accepted ? 'accepted' : answer.reason
  }

  /** Nothing that comes too late is taken; an interrupt is for the turn alone. */
  async refuse(event: Event): Promise<void> {
    this.#expect(await this.#perform(event)).toBe(event.type === 'CANCEL' ? 'accepted' : 'not-pending')
  }

  async check(path: Path, count: number, cancelling: Cancelling = 'interrupt'): Promise<void> {
    const at: Snapshot = path.steps[count - 1]?.snapshot ?? path.start
    const session = this.#session
    const name = `approval:${this.#approvalId}`
    const own = () => session.entriesOf('approval').filter(({ actorId }) => actorId === name)
    await session.until(() => own().length > count, `${count} transitions of the approval`)
    const isDone = outcomeOf(at) !== null
    const isRemoved = isDone && cancelling === 'remove'
    if (isDone && !isRemoved)
      await session.until(() => session.view.eventsOf('tool/result').length === 1, 'the result of the call')
    const log = await session.log()
    const [started, ...moves] = own().map(moveOf)
    this.#expect(started).toEqual({ type: 'xstate.init', from: null, to: 'pending', accepted: true })
    this.#expect(moves).toEqual(movesOf(path, count))
    this.#expect(this.#outcomes()).toEqual(isDone ? [outcomeOf(at)] : [])
    if (isRemoved) return this.#expect(log).toBeNull()
    const said = (log ?? []).flatMap((entry): string[] => {
      if (entry.type === 'approval/decided') return [entry.data.decision]
      return entry.type === 'tool/result' ? [entry.data.error?.code ?? 'ran'] : []
    })
    this.#expect(said).toEqual(logByState[at.value])
  }

  #outcomes(): string[] {
    return this.#session.client.frames.flatMap((frame) =>
      frame.type === 'approval/resolved' && frame.approvalId === this.#approvalId ? [frame.outcome] : [],
    )
  }
}

const walks = approvalWalks.flatMap((path) => {
  const title = titleOf(path)
  const rule = title === 'CANCEL' ? 'silence' : 'first-decision'
  const ways: Cancelling[] = title === 'CANCEL' ? ['interrupt', 'remove'] : ['interrupt']
  return ways.map((cancelling) => ({ path, title, rule, cancelling }))
})

describe('every path of the approval machine, on a real host', () => {
  it.concurrent.for(walks)('$rule: $title (by $cancelling where it is cancelled)', ({ path, cancelling }, { expect }) =>
    Walk.with(expect, (walk) => walk.go(path, cancelling)),
  )
})

describe('everything the approval machine refuses, on a real host', () => {
  it.concurrent.for(approvalRefusals.map(({ path, event }) => ({ path, event, title: titleOf(path) })))(
    'first-decision: after $title, $event.type changes nothing',
    ({ path, event }, { expect }) =>
      Walk.with(expect, async (walk) => {
        await walk.go(path, 'interrupt')
        await walk.refuse(event)
        await walk.check(path, path.steps.length)
      }),
  )
})
