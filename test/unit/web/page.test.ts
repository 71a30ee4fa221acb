/* Small pure parts of the page: addresses, preferences, times, the list fold, wordings. */
// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { composerTexts } from '../../../web/composer/composer-texts.ts'
import { setLanguage } from '../../../web/i18n/i18n.ts'
import { createPreferences } from '../../../web/preferences.ts'
import { parseRoute, pathOf } from '../../../web/router.ts'
import { ago, clockTime, duration, stopwatch } from '../../../web/time.ts'
import { createFakeBrowser } from './fake-storage.ts'

describe('addresses', () => {
  it.each(['/', '/settings', '/s/s-1', '/s/s-1/lifecycles', '/s/a.B_c:d-9'])(
    'R-URL: %s reads and prints the same',
    (path) => {
      expect(pathOf(parseRoute(path))).toBe(path)
    },
  )

  it.each(['/x', '/s/', '/s/__proto__', '/s/a b', '/s/a%2fb', '/s/a/b/c', '/settings/x', `/s/${'x'.repeat(129)}`])(
    'R-URL: %s is no address of ours',
    (path) => {
      expect(parseRoute(path)).toEqual({ view: 'unknown' })
    },
  )
})

describe('preferences', () => {
  it('P-LANG: the browser’s language decides until the person does', () => {
    const { storage } = createFakeBrowser().tab()
    expect(createPreferences(storage, ['zh-TW', 'en']).getState().language).toBe('zh')
    const preferences = createPreferences(storage, ['en-US'])
    expect([preferences.getState().language, document.documentElement.lang]).toEqual(['en', 'en'])
    preferences.set({ language: 'zh' })
    expect(document.documentElement.lang).toBe('zh-CN')
    expect(createPreferences(storage, ['en-US']).getState().language).toBe('zh')
  })

  it('P-THEME: a theme is an attribute of the root, the system’s is none, and every tab follows', () => {
    const browser = createFakeBrowser()
    const [first, second] = [createPreferences(browser.tab().storage, []), createPreferences(browser.tab().storage, [])]
    first.set({ theme: 'dark' })
    expect([document.documentElement.dataset['theme'], second.getState().theme]).toEqual(['dark', 'dark'])
    first.set({ theme: 'system' })
    expect(document.documentElement.dataset['theme']).toBeUndefined()
  })

  it('P-BAD: what is no preference in the storage is not taken', () => {
    const browser = createFakeBrowser()
    browser.raw.set('task-surface:preferences', '{"theme":"pink","language":7,"agent":"demo"}')
    expect(createPreferences(browser.tab().storage, ['en']).getState()).toEqual({
      theme: 'system',
      language: 'en',
      agent: 'demo',
      approval: 'ask',
    })
  })
})

describe('times', () => {
  it.each([
    [0, '0 ms'],
    [12.4, '12 ms'],
    [999, '999 ms'],
    [4_150, '4.1 s'],
    [9_999, '9.9 s'],
    [41_000, '0:41'],
    [185_000, '3:05'],
    [3_723_000, '1:02:03'],
    [-5, '0 ms'],
  ])('F-TIME: %d ms lasted %s', (ms, text) => {
    expect(duration(ms)).toBe(text)
  })

  it('F-TIME: a stopwatch that is ahead of the host shows zero', () => {
    expect(stopwatch(-900)).toBe('0:00')
  })

  it('F-TIME: clock times have 24 hours in both languages', () => {
    const at = new Date(2026, 10, 21, 0, 5, 7).getTime()
    expect([clockTime(at, 'en'), clockTime(at, 'zh'), clockTime(at, 'en', true)]).toEqual([
      '00:05',
      '00:05',
      '00:05:07',
    ])
  })

  it('F-TIME: the list says how long ago', () => {
    setLanguage('en')
    const now = new Date(2026, 10, 21, 15, 0).getTime()
    const minutes = 60_000
    const said = [0, 2 * minutes, 180 * minutes, 30 * 60 * minutes, 20 * 24 * 60 * minutes].map((ms) =>
      ago(now - ms, now, 'en'),
    )
    expect(said).toEqual(['now', '2 min', '3 h', 'Fri', '1 Nov'])
    setLanguage('zh')
    expect([ago(now, now, 'zh'), ago(now - 2 * minutes, now, 'zh')]).toEqual(['刚刚', '2 分钟'])
    setLanguage('en')
  })
})

describe('wordings', () => {
  it('I-LANG: texts follow the language at once', () => {
    setLanguage('zh')
    expect(composerTexts.text('write')).toBe('输入消息')
    setLanguage('en')
    expect(composerTexts.text('write')).toBe('Write a message')
  })

  it('I-SAFE: a value never becomes markup or another placeholder', () => {
    expect(composerTexts.text('tool', { tool: '<b>{{x}}</b> $t(write)' })).toBe('Running <b>{{x}}</b> $t(write)')
  })
})
