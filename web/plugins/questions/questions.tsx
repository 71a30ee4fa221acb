/* `ask_user_question` in the browser (SPEC 5, 9): takes the desk over until the question is resolved. The
   first valid answer wins, whichever page gives it; one that comes too late closes quietly. Silence, Escape
   and a lost connection answer nothing. */
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { QuestionAnswer } from '../../../shared/question.ts'
import type { Client } from '../../client.tsx'
import { CallError } from '../../connection/rpc.ts'
import { Icon, State } from '../../icon.tsx'
import type { PendingQuestion } from '../../session/session-state.ts'
import { type SessionHandle, useSession } from '../../session/session-store.ts'
import type { Scope } from '../../slots.ts'
import { useStore } from '../../store.ts'
import { isAnswered, noAnswer, toAnswer, withOption } from './answers.ts'
import { QuestionBody } from './question-body.tsx'
import { createQuestionStore, noProgress, type QuestionStore } from './question-store.ts'
import { questionTexts } from './question-texts.ts'

/**
 * Keys right after a question appeared were meant for the field it took the place of: a person who types
 * must not answer by accident.
 */
const settleMs = 600

type Problem = { kind: 'missing' | 'invalid' | 'offline' } | { kind: 'failed'; why: string }

export function registerQuestions(scope: Scope, { announce, now }: Pick<Client, 'announce' | 'now'>): void {
  const storeOf = scope.perSession(createQuestionStore)
  scope.register('conversation.composer', {
    id: 'questions',
    order: 20,
    select: (session) => pendingOf(session, storeOf(session)) !== null,
    component: ({ session }) => (
      <QuestionTakeover session={session} store={storeOf(session)} announce={announce} now={now} />
    ),
  })
}

function pendingOf(session: SessionHandle, store: QuestionStore): PendingQuestion | null {
  return session.getState().questions.find(({ questionId }) => !store.of(questionId).over) ?? null
}

interface TakeoverProps {
  session: SessionHandle
  store: QuestionStore
  announce: (text: string) => void
  now: () => number
}

function QuestionTakeover(props: TakeoverProps) {
  const { session, store } = props
  const questions = useSession(session, (state) => state.questions)
  useStore(store, (all) => all)
  const pending = pendingOf(session, store)
  useEffect(() => store.keepOnly(questions.map((one) => one.questionId)), [store, questions])
  return pending === null ? null : <Asked key={pending.questionId} pending={pending} {...props} />
}

function useAnswering({ session, store, pending }: TakeoverProps & { pending: PendingQuestion }) {
  const { questionId } = pending
  const [problem, setProblem] = useState<Problem | null>(null)
  const answer = async (answers: QuestionAnswer[] | null): Promise<void> => {
    store.change(questionId, { sending: true })
    setProblem(null)
    try {
      const outcome = await session.rpc.call('question.answer', { sessionId: session.id, questionId, answers })
      // Accepted or too late: either way its end is on the way, and the page need not wait for it.
      if (outcome.accepted || outcome.reason === 'not-pending') store.change(questionId, { over: true, sending: false })
      else {
        store.change(questionId, { sending: false })
        setProblem({ kind: 'invalid' })
      }
    } catch (error) {
      store.change(questionId, { sending: false })
      const refused = error instanceof CallError && error.failure.reason === 'refused'
      setProblem(refused ? { kind: 'failed', why: error.message } : { kind: 'offline' })
    }
  }
  return { problem, setProblem, answer }
}

function Asked(props: TakeoverProps & { pending: PendingQuestion }) {
  const t = questionTexts.use()
  const { session, store, pending, announce, now } = props
  const { questionId, questions } = pending
  const titleId = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const [since] = useState(now)
  const progress = useStore(store, (all) => all.get(questionId) ?? noProgress)
  const live = useSession(session, (state) => state.phase === 'live')
  const { problem, setProblem, answer } = useAnswering(props)
  const at = Math.min(progress.at, questions.length - 1)
  const question = questions[at]
  const draft = progress.drafts[at] ?? noAnswer
  const isLast = at === questions.length - 1
  const position = t('position', { at: at + 1, count: questions.length })

  const spoken = question === undefined ? '' : `${position}. ${question.question}`
  useEffect(() => heading.current?.focus(), [at])
  useEffect(() => announce(spoken), [announce, spoken])

  if (question === undefined) return null
  const choose = (label: string) => store.draft(questionId, at, withOption(question, draft, label))
  const goOn = () => {
    if (progress.sending || !live) return
    if (!isAnswered(draft)) return setProblem({ kind: 'missing' })
    setProblem(null)
    if (isLast) void answer(questions.map((one, index) => toAnswer(one, progress.drafts[index] ?? noAnswer)))
    else store.change(questionId, { at: at + 1 })
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    goOn()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    const { key, nativeEvent, target, currentTarget } = event
    const composing = nativeEvent.isComposing || nativeEvent.keyCode === 229
    if (key === 'Escape' && !composing) return heading.current?.focus()
    // Some browsers send the form with the Enter that confirms an input method's text.
    if (key === 'Enter' && composing) return event.preventDefault()
    if (now() - since < settleMs && target === heading.current) return
    if (key === 'Enter' && target === heading.current && isAnswered(draft)) return goOn()
    const inText = target instanceof HTMLInputElement && target.type === 'text'
    const place = Number(key) - 1
    const option = inText || event.ctrlKey || event.metaKey || event.altKey ? undefined : question.options?.[place]
    if (option === undefined || progress.sending) return
    event.preventDefault()
    choose(option.label)
    currentTarget.querySelectorAll<HTMLInputElement>('.opt input')[place]?.focus()
  }
  return (
    <form className="take" aria-labelledby={titleId} onSubmit={onSubmit} onKeyDown={onKeyDown}>
      <div className="take-head">
        <div>
          <State mark={live ? 'm-open' : 'm-known'} tone={live ? 'now' : 'old'}>
            {question.header === undefined || question.header === '' ? position : `${position} · ${question.header}`}
          </State>
          <h2 id={titleId} ref={heading} tabIndex={-1}>
            {question.question}
          </h2>
        </div>
        <button
          type="button"
          className="icon-btn icon-btn-sm"
          aria-label={t('declineName')}
          title={t('declineName')}
          // No stop between heading and answers: a space typed there would decline. The footer's button is the stop.
          tabIndex={-1}
          disabled={progress.sending || !live}
          onClick={() => void answer(null)}
        >
          <Icon name="i-close" />
        </button>
      </div>
      <QuestionBody
        key={question.id}
        question={question}
        draft={draft}
        locked={progress.sending}
        onChoose={choose}
        onWrite={(custom) => store.draft(questionId, at, { ...draft, custom })}
      />
      <div className="take-foot">
        <Said problem={problem} live={live} />
        <button
          type="button"
          className="btn btn-quiet"
          disabled={progress.sending || !live}
          onClick={() => void answer(null)}
        >
          {t('decline')}
        </button>
        {questions.length > 1 && (
          <button
            type="button"
            className="btn"
            disabled={at === 0 || progress.sending}
            onClick={() => store.change(questionId, { at: at - 1 })}
          >
            {t('back')}
          </button>
        )}
        <button type="submit" className="btn btn-main" disabled={progress.sending || !live}>
          {progress.sending ? t('sending') : isLast ? t('answer') : t('next')}
        </button>
      </div>
    </form>
  )
}

function Said({ problem, live }: { problem: Problem | null; live: boolean }) {
  const t = questionTexts.use()
  if (problem !== null) {
    return (
      <span className="grow issue" role="alert">
        <Icon name="m-failed" />
        {problem.kind === 'failed' ? t('failed', { why: problem.why }) : t(problem.kind)}
      </span>
    )
  }
  return <span className="grow">{live ? t('waits') : t('offlineNow')}</span>
}
