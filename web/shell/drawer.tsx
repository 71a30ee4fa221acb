/* The session list as a drawer on narrow screens: opened by its button, closed by Escape, by a press beside
   it or by choosing something; the focus goes in and comes back. */
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Icon } from '../icon.tsx'
import { shellTexts } from './shell-texts.ts'

interface DrawerState {
  open: boolean
  show: () => void
  /** After a choice the focus goes to the page, else back to the button. */
  close: (how?: 'chosen') => void
}

const DrawerContext = createContext<DrawerState>({ open: false, show: () => {}, close: () => {} })

export const useDrawer = (): DrawerState => use(DrawerContext)

export const drawerCloseId = 'drawer-close'
const drawerOpenId = 'drawer-open'
export const mainId = 'main'

export function DrawerProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  /** Where the focus goes when the drawer has closed; null while it was never open. */
  const focusNext = useRef<string | null>(null)
  const show = useCallback(() => setOpen(true), [])
  const close = useCallback((how?: 'chosen') => {
    focusNext.current = how === 'chosen' ? mainId : drawerOpenId
    setOpen(false)
  }, [])
  useEffect(() => {
    if (!open) return
    document.getElementById(drawerCloseId)?.focus()
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) close()
    }
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
      // The page behind takes the focus only now that it is no longer inert.
      if (focusNext.current !== null) document.getElementById(focusNext.current)?.focus()
    }
  }, [open, close])
  const value = useMemo(() => ({ open, show, close }), [open, show, close])
  return <DrawerContext value={value}>{children}</DrawerContext>
}

export function DrawerButton() {
  const t = shellTexts.use()
  const { open, show } = useDrawer()
  return (
    <button
      id={drawerOpenId}
      type="button"
      className="icon-btn only-narrow"
      aria-label={t('openList')}
      aria-expanded={open}
      onClick={show}
    >
      <Icon name="i-menu" />
    </button>
  )
}
