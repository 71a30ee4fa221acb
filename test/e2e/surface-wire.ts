/* The socket of a page in a test's hands: it can be cut, kept from coming back, and what it says can be changed. */
import type { BrowserContext, WebSocketRoute } from 'playwright-core'

export interface Wire {
  /** Closes every socket; new ones fail until `mend`. */
  cut(): Promise<void>
  mend(): void
  /** Rewrites what the host says; null drops it. */
  rewrite(change: (message: string) => string | null): void
  /** Holds back requests of this method: the host never sees them. */
  swallow(method: string): void
  /** Requests of the page so far, as text. */
  readonly sent: string[]
}

/** Of every page of a profile, or of one page alone. */
export async function tapWire(context: Pick<BrowserContext, 'routeWebSocket'>): Promise<Wire> {
  const open = new Set<WebSocketRoute>()
  const sent: string[] = []
  const swallowed = new Set<string>()
  let change: (message: string) => string | null = (message) => message
  let isCut = false
  await context.routeWebSocket(/\/ws$/, (page) => {
    if (isCut) {
      void page.close()
      return
    }
    const host = page.connectToServer()
    open.add(page)
    page.onMessage((message) => {
      const text = String(message)
      sent.push(text)
      if (![...swallowed].some((method) => text.includes(`"${method}"`))) host.send(text)
    })
    host.onMessage((message) => {
      const changed = change(String(message))
      if (changed !== null) page.send(changed)
    })
  })
  return {
    async cut() {
      isCut = true
      await Promise.all([...open].map((socket) => socket.close()))
      open.clear()
    },
    mend() {
      isCut = false
    },
    rewrite(next) {
      change = next
    },
    swallow: (method) => void swallowed.add(method),
    sent,
  }
}
