/* Questions that wait for a person, per live session (SPEC 5). The question actor decides whether an answer
   still counts; this validates answers against what was asked and hands them to the waiting call. */
import { createActor } from 'xstate'
import { outcomeOf, questionMachine, type QuestionActor, type QuestionMachineEvent } from '../../machines/question.ts'
import type { CallId, QuestionId } from '../../shared/ids.ts'
import type { SessionFrameBody } from '../../shared/protocol/frames.ts'
import type { Question, QuestionAnswer } from '../../shared/question.ts'
import type { AskOutcome } from '../tools/tool.ts'
import { accepts } from '../lifecycles/accepts.ts'
import type { SessionRuntime } from './session-runtime.ts'

interface Asked {
  callId: CallId
  questions: readonly Question[]
  actor: QuestionActor
  resolve: (outcome: AskOutcome) => void
}

export type AnswerResult = { accepted: true } | { accepted: false; reason: 'not-pending' | 'invalid-answer' }

export class QuestionService {
  readonly #runtime: SessionRuntime
  readonly #askedById = new Map<QuestionId, Asked>()

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime
  }

  get size(): number {
    return this.#askedById.size
  }

  /** Resolves with the first valid answer, a refusal to answer, or `cancelled` when `signal` aborts. */
  ask(callId: CallId, questions: readonly Question[], signal: AbortSignal): Promise<AskOutcome> {
    if (signal.aborted) return Promise.resolve({ kind: 'cancelled' })
    const questionId = this.#runtime.deps.ids.question()
    const name = `question:${questionId}`
    const machine = this.#runtime.observed(questionMachine, name)
    const actor = createActor(machine, { id: name, input: { questionId, callId } })
    this.#runtime.actors.start(name, actor)
    return new Promise((resolve) => {
      this.#askedById.set(questionId, { callId, questions, actor, resolve })
      signal.addEventListener('abort', () => this.#cancel(questionId), { once: true })
      this.#runtime.publish(this.#requested(questionId, callId, questions))
    })
  }

  /** `question.answer`; null answers mean "I decline". */
  answer(questionId: QuestionId, answers: readonly QuestionAnswer[] | null): AnswerResult {
    const asked = this.#askedById.get(questionId)
    const event: QuestionMachineEvent = { type: answers === null ? 'DECLINE' : 'ANSWER' }
    if (asked === undefined || !accepts(asked.actor, event)) return { accepted: false, reason: 'not-pending' }
    if (answers !== null && !fits(asked.questions, answers)) return { accepted: false, reason: 'invalid-answer' }
    this.#resolve(questionId, asked, event, answers ?? [])
    return { accepted: true }
  }

  cancelAll(): void {
    for (const questionId of this.#askedById.keys()) this.#cancel(questionId)
  }

  /** For the baseline of a socket that opens the session. */
  pending(): SessionFrameBody[] {
    return [...this.#askedById].map(([id, { callId, questions }]) => this.#requested(id, callId, questions))
  }

  #cancel(questionId: QuestionId): void {
    const asked = this.#askedById.get(questionId)
    if (asked !== undefined) this.#resolve(questionId, asked, { type: 'CANCEL' })
  }

  #resolve(
    questionId: QuestionId,
    { actor, resolve }: Asked,
    event: QuestionMachineEvent,
    answers: readonly QuestionAnswer[] = [],
  ): void {
    actor.send(event)
    const outcome = outcomeOf(actor.getSnapshot())
    if (outcome === null) return
    this.#askedById.delete(questionId)
    this.#runtime.publish({ type: 'question/resolved', questionId, outcome })
    resolve(outcome === 'answered' ? { kind: outcome, answers } : { kind: outcome })
  }

  #requested(questionId: QuestionId, callId: CallId, questions: readonly Question[]): SessionFrameBody {
    return { type: 'question/requested', questionId, callId, questions: [...questions] }
  }
}

/** Every answer names a question once and picks declared labels, one unless several may be picked; something is said. */
function fits(questions: readonly Question[], answers: readonly QuestionAnswer[]): boolean {
  const ids = new Set(answers.map(({ id }) => id))
  return (
    ids.size === answers.length &&
    answers.some(({ selected, custom = '' }) => selected.length > 0 || custom.trim() !== '') &&
    answers.every(({ id, selected }) => {
      const question = questions.find((candidate) => candidate.id === id)
      const labels = new Set(question?.options?.map(({ label }) => label))
      return (
        question !== undefined &&
        new Set(selected).size === selected.length &&
        selected.every((label) => labels.has(label)) &&
        (question.multiSelect === true || selected.length <= 1)
      )
    })
  )
}
