/* The dock of a session: the only editor of its open surface (SPEC 9). Draws what the controller holds; owns
   the focus and what is announced. Rules: DK-FOCUS the title takes the focus when a surface opens while the
   message field is empty and nobody types, else it is announced; a dock that goes hands the focus to the message
   field; DK-KEYS Ctrl or Cmd with Enter submits, Escape collapses, an input method's keys do neither. */
import { type KeyboardEvent, lazy, Suspense, useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import type { DockSnapshot } from '../../../machines/dock.ts'
import { useClient } from '../../client.tsx'
import { composerFieldId } from '../../composer/composer.tsx'
import { Icon, type IconName, State, type Tone } from '../../icon.tsx'
import { type SessionHandle, useSession } from '../../session/session-store.ts'
import { useStore } from '../../store.ts'
import type { DockController, DockView } from './dock-controller.ts'
import { surfaceTexts, type SurfaceText } from './strings.ts'
import { TroubleNotice } from './trouble-notice.tsx'

const SurfaceForm = lazy(() => import('./surface-form.tsx'))
const formId = 'surface-answers'

/** Loaded ahead of the first surface, when the page has nothing better to do. */
export function preloadForm(): void {
  void import('./surface-form.tsx')
}

type Phase =
  | 'loading'
  | 'unreadable'
  | 'open'
  | 'submitting'
  | 'checking'
  | 'dismissing'
  | 'queued'
  | 'claiming'
  | 'ended'

function phaseOf(machine: DockSnapshot): Phase | null {
  if (machine.matches('absent')) return null
  if (machine.matches('ended')) return 'ended'
  if (machine.matches({ live: { pending: 'queued' } })) return 'queued'
  if (machine.matches({ live: { pending: 'claiming' } })) return 'claiming'
  if (machine.matches({ live: 'open' })) return 'open'
  if (machine.matches({ live: 'unreadable' })) return 'unreadable'
  if (machine.matches({ live: 'submitting' })) return 'submitting'
  if (machine.matches({ live: 'checking' })) return 'checking'
  return machine.matches({ live: 'dismissing' }) ? 'dismissing' : 'loading'
}

export function TaskSurfaceDock({ session, controller }: { session: SessionHandle; controller: DockController }) {
  const view = useStore(controller, (state) => state)
  const phase = phaseOf(view.machine)
  const { ended } = view.machine.context
  useAnnouncements(view, phase)
  if (phase === null || phase === 'loading') return null
  if (phase === 'ended') {
    return ended === 'bypassed' || ended === 'superseded' ? <Ended view={view} controller={controller} /> : null
  }
  return <OpenDock key={view.surfaceId} session={session} controller={controller} view={view} phase={phase} />
}

function titleOf(view: DockView, t: SurfaceText): string {
  return view.form?.model.title ?? t('unreadableTitle')
}

/** What a person who looks elsewhere must hear. */
function useAnnouncements(view: DockView, phase: Phase | null): void {
  const { announce } = useClient()
  const t = surfaceTexts.use()
  /** The last phase that was a dock on the page, and its title. */
  const last = useRef<{ phase: Phase | null; title: string }>({ phase: null, title: '' })
  const { ended } = view.machine.context
  const isEnded = phase === 'ended' && (ended === 'bypassed' || ended === 'superseded')
  const title = titleOf(view, t)
  useEffect(() => {
    const before = last.current
    if (phase === null) {
      last.current = { phase: null, title: '' }
      const word = before.phase === 'dismissing' ? 'dismissed' : isUnderWay(before.phase) ? 'submitted' : null
      if (word !== null) announce(`${t(word)}: ${before.title}`)
    } else if (phase !== 'ended' && phase !== 'loading' && phase !== before.phase) {
      last.current = { phase, title }
      if (phase === 'queued') announce(`${t('queued')}. ${t('queuedWhy')}`)
      else if (phase === 'claiming') announce(`${t('sending')}. ${t('sendingWhy')}`)
    } else if (isEnded) announce(t('noLongerOpen'))
  }, [phase, isEnded, title, announce, t])
}

function isUnderWay(phase: Phase | null): boolean {
  return phase === 'submitting' || phase === 'checking' || phase === 'queued' || phase === 'claiming'
}

interface OpenProps {
  session: SessionHandle
  controller: DockController
  view: DockView
  phase: Exclude<Phase, 'loading' | 'ended'>
}

function OpenDock(props: OpenProps) {
  const t = surfaceTexts.use()
  const { controller, view, phase } = props
  const { collapsed, form } = view
  const box = useRef<HTMLElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const toggle = useRef<HTMLButtonElement>(null)
  const locked = phase !== 'open'
  useFocusHandover(box)
  useOpeningFocus(title, titleOf(view, t))
  useLockFocus(box, title, locked)

  const collapse = () => {
    controller.setCollapsed(true)
    toggle.current?.focus()
  }
  const keyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.nativeEvent.keyCode === 229 || event.defaultPrevented) return
    if (event.key === 'Escape' && !collapsed && phase !== 'unreadable') {
      event.stopPropagation()
      collapse()
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault()
      controller.submit()
    }
  }
  const hasContent = form !== null && (form.model.sections.length > 0 || form.model.description !== undefined)
  const look = `dock${hasContent ? '' : ' dock-only'}${collapsed ? ' dock-shut' : ''}`
  return (
    <section className={look} aria-labelledby="surface-title" ref={box} onKeyDown={keyDown}>
      <div className="scale" aria-hidden="true" />
      <header className="dock-head">
        <DockMark view={view} phase={phase} />
        <h2 className="dock-title" id="surface-title" tabIndex={-1} ref={title}>
          {titleOf(view, t)}
        </h2>
        {phase === 'unreadable' ? null : (
          <button
            type="button"
            className="icon-btn icon-btn-sm"
            aria-expanded={!collapsed}
            aria-label={t(collapsed ? 'expand' : 'collapse')}
            title={t(collapsed ? 'expand' : 'collapse')}
            ref={toggle}
            onClick={() => controller.setCollapsed(!collapsed)}
          >
            <Icon name={collapsed ? 'i-up' : 'i-down'} />
          </button>
        )}
      </header>
      {collapsed ? null : <Inside {...props} />}
    </section>
  )
}

function Inside(props: OpenProps) {
  const { view, phase, controller } = props
  const { issues, connected } = view.machine.context
  // A discard is known a moment before the host says that nothing is pending; until then the form is locked.
  const trouble = phase === 'open' ? view.machine.context.trouble : null
  const { form } = view
  return (
    <>
      {form === null ? (
        <Unreadable view={view} />
      ) : (
        <Suspense fallback={<div className="dock-body dock-wait" />}>
          <SurfaceForm form={form} locked={phase !== 'open'} trouble={trouble} issues={issues} connected={connected} />
        </Suspense>
      )}
      {phase === 'open' || phase === 'unreadable' ? (
        <Foot {...props} />
      ) : (
        <LockStrip phase={phase} controller={controller} view={view} />
      )}
    </>
  )
}

function markOf(
  { machine }: DockView,
  phase: OpenProps['phase'],
  t: SurfaceText,
): { mark: IconName; tone: Tone; live: boolean; word: string } {
  const { connected, trouble, issues } = machine.context
  const isWaiting = phase === 'queued'
  const isGoing = phase === 'claiming' || phase === 'submitting' || phase === 'checking'
  if (!connected) {
    const word = isWaiting ? 'queuedLastSeen' : isGoing ? 'sendingLastSeen' : 'openLastSeen'
    return { mark: 'm-known', tone: 'warn', live: false, word: t(word) }
  }
  if (isWaiting) return { mark: 'm-queued', tone: 'now', live: false, word: t('queued') }
  if (isGoing)
    return { mark: 'm-claiming', tone: 'now', live: true, word: t(phase === 'checking' ? 'checking' : 'sending') }
  const hasFailed =
    trouble !== null && trouble.kind !== 'not-dismissed' && (trouble.kind !== 'invalid' || issues.length > 0)
  return hasFailed && phase === 'open'
    ? { mark: 'm-failed', tone: 'bad', live: false, word: t('notSent') }
    : { mark: 'm-open', tone: 'now', live: false, word: t('open') }
}

/** Open, the list of problems says what went wrong; collapsed, only the mark can. */
function DockMark({ view, phase }: { view: DockView; phase: OpenProps['phase'] }) {
  const t = surfaceTexts.use()
  const { mark, tone, live, word } = markOf(view, phase, t)
  const isPlain = !view.collapsed && mark === 'm-failed'
  return (
    <State mark={isPlain ? 'm-open' : mark} tone={isPlain ? 'now' : tone} live={live}>
      {isPlain ? t('open') : word}
    </State>
  )
}

function Foot({ session, controller, view, phase }: OpenProps) {
  const t = surfaceTexts.use()
  const { connected } = view.machine.context
  const bypassing = useSession(
    session,
    (state) =>
      state.queue.filter(
        ({ placement, source }) => placement === 'queued' && source.kind === 'user' && source.taskSurface === undefined,
      ).length,
  )
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

function LockStrip({
  phase,
  controller,
  view,
}: Pick<OpenProps, 'controller' | 'view'> & { phase: Exclude<OpenProps['phase'], 'open' | 'unreadable'> }) {
  const t = surfaceTexts.use()
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
      <p>{connected ? t(why[phase]) : t('noConnection')}</p>
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

/** A JSON Pointer as a person would write it: `sections[2].blocks[0].kind`. */
function readablePath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '')
}

function Unreadable({ view }: { view: DockView }) {
  const t = surfaceTexts.use()
  const { trouble, issues, connected } = view.machine.context
  const path = readablePath(view.unreadable[0]?.path ?? '')
  return (
    <div className="dock-body">
      <div className="dock-answer">
        <TroubleNotice form={null} trouble={trouble} issues={issues} connected={connected} onGo={() => {}} />
        <div className="notice notice-warning">
          <Icon name="m-warn" />
          <div>
            <b>{t('unreadableVersion')}</b>
            {path === '' ? null : (
              <>
                {t('unreadablePart')} <code>{path}</code>
              </>
            )}
          </div>
        </div>
        <p className="dock-desc">{t('unreadableHint')}</p>
      </div>
    </div>
  )
}

function Ended({ view, controller }: { view: DockView; controller: DockController }) {
  const t = surfaceTexts.use()
  const bypassed = view.machine.context.ended === 'bypassed'
  const close = () => {
    controller.acknowledge()
    document.getElementById(composerFieldId)?.focus()
  }
  return (
    <section className="dock dock-only dock-shut dock-ended" aria-label={t('noLongerOpen')}>
      <div className="scale" aria-hidden="true" />
      <header className="dock-head">
        <State mark={bypassed ? 'm-bypassed' : 'm-superseded'}>{t(bypassed ? 'bypassed' : 'superseded')}</State>
        <p className="dock-title">
          {t('noLongerOpen')} <span>{t('keptOnRow')}</span>
        </p>
        <button
          type="button"
          className="icon-btn icon-btn-sm"
          aria-label={t('close')}
          title={t('close')}
          onClick={close}
        >
          <Icon name="i-close" />
        </button>
      </header>
    </section>
  )
}

/** Before the dock leaves the page: whoever was in it goes on in the message field. */
function useFocusHandover(box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = box.current
    return () => {
      if (element?.contains(document.activeElement) === true) {
        queueMicrotask(() => document.getElementById(composerFieldId)?.focus())
      }
    }
  }, [box])
}

function isTyping(element: Element | null): boolean {
  return (
    element !== null &&
    (element.matches('input, textarea, select, [contenteditable]') ||
      element.closest('dialog, [role="dialog"]') !== null)
  )
}

function useOpeningFocus(title: RefObject<HTMLElement | null>, text: string): void {
  const { announce } = useClient()
  const t = surfaceTexts.use()
  const opened = useRef(false)
  useEffect(() => {
    if (opened.current) return
    opened.current = true
    const field = document.getElementById(composerFieldId)
    const isEmpty = !(field instanceof HTMLTextAreaElement) || field.value === ''
    const isHidden = title.current?.closest('[hidden]') !== null
    if (isEmpty && !isHidden && !isTyping(document.activeElement)) title.current?.focus({ preventScroll: true })
    else announce(t('openedSays', { title: text }))
  }, [announce, t, text, title])
}

/** A control that is locked cannot keep the focus; it stays in the dock, on its title. */
function useLockFocus(box: RefObject<HTMLElement | null>, title: RefObject<HTMLElement | null>, locked: boolean): void {
  const was = useRef({ locked, inside: false })
  // Read while the old controls still stand.
  const inside = box.current?.contains(document.activeElement) === true
  useLayoutEffect(() => {
    const before = was.current
    was.current = { locked, inside }
    if (locked && !before.locked && inside) title.current?.focus({ preventScroll: true })
  }, [locked, inside, title])
}
