/* Why the last attempt did not go through, at the top of the dock: a reason in words, and for every answer that
   needs a change a way to its field. Takes the focus when it appears, so that it is heard first, unless the person
   is busy outside the dock; then it is announced. */
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { DockTrouble } from '../../../machines/dock.ts'
import type { Issue } from '../../../shared/surface/operations.ts'
import { useClient } from '../../client.tsx'
import { Icon } from '../../icon.tsx'
import { type Form, noteKey } from './form.ts'
import { issueKey } from './issue-words.ts'
import { numberWord, surfaceTexts, type SurfaceText } from './strings.ts'

interface Words {
  tone: 'danger' | 'warning'
  title: string
  why: string
}

/** A reason of the host may end without a stop, and another sentence follows. */
function sentence(text: string): string {
  return /[.!?。！？]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
}

function discardWords(trouble: Extract<DockTrouble, { kind: 'discarded' }>, t: SurfaceText): string {
  switch (trouble.reason) {
    case 'rejected':
      return trouble.why === null ? t('returnedRejected') : t('returnedRejectedWhy', { why: sentence(trouble.why) })
    case 'cancelled':
      return t('returnedCancelled')
    case 'error':
      return t('returnedError')
    case 'removed':
      return t('returnedRemoved')
    case 'surface-closed':
      return t('returnedClosed')
    case 'disposed':
      return t('returnedDisposed')
    case null:
      return t('returnedUnknown')
  }
}

export function troubleWords(trouble: DockTrouble, connected: boolean, t: SurfaceText): Words {
  switch (trouble.kind) {
    case 'invalid':
      return { tone: 'danger', title: t('rejectedWhole'), why: '' }
    case 'stale':
      return { tone: 'danger', title: t('staleTitle'), why: t('staleWhy') }
    case 'no-answer':
      return connected
        ? { tone: 'danger', title: t('noAnswerTitle'), why: t('noAnswerWhy') }
        : { tone: 'warning', title: t('unknownTitle'), why: t('unknownWhy') }
    case 'not-dismissed':
      return { tone: 'warning', title: t('notDismissedTitle'), why: t('notDismissedWhy') }
    case 'discarded':
      return {
        tone: 'warning',
        title: t('returnedTitle'),
        why: `${discardWords(trouble, t)} ${t('unchangedBelow')}`,
      }
  }
}

export function TroubleNotice(props: {
  form: Form | null
  trouble: DockTrouble | null
  issues: readonly Issue[]
  connected: boolean
  onGo: (key: string) => void
}) {
  const t = surfaceTexts.use()
  const { trouble } = props
  const box = useRef<HTMLDivElement>(null)
  const { announce } = useClient()
  useEffect(() => {
    const element = box.current
    if (trouble === null || element === null) return
    const focused = document.activeElement
    const isHere = focused === document.body || element.closest('.dock')?.contains(focused) === true
    // Whoever writes a message meanwhile goes on writing.
    if (isHere) element.focus()
    else announce(element.textContent ?? '')
    element.scrollIntoView({ block: 'nearest' })
  }, [trouble, announce])
  if (trouble === null || (trouble.kind === 'invalid' && props.issues.length === 0)) return null
  const { tone, title, why } = troubleWords(trouble, props.connected, t)
  const isList = trouble.kind === 'invalid' && props.form !== null
  return (
    <div className={`notice notice-${tone}`} role="group" aria-label={title} tabIndex={-1} ref={box}>
      <Icon name={tone === 'danger' ? 'm-failed' : 'm-warn'} />
      {isList ? (
        <IssueList {...props} form={props.form} />
      ) : (
        <div>
          <b>{title}</b>
          {why}
        </div>
      )}
    </div>
  )
}

function IssueList({
  form,
  issues,
  onGo,
}: {
  form: Form | null
  issues: readonly Issue[]
  onGo: (key: string) => void
}) {
  const t = surfaceTexts.use()
  const { i18n } = useTranslation()
  if (form === null) return null
  const keys = new Set(issues.map((issue) => issueKey(form.model, issue)))
  const isWhole = keys.delete(null)
  const named = [
    ...(form.model.fields ?? []).map(({ id, label }) => ({ key: id, label })),
    { key: noteKey, label: t('noteLabel') },
  ]
  const wrong = named.filter(({ key }) => keys.has(key))
  const number = numberWord(i18n.language, wrong.length)
  return (
    <div>
      <b>{wrong.length === 0 ? t('rejectedWhole') : t('rejected', { count: wrong.length, number })}</b>
      {isWhole ? <span className="notice-line">{t('issueTooLong')}</span> : null}
      {wrong.map(({ key, label }, index) => (
        <span key={key}>
          {index === 0 ? '' : ', '}
          <a
            href={`#${key}`}
            onClick={(event) => {
              // The page's address belongs to its sessions.
              event.preventDefault()
              onGo(key)
            }}
          >
            {label}
          </a>
        </span>
      ))}
    </div>
  )
}
