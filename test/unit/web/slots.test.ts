/* Slots: what a scope registers, in which order it stands, and what is left when it ends (SPEC 9). */
import { describe, expect, it } from 'vitest'
import { sessionIdSchema } from '../../../shared/ids.ts'
import { createSessionStore, type SessionHandle } from '../../../web/session/session-store.ts'
import { createSlots } from '../../../web/slots.ts'
import { createFakeRequester } from './fake-requester.ts'
import { createManualClock } from './manual-clock.ts'

const nothing = () => null
const pane = () => ({ id: 'p', order: 1, title: () => 'P', icon: 'i-life', component: nothing }) as const

function handle(id: string): SessionHandle {
  const { after } = createManualClock()
  return createSessionStore(sessionIdSchema.parse(id), {
    requester: createFakeRequester(),
    after,
    soon: (work) => after(0, work),
  })
}

describe('entries', () => {
  it('SLOT-ORDER: lists stand by order, then in order of registration', () => {
    const slots = createSlots()
    const scope = slots.scope()
    for (const [id, order] of [
      ['b', 2],
      ['a2', 1],
      ['c', 3],
      ['b2', 2],
      ['a', 1],
    ] as const) {
      scope.register('conversation.input.dock', { id, order, component: nothing })
    }
    const ids = slots
      .entries('conversation.input.dock')
      .getState()
      .map((entry) => entry.id)
    expect(ids).toEqual(['a2', 'a', 'b', 'b2', 'c'])
  })

  it('SLOT-TOOL: the newest toolview of a tool stands first, and the older one again once it is gone', () => {
    const slots = createSlots()
    const view = (speaker: string) => ({ tool: 'bash', speaker: () => speaker, component: nothing })
    slots.scope().register('conversation.chat.toolview', view('old'))
    const newer = slots.scope()
    newer.register('conversation.chat.toolview', view('new'))
    const first = () =>
      slots
        .entries('conversation.chat.toolview')
        .getState()
        .find((entry) => entry.tool === 'bash')
        ?.speaker()
    expect(first()).toBe('new')
    newer.dispose()
    expect(first()).toBe('old')
  })

  it('SLOT-END: disposing a scope takes its entries out of every slot and leaves those of others', () => {
    const slots = createSlots()
    const [mine, other] = [slots.scope(), slots.scope()]
    for (const scope of [mine, other]) {
      scope.register('conversation.chat.toolview', { tool: 't', speaker: () => 's', component: nothing })
      scope.register('conversation.input.dock', { id: 'd', order: 1, component: nothing })
      scope.register('conversation.composer', { id: 'c', order: 1, select: () => false, component: nothing })
      scope.register('conversation.session.header.actions', { id: 'h', order: 1, component: nothing })
      scope.register('session.pane', pane())
    }
    mine.dispose()
    const left = (
      [
        'conversation.chat.toolview',
        'conversation.input.dock',
        'conversation.composer',
        'conversation.session.header.actions',
        'session.pane',
      ] as const
    ).map((slot) => slots.entries(slot).getState().length)
    expect(left).toEqual([1, 1, 1, 1, 1])
  })

  it('SLOT-END: an ended scope registers nothing, and ending it twice is safe', () => {
    const scope = createSlots().scope()
    const ended: string[] = []
    scope.onDispose(() => ended.push('first registered'))
    scope.onDispose(() => ended.push('last registered'))
    scope.dispose()
    scope.dispose()
    expect(ended).toEqual(['last registered', 'first registered'])
    expect(() => scope.register('session.pane', pane())).toThrow('ended')
  })

  it('SLOT-TELL: listeners hear of an entry that comes and goes', () => {
    const slots = createSlots()
    const counts: number[] = []
    const entries = slots.entries('session.pane')
    entries.subscribe(() => counts.push(entries.getState().length))
    const scope = slots.scope()
    scope.register('session.pane', pane())
    scope.dispose()
    expect(counts).toEqual([1, 0])
  })
})

describe('per-session stores', () => {
  function stores() {
    const slots = createSlots()
    const scope = slots.scope()
    const disposed: string[] = []
    const made: string[] = []
    const of = scope.perSession(
      (session) => {
        made.push(session.id)
        return { of: session.id }
      },
      (value) => disposed.push(value.of),
    )
    return { slots, scope, of, made, disposed }
  }

  it('SLOT-STORE: one a session, made at the first use', () => {
    const { of, made } = stores()
    const session = handle('s-1')
    expect(of(session)).toBe(of(session))
    expect(of(handle('s-2'))).not.toBe(of(session))
    expect(made).toEqual(['s-1', 's-2'])
  })

  it('SLOT-STORE: letting a session go disposes its store alone', () => {
    const { slots, of, disposed } = stores()
    const session = handle('s-1')
    of(session)
    of(handle('s-2'))
    slots.release(session.id)
    slots.release(session.id)
    expect(disposed).toEqual(['s-1'])
  })

  it('SLOT-END: the scope disposes what is left, and hands out nothing any more', () => {
    const { scope, of, disposed } = stores()
    of(handle('s-1'))
    of(handle('s-2'))
    scope.dispose()
    expect(disposed).toEqual(['s-1', 's-2'])
    expect(() => of(handle('s-1'))).toThrow('ended')
  })
})
