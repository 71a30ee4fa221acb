/* What is asked for, in whole: the command as it would run, and the facts around it. */
import { useState } from 'react'
import type { SessionId } from '../../../shared/ids.ts'
import { useClient } from '../../client.tsx'
import { Icon } from '../../icon.tsx'
import type { PendingApproval } from '../../session/session-state.ts'
import { type SessionHandle, useSession } from '../../session/session-store.ts'
import { Link } from '../../shell/link.tsx'
import { useStore } from '../../store.ts'
import { took } from '../../time.ts'
import { type Fact, factsBeside, hidesSomething, visible } from './approval-facts.ts'
import { approvalTexts } from './approval-texts.ts'

export function ApprovalBody({ session, pending }: { session: SessionHandle; pending: PendingApproval }) {
  const t = approvalTexts.use()
  const { sessions } = useClient()
  const { tool, summary, fromSession } = pending
  const ownFolder = useSession(session, (state) => state.session?.cwd)
  const child = useStore(sessions.list, (list) => list.sessions.find((one) => one.id === fromSession))
  const folder = child?.cwd ?? ownFolder
  return (
    <div className="take-body">
      <Whole text={summary} label={t('what')} />
      {hidesSomething(pending) && (
        <p className="issue approval-codes">
          <Icon name="m-warn" />
          {t('hidden')}
        </p>
      )}
      <dl className="facts">
        <dt>{t('tool')}</dt>
        <dd className="mono">{tool}</dd>
        {folder !== undefined && (
          <>
            <dt>{t('folder')}</dt>
            <dd className="mono">{folder}</dd>
          </>
        )}
        {fromSession !== null && (
          <>
            <dt>{t('from')}</dt>
            <dd>
              <From sessionId={fromSession} title={child?.title} />
            </dd>
          </>
        )}
        <dt>{t('runsAs')}</dt>
        <dd>{t('you')}</dd>
        {factsBeside(pending).map((fact) => (
          <Row key={fact.kind === 'input' ? `input ${fact.key}` : fact.kind} fact={fact} />
        ))}
      </dl>
    </div>
  )
}

function From({ sessionId, title }: { sessionId: SessionId; title: string | undefined }) {
  if (title === undefined) return <span className="mono">{sessionId}</span>
  return <Link to={{ view: 'session', sessionId, pane: null }}>{title}</Link>
}

/** Characters drawn before the rest is asked for: a page has no use for more, a slow machine neither. */
const drawnAtMost = 50_000

/** A text that scrolls by itself. */
function Whole({ text, label }: { text: string; label: string }) {
  const t = approvalTexts.use()
  const [all, setAll] = useState(false)
  const shown = all ? text : text.slice(0, drawnAtMost)
  return (
    <>
      <pre className="cmd" tabIndex={0} role="group" aria-label={label} dir="ltr">
        {visible(shown).map((piece, index) =>
          piece.code ? (
            <span key={index} className="approval-code">
              {piece.text}
            </span>
          ) : (
            piece.text
          ),
        )}
      </pre>
      {shown.length < text.length && (
        <button type="button" className="btn btn-sm approval-rest" onClick={() => setAll(true)}>
          {t('rest', { count: text.length - shown.length })}
        </button>
      )}
    </>
  )
}

function Row({ fact }: { fact: Fact }) {
  const t = approvalTexts.use()
  switch (fact.kind) {
    case 'purpose':
      return (
        <>
          <dt>{t('purpose')}</dt>
          <dd>{fact.text}</dd>
        </>
      )
    case 'background':
      return (
        <>
          <dt>{t('background')}</dt>
          <dd>{fact.yes ? t('yes') : t('no')}</dd>
        </>
      )
    case 'timeout':
      return (
        <>
          <dt>{t('timeout')}</dt>
          <dd>{took(fact.ms)}</dd>
        </>
      )
    case 'input':
      return (
        <>
          <dt className="mono">{fact.key}</dt>
          <dd>
            <Whole text={fact.text} label={fact.key} />
          </dd>
        </>
      )
    default: {
      const never: never = fact
      return never
    }
  }
}
