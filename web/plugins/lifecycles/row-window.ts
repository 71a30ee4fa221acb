/* Which rows of a long list of equal rows are drawn: those in view and a few around. The height of a row stands in the style
   sheet, as `--row` in pixels, because it depends on the room there is. */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

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

export interface RowWindowOptions {
  count: number
  scroller: RefObject<HTMLElement | null>
  list: RefObject<HTMLElement | null>
}

/** What was last read of the page. Nothing is read while rows come and go: that would lay everything out at each step. */
interface View {
  rowPx: number
  /** How far below the upper edge of what scrolls the list begins. */
  headPx: number
  scrolledPx: number
  heightPx: number
}

const firstView: View = { rowPx: usualRowPx, headPx: 0, scrolledPx: 0, heightPx: 600 }

export function useRowWindow({ count, scroller, list }: RowWindowOptions): RowWindow & {
  /** Brings a row into view, with as little movement as it takes. */
  reveal(row: number): void
} {
  const [view, setView] = useState(firstView)
  const read = useRef(firstView)

  const measure = useCallback(() => {
    const box = scroller.current
    const rows = list.current
    if (box === null || rows === null) return
    read.current = {
      rowPx: rowPxOf(rows),
      headPx: rows.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop,
      scrolledPx: box.scrollTop,
      heightPx: box.clientHeight,
    }
    setView(read.current)
  }, [scroller, list])

  const scrolled = useCallback(() => {
    const box = scroller.current
    if (box === null) return
    read.current = { ...read.current, scrolledPx: box.scrollTop }
    setView((known) => (windowChanged(known, read.current) ? read.current : known))
  }, [scroller])

  const isEmpty = count === 0
  useEffect(() => {
    const box = scroller.current
    if (box === null) return
    measure()
    box.addEventListener('scroll', scrolled, { passive: true })
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => {
      box.removeEventListener('scroll', scrolled)
      observer.disconnect()
    }
    // A list without rows is not there.
  }, [scroller, measure, scrolled, isEmpty])

  const reveal = useCallback(
    (row: number) => {
      const box = scroller.current
      if (box === null) return
      const { rowPx, headPx, scrolledPx, heightPx } = read.current
      const top = headPx + row * rowPx
      const wanted = top < scrolledPx ? top : Math.max(scrolledPx, top + rowPx - heightPx)
      if (wanted === scrolledPx) return
      box.scrollTop = wanted
      scrolled()
    },
    [scroller, scrolled],
  )
  const { rowPx, headPx, scrolledPx, heightPx } = view
  return { ...windowOf(count, rowPx, Math.max(0, scrolledPx - headPx), heightPx), reveal }
}

/** A few pixels of scrolling need no other rows. */
function windowChanged(left: View, right: View): boolean {
  return (
    left.rowPx !== right.rowPx ||
    left.heightPx !== right.heightPx ||
    Math.floor(left.scrolledPx / left.rowPx) !== Math.floor(right.scrolledPx / right.rowPx)
  )
}

function rowPxOf(list: HTMLElement): number {
  const px = Number.parseFloat(getComputedStyle(list).getPropertyValue('--row'))
  return px > 0 ? px : usualRowPx
}
