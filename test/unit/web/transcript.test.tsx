// @vitest-environment happy-dom
/* The record as it is drawn (SPEC 9): who speaks, tool rows, plugin views, how turns end. */
import { act } from 'react'
import { describe, expect, it } from 'vitest'
import { Transcript } from '../../../web/transcript/transcript.tsx'
import { byName, click, playPage } from './play-page.tsx'
import * as a from './samples.ts'
import { one } from './surface/render.tsx'

function playRecord(events: ReturnType<typeof a.event>[], baseline: object[] = [], answer: object = {}) {
  const page = playPage()
  const all = [a.created(), ...events]
  const session = page.open({ events: all, lastSeq: all.at(-1)?.seq ?? 0, ...answer }, baseline)
  const { host: root } = page.draw(<Transcript session={session} />)
  const states = () => [...root.querySelectorAll('.tool .state')].map((state) => state.textContent)
  return { ...page, session, root, states }
}

const running = { type: 'session/status', status: 'running', turn: 1 }
const step = (...calls: string[]) => [a.turnStart(1), a.answered(2, 'x', 'Look.', calls)]

describe('who speaks', () => {
  it('T-WHO: a person, a steering person, the host and an agent are told apart by name', () => {
    const { root } = playRecord([
      a.turnStart(1),
      a.said(2, 'm1'),
      a.steered(3, 'm2'),
      a.said(4, 'm3', 'bash-13 failed', { kind: 'notice', about: 'task' }),
      a.said(5, 'm4', 'Do this', { kind: 'agent', sessionId: 's-0' }),
      a.answered(6, 'x', 'Yes.'),
    ])
    expect([...root.querySelectorAll('.gut b')].map((name) => name.textContent)).toEqual([
      'You',
      'You',
      'Host',
      'Agent',
      'demo',
    ])
    expect(root.querySelectorAll('.entry-you')).toHaveLength(2)
    expect(root.querySelectorAll('.entry-you')[1]?.textContent).toContain('Steered into the running turn')
  })

  it('T-WHO: a source of a newer version is read as an agent, not as the person', () => {
    const { root } = playRecord([a.turnStart(1), a.said(2, 'm1', 'hello', { kind: 'robot' })])
    expect([root.querySelector('.entry-you'), one(root, '.gut b').textContent]).toEqual([null, 'Agent'])
  })

  it('T-PLAIN: a submission is shown line by line, as the host wrote it', () => {
    const taskSurface = { version: 1, submissionId: 'sub', callId: 'c', surfaceId: 's', values: {} }
    const text = 'Title\n- Stop if:\n  | # no heading\n  | <b>x</b>'
    const { root } = playRecord([a.turnStart(1), a.said(2, 'm1', text, { kind: 'user', rpcId: '1', taskSurface })])
    expect([one(root, '.said').textContent, root.querySelector('.said b, .said h1, .said ul')]).toEqual([text, null])
  })

  it('T-SAFE: nothing a model or a person wrote becomes markup or a request', () => {
    const evil = '<img src=x onerror=alert(1)> ![x](https://evil.example/p.png) <script>alert(1)</script>'
    const { root } = playRecord([a.turnStart(1), a.said(2, 'm', evil), a.answered(3, 'x', evil)])
    expect(root.querySelector('img, script, iframe')).toBeNull()
  })
})

describe('tool rows', () => {
  it('T-TOOL: a call is waiting, running, done; the time it took is its own', () => {
    const { states, event } = playRecord(step('c1', 'c2'), [running])
    expect(states()).toEqual(['Waiting', 'Waiting'])
    event(a.toolCall(3, 'c1'))
    expect(states()).toEqual(['Running 0:00', 'Waiting'])
    event(a.toolResult(4, 'c1'))
    event(a.toolCall(5, 'c2'))
    event(a.toolResult(6, 'c2', { isError: true, error: { code: 'X', message: 'no' }, meta: { exitCode: 1 } }))
    expect(states()).toEqual(['1.0 s', 'Exit 1'])
  })

  it.each([
    [{ isError: true, error: { code: 'INTERRUPTED', message: '' } }, 'Interrupted'],
    [{ isError: true, error: { code: 'APPROVAL_DENIED', message: '' } }, 'Denied'],
    [{ isError: true, error: { code: 'TASK_SURFACE_OPEN', message: '' } }, 'A surface is open'],
    [{ isError: true, error: { code: 'SOMETHING_NEW', message: '' } }, 'Failed'],
    [{ isError: true }, 'Failed'],
    [{ meta: { added: 5, removed: 2 } }, '+5 −2'],
    [{ meta: { added: 0, removed: 0 } }, '+0 −0'],
    [{ meta: { exitCode: 0 } }, '1.0 s'],
    [{ meta: { exitCode: 1 } }, 'Exit 1'],
    [{ meta: { signal: 'SIGKILL' } }, 'Ended by SIGKILL'],
    [{ meta: { signal: 'SIGTERM', timedOut: true } }, 'Timed out'],
    [{ meta: { exitCode: 143, timedOut: true } }, 'Timed out'],
    [{ meta: 'of a kind nobody knows' }, '1.0 s'],
  ])('T-TOOL: a result with %j reads as %s', (more, word) => {
    const { states } = playRecord([...step('c1'), a.toolCall(3, 'c1'), a.toolResult(4, 'c1', more)], [running])
    expect(states()).toEqual([word])
  })

  it('T-TOOL: what waits for a person says so', () => {
    const events = [...step('c1', 'c2'), a.toolCall(3, 'c1'), a.toolCall(4, 'c2')]
    const { states } = playRecord(events, [
      running,
      { type: 'approval/requested', approvalId: 'ap', callId: 'c1', tool: 'bash', summary: 's', input: {} },
      { type: 'question/requested', questionId: 'q', callId: 'c2', questions: [{ id: 'x', question: 'Why?' }] },
    ])
    expect(states()).toEqual(['Needs approval', 'Waiting for you'])
  })

  it('T-TOOL: no spinner outlives its process: lost connection, ended turn, stopped host', () => {
    const events = [...step('c1'), a.toolCall(3, 'c1')]
    const { states, lose } = playRecord(events, [running])
    lose()
    expect(states()).toEqual(['Running when last seen'])
    expect(playRecord([...events, a.turnEnd(4, 1, 'interrupted')]).states()).toEqual(['Interrupted'])
    const stranded = playRecord(events)
    expect(stranded.states()).toEqual(['Interrupted'])
    expect(one(stranded.root, '.notice').textContent).toContain('Interrupted: the host stopped.')
  })

  it('T-TOOL: an unknown tool gets the neutral icon, its own name and its first argument', () => {
    const { root } = playRecord([...step(), a.toolCall(3, 'c9', 'etl_sync', { depth: 0, target: 'orders' })], [running])
    const summary = one(root, '.tool summary')
    expect(summary.querySelector('use')?.getAttribute('href')).toBe('#m-neutral')
    expect([summary.querySelector('.tool-name')?.textContent, summary.querySelector('.tool-arg')?.textContent]).toEqual(
      ['etl_sync', '0'],
    )
  })

  it('T-TOOL: arguments that are no JSON are shown as they are', () => {
    const content = [{ type: 'tool-call', callId: 'c1', name: 'bash', arguments: '{"command": ' }]
    const message = { id: 'x', role: 'assistant', content }
    const { root } = playRecord(
      [a.turnStart(1), a.event(2, 'assistant/message', { turn: 1, step: 0, message })],
      [running],
    )
    expect(one(root, '.tool-arg').textContent).toBe('{"command":')
  })

  it('T-BIG: a body is drawn when it is opened, a huge output in part, and whole on demand', () => {
    const text = 'x'.repeat(50_000)
    const events = [...step('c1'), a.toolCall(3, 'c1'), a.toolResult(4, 'c1', { content: [{ type: 'text', text }] })]
    const { root } = playRecord(events, [running])
    expect(root.querySelector('.tool-body')).toBeNull()
    const details = one(root, 'details.tool')
    act(() => {
      details.setAttribute('open', '')
      details.dispatchEvent(new Event('toggle'))
    })
    const output = () => root.querySelectorAll('.tool-body pre')[1]?.textContent?.length
    expect(output()).toBe(20_000)
    click(byName(root, 'Show all of it'))
    expect(output()).toBe(50_000)
  })
})

describe('plugin views', () => {
  const result = (more: object = {}) => a.toolResult(4, 'c1', more, 'show_task_surface')
  const events = [...step(), a.toolCall(3, 'c1', 'show_task_surface', { model: { title: 'Choose' } })]

  function playView(last: ReturnType<typeof result>) {
    const played = playRecord([...events, last], [running])
    const scope = played.client.slots.scope()
    act(() =>
      scope.register('conversation.chat.toolview', {
        tool: 'show_task_surface',
        speaker: () => 'Surface',
        claims: (_, one_) => one_?.data.isError !== true,
        component: ({ call, result: own }) => (
          <p className="view">{`${call.data.callId} ${own === null ? 'open' : 'done'}`}</p>
        ),
      }),
    )
    return { ...played, scope }
  }

  it('SLOT-TOOL: a claimed call has an entry of its own under its speaker, and no plain row', () => {
    const { root } = playView(result())
    expect([one(root, '.view').textContent, root.querySelector('.tools')]).toEqual(['c1 done', null])
    expect([...root.querySelectorAll('.gut b')].map((name) => name.textContent)).toContain('Surface')
  })

  it('SLOT-TOOL: one that is not claimed keeps the plain row', () => {
    const { root, states } = playView(result({ isError: true, error: { code: 'TASK_SURFACE_OPEN', message: '' } }))
    expect([root.querySelector('.view'), states()]).toEqual([null, ['A surface is open']])
  })

  it('SLOT-END: without the plugin the plain row is there again, the record unchanged', () => {
    const { root, scope, states } = playView(result())
    act(() => scope.dispose())
    expect([root.querySelector('.view'), states().length]).toEqual([null, 1])
  })

  it('SLOT-CONTAIN: a view that throws falls back to the plain row', () => {
    const { root, client, states } = playRecord([...events, result()], [running])
    const silent = console.error
    console.error = () => {}
    act(() =>
      client.slots.scope().register('conversation.chat.toolview', {
        tool: 'show_task_surface',
        speaker: () => 'Surface',
        component: () => {
          throw new Error('broken plugin')
        },
      }),
    )
    console.error = silent
    expect(states()).toHaveLength(1)
    expect(root.textContent).toContain('Look.')
  })
})

describe('actions', () => {
  const two = [
    a.turnStart(1),
    a.said(2, 'm1', 'First'),
    a.answered(3, 'x1', 'One.'),
    a.turnEnd(4),
    a.turnStart(5, 2),
    a.said(6, 'm2', 'Second'),
    a.answered(7, 'x2', 'Two.', [], 2),
    a.turnEnd(8, 2),
  ]

  it('T-ACT: the last words of each turn can be copied and forked; a rewind is offered where it takes something back', () => {
    const { root } = playRecord(two)
    const acts = [...root.querySelectorAll('.entry:not(.entry-you) .acts')].map((bar) =>
      [...bar.querySelectorAll('button')].map((button) => button.title).join(', '),
    )
    expect(acts).toEqual(['Copy, Fork from here, Rewind to here', 'Copy, Fork from here'])
  })

  it('T-ACT: a running turn offers neither fork nor rewind', () => {
    const { root } = playRecord(two.slice(0, 3), [running])
    expect(root.querySelector('[title="Fork from here"], [title^=Rewind]')).toBeNull()
  })

  it('T-ACT: a refused fork is said beside it', async () => {
    const { root, host, settle } = playRecord(two)
    click(root.querySelectorAll('[title="Fork from here"]')[0] ?? root)
    host.fail('session.fork', {
      reason: 'refused',
      code: -32009,
      conflict: 'fork-unavailable',
      message: 'Not for this agent.',
    })
    await settle()
    expect(one(root, '[role=alert]').textContent).toContain('Not for this agent.')
  })
})

describe('edges', () => {
  it('T-END: how a turn ended is said with the host’s words', () => {
    const { root } = playRecord([a.turnStart(1), a.turnEnd(2, 1, 'error', '401: the key was refused.')])
    expect(one(root, '.notice-danger').textContent).toBe('The model call failed.401: the key was refused.')
  })

  it('T-RETRY: a retry is visible, with the reason and the time left', () => {
    const retry = { attempt: 3, waitMs: 8_000, why: 'The provider is busy (429).' }
    const { root, live } = playRecord([a.turnStart(1)], [{ ...running, retry }])
    expect(one(root, '.notice-warning').textContent).toBe('The provider is busy (429).Trying again in 8 s, attempt 3.')
    live(running)
    expect(root.querySelector('.notice-warning')).toBeNull()
  })

  it('T-FORK: a fork says where it comes from', () => {
    const parent = { sessionId: a.otherSessionId, seq: 3, relation: 'fork' as const }
    const { root } = playRecord([], [], { session: a.session({ parent }) })
    expect(root.textContent).toContain('Forked from another session')
  })

  it('T-CALM: a token draws the streaming entry alone', () => {
    const { root, live, clock } = playRecord([a.turnStart(1), a.said(2, 'm1')], [running])
    const before = one(root, '.turn')
    const html = before.innerHTML
    live({ type: 'session/stream', turn: 1, step: 0, messageId: 'x', offset: 0, part: 'text', text: 'token' })
    act(() => clock.advance(16))
    expect(root.textContent).toContain('token')
    expect([one(root, '.turn') === before, before.innerHTML === html]).toEqual([true, true])
  })
})
