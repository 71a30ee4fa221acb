/* The session list as a drawer on narrow screens: opened by its button, closed by Escape, by a press beside
   it or by choosing something; the focus goes in and comes back. */
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Icon } from '../icon.tsx'
import { shellTexts } from './shell-texts.ts'

interface DrawerState {
  open: boolean
  show: () => void
  close: () => void
}

const DrawerContext = createContext<DrawerState>({ open: false, show: () => {}, close: () => {} })

export const useDrawer = (): DrawerState => use(DrawerContext)

export const drawerCloseId = 'drawer-close'
const drawerOpenId = 'drawer-open'

export function DrawerProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const wasOpen = useRef(false)
  const show = useCallback(() => setOpen(true), [])
  const close = useCallback(() => setOpen(false), [])
  useEffect(() => {
    if (open) document.getElementById(drawerCloseId)?.focus()
    // Only a focus that would be lost goes back; a chosen session keeps it.
    else if (wasOpen.current && (document.activeElement === null || document.activeElement === document.body)) {
      document.getElementById(drawerOpenId)?.focus()
    }
    wasOpen.current = open
    if (!open) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      setOpen(false)
      document.getElementById(drawerOpenId)?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [open])
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
