/* Copy, fork and rewind on an entry. The host decides whether it can be done; a refusal is said beside the
   buttons. A rewind takes things out of the record, so it asks first. */
import { useState } from 'react'
import { useClient } from '../client.tsx'
import { CallError, conflictOf } from '../connection/rpc.ts'
import { Icon } from '../icon.tsx'
import { copyText } from '../markdown/copy-text.ts'
import type { SessionHandle } from '../session/session-store.ts'
import { messageIdSchema } from '../../shared/ids.ts'
import { Dialog } from '../shell/dialog.tsx'
import { transcriptTexts } from './transcript-texts.ts'

export interface EntryActionsProps {
  session: SessionHandle
  text: string
  /** Null: no fork here. */
  forkAt: number | null
  /** Null: nothing to take back from here. */
  rewindTo: number | null
  rewindLabel: 'rewind' | 'rewindBefore'
}

export function EntryActions({ session, text, forkAt, rewindTo, rewindLabel }: EntryActionsProps) {
  const t = transcriptTexts.use()
  const { announce, sessions, router } = useClient()
  const [problem, setProblem] = useState<string | null>(null)
  const [asking, setAsking] = useState(false)

  async function copy(): Promise<void> {
    if (await copyText(text)) announce(t('copied'))
  }
  async function fork(atSeq: number): Promise<void> {
    try {
      const made = await session.rpc.call('session.fork', { sessionId: session.id, atSeq })
      sessions.add(made.session)
      router.go({ view: 'session', sessionId: made.session.id, pane: null })
    } catch (error) {
      setProblem(t('actionFailed', { why: error instanceof CallError ? error.message : '' }))
    }
  }
  return (
    <div className="acts">
      <button
        type="button"
        className="icon-btn icon-btn-sm"
        aria-label={t('copy')}
        title={t('copy')}
        onClick={() => void copy()}
      >
        <Icon name="i-copy" />
      </button>
      {forkAt !== null && (
        <button
          type="button"
          className="icon-btn icon-btn-sm"
          aria-label={t('fork')}
          title={t('fork')}
          onClick={() => void fork(forkAt)}
        >
          <Icon name="i-fork" />
        </button>
      )}
      {rewindTo !== null && (
        <button
          type="button"
          className="icon-btn icon-btn-sm"
          aria-label={t(rewindLabel)}
          title={t(rewindLabel)}
          onClick={() => setAsking(true)}
        >
          <Icon name="i-rewind" />
        </button>
      )}
      {problem !== null && (
        <span className="state is-bad" role="alert">
          <Icon name="m-failed" />
          {problem}
        </span>
      )}
      {asking && rewindTo !== null && (
        <RewindDialog session={session} toSeq={rewindTo} onClose={() => setAsking(false)} onProblem={setProblem} />
      )}
    </div>
  )
}

function RewindDialog(props: {
  session: SessionHandle
  toSeq: number
  onClose: () => void
  onProblem: (problem: string) => void
}) {
  const t = transcriptTexts.use()
  const { deskOf, mintId } = useClient()
  const { session, toSeq, onClose, onProblem } = props

  async function rewind(): Promise<void> {
    onClose()
    try {
      const { text } = await session.rpc.call('session.rewind', { sessionId: session.id, toSeq })
      if (text === undefined) return
      const { draft, sent } = deskOf(session)
      if (draft.getState().text === '') draft.replace(text)
      else sent.giveBack(messageIdSchema.parse(mintId()), 'rewound', { text })
    } catch (error) {
      if (conflictOf(error) === 'session-busy') onProblem(t('busy'))
      else onProblem(t('actionFailed', { why: error instanceof CallError ? error.message : '' }))
    }
  }
  return (
    <Dialog
      title={t('rewindTitle')}
      onClose={onClose}
      actions={
        <>
          <button type="button" className="btn btn-quiet" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="button" className="btn btn-danger" onClick={() => void rewind()}>
            {t('rewindDo')}
          </button>
        </>
      }
    >
      <p>{t('rewindText')}</p>
    </Dialog>
  )
}
