/* Permission for a call (SPEC 5, 9): takes the desk over until it is decided, here or anywhere. The first decision
   wins; one that comes too late closes quietly. Silence, Escape and a lost connection decide nothing. Rules:
   APPR-FOCUS the focus goes to the heading, never to a button; APPR-HASTE a press meant for what stood there a
   moment ago decides nothing. Next: `approval-body.tsx`. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { Client } from '../../client.tsx'
import { after } from '../../connection/browser-socket.ts'
import { CallError } from '../../connection/rpc.ts'
import { Icon, State } from '../../icon.tsx'
import type { PendingApproval } from '../../session/session-state.ts'
import { type SessionHandle, useSession } from '../../session/session-store.ts'
import type { Scope } from '../../slots.ts'
import { useStore } from '../../store.ts'
import { ApprovalBody } from './approval-body.tsx'
import { askedOf, visible } from './approval-facts.ts'
import { approvalTexts } from './approval-texts.ts'
import { ApprovalElsewhere } from './approval-elsewhere.tsx'
import { createDecisions, type Decisions, waitingIn } from './decisions.ts'

type Problem = { kind: 'offline' } | { kind: 'failed'; why: string }

export function registerApprovals(scope: Scope, { announce }: Pick<Client, 'announce'>): void {
  const decisionsOf = scope.perSession(createDecisions)
  scope.register('conversation.composer', {
    id: 'approvals',
    // Behind questions: what a person is writing is not taken away from under them.
    order: 30,
    select: (session) => waitingIn(session, decisionsOf(session)).length > 0,
    component: ({ session }) => <Takeover session={session} decisions={decisionsOf(session)} announce={announce} />,
  })
  scope.register('conversation.input.dock', { id: 'approval-elsewhere', order: 5, component: ApprovalElsewhere })
}

interface TakeoverProps {
  session: SessionHandle
  decisions: Decisions
  announce: (text: string) => void
}

function Takeover(props: TakeoverProps) {
  const { session, decisions } = props
  const approvals = useSession(session, (state) => state.approvals)
  useStore(decisions, (all) => all)
  const [first, ...rest] = waitingIn(session, decisions)
  useEffect(() => decisions.keepOnly(approvals.map((one) => one.approvalId)), [decisions, approvals])
  return first === undefined ? null : <Asked key={first.approvalId} pending={first} more={rest.length} {...props} />
}

function useDeciding({ session, decisions, pending }: TakeoverProps & { pending: PendingApproval }) {
  const { approvalId } = pending
  const [problem, setProblem] = useState<Problem | null>(null)
  const decide = async (decision: 'allow' | 'deny', remember = false): Promise<void> => {
    decisions.set(approvalId, 'sending')
    setProblem(null)
    const more = remember ? { remember } : {}
    try {
      await session.rpc.call('approval.decide', { sessionId: session.id, approvalId, decision, ...more })
      // Accepted or too late: either way its end is on the way, and the page need not wait for it.
      decisions.set(approvalId, 'over')
    } catch (error) {
      decisions.set(approvalId, 'open')
      const refused = error instanceof CallError && error.failure.reason === 'refused'
      setProblem(refused ? { kind: 'failed', why: error.message } : { kind: 'offline' })
    }
  }
  return { problem, decide }
}

/** As long as a double click takes. */
const hasteMs = 500

function useSettledHere(): boolean {
  const [settled, setSettled] = useState(false)
  useEffect(() => after(hasteMs, () => setSettled(true)), [])
  return settled
}

function Asked(props: TakeoverProps & { pending: PendingApproval; more: number }) {
  const t = approvalTexts.use()
  const { session, decisions, pending, more, announce } = props
  const { approvalId, tool, fromSession, summary } = pending
  const titleId = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const sending = useStore(decisions, (all) => all.get(approvalId) === 'sending')
  const live = useSession(session, (state) => state.phase === 'live')
  const settled = useSettledHere()
  const { problem, decide } = useDeciding(props)
  const question = t(`ask_${askedOf(tool)}`, { tool })
  const spoken = `${t('needed')}. ${question} ${spokenOf(summary)}`
  useEffect(() => heading.current?.focus(), [])
  useEffect(() => announce(spoken), [announce, spoken])
  const onKeyDown = ({ key, nativeEvent }: KeyboardEvent) => {
    if (key === 'Escape' && !nativeEvent.isComposing) heading.current?.focus()
  }
  const locked = sending || !live || !settled
  return (
    <section className="take" aria-labelledby={titleId} onKeyDown={onKeyDown}>
      <div className="take-head">
        <div>
          <State mark={live ? 'm-open' : 'm-known'} tone={live ? 'now' : 'old'}>
            {more === 0 ? t('needed') : t('neededMore', { count: more })}
          </State>
          <h2 id={titleId} ref={heading} tabIndex={-1}>
            {question}
          </h2>
        </div>
      </div>
      <ApprovalBody session={session} pending={pending} />
      <div className="take-foot approval-foot">
        <Said problem={problem} live={live} />
        <button type="button" className="btn" disabled={locked} onClick={() => void decide('deny')}>
          {t('deny')}
        </button>
        <button
          type="button"
          className="btn approval-always"
          disabled={locked}
          onClick={() => void decide('allow', true)}
        >
          {fromSession === null ? t('always', { tool }) : t('alwaysChild', { tool })}
        </button>
        <button type="button" className="btn btn-main" disabled={locked} onClick={() => void decide('allow')}>
          {sending ? t('sending') : t('once')}
        </button>
      </div>
    </section>
  )
}

/** Characters of what is asked for that are read out; the whole stands under the heading. */
const spokenAtMost = 200

function spokenOf(summary: string): string {
  const line = visible(summary.slice(0, spokenAtMost)).map(({ text }) => text)
  return line.join('').replaceAll(/\s+/g, ' ').trim()
}

function Said({ problem, live }: { problem: Problem | null; live: boolean }) {
  const t = approvalTexts.use()
  if (problem !== null) {
    return (
      <span className="grow issue" role="alert">
        <Icon name="m-failed" />
        {problem.kind === 'failed' ? t('failed', { why: problem.why }) : t('offline')}
      </span>
    )
  }
  return <span className="grow">{live ? t('waits') : t('offlineNow')}</span>
}
