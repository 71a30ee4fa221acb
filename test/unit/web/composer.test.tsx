// @vitest-environment happy-dom
/* The desk: message field, queue, texts that came back, run line, takeover (SPEC 4, 9). */
import { act } from 'react'
import { describe, expect, it } from 'vitest'
import { Console } from '../../../web/shell/console.tsx'
import { byName, click, playPage, press, write } from './play-page.tsx'
import * as a from './samples.ts'
import { one, oneOf } from './surface/render.tsx'

const running = { type: 'session/status', status: 'running', turn: 1 }

function playDesk(answer: object = {}, baseline: object[] = []) {
  const page = playPage()
  const session = page.open(answer, baseline)
  const { host: root } = page.draw(<Console session={session} />)
  const field = () => oneOf(root, '#composer', HTMLTextAreaElement)
  const sent = () => page.host.waiting().filter((method) => method === 'session.send').length
  return { ...page, session, root, field, sent }
}

describe('keys', () => {
  it('K-ENTER: Enter sends while idle and queues while a turn runs', () => {
    const { field, host, root, live, session } = playDesk()
    write(field(), 'hello')
    expect(press(field(), 'Enter')).toBe(true)
    expect(host.paramsOf('session.send')).toMatchObject({ text: 'hello', placement: 'queued' })
    expect(field().value).toBe('')
    expect(byName(root, 'Send')).toBeDefined()
    live(running)
    expect(session.getState().status.status).toBe('running')
    expect(byName(root, 'Queue')).toBeDefined()
  })

  it.each([
    ['Shift', { shiftKey: true }],
    ['Alt', { altKey: true }],
  ])('K-ENTER: %s+Enter is a new line', (_, modifier) => {
    const { field, sent } = playDesk()
    write(field(), 'hello')
    expect([press(field(), 'Enter', modifier), sent()]).toEqual([false, 0])
  })

  it.each([
    ['Ctrl', { ctrlKey: true }],
    ['Cmd', { metaKey: true }],
  ])('K-STEER: %s+Enter steers a running turn and sends to an idle one', async (_, modifier) => {
    const { field, host, live, settle } = playDesk()
    write(field(), 'one')
    press(field(), 'Enter', modifier)
    expect(host.paramsOf('session.send')).toMatchObject({ placement: 'queued' })
    host.answer('session.send', { messageId: 'm1', placement: 'queued' })
    await settle()
    live(running)
    write(field(), 'two')
    press(field(), 'Enter', modifier)
    expect(host.paramsOf('session.send')).toMatchObject({ text: 'two', placement: 'steering' })
  })

  it.each([
    ['isComposing', { isComposing: true }],
    ['key code 229', { keyCode: 229 }],
  ])('K-IME: the Enter that confirms an input method’s text (%s) sends nothing', (_, how) => {
    const { field, sent } = playDesk()
    write(field(), '你好')
    expect([press(field(), 'Enter', how), sent(), field().value]).toEqual([false, 0, '你好'])
  })

  it('K-IME: a composition that began and never ended leaves the field alive', () => {
    const { field, sent } = playDesk()
    act(() => {
      field().dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }))
    })
    write(field(), 'still here')
    press(field(), 'Enter')
    expect(sent()).toBe(1)
  })

  it('K-FIELD: the field stays the same element while a person types and the host speaks', () => {
    const { field, live, event } = playDesk()
    const before = field()
    before.focus()
    write(field(), 'typing')
    live(running)
    event(a.turnStart(1))
    live({ type: 'session/queue', items: [a.row('m9')] })
    expect([field() === before, document.activeElement === before, field().value]).toEqual([true, true, 'typing'])
  })
})

describe('buttons', () => {
  it('K-SEND: nothing to send, nothing to press', () => {
    const { root, field } = playDesk()
    expect(byName(root, 'Send').hasAttribute('disabled')).toBe(true)
    write(field(), '   ')
    expect(byName(root, 'Send').hasAttribute('disabled')).toBe(true)
    write(field(), 'x')
    expect(byName(root, 'Send').hasAttribute('disabled')).toBe(false)
  })

  it('K-LOST: without a connection sending is off, typing is not, and it is said', () => {
    const { root, field, lose, sent } = playDesk()
    write(field(), 'written')
    lose()
    write(field(), 'written on')
    press(field(), 'Enter')
    expect([field().value, sent(), byName(root, 'Send').hasAttribute('disabled')]).toEqual(['written on', 0, true])
    expect(root.textContent).toContain('Sending waits for the connection')
  })

  it('K-STOP: Stop interrupts once; a refusal gives the button back', async () => {
    const { root, host, settle } = playDesk({}, [running])
    click(byName(root, 'Stop'))
    expect(byName(root, 'Stopping').hasAttribute('disabled')).toBe(true)
    host.fail('session.interrupt', { reason: 'connection-lost' })
    await settle()
    expect(byName(root, 'Stop').hasAttribute('disabled')).toBe(false)
  })

  it('K-STOP: a new turn can be stopped anew', async () => {
    const { root, host, settle, live } = playDesk({}, [running])
    click(byName(root, 'Stop'))
    host.answer('session.interrupt', {})
    await settle()
    live({ type: 'session/status', status: 'running', turn: 2 })
    expect(byName(root, 'Stop').hasAttribute('disabled')).toBe(false)
  })

  it('K-SLIM: while a surface is open the field has one line and says what a message does', () => {
    const { root, field, live } = playDesk()
    live({ type: 'session/projection', key: 'taskSurface', value: { active: { callId: 'c', surfaceId: 's' } }, seq: 1 })
    expect([root.querySelector('.composer-slim') !== null, field().placeholder]).toEqual([
      true,
      'Message (bypasses this surface)',
    ])
    live({ type: 'session/projection', key: 'taskSurface', value: { active: null }, seq: 2 })
    expect(root.querySelector('.composer-slim')).toBeNull()
  })

  it('K-READ: a subagent’s session has no message field', () => {
    const parent = { sessionId: 's-0', seq: 1, relation: 'subagent' as const }
    const { root } = playDesk({ session: { ...a.session(), parent } })
    expect([root.querySelector('#composer'), root.textContent?.includes('only reads')]).toEqual([null, true])
  })

  it('K-POLICY: the policy is chosen from a menu, and cannot be changed while a turn runs', async () => {
    const { root, host, settle, say, live } = playDesk()
    click(byName(root, 'Asks before acting'))
    click(byName(root, 'Acts without asking'))
    expect(host.paramsOf('session.configure')).toEqual({ sessionId: 's-1', approval: 'auto' })
    host.answer('session.configure', { session: a.session({ approval: 'auto' }) })
    await settle()
    say({ type: 'host/session-updated', session: a.session({ approval: 'auto' }) })
    expect(byName(root, 'Acts without asking').hasAttribute('disabled')).toBe(false)
    live(running)
    expect(byName(root, 'Acts without asking').hasAttribute('disabled')).toBe(true)
  })
})

describe('the queue', () => {
  const submission = {
    source: {
      kind: 'user',
      rpcId: '1',
      taskSurface: { version: 1, submissionId: 'sub', callId: 'c', surfaceId: 's', values: {} },
    },
    preview: 'Choose a path',
  }

  it('Q-ROW: a queued row has Edit, Steer and Remove, a steering row no Steer, a submission Remove alone', () => {
    const { root } = playDesk({}, [
      running,
      { type: 'session/queue', items: [a.row('m1', { placement: 'steering' }), a.row('m2'), a.row('m3', submission)] },
    ])
    const buttons = [...root.querySelectorAll('.queue li')].map((li) =>
      [...li.querySelectorAll('button')].map((button) => button.title).join(' '),
    )
    expect(buttons).toEqual(['Edit Remove', 'Edit Steer Remove', 'Remove'])
    expect(root.querySelectorAll('.queue li')[2]?.textContent).toContain('Cannot be edited or steered')
  })

  it('Q-IDLE: an idle session has nothing to steer', () => {
    const { root } = playDesk({}, [{ type: 'session/queue', items: [a.row('m1')] }])
    expect(root.querySelector('[title=Steer]')).toBeNull()
  })

  it('Q-COMMIT: a press changes nothing; the next frame does', async () => {
    const { root, host, settle, live } = playDesk({}, [{ type: 'session/queue', items: [a.row('m1')] }])
    click(byName(root, 'Remove: m1'))
    expect(host.paramsOf('session.updateQueue')).toEqual({
      sessionId: 's-1',
      itemId: 'item-m1',
      action: { kind: 'remove' },
    })
    host.answer('session.updateQueue', {})
    await settle()
    expect(root.querySelectorAll('.queue li')).toHaveLength(1)
    live({ type: 'session/queue', items: [] })
    expect(root.querySelector('.queue')).toBeNull()
  })

  it('Q-GONE: a row that has left is said', async () => {
    const { root, host, settle } = playDesk({}, [{ type: 'session/queue', items: [a.row('m1')] }])
    click(byName(root, 'Remove: m1'))
    host.fail('session.updateQueue', {
      reason: 'refused',
      code: -32009,
      conflict: 'queue-item-not-found',
      message: 'gone',
    })
    await settle()
    expect(root.querySelector('[role=alert]')?.textContent).toContain('has already left the queue')
  })

  it('Q-EDIT: Enter saves, Escape leaves the row as it is', async () => {
    const { root, host, settle } = playDesk({}, [{ type: 'session/queue', items: [a.row('m1')] }])
    click(byName(root, 'Edit: m1'))
    const editor = () => oneOf(root, '.queue-edit textarea', HTMLTextAreaElement)
    expect(document.activeElement).toBe(editor())
    write(editor(), 'better')
    press(editor(), 'Escape')
    expect([root.querySelector('.queue-edit'), host.waiting()]).toEqual([null, ['session.list']])
    click(byName(root, 'Edit: m1'))
    expect(editor().value).toBe('m1')
    write(editor(), 'better')
    press(editor(), 'Enter')
    expect(host.paramsOf('session.updateQueue')).toMatchObject({ action: { kind: 'edit', text: 'better' } })
    host.answer('session.updateQueue', {})
    await settle()
    expect(root.querySelector('.queue-edit')).toBeNull()
  })

  it('Q-EDIT: an edit whose row is claimed meanwhile comes back as a text that was not sent', () => {
    const { root, live } = playDesk({}, [{ type: 'session/queue', items: [a.row('m1')] }])
    click(byName(root, 'Edit: m1'))
    write(oneOf(root, '.queue-edit textarea', HTMLTextAreaElement), 'half an edit')
    live({ type: 'session/queue', items: [] })
    expect(one(root, '.given-back').textContent).toContain('half an edit')
  })
})

describe('texts that came back', () => {
  it('S-DISC: a discarded text is offered, with why, and put back behind what is being written', () => {
    const { root, field, live, client } = playDesk()
    write(field(), 'new text')
    live({
      type: 'session/discarded',
      itemId: 'i',
      messageId: 'x',
      reason: 'rejected',
      why: 'No key',
      text: 'old text',
    })
    expect(one(root, '.given-back').textContent).toContain('No key')
    click(byName(root, 'Put back into the message field: old text'))
    expect([field().value, root.querySelector('.given-back')]).toEqual(['new text\n\nold text', null])
    live({ type: 'session/discarded', itemId: 'i', messageId: 'y', reason: 'removed', text: 'other' })
    click(byName(root, 'Throw away: other'))
    expect([field().value, root.querySelector('.given-back')]).toEqual(['new text\n\nold text', null])
    expect(client.storage.keys().filter((key) => key.startsWith('sent'))).toEqual([])
  })
})

describe('the run line', () => {
  const call = (n: number, name: string) => a.toolCall(n, `c${n}`, name)

  it('RUN-WHAT: it says what the turn does, newest first', () => {
    const { root, live, event } = playDesk({ events: [a.created(), a.turnStart(1)], lastSeq: 1 }, [running])
    const said = () => one(root, '.run [role=status]').textContent
    expect(said()).toBe('Running')
    live({ type: 'session/stream', turn: 1, step: 0, messageId: 'x', offset: 0, part: 'reasoning', text: 'hm' })
    event(a.answered(2, 'x', 'ok', ['c3']))
    event(call(3, 'bash'))
    expect(said()).toBe('Running a command')
    event(a.toolResult(4, 'c3'))
    expect(said()).toBe('Running')
    event(call(5, 'etl_sync'))
    expect(said()).toBe('Running etl_sync')
    live({ type: 'session/status', status: 'running', turn: 1, retry: { attempt: 2, waitMs: 8000, why: '429' } })
    expect(said()).toBe('Waiting for the provider')
  })

  it('RUN-SEEN: without a connection it says what was last seen, and there is nothing to stop', () => {
    const { root, lose } = playDesk({}, [running])
    lose()
    expect(one(root, '.run').textContent).toContain('Running when last seen')
    expect(root.querySelector('.run button')).toBeNull()
  })

  it('RUN-QUIET: the time that ticks stands outside of what is announced', () => {
    const { root } = playDesk({ events: [a.created(), a.turnStart(1)], lastSeq: 1 }, [running])
    expect(one(root, '.run [role=status]').textContent).not.toMatch(/\d/)
    expect(one(root, '.run .num').textContent).toMatch(/\d:\d\d/)
  })
})

describe('takeovers', () => {
  it('SLOT-CHAIN: the first that selects itself takes over; the stack behind stays mounted, hidden, with its draft', () => {
    const { root, field, client, live, session } = playDesk()
    const scope = client.slots.scope()
    const asks = (id: string, order: number) =>
      act(() =>
        scope.register('conversation.composer', {
          id,
          order,
          select: (handle) => handle.getState().questions.length > 0,
          component: () => <p className="taken">{id}</p>,
        }),
      )
    asks('second', 20)
    asks('first', 10)
    write(field(), 'half a thought')
    const before = field()
    live({ type: 'question/requested', questionId: 'q', callId: 'c', questions: [{ id: 'x', question: 'Why?' }] })
    expect(one(root, '.taken').textContent).toBe('first')
    expect([oneOf(root, '.desk', HTMLElement).hidden, field() === before, field().value]).toEqual([
      true,
      true,
      'half a thought',
    ])
    live({ type: 'question/resolved', questionId: 'q', outcome: 'answered' })
    expect([root.querySelector('.taken'), oneOf(root, '.desk', HTMLElement).hidden]).toEqual([null, false])
    expect([field() === before, session.getState().questions.length]).toEqual([true, 0])
  })

  it('SLOT-CHAIN: a takeover says that a surface waits behind it', () => {
    const { root, client, live } = playDesk()
    live({ type: 'session/projection', key: 'taskSurface', value: { active: { callId: 'c', surfaceId: 's' } }, seq: 1 })
    act(() =>
      client.slots
        .scope()
        .register('conversation.composer', { id: 't', order: 1, select: () => true, component: () => null }),
    )
    expect(one(root, '.behind').textContent).toContain('A surface waits behind this')
  })

  it('SLOT-CONTAIN: a plugin that throws while it draws takes nothing else with it', () => {
    const { root, client } = playDesk()
    const silent = console.error
    console.error = () => {}
    act(() =>
      client.slots.scope().register('conversation.input.dock', {
        id: 'bad',
        order: 1,
        component: () => {
          throw new Error('broken plugin')
        },
      }),
    )
    console.error = silent
    expect(root.querySelector('#composer')).not.toBeNull()
  })
})
