/* The browser's side of `ConnectionDeps`: WebSocket, timers, chance, and the one look at why the host
   would not talk. Same origin only. */
import type { ConnectionDeps, SocketEvents, SocketLike } from './connection.ts'

function openSocket(events: SocketEvents): SocketLike {
  const url = new URL('/ws', location.href)
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(url)
  socket.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (typeof event.data === 'string') events.message(event.data)
  })
  // An error is always followed by a close.
  socket.addEventListener('close', () => events.closed())
  return {
    send: (text) => socket.send(text),
    close: () => socket.close(),
  }
}

/** A refused upgrade looks like a dead host; the same question as a plain request shows the difference. */
async function isRefused(): Promise<boolean> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'host.describe', params: {} })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch('/rpc', { method: 'POST', headers, body })
    return response.status === 401 || response.status === 403
  } catch {
    return false
  }
}

export function after(delayMs: number, work: () => void): () => void {
  const timer = setTimeout(work, delayMs)
  return () => clearTimeout(timer)
}

/** Before the next paint, or soon where the page is not painted at all. */
export function soon(work: () => void): () => void {
  if (document.visibilityState === 'hidden') return after(100, work)
  const frame = requestAnimationFrame(work)
  return () => cancelAnimationFrame(frame)
}

export const browserSocketDeps: ConnectionDeps = { openSocket, isRefused, now: Date.now, random: Math.random, after }
