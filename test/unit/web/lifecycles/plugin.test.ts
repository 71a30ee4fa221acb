// @vitest-environment happy-dom
/* The lifecycles view as a plugin: what it puts where, and that ending it takes out its own and nothing else. */
import { expect, it } from 'vitest'
import { registerLifecycles } from '../../../../web/plugins/lifecycles/plugin.tsx'
import { createRouter } from '../../../../web/router.ts'
import { createSlots } from '../../../../web/slots.ts'

const nothing = () => null

it('LIFE-PLUGIN: ending its scope takes the action and the pane out and leaves those of others', () => {
  const slots = createSlots()
  const other = slots.scope()
  other.register('conversation.session.header.actions', { id: 'other', order: 1, component: nothing })
  other.register('session.pane', { id: 'other', order: 1, title: () => 'Other', icon: 'i-life', component: nothing })
  const own = slots.scope()
  registerLifecycles(own, { router: createRouter(window) })
  const ids = () =>
    (['conversation.session.header.actions', 'session.pane'] as const).map((slot) =>
      slots
        .entries(slot)
        .getState()
        .map(({ id }) => id),
    )
  expect(ids()).toEqual([
    ['other', 'lifecycles'],
    ['other', 'lifecycles'],
  ])
  own.dispose()
  expect(ids()).toEqual([['other'], ['other']])
})
