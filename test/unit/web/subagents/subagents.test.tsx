// @vitest-environment happy-dom
/* The header action of subagents, its tree, and the page of a child (SPEC 9). */
import { act } from 'react'
import { describe, expect, it } from 'vitest'
import { sessionIdSchema } from '../../../../shared/ids.ts'
import { registerSubagents } from '../../../../web/plugins/subagents/subagents.tsx'
import { Conversation } from '../../../../web/shell/conversation.tsx'
import { Header } from '../../../../web/shell/header.tsx'
import { Side } from '../../../../web/shell/side.tsx'
import { byName, click, playPage, press } from '../play-page.tsx'
import { openAnswer, session as sample, sessionId } from '../samples.ts'
import { one, oneOf } from '../surface/render.tsx'

const parent = { sessionId, seq: 1, relation: 'subagent' } as const
const child = (name: string, change: object = {}) =>
  sample({
    id: sessionIdSchema.parse(name),
    title: `do ${name}`,
    createdAt: 900_000,
    updatedAt: 960_000,
    parent,
    ...change,
  })
const entry = (name: string, status: string, seqs: object) => ({
  sessionId: name,
  label: `do ${name}`,
  mode: 'background',
  status,
  ...seqs,
})
const projection = (...children: object[]) => ({
  type: 'session/projection',
  key: 'subagents',
  value: { children },
  seq: 0,
})

function play(...children: object[]) {
  const page = playPage()
  const scope = page.client.slots.scope()
  registerSubagents(scope)
  const session = page.open({}, children.length === 0 ? [] : [projection(...children)])
  const { host: root } = page.draw(<Header session={session} />)
  const list = (...sessions: object[]) =>
    act(() => page.host.answer('session.list', { sessions: [sample(), ...sessions] }))
  const action = () => oneOf(root, '.act', HTMLButtonElement)
  const show = () => click(action())
  const rows = () => [...root.querySelectorAll('.task')]
  return { ...page, scope, session, root, list, action, show, rows }
}

describe('the action', () => {
  it('SUB-NONE: without children there is nothing', () => {
    const { root, live } = play()
    expect(root.querySelector('.act')).toBeNull()
    live(projection(entry('a', 'running', { startedSeq: 1 })))
    expect(root.querySelector('.act')?.textContent).toBe('Subagents1')
  })

  it('SUB-ALL: the number is that of the rows, finished ones too', () => {
    const { action, show, rows, list } = play(
      entry('a', 'running', { startedSeq: 1 }),
      entry('b', 'failed', { startedSeq: 2, endedSeq: 3 }),
    )
    list(child('a', { status: 'running' }), child('b'), child('a1', { parent: { ...parent, sessionId: 'a' } }))
    show()
    expect([action().textContent, rows().length]).toEqual(['Subagents3', 3])
  })

  it('SUB-OPEN: a row opens the child’s own page; one whose session is gone says so and opens nothing', () => {
    const { root, show, list, rows } = play(
      entry('a', 'completed', { startedSeq: 1, endedSeq: 4 }),
      entry('b', 'failed', { startedSeq: 2, endedSeq: 3 }),
    )
    show()
    expect(root.querySelectorAll('.task a, .task-label')).toHaveLength(2)
    expect(root.textContent).not.toContain('removed')
    list(child('a'))
    expect(one(root, '.task a').getAttribute('href')).toBe('/s/a')
    expect(rows()[1]?.textContent).toContain('Its session was removed.')
    click(one(root, '.task a'))
    expect(window.location.pathname).toBe('/s/a')
  })

  it('SUB-STATE: states in words; after a loss the live one is the last known, and stands still', () => {
    const { root, show, list, lose } = play(
      entry('a', 'running', { startedSeq: 1 }),
      entry('b', 'killed', { startedSeq: 2, endedSeq: 3 }),
      entry('c', 'failed', { startedSeq: 2, endedSeq: 4 }),
      entry('d', 'running', { startedSeq: 5 }),
    )
    list(child('a', { status: 'running' }), child('b'), child('c'), child('d', { status: 'idle' }))
    show()
    const states = () => [...root.querySelectorAll('.task .state')].map((state) => state.textContent)
    expect(states()).toEqual(['Running', 'Idle', 'Failed', 'Killed'])
    expect([...root.querySelectorAll('.task time')].map((time) => time.textContent)).toEqual([
      '1:40',
      '1:00',
      '1:00',
      '1:00',
    ])
    lose()
    expect(states()).toEqual(['Running when last seen', 'Idle', 'Failed', 'Killed'])
  })

  it('SUB-FAIL: a failed child is never folded', () => {
    const many = Array.from({ length: 9 }, (_, at) =>
      entry(`c${at}`, at === 0 ? 'failed' : 'completed', { startedSeq: at, endedSeq: 20 + at }),
    )
    const { root, show, rows } = play(...many)
    show()
    expect(rows().map((row) => one(row, '.task-label').textContent)).toEqual(['do c8', 'do c7', 'do c6', 'do c0'])
    expect(byName(root, 'Show 5 older')).toBeDefined()
  })

  it('SUB-ESC: Escape shuts it, with the focus on the action', () => {
    const { root, show, action } = play(entry('a', 'running', { startedSeq: 1 }))
    show()
    press(one(root, '.pop'), 'Escape')
    expect([root.querySelector('.pop'), document.activeElement]).toEqual([null, action()])
  })

  it('SLOT-END: ending the scope takes the action away', () => {
    const { root, scope } = play(entry('a', 'running', { startedSeq: 1 }))
    act(() => scope.dispose())
    expect(root.querySelector('.act')).toBeNull()
  })
})

describe('the page of a child', () => {
  it('SUB-READ: nobody can write there; it says so and leads back to its parent', () => {
    const page = playPage('/s/a')
    const store = page.client.sessions.follow(sessionIdSchema.parse('a'))
    page.client.deskOf(store)
    page.up()
    act(() => {
      page.host.answer('session.list', { sessions: [sample(), child('a')] })
      page.host.answer('session.open', openAnswer({ session: child('a') }))
    })
    act(() =>
      store.receive(
        JSON.parse('{"type":"session/subscribed","sessionId":"a","lastSeq":0,"incarnation":"inc-1","n":0}'),
      ),
    )
    act(() => page.host.answer('host.describe', {}))
    const { host: root } = page.draw(<Conversation session={store} pane={null} />)
    expect(root.querySelector('textarea, form')).toBeNull()
    expect(one(root, '.read-only').textContent).toContain('Write to the session that started it.')
    expect([one(root, '.read-only a').getAttribute('href'), one(root, '.read-only a').textContent]).toEqual([
      '/s/s-1',
      'Go to “Ship 2.4”',
    ])
  })

  it('SUB-SIDE: children do not stand in the session list', () => {
    const page = playPage()
    page.up()
    act(() => page.host.answer('session.list', { sessions: [sample(), child('a')] }))
    const { host: root } = page.draw(<Side />)
    expect([...root.querySelectorAll('.sess-title')].map((title) => title.textContent)).toEqual(['Ship 2.4'])
  })
})
