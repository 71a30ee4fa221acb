// @vitest-environment happy-dom
/* The header action of background tasks and its list (SPEC 9): presence, badge, rows, time, keys, what is said. */
import { act } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { registerTasks } from '../../../../web/plugins/tasks/tasks.tsx'
import { Header } from '../../../../web/shell/header.tsx'
import { byName, click, playPage, press } from '../play-page.tsx'
import { one, oneOf } from '../surface/render.tsx'
import { ended, task, tasksFrame } from './sample-tasks.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const start = 1_000_000

function play(...tasks: Parameters<typeof tasksFrame>) {
  const page = playPage()
  const scope = page.client.slots.scope()
  registerTasks(scope, page.client)
  const session = page.open({}, tasks.length === 0 ? [] : [tasksFrame(...tasks)])
  const { host: root } = page.draw(<Header session={session} />)
  const action = () => oneOf(root, '.act', HTMLButtonElement)
  const show = () => click(action())
  const rows = () => [...root.querySelectorAll('.task')]
  const labels = () => rows().map((row) => one(row, '.task-label').textContent)
  const states = () => rows().map((row) => one(row, '.state').textContent)
  const times = () => rows().map((row) => row.querySelector('time')?.textContent ?? null)
  const heads = () => [...root.querySelectorAll('.pop h3')].map((head) => head.textContent)
  const said = () => page.client.announcement.getState()
  const pass = (ms: number) =>
    act(() => {
      page.clock.advance(ms)
      vi.advanceTimersByTime(ms)
    })
  return { ...page, scope, session, root, action, show, rows, labels, states, times, heads, said, pass }
}

const thirty = Array.from({ length: 30 }, (_, at) => ended(`t${at}`, start - at * 1000))

describe('the action', () => {
  it('TASK-NONE: without a task there is nothing, and an emptied list takes it away again', () => {
    const { root, live } = play()
    expect(root.querySelector('.act')).toBeNull()
    live(tasksFrame(task('a')))
    expect(root.querySelector('.act')).not.toBeNull()
    live(tasksFrame())
    expect(root.querySelector('.act')).toBeNull()
  })

  it('TASK-BADGE: counts what runs and what stops, and shows no zero', () => {
    const { action, live } = play(task('a'), task('b', { status: 'stopping' }), ended('c', 2_000))
    expect(one(action(), '.badge').firstChild?.textContent).toBe('2')
    live(tasksFrame(ended('a', 5), ended('b', 6, { status: 'killed' }), ended('c', 2_000)))
    expect([action().querySelector('.badge'), action().textContent]).toEqual([null, 'Background tasks'])
  })

  it('TASK-BADGE: the badge says what the list shows', () => {
    const { root, action, show, live } = play(task('a'), task('b', { status: 'stopping' }), ...thirty)
    show()
    const liveRows = () => root.querySelectorAll('.pop h3 + ul')[0]?.children.length
    expect([one(action(), '.badge').firstChild?.textContent, liveRows()]).toEqual(['2', 2])
    live(tasksFrame(ended('a', 5), task('b'), task('c'), task('d')))
    expect([one(action(), '.badge').firstChild?.textContent, liveRows()]).toEqual(['3', 3])
  })

  it('TASK-LOST: after a loss the count is the last one known: outlined, and named so', () => {
    const { action, lose, show, states } = play(task('a'), task('b', { status: 'stopping' }), ended('c', 5))
    show()
    lose()
    expect(one(action(), '.badge').className).toBe('badge badge-old')
    expect(one(action(), '.badge').textContent).toBe('2 Running when last seen')
    expect(states()).toEqual(['Running when last seen', 'Stopping when last seen', 'Completed'])
  })

  it('SLOT-END: ending the scope takes the action away', () => {
    const { root, scope, show } = play(task('a'))
    show()
    act(() => scope.dispose())
    expect(root.querySelector('.act')).toBeNull()
  })
})

describe('the list', () => {
  it('TASK-ORDER: live rows stand above settled ones, each group with its number', () => {
    const { show, heads, labels } = play(...thirty, task('b', { startedAt: 2 }), task('a', { startedAt: 1 }))
    show()
    expect(heads()).toEqual(['Live2', 'Settled30'])
    expect(labels()).toEqual(['run a', 'run b', 'run t0', 'run t1', 'run t2'])
  })

  it('TASK-FOLD: the rest unfolds and folds again, and the numbers agree', () => {
    const { root, show, rows } = play(...thirty)
    show()
    click(byName(root, 'Show 27 older'))
    expect([rows().length, byName(root, 'Show fewer').getAttribute('aria-expanded')]).toEqual([30, 'true'])
    click(byName(root, 'Show fewer'))
    expect([rows().length, byName(root, 'Show 27 older').getAttribute('aria-expanded')]).toEqual([3, 'false'])
  })

  it('TASK-FAIL: a failure shows its detail; other ends and live ones do not', () => {
    const { root, show, rows } = play(
      task('a', { detail: 'not this' }),
      ended('b', 9, { detail: 'not that' }),
      ended('c', 8, { status: 'killed', detail: 'nor that' }),
      ended('d', 7, { status: 'failed', detail: 'the host stopped' }),
      ended('e', 6, { status: 'failed' }),
    )
    show()
    expect([...root.querySelectorAll('.task-detail')].map((detail) => detail.textContent)).toEqual(['the host stopped'])
    expect(rows()).toHaveLength(5)
  })

  it('TASK-KIND: a kind nobody knows goes by its own name under the neutral icon', () => {
    const { show, rows } = play(task('x-1', { kind: 'etl-sync' }), task('y', { kind: 'bash' }))
    show()
    const [unknown, known] = rows()
    expect(unknown?.querySelector('use')?.getAttribute('href')).toBe('#m-neutral')
    expect(unknown?.querySelector('.task-meta')?.textContent).toBe('etl-sync · x-1')
    expect(known?.querySelector('.task-meta')?.textContent).toBe('Command · y')
  })

  it('TASK-SAME: a row changes in place with the next frame', () => {
    const { show, live, rows, states, heads } = play(task('a'))
    show()
    live(tasksFrame(task('a', { status: 'stopping' })))
    expect([states(), heads()]).toEqual([['Stopping'], ['Live1']])
    live(tasksFrame(ended('a', start, { status: 'failed', detail: 'exit code 3' })))
    expect([states(), heads()]).toEqual([['Failed'], ['Settled1']])
    expect(rows()[0]?.querySelector('.task-detail')?.textContent).toBe('exit code 3')
  })

  it('TASK-HOSTILE: text of a label is text', () => {
    const { root, show, labels } = play(task('a', { label: '<img src=x onerror=alert(1)> \u202Eabc' }))
    show()
    expect([labels(), root.querySelector('.pop img')]).toEqual([['<img src=x onerror=alert(1)> \u202Eabc'], null])
  })
})

describe('time', () => {
  it('TASK-TICK: a live row counts while the list is open, a settled one stands still and says when it ended', () => {
    const { show, times, pass, rows } = play(
      task('a', { startedAt: start - 65_000 }),
      ended('b', start - 60_000, { startedAt: start - 91_000 }),
    )
    show()
    expect(times()).toEqual(['1:05', '31 s'])
    pass(3_000)
    expect(times()).toEqual(['1:08', '31 s'])
    expect(rows()[1]?.querySelector('.task-meta')?.textContent).toMatch(/^Command · b · ended \d\d:\d\d$/)
  })

  it('TASK-TICK: no timer runs while the list is shut, or open without a live task', () => {
    const idle = vi.getTimerCount()
    const { show, live } = play(task('a'))
    expect(vi.getTimerCount()).toBe(idle)
    show()
    expect(vi.getTimerCount()).toBe(idle + 1)
    live(tasksFrame(ended('a', start)))
    expect(vi.getTimerCount()).toBe(idle)
    live(tasksFrame(task('b')))
    show()
    expect(vi.getTimerCount()).toBe(idle)
  })

  it('TASK-LOST: with the host away nothing grows older, whenever the list was opened', () => {
    const { show, times, pass, lose } = play(task('a', { startedAt: start - 10_000 }))
    show()
    pass(2_000)
    const idle = vi.getTimerCount()
    lose()
    expect(vi.getTimerCount()).toBe(idle - 1)
    pass(60_000)
    expect(times()).toEqual(['0:12'])
    show()
    show()
    expect(times()).toEqual(['0:12'])
  })

  it('TASK-CLOCK: the host’s clock counts, not the page’s', () => {
    const { show, times, lose } = play(task('a', { startedAt: start + 50_000 }))
    lose({ phase: 'up', retryAt: null, downSince: null, hostAheadMs: 60_000 })
    show()
    expect(times()).toEqual(['0:10'])
  })

  it('TASK-ASK: opening and waiting asks the host nothing', () => {
    const { show, pass, host } = play(task('a'))
    const before = host.waiting()
    show()
    pass(120_000)
    expect(host.waiting()).toEqual(before)
  })
})

describe('keys', () => {
  it('TASK-ESC: Escape shuts the list from anywhere in it, and the focus is on the action again', () => {
    const { root, show, action } = play(...thirty)
    show()
    const panel = one(root, '.pop')
    expect([panel.getAttribute('role'), document.activeElement === panel]).toEqual(['dialog', true])
    const fold = byName(root, 'Show 27 older')
    fold.focus()
    press(fold, 'Escape')
    expect([root.querySelector('.pop'), document.activeElement, action().getAttribute('aria-expanded')]).toEqual([
      null,
      action(),
      'false',
    ])
  })

  it('TASK-ESC: also when what had the focus is gone, but not an input method’s Escape', () => {
    const { root, show, action } = play(task('a'))
    show()
    press(document.body, 'Escape', { isComposing: true })
    expect(root.querySelector('.pop')).not.toBeNull()
    press(document.body, 'Escape')
    expect([root.querySelector('.pop'), document.activeElement]).toEqual([null, action()])
  })

  it('TASK-SHUT: the close button shuts with the focus on the action; a press elsewhere just shuts', () => {
    const { root, show, action } = play(task('a'))
    show()
    click(byName(root, 'Close'))
    expect([root.querySelector('.pop'), document.activeElement]).toEqual([null, action()])
    show()
    act(() => void document.body.dispatchEvent(new Event('pointerdown', { bubbles: true })))
    expect(root.querySelector('.pop')).toBeNull()
    show()
    act(() => byName(root, 'Session menu').focus())
    expect(root.querySelector('.pop')).toBeNull()
  })

  it('TASK-WHOLE: a label that is cut can be opened and shut by a press, and its name is the whole of it', () => {
    const cut = vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(90)
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(36)
    const label = 'x'.repeat(500)
    const { root, show } = play(task('a', { label }))
    show()
    const button = byName(root, label)
    expect(button.getAttribute('aria-expanded')).toBe('false')
    click(button)
    expect([byName(root, label).getAttribute('aria-expanded'), one(root, '.task-whole').textContent]).toEqual([
      'true',
      label,
    ])
    click(byName(root, label))
    expect(root.querySelector('.task-whole')).toBeNull()
    cut.mockRestore()
    vi.restoreAllMocks()
  })
})

describe('what is said', () => {
  it('TASK-SAID: an end is said, also with the list shut; starting and stopping are not', () => {
    const { live, said } = play(task('a'))
    const before = said()
    live(tasksFrame(task('a'), task('b')))
    live(tasksFrame(task('a', { status: 'stopping' }), task('b')))
    expect(said()).toEqual(before)
    live(tasksFrame(ended('a', 5, { status: 'killed' }), task('b')))
    expect(said().text).toBe('Background task killed: run a')
    live(tasksFrame(ended('a', 5, { status: 'killed' }), ended('b', 6, { status: 'failed', detail: 'exit code 1' })))
    expect(said().text).toBe('Background task failed: run b. exit code 1')
  })

  it('TASK-SAID: several ends are one sentence', () => {
    const { live, said } = play(task('a'), task('b'), task('c'))
    live(tasksFrame(ended('a', 5), ended('b', 5), task('c')))
    expect(said().text).toBe('2 background tasks ended')
    live(tasksFrame(ended('a', 5), ended('b', 5), ended('c', 6), ended('d', 6, { status: 'failed' })))
    expect(said().text).toBe('2 background tasks ended, 1 of them failed')
  })

  it('TASK-SAID: history is no news: neither at the first sight of a session nor after a reconnect', () => {
    const { said, lose, open } = play(...thirty)
    expect(said().count).toBe(0)
    lose()
    open({}, [tasksFrame(...thirty, ended('missed', start))])
    expect(said().count).toBe(0)
  })

  it('TASK-SAID: what ended while the connection was gone is said when it is back', () => {
    const { said, lose, open } = play(task('a'))
    lose()
    open({}, [tasksFrame(ended('a', 5, { status: 'failed', detail: 'the host stopped' }), ended('old', 4))])
    expect(said()).toMatchObject({ text: 'Background task failed: run a. the host stopped', count: 1 })
  })
})
