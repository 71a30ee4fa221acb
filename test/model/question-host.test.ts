/* The question machine against the real host: a call of the model asks, a person answers, declines or interrupts. After
   each event the journal says what the machine says, and the log whether the call still waits. */
import { afterAll, beforeAll, describe, it, type ExpectStatic } from 'vitest'
import type { EventFrom, SnapshotFrom } from 'xstate'
import { outcomeOf, type questionMachine } from '../../machines/question.ts'
import { textOf } from '../../shared/message.ts'
import { LifecycleSession, LifecycleStage, moveOf, movesOf, titleOf } from './lifecycle-stage.ts'
import { questionRefusals, questionWalks } from './person-paths.ts'

type Event = EventFrom<typeof questionMachine>
type Snapshot = SnapshotFrom<typeof questionMachine>
type Path = (typeof questionWalks)[number]
/** What the host takes for "whatever else happens". */
type Cancelling = 'interrupt' | 'remove'

let stage: LifecycleStage
beforeAll(async () => {
  stage = await LifecycleStage.start()
}, 60_000)
afterAll(() => stage.close())

const resultByState = {
  answered: 'Which one?\n- This one.',
  declined: 'The person declined to answer.',
  cancelled: 'INTERRUPTED: The person interrupted the turn before this call was done.',
} as const

class Walk {
  readonly #session: LifecycleSession
  readonly #expect: ExpectStatic
  readonly #questionId: string

  private constructor(session: LifecycleSession, expect: ExpectStatic, questionId: string) {
    this.#session = session
    this.#expect = expect
    this.#questionId = questionId
  }

  static async with(expect: ExpectStatic, run: (walk: Walk) => Promise<void>): Promise<void> {
    const session = await LifecycleSession.open(stage)
    try {
      await session.send()
      const questions = [{ id: 'q', question: 'Which one?' }]
      ;(await session.call()).answerCalls([{ name: 'ask_user_question', arguments: { questions } }])
      const [questionId = ''] = await session.until(
        () => session.view.questions.size === 1 && [...session.view.questions.keys()],
        'a question',
      )
      await run(new Walk(session, expect, questionId))
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
    const answers = type === 'DECLINE' ? null : [{ id: 'q', selected: [], custom: 'This one.' }]
    const { client, sessionId } = this.#session
    const answer = await client.call('question.answer', { sessionId, questionId: this.#questionId, answers })
    return answer.accepted ? 'accepted' : answer.reason
  }

  /** Nothing that comes too late is taken; an interrupt is for the turn alone. */
  async refuse(event: Event): Promise<void> {
    this.#expect(await this.#perform(event)).toBe(event.type === 'CANCEL' ? 'accepted' : 'not-pending')
  }

  async check(path: Path, count: number, cancelling: Cancelling = 'interrupt'): Promise<void> {
    const at: Snapshot = path.steps[count - 1]?.snapshot ?? path.start
    const session = this.#session
    const name = `question:${this.#questionId}`
    const own = () => session.entriesOf('question').filter(({ actorId }) => actorId === name)
    await session.until(() => own().length > count, `${count} transitions of the question`)
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
    const results = (log ?? []).flatMap((entry) => (entry.type === 'tool/result' ? [textOf(entry.data.content)] : []))
    this.#expect(results).toEqual(at.value === 'pending' ? [] : [resultByState[at.value]])
  }

  #outcomes(): string[] {
    return this.#session.client.frames.flatMap((frame) =>
      frame.type === 'question/resolved' && frame.questionId === this.#questionId ? [frame.outcome] : [],
    )
  }
}

const walks = questionWalks.flatMap((path) => {
  const title = titleOf(path)
  const rule = title === 'CANCEL' ? 'silence' : 'first-answer'
  const ways: Cancelling[] = title === 'CANCEL' ? ['interrupt', 'remove'] : ['interrupt']
  return ways.map((cancelling) => ({ path, title, rule, cancelling }))
})

describe('every path of the question machine, on a real host', () => {
  it.concurrent.for(walks)('$rule: $title (by $cancelling where it is cancelled)', ({ path, cancelling }, { expect }) =>
    Walk.with(expect, (walk) => walk.go(path, cancelling)),
  )
})

describe('everything the question machine refuses, on a real host', () => {
  it.concurrent.for(questionRefusals.map(({ path, event }) => ({ path, event, title: titleOf(path) })))(
    'first-answer: after $title, $event.type changes nothing',
    ({ path, event }, { expect }) =>
      Walk.with(expect, async (walk) => {
        await walk.go(path, 'interrupt')
        await walk.refuse(event)
        await walk.check(path, path.steps.length)
      }),
  )
})
