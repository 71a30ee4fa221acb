/* Which rows of a long list of equal rows are drawn: those in view and a few around. The height of a row stands in the style
   sheet, as `--row` in pixels, because it depends on the room there is. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react'

export interface RowWindow {
  rowPx: number
  /** First row drawn and the one after the last. */
  start: number
  end: number
}

const rowsAround = 8
const usualRowPx = 28

/** Pure: the rows in view of a list whose first row begins `offsetPx` below the upper edge of what scrolls. */
export function windowOf(count: number, rowPx: number, scrolledPx: number, heightPx: number): RowWindow {
  const first = Math.floor(scrolledPx / rowPx) - rowsAround
  const last = Math.ceil((scrolledPx + heightPx) / rowPx) + rowsAround
  const start = Math.max(0, Math.min(first, count))
  return { rowPx, start, end: Math.max(start, Math.min(last, count)) }
}

const sameWindow = (left: RowWindow, right: RowWindow): boolean =>
  left.rowPx === right.rowPx && left.start === right.start && left.end === right.end

export interface RowWindowOptions {
  count: number
  scroller: RefObject<HTMLElement | null>
  list: RefObject<HTMLElement | null>
}

export function useRowWindow({ count, scroller, list }: RowWindowOptions): RowWindow & {
  /** Brings a row into view, with as little movement as it takes. */
  reveal(row: number): void
} {
  const [shown, setShown] = useState<RowWindow>({ rowPx: usualRowPx, start: 0, end: Math.min(count, 40) })

  const measure = useCallback(() => {
    const box = scroller.current
    const rows = list.current
    if (box === null || rows === null) return
    const rowPx = rowPxOf(rows)
    const above = rows.getBoundingClientRect().top - box.getBoundingClientRect().top
    const next = windowOf(count, rowPx, Math.max(0, -above), box.clientHeight)
    setShown((known) => (sameWindow(known, next) ? known : next))
  }, [count, scroller, list])

  useLayoutEffect(measure, [measure])
  useEffect(() => {
    const box = scroller.current
    if (box === null) return
    box.addEventListener('scroll', measure, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => {
      box.removeEventListener('scroll', measure)
      observer.disconnect()
    }
  }, [scroller, measure])

  const reveal = useCallback(
    (row: number) => {
      const box = scroller.current
      const rows = list.current
      if (box === null || rows === null) return
      const rowPx = rowPxOf(rows)
      // A head that sticks to the upper edge covers what is under it.
      const head = rows.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop
      const top = head + row * rowPx
      if (top - head < box.scrollTop) box.scrollTop = top - head
      else if (top + rowPx > box.scrollTop + box.clientHeight) box.scrollTop = top + rowPx - box.clientHeight
      measure()
    },
    [scroller, list, measure],
  )
  return { ...shown, end: Math.min(shown.end, count), start: Math.min(shown.start, count), reveal }
}

function rowPxOf(list: HTMLElement): number {
  const px = Number.parseFloat(getComputedStyle(list).getPropertyValue('--row'))
  return px > 0 ? px : usualRowPx
}
