/* Drafts of the message field across sessions, tabs and a full storage. */
import { expect, it } from 'vitest'
import { createDraftStore } from '../../../web/composer/draft-store.ts'
import { createFakeBrowser } from './fake-storage.ts'
import { createManualClock } from './manual-clock.ts'
import * as a from './samples.ts'

function play() {
  const browser = createFakeBrowser()
  const clock = createManualClock()
  const open = (sessionId = a.sessionId) => {
    const tab = browser.tab()
    const draft = createDraftStore(sessionId, tab.storage, clock.after)
    return { ...tab, draft, text: () => draft.getState().text }
  }
  return { browser, clock, open }
}

it('D-KEEP: what is typed is there after a reload', () => {
  const { open, clock } = play()
  open().draft.type('half a thought')
  clock.advance(250)
  expect(open().text()).toBe('half a thought')
})

it('D-KEEP: a page that goes before the pause is over still writes', () => {
  const { open } = play()
  const first = open()
  first.draft.type('quick')
  first.draft.flush()
  expect(open().text()).toBe('quick')
  first.draft.type('quicker')
  first.draft.dispose()
  expect(open().text()).toBe('quicker')
})

it('D-OWN: a draft never shows in another session', () => {
  const { open, clock } = play()
  open(a.sessionId).draft.type('for one')
  clock.advance(250)
  expect(open(a.otherSessionId).text()).toBe('')
})

it('D-SENT: sending in one tab empties the others, and none of them writes it back', () => {
  const { open, clock, browser } = play()
  const first = open()
  first.draft.type('sent text')
  clock.advance(250)
  const second = open()
  expect(second.text()).toBe('sent text')
  first.draft.replace('')
  expect(second.text()).toBe('')
  second.draft.flush()
  second.draft.dispose()
  clock.advance(1_000)
  expect(open().text()).toBe('')
  expect([...browser.raw.values()].join()).not.toContain('sent text')
})

it('D-SENT: a tab that slept through the sending gives the text up when it wakes, not back', () => {
  const { open, clock } = play()
  const first = open()
  first.draft.type('sent text')
  clock.advance(250)
  const second = open()
  second.sleep()
  first.draft.replace('')
  expect(second.text()).toBe('sent text')
  second.wake()
  second.draft.refresh()
  expect(second.text()).toBe('')
  second.draft.dispose()
  expect(open().text()).toBe('')
})

it('D-NEWER: an older tab takes a newer text over', () => {
  const { open, clock } = play()
  const older = open()
  older.draft.type('one')
  clock.advance(250)
  const newer = open()
  newer.draft.type('one two')
  clock.advance(250)
  expect(older.text()).toBe('one two')
})

it('D-NEWER: typing in this very tab is never overwritten from another', () => {
  const { open, clock } = play()
  const mine = open()
  const other = open()
  mine.draft.type('I am typing')
  other.draft.replace('from elsewhere')
  expect(mine.text()).toBe('I am typing')
  clock.advance(250)
  expect(other.text()).toBe('I am typing')
})

it('D-FULL: a full storage is said, and takes nothing from the screen', () => {
  const { open, clock, browser } = play()
  const tab = open()
  browser.fill()
  tab.draft.type('kept on screen')
  clock.advance(250)
  expect(tab.draft.getState()).toEqual({ text: 'kept on screen', saved: false })
  tab.draft.replace('')
  expect(tab.draft.getState().saved).toBe(true)
})

it('D-KEEP: what is no draft in the storage is no draft', () => {
  const { open, browser } = play()
  browser.raw.set('task-surface:draft:s-1', '{"text":7}')
  expect(open().text()).toBe('')
  browser.raw.set('task-surface:draft:s-1', 'not json')
  expect(open().text()).toBe('')
})
