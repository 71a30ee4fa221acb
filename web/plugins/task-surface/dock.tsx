/* The dock of a session: the only editor of its open surface (SPEC 9). Draws what the controller holds; owns
   the focus and what is announced. Rules: DK-FOCUS the title takes the focus when a surface opens while the
   message field is empty and nobody types, else it is announced; a dock that goes hands the focus to the message
   field; DK-KEYS Ctrl or Cmd with Enter submits, Escape collapses, an input method's keys do neither. */
import { createElement, type ComponentType, type KeyboardEvent, useEffect, useRef } from 'react'
import { useClient } from '../../client.tsx'
import { composerFieldId } from '../../composer/composer.tsx'
import { Icon, State } from '../../icon.tsx'
import { loadPart } from '../../load-part.ts'
import type { SessionHandle } from '../../session/session-store.ts'
import { createStore, useStore } from '../../store.ts'
import type { DockController, DockView } from './dock-controller.ts'
import { useFocusHandover, useLockFocus, useOpeningFocus } from './dock-focus.ts'
import { Foot, LockStrip } from './dock-foot.tsx'
import { DockMark, type OpenPhase, type Phase, phaseOf, titleOf } from './dock-phase.tsx'
import { surfaceTexts } from './strings.ts'
import type { SurfaceFormProps } from './surface-form.tsx'
import { TroubleNotice } from './trouble-notice.tsx'

const loadForm = loadPart(() => import('./surface-form.tsx'))
/** Null until it is loaded. Held here and not by Suspense, which shows what it waited for a third of a second late. */
const formPart = createStore<ComponentType<SurfaceFormProps> | null>(null)

/** Loaded ahead of the first surface, when the page has nothing better to do. */
export function preloadForm(): void {
  void loadForm().then((part) => formPart.setState(part.default))
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
  const { saved } = view
  useEffect(() => {
    if (saved === 'full') announce(t('draftFull'))
    if (saved === 'too-long') announce(t('draftTooLong'))
  }, [saved, announce, t])
}

function isUnderWay(phase: Phase | null): boolean {
  return phase === 'submitting' || phase === 'checking' || phase === 'queued' || phase === 'claiming'
}

interface OpenProps {
  session: SessionHandle
  controller: DockController
  view: DockView
  phase: OpenPhase
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
  const { view, phase } = props
  const { issues, connected } = view.machine.context
  // A discard is known a moment before the host says that nothing is pending; until then the form is locked.
  const trouble = phase === 'open' ? view.machine.context.trouble : null
  const { form } = view
  const part = useStore(formPart, (loaded) => loaded)
  useEffect(preloadForm, [])
  return (
    <>
      {form === null ? (
        <Unreadable view={view} />
      ) : part === null ? (
        <div className="dock-body dock-wait" />
      ) : (
        createElement(part, { form, locked: phase !== 'open', trouble, issues, connected })
      )}
      {phase === 'open' || phase === 'unreadable' ? <Foot {...props} /> : <LockStrip {...props} phase={phase} />}
    </>
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
