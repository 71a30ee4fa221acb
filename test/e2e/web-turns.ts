/* Turns as a scripted host tells them, and what tests ask of page and host most. */
import type { Page } from 'playwright-core'
import type { ScriptedHost } from './web-scripted-host.ts'

export const said = (id: string, text = id) => ({
  message: { id, role: 'user', source: { kind: 'user', rpcId: '1' }, content: [{ type: 'text', text }] },
})

export function answer(turn: number, text: string, step = 0) {
  return { turn, step, message: { id: `a${turn}-${step}`, role: 'assistant', content: [{ type: 'text', text }] } }
}

/** A whole turn: a message, an answer, the end. */
export function turn(host: ScriptedHost, id: string, n: number, text = `Answer ${n}`): void {
  host.append(id, 'turn/start', { turn: n })
  host.append(id, 'user/message', said(`m${n}`, `Message ${n}`))
  host.append(id, 'assistant/message', answer(n, text))
  host.append(id, 'turn/end', { turn: n, reason: 'completed' })
}

export const field = (page: Page) => page.locator('#composer')

/** The requests of one method that came, in order. */
export const calls = (host: ScriptedHost, method: string) =>
  host.requests.filter((request) => request.method === method)
