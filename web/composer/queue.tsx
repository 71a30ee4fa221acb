/* The rows that wait in the inbox (SPEC 4). Only the host's next frame changes a row; a submission can only
   be removed. An edit whose row leaves meanwhile comes back as a text that was not sent. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { composerIntent } from '../../machines/composer.ts'
import { messageIdSchema } from '../../shared/ids.ts'
import type { QueuedMessage } from '../../shared/message.ts'
import type { QueueAction } from '../../shared/protocol/methods.ts'
import { useClient } from '../client.tsx'
import { CallError, conflictOf } from '../connection/rpc.ts'
import { Icon, State } from '../icon.tsx'
import { type SessionHandle, useSession } from '../session/session-store.ts'
import { composerTexts } from './composer-texts.ts'

export function Queue({ session }: { session: SessionHandle }) {
  const t = composerTexts.use()
  const rows = useSession(session, (state) => state.queue)
  const [problem, setProblem] = useState<string | null>(null)
  if (rows.length === 0 && problem === null) return null
  return (
    <>
      {rows.length > 0 && (
        <ul className="queue" aria-label={t('queuedMessages')}>
          {rows.map((row) => (
            <QueueRow key={row.id} session={session} row={row} onProblem={setProblem} />
          ))}
        </ul>
      )}
      {problem !== null && (
        <p className="state is-bad" role="alert">
          <Icon name="m-failed" />
          {problem}
        </p>
      )}
    </>
  )
}

interface RowProps {
  session: SessionHandle
  row: QueuedMessage
  onProblem: (problem: string | null) => void
}

function isSubmission(row: QueuedMessage): boolean {
  return row.source.kind === 'user' && row.source.taskSurface !== undefined
}

function useQueueAction({ session, row, onProblem }: RowProps): (action: QueueAction) => Promise<boolean> {
  const t = composerTexts.use()
  return async (action) => {
    onProblem(null)
    try {
      await session.rpc.call('session.updateQueue', { sessionId: session.id, itemId: row.id, action })
      return true
    } catch (error) {
      if (conflictOf(error) === 'queue-item-not-found') onProblem(t('rowGone'))
      else onProblem(t('rowFailed', { why: error instanceof CallError ? error.message : '' }))
      return false
    }
  }
}

function QueueRow(props: RowProps) {
  const t = composerTexts.use()
  const { session, row } = props
  const [editing, setEditing] = useState(false)
  const act = useQueueAction(props)
  const live = useSession(session, (state) => state.phase === 'live')
  const running = useSession(session, (state) => state.status.status === 'running')
  const locked = isSubmission(row)
  const steering = row.placement === 'steering'
  if (editing && row.text !== null)
    return <QueueEditor {...props} text={row.text} onClose={() => setEditing(false)} act={act} />
  return (
    <li>
      <State mark={steering ? 'i-steer' : 'm-queued'} tone={locked ? 'now' : 'plain'}>
        {steering ? t('steering') : t('queued')}
      </State>
      <span className="queue-text">{row.preview}</span>
      <span className="queue-acts">
        {locked && (
          <span className="state is-old" title={t('locked')}>
            <Icon name="i-lock" />
            <span className="vh">{t('locked')}</span>
          </span>
        )}
        {!locked && row.text !== null && (
          <RowButton
            icon="i-edit"
            word={t('edit')}
            name={t('editOf', { text: row.preview })}
            disabled={!live}
            onPress={() => setEditing(true)}
          />
        )}
        {!locked && !steering && running && (
          <RowButton
            icon="i-steer"
            word={t('steer')}
            name={t('steerOf', { text: row.preview })}
            disabled={!live}
            onPress={() => void act({ kind: 'steer' })}
          />
        )}
        <RowButton
          icon="i-close"
          word={t('remove')}
          name={t('removeOf', { text: row.preview })}
          disabled={!live}
          onPress={() => void act({ kind: 'remove' })}
        />
      </span>
    </li>
  )
}

export function RowButton(props: {
  icon: 'i-edit' | 'i-steer' | 'i-close' | 'i-up'
  word: string
  name: string
  disabled: boolean
  onPress: () => void
}) {
  return (
    <button
      type="button"
      className="btn btn-quiet btn-sm"
      aria-label={props.name}
      title={props.word}
      disabled={props.disabled}
      onClick={props.onPress}
    >
      <Icon name={props.icon} />
      <span className="lbl">{props.word}</span>
    </button>
  )
}

function QueueEditor(
  props: RowProps & { text: string; onClose: () => void; act: (action: QueueAction) => Promise<boolean> },
) {
  const t = composerTexts.use()
  const { deskOf, mintId } = useClient()
  const { session, row, onClose, act } = props
  const [text, setText] = useState(props.text)
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  /** What would be lost if the row went now; null: nothing. */
  const unsaved = useRef<string | null>(null)
  unsaved.current = text === props.text ? null : text

  useEffect(() => {
    field.current?.focus()
    return () => {
      const lost = unsaved.current
      if (lost !== null)
        deskOf(session).sent.giveBack(messageIdSchema.parse(mintId()), 'refused', {
          text: lost,
          why: composerTexts.text('rowGone'),
        })
    }
  }, [deskOf, mintId, session])

  const close = () => {
    unsaved.current = null
    setText(props.text)
    onClose()
  }
  const save = async () => {
    if (text.trim() === '' || busy) return
    setBusy(true)
    const done = await act({ kind: 'edit', text })
    setBusy(false)
    if (done) close()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey: shift, altKey: alt, ctrlKey: control, nativeEvent } = event
    if (key === 'Escape' && !nativeEvent.isComposing) {
      event.stopPropagation()
      return close()
    }
    const { isComposing, keyCode } = nativeEvent
    if (composerIntent({ key, shift, alt, control, isComposing, keyCode }, false) === null) return
    event.preventDefault()
    void save()
  }
  return (
    <li className="queue-edit">
      <textarea
        ref={field}
        className="input"
        aria-label={t('editOf', { text: row.preview })}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="queue-acts">
        <button type="button" className="btn btn-quiet btn-sm" onClick={close}>
          {t('cancel')}
        </button>
        <button type="button" className="btn btn-sm" disabled={busy || text.trim() === ''} onClick={() => void save()}>
          {t('save')}
        </button>
      </span>
    </li>
  )
}
