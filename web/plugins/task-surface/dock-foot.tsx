/* The foot of the dock: what is kept and what is ahead, Dismiss and submit; or, while answers are on their way, why
   nothing can be changed. */
import type { QueuedMessage } from '../../../shared/message.ts'
import { Icon, State } from '../../icon.tsx'
import { type SessionHandle, useSession } from '../../session/session-store.ts'
import type { DockController, DockView } from './dock-controller.ts'
import { DockMark, type OpenPhase } from './dock-phase.tsx'
import { surfaceTexts } from './strings.ts'

interface FootProps {
  session: SessionHandle
  controller: DockController
  view: DockView
  phase: OpenPhase
}

/** Ordinary messages of the person that wait, up to this surface's own submission if it waits too. */
function bypassingIn(queue: readonly QueuedMessage[]): number {
  const isSubmission = ({ source }: QueuedMessage) => source.kind === 'user' && source.taskSurface !== undefined
  const own = queue.findIndex(isSubmission)
  const ahead = own < 0 ? queue : queue.slice(0, own)
  return ahead.filter(({ placement, source }) => placement === 'queued' && source.kind === 'user').length
}

export function Foot({ session, controller, view, phase }: FootProps) {
  const t = surfaceTexts.use()
  const { connected } = view.machine.context
  const bypassing = useSession(session, (state) => bypassingIn(state.queue))
  return (
    <footer className="dock-foot">
      <div className="notes">
        {bypassing === 0 ? null : (
          <State mark="m-warn" tone="warn">
            {t('bypass', { count: bypassing })}
          </State>
        )}
        {connected ? (
          <DraftNote view={view} />
        ) : (
          <State mark="m-warn" tone="warn">
            {t(phase === 'unreadable' ? 'noConnectionShort' : 'noConnection')}
          </State>
        )}
      </div>
      <div className="doing">
        <button
          className={phase === 'unreadable' ? 'btn' : 'btn btn-quiet'}
          type="button"
          disabled={!connected}
          onClick={controller.dismiss}
        >
          {t('dismiss')}
        </button>
        {view.form === null ? null : (
          <button className="btn btn-main" type="button" disabled={!connected} onClick={controller.submit}>
            <span className="btn-word">{view.form.model.submit.label}</span>
            {connected ? <kbd aria-hidden="true">{isMac() ? '⌘ ↵' : 'Ctrl ↵'}</kbd> : null}
          </button>
        )}
      </div>
    </footer>
  )
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent)
}

function DraftNote({ view }: { view: DockView }) {
  const t = surfaceTexts.use()
  switch (view.saved) {
    case 'saved':
      return (
        <State mark="m-completed" tone="old">
          {t('draftSaved')}
        </State>
      )
    case 'full':
    case 'too-long':
      return (
        <State mark="m-warn" tone="warn">
          {t(view.saved === 'full' ? 'draftFull' : 'draftTooLong')}
        </State>
      )
    case 'nothing':
    case 'ended':
      return null
  }
}

export function LockStrip({
  session,
  phase,
  controller,
  view,
}: Omit<FootProps, 'phase'> & { phase: Exclude<OpenPhase, 'open' | 'unreadable'> }) {
  const t = surfaceTexts.use()
  const bypassing = useSession(session, (state) => (phase === 'queued' ? bypassingIn(state.queue) : 0))
  const { connected } = view.machine.context
  const why = {
    queued: 'queuedWhy',
    claiming: 'sendingWhy',
    submitting: 'sendingWhy',
    checking: 'checkingWhy',
    dismissing: 'dismissingWhy',
  } as const
  return (
    <div className="lock">
      <DockMark view={view} phase={phase} />
      <p>
        {connected ? t(why[phase]) : t('noConnection')}
        {bypassing === 0 ? null : (
          <State mark="m-warn" tone="warn">
            {t('bypass', { count: bypassing })}
          </State>
        )}
      </p>
      {phase === 'queued' ? (
        <button className="btn btn-sm" type="button" disabled={!connected} onClick={controller.removeFromQueue}>
          <Icon name="i-close" />
          {t('removeFromQueue')}
        </button>
      ) : (
        <span />
      )}
    </div>
  )
}
