/* Draws React elements into the test document and takes them out again. Every change goes through `act`. */
import { act, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach } from 'vitest'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

const mounted: { root: Root; host: HTMLElement }[] = []

afterEach(() => {
  for (const { root, host } of mounted.splice(0)) {
    act(() => root.unmount())
    host.remove()
  }
})

export interface Drawn {
  host: HTMLElement
  update(node: ReactNode): void
  unmount(): void
}

export function draw(node: ReactNode): Drawn {
  const host = document.createElement('div')
  document.body.append(host)
  const root = createRoot(host)
  mounted.push({ root, host })
  const update = (next: ReactNode) => act(() => root.render(next))
  update(node)
  return { host, update, unmount: () => act(() => root.unmount()) }
}

/** The one element that `selector` finds; anything else fails the test. */
export function one(host: ParentNode, selector: string): HTMLElement {
  return oneOf(host, selector, HTMLElement)
}

export function oneOf<Kind extends Element>(
  host: ParentNode,
  selector: string,
  kind: abstract new (...args: never[]) => Kind,
): Kind {
  const found = host.querySelectorAll(selector)
  const only = found[0]
  if (found.length !== 1 || only === undefined) throw new Error(`${found.length} elements match ${selector}`)
  if (!(only instanceof kind)) throw new Error(`${selector} is a ${only.tagName}`)
  return only
}
