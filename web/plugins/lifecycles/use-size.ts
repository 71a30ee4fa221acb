/* The inner size of an element, as it changes; null before it was laid out. */
import { type RefObject, useEffect, useState } from 'react'

export interface Size {
  width: number
  height: number
}

export function useSize(element: RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null)
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = current
      setSize((known) => (known?.width === width && known.height === height ? known : { width, height }))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return size
}
