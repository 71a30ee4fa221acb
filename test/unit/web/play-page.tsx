/* A page on a host that the test plays: the real client, stores and plugins, a fake connection and clock. */
import { act, type ReactNode } from 'react'
import { type Client, ClientProvider, createClient } from '../../../web/client.tsx'
import type { ConnectionState } from '../../../web/connection/connection.ts'
import type { AnyFrame } from '../../../web/connection/incoming.ts'
import { createPreferences } from '../../../web/preferences.ts'
import { createRouter } from '../../../web/router.ts'
import type { SessionStore } from '../../../web/session/session-store.ts'
import { createSlots } from '../../../web/slots.ts'
import { createStore } from '../../../web/store.ts'
import { createFakeRequester } from './fake-requester.ts'
import { createFakeBrowser } from './fake-storage.ts'
import { createManualClock } from './manual-clock.ts'
import * as a from './samples.ts'
import { draw } from './surface/render.tsx'

const upState: ConnectionState = {
  phase: 'up',
  everUp: true,
  retryAt: null,
  downSince: null,
  version: '1',
  hostAheadMs: 0,
  outdated: false,
}

export function playPage(path = '/s/s-1') {
  const host = createFakeRequester()
  const clock = createManualClock()
  const browser = createFakeBrowser()
  const { storage } = browser.tab()
  const state = createStore<ConnectionState>({ ...upState, phase: 'connecting', everUp: false })
  const listeners = new Set<(frame: AnyFrame) => void>()
  const tries: string[] = []
  let minted = 0
  window.history.replaceState(null, '', path)
  const client: Client = createClient({
    connection: {
      state,
      requester: host,
      onFrame(listener) {
        listeners.add(listener)
        return () => {
          listeners.delete(listener)
        }
      },
      start: () => {},
      tryNow: () => tries.push('now'),
      woken: () => {},
      dispose: () => {},
    },
    slots: createSlots(),
    router: createRouter(window),
    preferences: createPreferences(storage, ['en']),
    storage,
    mintId: () => {
      minted += 1
      return `m${minted}`
    },
    now: clock.now,
    after: clock.after,
    soon: (work) => clock.after(16, work),
  })
  const setState = (change: Partial<ConnectionState>) => act(() => state.setState({ ...upState, ...change }))
  const say = (frame: AnyFrame) =>
    act(() => {
      for (const listener of listeners) listener(frame)
    })
  let n = 0
  return {
    client,
    host,
    clock,
    browser,
    tries,
    say,
    up: () => setState({}),
    lose: (change: Partial<ConnectionState> = {}) =>
      setState({ phase: 'waiting', retryAt: clock.now() + 4_000, downSince: clock.now(), ...change }),
    /** The next live frame of the session. */
    live(body: object) {
      n += 1
      say(a.live(n, body))
    },
    event(one: ReturnType<typeof a.event>) {
      n += 1
      say(a.liveEvent(n, one))
    },
    /** The session opened with these events and baseline frames. */
    open(answer: object = {}, baseline: object[] = []): SessionStore {
      const store = client.sessions.follow(a.sessionId)
      client.deskOf(store)
      setState({})
      act(() => {
        const whole = a.openAnswer(answer)
        n = whole.n
        host.answer('session.open', whole)
        const send = (frame: AnyFrame) => {
          for (const listener of listeners) listener(frame)
        }
        send(a.subscribed({ incarnation: whole.incarnation, n: whole.n, lastSeq: whole.lastSeq }))
        for (const body of baseline) send(a.baseline(body))
        host.answer('host.describe', {})
      })
      return store
    },
    draw: (node: ReactNode) => draw(<ClientProvider client={client}>{node}</ClientProvider>),
    /** Lets answers reach their callers, and React draw. */
    settle: () =>
      act(async () => {
        for (let round = 0; round < 8; round += 1) await Promise.resolve()
      }),
  }
}

/** What a person does to a field: the new value and its event. */
export function write(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value') ?? {}
  act(() => {
    set?.call(field, text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/** A key press; true when the page took it over. */
export function press(target: Element, key: string, more: KeyboardEventInit & { keyCode?: number } = {}): boolean {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  if (more.keyCode !== undefined) Object.defineProperty(event, 'keyCode', { value: more.keyCode })
  act(() => {
    target.dispatchEvent(event)
  })
  return event.defaultPrevented
}

export function click(target: Element): void {
  act(() => {
    target.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, button: 0 }))
  })
}

export function byName(root: ParentNode, name: string | RegExp): HTMLElement {
  const all = [...root.querySelectorAll<HTMLElement>('button, a, input, textarea')]
  const found = all.filter((element) => {
    const own = element.getAttribute('aria-label') ?? element.textContent ?? ''
    return typeof name === 'string' ? own.trim() === name : name.test(own.trim())
  })
  const [only] = found
  if (only === undefined || found.length > 1) throw new Error(`${found.length} elements are named ${String(name)}`)
  return only
}
