/* Rename and remove, each asked for in a dialog that says what fails. */
import { type FormEvent, useId, useState } from 'react'
import { titleMaxLength } from '../../shared/protocol/methods.ts'
import { useClient } from '../client.tsx'
import { CallError } from '../connection/rpc.ts'
import { Icon } from '../icon.tsx'
import type { SessionHandle } from '../session/session-store.ts'
import { Dialog } from './dialog.tsx'
import { shellTexts } from './shell-texts.ts'

interface DialogProps {
  session: SessionHandle
  title: string
  onClose: () => void
}

function useAttempt() {
  const t = shellTexts.use()
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
      return true
    } catch (error) {
      setProblem(t('failed', { why: error instanceof CallError ? error.message : '' }))
      setBusy(false)
      return false
    }
  }
  return { problem, busy, attempt }
}

function Problem({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <p className="issue" role="alert">
      <Icon name="m-failed" />
      {text}
    </p>
  )
}

export function RenameDialog({ session, title, onClose }: DialogProps) {
  const t = shellTexts.use()
  const formId = useId()
  const fieldId = useId()
  const [text, setText] = useState(title)
  const { problem, busy, attempt } = useAttempt()
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    const done = await attempt(() => session.rpc.call('session.rename', { sessionId: session.id, title: text.trim() }))
    if (done) onClose()
  }
  return (
    <Dialog
      title={t('renameTitle')}
      onClose={onClose}
      actions={
        <>
          <button type="button" className="btn btn-quiet" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" form={formId} className="btn btn-main" disabled={busy || text.trim() === ''}>
            {t('save')}
          </button>
        </>
      }
    >
      <form id={formId} onSubmit={(event) => void onSubmit(event)}>
        <label className="label" htmlFor={fieldId}>
          {t('title')}
        </label>
        <input
          id={fieldId}
          className="input"
          maxLength={titleMaxLength}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onFocus={(event) => event.target.select()}
        />
        <Problem text={problem} />
      </form>
    </Dialog>
  )
}

export function RemoveDialog({ session, title, onClose }: DialogProps) {
  const t = shellTexts.use()
  const { router } = useClient()
  const { problem, busy, attempt } = useAttempt()
  const remove = async () => {
    const done = await attempt(() => session.rpc.call('session.remove', { sessionId: session.id }))
    if (!done) return
    onClose()
    router.go({ view: 'new' }, { replace: true })
  }
  return (
    <Dialog
      title={t('removeTitle')}
      onClose={onClose}
      actions={
        <>
          <button type="button" className="btn btn-quiet" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="button" className="btn btn-danger" disabled={busy} onClick={() => void remove()}>
            {t('remove')}
          </button>
        </>
      }
    >
      <p>{t('removeText', { title })}</p>
      <Problem text={problem} />
    </Dialog>
  )
}
