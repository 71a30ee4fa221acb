/* Dragging one row of a list by pointer or touch. Knows rows as the list's children and their places, nothing of
   what they mean. Escape and a cancelled pointer put everything back; near its edge the list's scroller scrolls. */
import { type PointerEvent as ReactPointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'

export interface RowDrag {
  /** Index of the row that is dragged, and where it would come to stand. */
  readonly from: number | null
  readonly to: number | null
  readonly start: (event: ReactPointerEvent<HTMLElement>) => void
}

/** Movement before a press becomes a drag: a shaky click is none. */
const startPx = 4
const edgePx = 36
const scrollStepPx = 9

function scrollerOf(element: Element | null): Element | null {
  for (let at = element; at !== null; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at
  }
  return null
}

/** The place at which the row would stand if it were dropped at this height. */
function indexAt(rows: readonly Element[], y: number): number {
  const index = rows.findIndex((row) => y < row.getBoundingClientRect().bottom)
  return index < 0 ? rows.length - 1 : index
}

function scrollNear(scroller: Element | null, y: number): void {
  if (scroller === null) return
  const { top, bottom } = scroller.getBoundingClientRect()
  if (y < top + edgePx) scroller.scrollBy(0, -scrollStepPx)
  else if (y > bottom - edgePx) scroller.scrollBy(0, scrollStepPx)
}

export function useRowDrag(list: RefObject<HTMLElement | null>, move: (from: number, to: number) => void): RowDrag {
  const [at, setAt] = useState<{ from: number; to: number } | null>(null)
  const stop = useRef<() => void>(() => {})
  useEffect(() => () => stop.current(), [])

  const start = useCallback(
    (event: ReactPointerEvent<HTMLElement>) => {
      const { target, pointerId, pointerType, button } = event
      const row = target instanceof Element ? target.closest('li') : null
      const isHandle = target instanceof Element && target.closest('.grip') !== null
      const isButton = target instanceof Element && target.closest('button') !== null && !isHandle
      // A finger on the text scrolls; a mouse may take the row anywhere but at its buttons.
      if (row === null || button !== 0 || isButton || (pointerType !== 'mouse' && !isHandle)) return
      const from = [...(list.current?.children ?? [])].indexOf(row)
      const scroller = scrollerOf(list.current)
      const origin = event.clientY
      let y = origin
      let frame = 0
      let dragging = false
      let to = from

      const look = () => {
        scrollNear(scroller, y)
        to = indexAt([...(list.current?.children ?? [])], y)
        setAt((known) => (known?.to === to ? known : { from, to }))
        frame = requestAnimationFrame(look)
      }
      const end = () => {
        cancelAnimationFrame(frame)
        document.removeEventListener('pointermove', moved)
        document.removeEventListener('pointerup', dropped)
        document.removeEventListener('pointercancel', end)
        document.removeEventListener('keydown', keyed, true)
        setAt(null)
      }
      const moved = (next: PointerEvent) => {
        if (next.pointerId !== pointerId) return
        y = next.clientY
        if (dragging || Math.abs(y - origin) < startPx) return
        dragging = true
        look()
      }
      const dropped = (next: PointerEvent) => {
        if (next.pointerId !== pointerId) return
        end()
        if (dragging) move(from, to)
      }
      const keyed = (key: KeyboardEvent) => {
        if (key.key !== 'Escape' || !dragging) return
        key.preventDefault()
        key.stopPropagation()
        end()
      }
      stop.current()
      stop.current = end
      document.addEventListener('pointermove', moved)
      document.addEventListener('pointerup', dropped)
      document.addEventListener('pointercancel', end)
      document.addEventListener('keydown', keyed, true)
    },
    [list, move],
  )
  return { from: at?.from ?? null, to: at?.to ?? null, start }
}
