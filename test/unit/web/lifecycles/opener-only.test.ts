// @vitest-environment happy-dom
import { createBrowserReceiver } from '@statelyai/inspect'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openerOnly } from '../../../../web/inspector/opener-only.ts'

const opener = window.open('about:blank')
const event = {
  type: '@xstate.event',
  sessionId: 'x:1',
  rootId: 'x:1',
  event: { type: 'GO' },
  createdAt: '1',
  _version: '1',
}
let taken: unknown[] = []

beforeEach(() => {
  taken = []
  Object.defineProperty(window, 'opener', { value: opener, configurable: true })
  createBrowserReceiver({ window: openerOnly(window) }).subscribe((message) => void taken.push(message))
})
afterEach(() => Object.defineProperty(window, 'opener', { value: null, configurable: true }))

it.each([
  { name: 'its opener, a page of this host', source: opener, origin: window.location.origin, count: 1 },
  { name: 'its opener, once it shows another site', source: opener, origin: 'https://evil.example', count: 0 },
  { name: 'its opener, once it shows a page without origin', source: opener, origin: '', count: 0 },
  { name: 'another window of this host', source: window, origin: window.location.origin, count: 0 },
  { name: 'nobody', source: null, origin: window.location.origin, count: 0 },
])('INSPECT-OPENER: of $name the page takes $count messages', ({ source, origin, count }) => {
  window.dispatchEvent(new MessageEvent('message', { data: event, source, origin }))
  expect(taken).toHaveLength(count)
})
