// @vitest-environment happy-dom
/* What the plugin puts into a page, which results its row takes, and what is left when it is unloaded (SPEC 9). */
import { expect, test } from 'vitest'
import { taskSurfaceIdSchema } from '../../../../shared/ids.ts'
import { presentationMeta } from '../../../../shared/surface/meta.ts'
import { createSurfaceDrafts } from '../../../../web/plugins/task-surface/drafts.ts'
import { registerTaskSurface } from '../../../../web/plugins/task-surface/plugin.tsx'
import { everyField } from '../../../e2e/surface-models.ts'
import { playPage } from '../play-page.tsx'
import * as a from '../samples.ts'

const surfaceId = taskSurfaceIdSchema.parse('S1')
const meta = JSON.parse(JSON.stringify(presentationMeta(surfaceId, everyField)))
const model = JSON.parse(JSON.stringify(everyField))
const call = { data: { turn: 1, step: 0, callId: a.callId('c1'), name: 'show_task_surface', arguments: {} } }
const resultOf = (more: object) => {
  const event = a.toolResult(4, 'c1', more, 'show_task_surface')
  if (event.type !== 'tool/result') throw new Error('a result')
  return event
}

function load() {
  const page = playPage()
  const scope = page.client.slots.scope()
  registerTaskSurface(scope, page.client)
  const entries = () => ({
    docks: page.client.slots.entries('conversation.input.dock').getState(),
    rows: page.client.slots.entries('conversation.chat.toolview').getState(),
  })
  return { ...page, scope, entries }
}

test('ROW-CLAIM one dock and one row are registered, whatever surfaces there are', () => {
  const { entries } = load()
  expect(entries().docks.map(({ id }) => id)).toEqual(['task-surface'])
  expect(entries().rows.map(({ tool }) => tool)).toEqual(['show_task_surface'])
})

test.each<[string, boolean, object]>([
  ['a surface', true, { meta }],
  ['another version of the tag', false, { meta: { ...meta, version: 2 } }],
  ['another version of the model', false, { meta: { ...meta, model: { ...model, version: 2 } } }],
  ['an unknown field kind', false, { meta: { ...meta, model: { ...model, fields: [{ kind: 'slider', id: 'x' }] } } }],
  ['malformed metadata', false, { meta: 'text' }],
  ['no metadata', false, {}],
  ['a failed call', false, { meta, isError: true, error: { code: 'TASK_SURFACE_OPEN', message: 'open' } }],
])('ROW-CLAIM %s: claimed %s, and what is not claimed keeps the plain result', (_, claimed, more) => {
  const { entries } = load()
  expect(entries().rows[0]?.claims?.({ ...call, seq: 3, time: 0, type: 'tool/call' }, resultOf(more))).toBe(claimed)
})

test('SLOT-END unloading takes dock, row and their stores away, and leaves the stored draft', () => {
  const page = load()
  const store = page.open({}, [
    { type: 'session/projection', key: 'taskSurface', value: { active: { callId: 'c1', surfaceId } }, seq: 4 },
  ])
  const { storage } = page.client
  const drafts = createSurfaceDrafts(store.id, storage, page.clock.now)
  drafts.write(surfaceId, { values: new Map([['name', 'half an answer']]), note: '', attempt: null })
  const [dock] = page.entries().docks
  if (dock === undefined) throw new Error('no dock')
  const { host, unmount } = page.draw(<dock.component session={store} />)
  const asked = () => page.host.waiting().filter((method) => method === 'taskSurface.getActive').length
  expect(asked()).toBe(1)
  unmount()
  page.scope.dispose()
  expect(page.entries()).toEqual({ docks: [], rows: [] })
  expect(host.textContent).toBe('')

  // Nobody is left who would read again at a push.
  page.live({ type: 'session/task-surface', surfaceId, pending: null })
  page.live({ type: 'session/projection', key: 'taskSurface', value: { active: null }, seq: 5 })
  expect(asked()).toBe(1)
  const kept = createSurfaceDrafts(store.id, storage, page.clock.now).read(surfaceId)
  expect(kept?.values.get('name')).toBe('half an answer')
})
