/* The message field of a session (SPEC 9): two lines, one while a surface is open. Its text lives in the
   draft store, so it survives reloads and takeovers; sending is the outbox's. Typing draws this alone. */
import { type FormEvent, type KeyboardEvent, useEffect, useRef } from 'react'
import { composerIntent } from '../../machines/composer.ts'
import type { ApprovalPolicy } from '../../shared/event.ts'
import type { Placement } from '../../shared/message.ts'
import { messageTextMaxLength } from '../../shared/protocol/methods.ts'
import { useClient } from '../client.tsx'
import { conflictOf } from '../connection/rpc.ts'
import { Icon, State } from '../icon.tsx'
import { activeSurfaceOf } from '../session/session-facts.ts'
import { type SessionHandle, useSession } from '../session/session-store.ts'
import { Menu } from '../shell/menu.tsx'
import { useStore } from '../store.ts'
import { composerTexts } from './composer-texts.ts'

export const composerFieldId = 'composer'

export function Composer({ session }: { session: SessionHandle }) {
  const t = composerTexts.use()
  const { deskOf } = useClient()
  const { draft, outbox } = deskOf(session)
  const text = useStore(draft, (state) => state.text)
  const live = useSession(session, (state) => state.phase === 'live')
  const running = useSession(session, (state) => state.status.status === 'running')
  const slim = useSession(session, (state) => activeSurfaceOf(state) !== null)
  const held = useStore(outbox.state, (state) => state.held)
  const blocked = !live || held || text.length > messageTextMaxLength
  const empty = text.trim() === ''
  const field = useGrowingField(text)

  const send = (placement: Placement) => {
    if (!blocked) outbox.send(placement)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, shiftKey: shift, altKey: alt, ctrlKey, metaKey, nativeEvent } = event
    const { isComposing, keyCode } = nativeEvent
    const intent = composerIntent({ key, shift, alt, control: ctrlKey || metaKey, isComposing, keyCode }, running)
    if (intent === null) return
    event.preventDefault()
    send(intent === 'steer' ? 'steering' : 'queued')
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    send('queued')
    field.current?.focus()
  }
  return (
    <form className={slim ? 'composer composer-slim' : 'composer'} onSubmit={onSubmit}>
      <label className="vh" htmlFor={composerFieldId}>
        {t('message')}
      </label>
      <textarea
        ref={field}
        id={composerFieldId}
        rows={1}
        placeholder={slim ? t('bypasses') : t('write')}
        value={text}
        onChange={(event) => draft.type(event.target.value)}
        onFocus={draft.refresh}
        onKeyDown={onKeyDown}
      />
      <div className="composer-bar">
        {!slim && <Policy session={session} />}
        {!slim && <span className="grow" />}
        <Note session={session} slim={slim} />
        {running && live && (
          <button type="button" className="btn" disabled={blocked || empty} onClick={() => send('steering')}>
            <Icon name="i-steer" />
            <span className={slim ? 'lbl' : undefined}>{t('steer')}</span>
          </button>
        )}
        <button type="submit" className={slim ? 'btn' : 'btn btn-main'} disabled={blocked || empty}>
          <Icon name="i-send" />
          <span className={slim ? 'lbl' : undefined}>{running && live ? t('queue') : t('send')}</span>
        </button>
      </div>
    </form>
  )
}

/** Where the browser cannot grow a field by itself. */
function useGrowingField(text: string) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const element = field.current
    if (element === null || typeof CSS === 'undefined' || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text])
  return field
}

/** The one thing worth saying beside the buttons, the most pressing first. */
function Note({ session, slim }: { session: SessionHandle; slim: boolean }) {
  const t = composerTexts.use()
  const { deskOf } = useClient()
  const { draft, outbox } = deskOf(session)
  const length = useStore(draft, (state) => state.text.length)
  const saved = useStore(draft, (state) => state.saved)
  const held = useStore(outbox.state, (state) => state.held)
  const live = useSession(session, (state) => state.phase === 'live')
  const opening = useSession(session, (state) => state.phase === 'opening')
  const running = useSession(session, (state) => state.status.status === 'running')
  const warning = held
    ? t('held')
    : !live && !opening
      ? t('offline')
      : length > messageTextMaxLength
        ? t('tooLong', { count: length, most: messageTextMaxLength })
        : saved
          ? null
          : t('unsaved')
  if (warning !== null) {
    return (
      <State mark="m-warn" tone="warn">
        {warning}
      </State>
    )
  }
  if (slim) return null
  return <span className="hint">{running ? t('hintRunning') : t('hintIdle')}</span>
}

function Policy({ session }: { session: SessionHandle }) {
  const t = composerTexts.use()
  const { announce } = useClient()
  const approval = useSession(session, (state) => state.session?.approval ?? 'ask')
  const free = useSession(session, (state) => state.phase === 'live' && state.status.status === 'idle')

  async function choose(next: ApprovalPolicy): Promise<void> {
    if (next === approval) return
    try {
      await session.rpc.call('session.configure', { sessionId: session.id, approval: next })
    } catch (error) {
      announce(conflictOf(error) === 'session-busy' ? t('policyBusy') : t('offline'))
    }
  }
  const label = approval === 'ask' ? t('asks') : t('auto')
  return (
    <Menu
      className="act"
      menuLabel={t('policy')}
      place="above-start"
      disabled={!free}
      title={free ? t('policy') : t('policyBusy')}
      items={(['ask', 'auto'] as const).map((policy) => ({
        id: policy,
        label: policy === 'ask' ? t('asks') : t('auto'),
        checked: approval === policy,
        onSelect: () => void choose(policy),
      }))}
    >
      <Icon name={approval === 'ask' ? 'i-shield' : 'm-warn'} />
      <span className="lbl">{label}</span>
    </Menu>
  )
}
