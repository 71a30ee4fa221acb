/* A header action and what opens under it (DESIGN: Popover). Escape, its close button, a press elsewhere and a
   focus that leaves close it; the first two give the focus back to the action. Nothing inside is mounted while
   it is shut. */
import { type FocusEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { Icon, type IconName } from '../icon.tsx'
import { shellTexts } from './shell-texts.ts'

export interface PopoverProps {
  icon: IconName
  /** The words of the action and the heading of what opens. */
  title: string
  /** Stands behind the words of the action. */
  count: ReactNode
  /** The accessible name of the part that scrolls. */
  listLabel: string
  children: ReactNode
}

export function Popover({ icon, title, count, listLabel, children }: PopoverProps) {
  const t = shellTexts.use()
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const action = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const titleId = useId()
  const close = () => {
    setOpen(false)
    action.current?.focus()
  }
  useClosing(open, root, setOpen, action)
  useEffect(() => {
    if (open) panel.current?.focus()
  }, [open])
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    // Null: the window lost the focus, or what had it went away.
    if (relatedTarget instanceof Node && root.current?.contains(relatedTarget) !== true) setOpen(false)
  }
  return (
    <div ref={root} className="pop-root" onBlur={onBlur}>
      <button
        ref={action}
        type="button"
        className="act"
        aria-haspopup="dialog"
        aria-expanded={open}
        title={title}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
        <span className="act-label">{title}</span>
        {count}
      </button>
      {open && (
        <div ref={panel} className="pop" role="dialog" aria-labelledby={titleId} tabIndex={-1}>
          <div className="pop-head">
            <h2 id={titleId}>{title}</h2>
            <button
              type="button"
              className="icon-btn icon-btn-sm"
              aria-label={t('close')}
              title={t('close')}
              onClick={close}
            >
              <Icon name="i-close" />
            </button>
          </div>
          <div className="pop-body" tabIndex={0} role="group" aria-label={listLabel}>
            {children}
          </div>
        </div>
      )}
    </div>
  )
}

/** On the document, because what had the focus inside may be gone. */
function useClosing(
  open: boolean,
  root: RefObject<HTMLDivElement | null>,
  setOpen: (open: boolean) => void,
  action: RefObject<HTMLButtonElement | null>,
): void {
  useEffect(() => {
    if (!open) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      event.preventDefault()
      setOpen(false)
      action.current?.focus()
    }
    const onPress = (event: Event) => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) setOpen(false)
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('pointerdown', onPress)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('pointerdown', onPress)
    }
  }, [open, root, setOpen, action])
}
