/* Where the focus goes when a dock opens, locks and leaves. Rule DK-FOCUS. */
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useClient } from '../../client.tsx'
import { composerFieldId } from '../../composer/composer.tsx'
import { surfaceTexts } from './strings.ts'

/** Before the dock leaves the page: whoever was in it goes on in the message field. */
export function useFocusHandover(box: RefObject<HTMLElement | null>): void {
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

export function useOpeningFocus(title: RefObject<HTMLElement | null>, text: string): void {
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
export function useLockFocus(
  box: RefObject<HTMLElement | null>,
  title: RefObject<HTMLElement | null>,
  locked: boolean,
): void {
  const was = useRef({ locked, inside: false })
  // Read while the old controls still stand.
  const inside = box.current?.contains(document.activeElement) === true
  useLayoutEffect(() => {
    const before = was.current
    was.current = { locked, inside }
    if (locked && !before.locked && inside) title.current?.focus({ preventScroll: true })
  }, [locked, inside, title])
}
