/* Where the record stands: it follows its end while the reader is there, stays where it is while earlier
   pages come in above, and never moves under someone who reads. Rules: T-FOLLOW, T-STABLE. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { SessionHandle } from '../session/session-store.ts'

/** Nearer to the end than this counts as being there: a line, and what rounding leaves. */
const endWithinPx = 40
/** Ask for the page before when so much is left above, so that a reader rarely waits. */
const earlierWithinPx = 600

export interface RecordScroll {
  scroller: RefObject<HTMLDivElement | null>
  content: RefObject<HTMLDivElement | null>
  onScroll: () => void
  /** The reader is away from the end. */
  away: boolean
  toEnd: () => void
}

interface Anchor {
  element: Element | null
  top: number
  height: number
}

function anchorIn(scroller: HTMLElement, content: HTMLElement): Anchor {
  const edge = scroller.getBoundingClientRect().top
  // The line above the first block stays where it is while blocks come in below it, so it anchors nothing.
  const blocks = [...content.children].filter((child) => !child.classList.contains('log-edge'))
  const element = blocks.find((block) => block.getBoundingClientRect().bottom > edge) ?? null
  return { element, top: element?.getBoundingClientRect().top ?? 0, height: scroller.scrollHeight }
}

function restore(scroller: HTMLElement, { element, top, height }: Anchor): void {
  // Where the anchor itself was drawn anew, the growth of the whole is the next best measure.
  const moved =
    element?.isConnected === true ? element.getBoundingClientRect().top - top : scroller.scrollHeight - height
  if (moved !== 0) scroller.scrollTop += moved
}

export function useRecordScroll(
  session: SessionHandle,
  firstSeq: number | null,
  onNearStart: () => void,
): RecordScroll {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const anchor = useRef<Anchor | null>(null)
  const drawnFirst = useRef(firstSeq)
  const lastTop = useRef(0)
  const [away, setAway] = useState(false)

  const toEnd = useCallback(() => {
    following.current = true
    setAway(false)
    const box = scroller.current
    if (box !== null) box.scrollTop = box.scrollHeight
  }, [])

  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (box === null || inner === null) return
    const observer = new ResizeObserver(() => {
      if (following.current) box.scrollTop = box.scrollHeight
    })
    observer.observe(box)
    observer.observe(inner)
    return () => observer.disconnect()
  }, [])

  useEffect(
    () =>
      // Listeners run before React draws, so this is the last moment to see where things stand.
      session.subscribe(() => {
        const first = session.getState().events[0]?.seq ?? null
        const box = scroller.current
        const inner = content.current
        if (first === drawnFirst.current || following.current || box === null || inner === null) return
        anchor.current = anchorIn(box, inner)
      }),
    [session],
  )

  useLayoutEffect(() => {
    drawnFirst.current = firstSeq
    const held = anchor.current
    anchor.current = null
    if (held !== null && scroller.current !== null) restore(scroller.current, held)
  }, [firstSeq])

  const onScroll = () => {
    const box = scroller.current
    if (box === null) return
    // Content that grew under a record that follows is not the reader's doing; only going up is.
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight <= endWithinPx
    if (atEnd) following.current = true
    else if (box.scrollTop < lastTop.current) following.current = false
    lastTop.current = box.scrollTop
    setAway(!following.current)
    if (box.scrollTop <= earlierWithinPx) onNearStart()
  }
  return { scroller, content, onScroll, away, toEnd }
}
