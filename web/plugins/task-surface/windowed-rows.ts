/* Which rows of a long list of equal rows are drawn: those in view and some around them, with a spacer above
   and below, so that a real table stays a real table. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useState } from 'react'

/** Up to here every row is drawn: a reader with a search key finds them all. */
export const drawnWhole = 50

export interface RowWindow {
  /** First row drawn and the one after the last. */
  readonly start: number
  readonly end: number
  readonly before: number
  readonly after: number
}

export function useWindowedRows(count: number, rowPx: number, scroller: RefObject<HTMLElement | null>): RowWindow {
  const isLong = count > drawnWhole
  const virtualizer = useVirtualizer({
    count: isLong ? count : 0,
    // It measures what it watches, and each measurement lays out the page: a short list has nothing to watch.
    getScrollElement: () => (isLong ? scroller.current : null),
    estimateSize: () => rowPx,
    overscan: 10,
    // Before the first measurement: enough to fill any frame the style sheet allows.
    initialRect: { width: 600, height: 320 },
  })
  if (!isLong) return { start: 0, end: count, before: 0, after: 0 }
  const items = virtualizer.getVirtualItems()
  const start = items[0]?.index ?? 0
  const end = (items.at(-1)?.index ?? -1) + 1
  return { start, end, before: start * rowPx, after: (count - end) * rowPx }
}

/** The rows a person sees right now, counted from 1; null while nothing is laid out. */
export function useVisibleRows(
  count: number,
  rowPx: number,
  headPx: number,
  scroller: RefObject<HTMLElement | null>,
): { first: number; last: number } | null {
  const [visible, setVisible] = useState<{ first: number; last: number } | null>(null)
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => {
      const room = element.clientHeight - headPx
      if (room <= 0) return setVisible(null)
      // A row counts as seen when at least half of it shows.
      const first = Math.min(count, Math.max(1, Math.floor(element.scrollTop / rowPx + 0.5) + 1))
      const last = Math.min(count, Math.max(first, Math.floor((element.scrollTop + room) / rowPx + 0.5)))
      setVisible((known) => (known?.first === first && known.last === last ? known : { first, last }))
    }
    element.addEventListener('scroll', measure, { passive: true })
    // Its first report comes after the first layout; asking now would force one.
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [count, rowPx, headPx, scroller])
  return visible
}
