// @vitest-environment happy-dom
/* What the task list shows (SPEC 7, 9): order, fold, kinds, what is said to have ended. */
import { describe, expect, it } from 'vitest'
import { setLanguage } from '../../../../web/i18n/i18n.ts'
import { endedSince, isFailed, isLive, kindOf, taskRows } from '../../../../web/plugins/tasks/task-rows.ts'
import { foldSettled, isFoldable } from '../../../../web/shell/settled-fold.ts'
import { moment, took } from '../../../../web/time.ts'
import { ended, idsOf, task } from './sample-tasks.ts'

describe('order', () => {
  it('TASK-ORDER: live ones by start, settled ones by end, the newest first; what stops is live', () => {
    const { live, settled } = taskRows([
      ended('old', 2_000),
      task('second', { startedAt: 2_000, status: 'stopping' }),
      ended('new', 9_000, { status: 'killed' }),
      task('first', { startedAt: 1_000 }),
      ended('mid', 5_000, { status: 'failed' }),
    ])
    expect([idsOf(live), idsOf(settled)]).toEqual([
      ['first', 'second'],
      ['new', 'mid', 'old'],
    ])
  })

  it('TASK-ORDER: at one moment live ones stand as registered, of settled ones the later one is newer', () => {
    const { live, settled } = taskRows([task('a'), ended('x', 5_000), task('b'), ended('y', 5_000)])
    expect([idsOf(live), idsOf(settled)]).toEqual([
      ['a', 'b'],
      ['y', 'x'],
    ])
  })

  it('TASK-COUNT: every task stands in exactly one of both lists', () => {
    const tasks = ['running', 'stopping', 'completed', 'killed', 'failed'].map((status) => task(status, { status }))
    const { live, settled } = taskRows(tasks)
    expect(live.length).toBe(tasks.filter(isLive).length)
    expect(idsOf([...live, ...settled]).toSorted()).toEqual(idsOf(tasks).toSorted())
  })
})

describe('fold', () => {
  const rows = (count: number, failed: readonly number[] = []) =>
    Array.from({ length: count }, (_, at) =>
      ended(`t${at}`, 10_000 - at, failed.includes(at) ? { status: 'failed' } : {}),
    )

  it('TASK-FOLD: three settled ones show, the rest stand behind a count', () => {
    const { rows: shown, hidden } = foldSettled(rows(17, [0]), isFailed, false)
    expect([idsOf(shown), hidden]).toEqual([['t0', 't1', 't2'], 14])
  })

  it('TASK-FAIL: a failed one is never folded, however old, and keeps its place', () => {
    const { rows: shown, hidden } = foldSettled(rows(200, [7, 150]), isFailed, false)
    expect([idsOf(shown), hidden]).toEqual([['t0', 't1', 't2', 't7', 't150'], 195])
    expect(idsOf(foldSettled(rows(200, [7, 150]), isFailed, true).rows)).toContain('t150')
  })

  it('TASK-FAIL: failures do not push the newest of the others out', () => {
    const { rows: shown, hidden } = foldSettled(rows(6, [0, 1, 2, 3]), isFailed, false)
    expect([idsOf(shown), hidden]).toEqual([['t0', 't1', 't2', 't3', 't4'], 1])
  })

  it.each([0, 1, 3, 4, 99, 100, 101, 250])('TASK-COUNT: of %i settled ones rows and count make the whole', (count) => {
    for (const unfolded of [false, true]) {
      const fold = foldSettled(rows(count, [50]), isFailed, unfolded)
      expect(fold.rows.length + fold.hidden).toBe(count)
    }
    expect(isFoldable(rows(count), isFailed)).toBe(count > 3)
  })

  it('TASK-FOLD: beyond a hundred a count is all', () => {
    expect(foldSettled(rows(250), isFailed, true)).toMatchObject({ hidden: 150 })
  })

  it('TASK-FOLD: a row that stands for several is counted as several', () => {
    expect(foldSettled(rows(5), isFailed, false, () => 3).hidden).toBe(6)
  })
})

describe('kinds', () => {
  it.each([
    ['bash', 'Command', '命令', 'i-term'],
    ['pwsh', 'PowerShell', 'PowerShell', 'i-term'],
    ['pty-send', 'Terminal', '终端', 'i-term'],
    ['subagent', 'Subagent', '子智能体', 'i-sub'],
    ['etl-sync', 'etl-sync', 'etl-sync', 'm-neutral'],
    ['constructor', 'constructor', 'constructor', 'm-neutral'],
    ['', '', '', 'm-neutral'],
  ])('TASK-KIND: %j is %j in English, %j in Chinese', (kind, english, chinese, icon) => {
    expect(kindOf(kind)).toMatchObject({ name: english, icon })
    setLanguage('zh')
    expect(kindOf(kind).name).toBe(chinese)
    setLanguage('en')
  })
})

describe('ends', () => {
  it('TASK-SAID: what was live and is not any more ended; starting, stopping and going on do not', () => {
    const before = [task('a'), task('b'), task('c', { status: 'stopping' }), ended('d', 3)]
    const after = [
      task('a', { status: 'stopping' }),
      ended('b', 5),
      ended('c', 5, { status: 'killed' }),
      ended('d', 3),
      task('e'),
    ]
    expect(idsOf(endedSince(before, after, true))).toEqual(['b', 'c'])
  })

  it('TASK-SAID: one that came and went between two frames ended too, but not what a new baseline brings', () => {
    expect(idsOf(endedSince([], [ended('quick', 5)], true))).toEqual(['quick'])
    expect(endedSince([], [ended('old', 5)], false)).toEqual([])
    expect(idsOf(endedSince([task('a')], [ended('a', 5), ended('old', 4)], false))).toEqual(['a'])
  })

  it('TASK-SAID: a list that was emptied says nothing', () => {
    expect(endedSince([task('a'), ended('b', 2)], [], true)).toEqual([])
  })
})

describe('times', () => {
  it.each([
    [-5, '0 ms'],
    [0, '0 ms'],
    [320, '320 ms'],
    [999.6, '999 ms'],
    [1_000, '1 s'],
    [59_999, '59 s'],
    [60_000, '1:00'],
    [1_338_000, '22:18'],
    [3_723_000, '1:02:03'],
  ])('TASK-TIME: %d ms took %s', (ms, words) => {
    expect(took(ms)).toBe(words)
  })

  it('TASK-TIME: an end of another day names the day', () => {
    const now = new Date(2026, 10, 21, 14, 30).getTime()
    expect(moment(new Date(2026, 10, 21, 9, 5).getTime(), now, 'en')).toBe('09:05')
    expect(moment(new Date(2026, 10, 20, 9, 5).getTime(), now, 'en')).toBe('20 Nov 09:05')
    expect(moment(new Date(2026, 10, 20, 9, 5).getTime(), now, 'zh')).toBe('11月20日 09:05')
  })
})
