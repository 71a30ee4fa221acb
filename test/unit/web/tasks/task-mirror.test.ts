// @vitest-environment happy-dom
/* The client mirror of a session's tasks (SPEC 7, 8): last wins, and two clears keep it honest. */
import { describe, expect, it } from 'vitest'
import { playPage } from '../play-page.tsx'
import { event, sessionId, session as sample } from '../samples.ts'
import { ended, idsOf, task, tasksFrame } from './sample-tasks.ts'

function play(baseline: object[] = []) {
  const page = playPage()
  const session = page.open({}, baseline)
  return { ...page, session, ids: () => idsOf(session.getState().tasks) }
}

describe('the mirror', () => {
  it('MIRROR-LAST: a frame replaces the whole list, in the order of the host', () => {
    const { live, ids, session } = play([tasksFrame(task('a'), task('b'))])
    live(tasksFrame(task('c'), ended('a', 5)))
    expect(ids()).toEqual(['c', 'a'])
    expect(session.getState().tasks[1]?.status).toBe('completed')
  })

  it('MIRROR-NONE: no frame and an emptied list are the same', () => {
    const { live, session } = play()
    const absent = session.getState().tasks
    live(tasksFrame(task('a')))
    live(tasksFrame())
    expect(session.getState().tasks).toEqual(absent)
  })

  it('MIRROR-RESUB: a new subscription without a list leaves no phantom', () => {
    const { open, lose, ids } = play([tasksFrame(task('a'))])
    lose()
    expect(ids()).toEqual(['a'])
    open({}, [])
    expect(ids()).toEqual([])
  })

  it('MIRROR-RESUB: until the new baseline is whole the last known list stays', () => {
    const { session, lose, up, host, ids } = play([tasksFrame(task('a'))])
    lose()
    up()
    expect([ids(), session.getState().phase]).toEqual([['a'], 'last-known'])
    host.fail('session.open', { reason: 'connection-lost' })
    expect(ids()).toEqual(['a'])
  })

  it('MIRROR-GONE: a removed session has no tasks, whichever frame comes first', () => {
    const { say, live, ids } = play([tasksFrame(task('a'))])
    say({ type: 'host/session-removed', sessionId })
    expect(ids()).toEqual([])
    live(tasksFrame(ended('a', 5)))
    expect(ids()).toEqual([])
  })

  it('MIRROR-ONLY: events, the list of sessions and other frames leave it alone', () => {
    const { live, event: append, say, session } = play([tasksFrame(task('a'))])
    const before = session.getState().tasks
    append(event(1, 'turn/start', { turn: 1 }))
    live({ type: 'session/status', status: 'running', turn: 1 })
    say({ type: 'host/session-updated', session: sample({ title: 'Other' }) })
    expect(session.getState().tasks).toBe(before)
  })
})
