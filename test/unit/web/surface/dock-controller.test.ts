// @vitest-environment happy-dom
/* The dock's controller against a mirror and calls that the test holds in its hands. */
import { expect, test } from 'vitest'
import {
  callIdSchema,
  inboxItemIdSchema,
  messageIdSchema,
  rpcIdSchema,
  taskSurfaceIdSchema,
  taskSurfaceSubmissionIdSchema,
} from '../../../../shared/ids.ts'
import type { QueuedMessage } from '../../../../shared/message.ts'
import type { TaskSurfacePendingSubmission } from '../../../../shared/surface/operations.ts'
import { createDockController } from '../../../../web/plugins/task-surface/dock-controller.ts'
import { createSurfaceDrafts } from '../../../../web/plugins/task-surface/drafts.ts'
import { everyField } from '../../../e2e/surface-models.ts'
import { fakeSession, settled } from './fake-session.ts'
import { sharedStorage, type SharedStorage } from './memory-storage.ts'

const surfaceId = taskSurfaceIdSchema.parse('S1')
const callId = callIdSchema.parse('call-1')
const messageId = messageIdSchema.parse('m1')
const active = { active: { callId, surfaceId } }
const opened = (pending: TaskSurfacePendingSubmission | null = null) => ({
  active: true as const,
  callId,
  surfaceId,
  model: everyField,
  pending,
})
const outcome = (reason: string) => ({ outcomes: [{ surfaceId, reason, seq: 9 }] })

/** Every page of this file makes ids of its own. */
let ids = 0

function desk(shared: SharedStorage = sharedStorage()) {
  const session = fakeSession()
  let time = 0
  const timers = new Set<() => void>()
  const leaving = new Set<() => void>()
  const drafts = createSurfaceDrafts(session.handle.id, shared.tab(), () => (time += 1))
  const dock = createDockController({
    session: session.handle,
    drafts,
    mintId: () => `minted-${(ids += 1)}`,
    after: (_, work) => {
      timers.add(work)
      return () => void timers.delete(work)
    },
    onLeave: (work) => {
      leaving.add(work)
      return () => void leaving.delete(work)
    },
  })
  return {
    ...session,
    dock,
    drafts,
    shared,
    timers,
    leave: () => leaving.forEach((work) => work()),
    elapse: () => [...timers].forEach((work) => (timers.delete(work), work())),
    state: () => JSON.stringify(dock.getState().machine.value),
    form: () => {
      const { form } = dock.getState()
      if (form === null) throw new Error('no form')
      return form
    },
    async open() {
      session.project({ taskSurface: active })
      await session.answer('taskSurface.getActive', opened())
    },
  }
}

test('DC-LATEST of two readings under way only the newer answer counts', async () => {
  const { project, set, waiting, state } = desk()
  project({ taskSurface: active })
  set({ epoch: 2 })
  const [older, newer] = waiting('taskSurface.getActive')
  newer?.answer(opened({ submissionId: taskSurfaceSubmissionIdSchema.parse('x'), messageId, phase: 'claiming' }))
  await settled()
  older?.answer(opened())
  await settled()
  expect(state()).toContain('claiming')
})

test('DC-READ every push, row change and new connection reads again', async () => {
  const { open, set, waiting, sent } = desk()
  await open()
  const pending = { submissionId: taskSurfaceSubmissionIdSchema.parse('x'), messageId, phase: 'queued' } as const
  const source = {
    kind: 'user',
    rpcId: rpcIdSchema.parse('1'),
    taskSurface: { version: 1, submissionId: pending.submissionId, callId, surfaceId, values: {} },
  } as const
  const row: QueuedMessage = {
    id: inboxItemIdSchema.parse('i1'),
    messageId,
    placement: 'queued',
    source,
    content: [],
    preview: '',
    text: null,
  }
  const reads = () => sent('taskSurface.getActive').length
  expect(reads()).toBe(1)
  set({ pendingBySurface: new Map([[surfaceId, pending]]) })
  expect(reads()).toBe(2)
  set({ queue: [row] })
  expect(reads()).toBe(3)
  set({ queue: [] })
  expect(reads()).toBe(4)
  set({ phase: 'last-known' })
  set({ phase: 'live', epoch: 2 })
  expect(reads()).toBe(5)
  expect(waiting('taskSurface.submit')).toHaveLength(0)
})

test('DC-ROW a row that goes leaves the form locked until the host answers', async () => {
  const { open, set, answer, state, dock, form } = desk()
  await open()
  form().set('ticket', 'OPS-1')
  dock.submit()
  await answer('taskSurface.submit', { accepted: true, messageId, phase: 'queued' })
  expect(state()).toContain('queued')
  set({ queue: [] })
  expect(state()).toContain('queued')
  await answer('taskSurface.getActive', opened())
  expect(state()).toContain('returned')
})

test('DC-FLUSH the draft and the id of the attempt are stored before the attempt is sent', async () => {
  const { open, form, dock, drafts, sent } = desk()
  await open()
  form().set('ticket', 'OPS-1')
  expect(drafts.read(surfaceId)).toBeNull()
  dock.submit()
  const attempt = drafts.read(surfaceId)?.attempt
  expect(attempt).toMatch(/^minted-/)
  expect(sent('taskSurface.submit')).toEqual([
    expect.objectContaining({ submissionId: attempt, values: expect.objectContaining({ ticket: 'OPS-1' }) }),
  ])
})

test('DC-FLUSH what was just typed is stored when the page goes', async () => {
  const { open, form, drafts, leave } = desk()
  await open()
  form().set('ticket', 'O')
  leave()
  expect(drafts.read(surfaceId)?.values.get('ticket')).toBe('O')
})

test('DC-RETRY after a reload the attempt goes on under its id, with the same values', async () => {
  const shared = sharedStorage()
  const first = desk(shared)
  await first.open()
  first.form().set('ticket', 'OPS-1')
  first.dock.submit()
  const again = desk(shared)
  await again.open()
  again.dock.submit()
  expect(again.sent('taskSurface.submit')).toEqual(first.sent('taskSurface.submit'))
})

test('DC-THROW a submission that throws is not the end of the form', async () => {
  const { open, form, dock, fail, answer, state } = desk()
  await open()
  form().set('ticket', 'OPS-1')
  dock.submit()
  await fail('taskSurface.submit')
  expect(state()).toContain('checking')
  await answer('taskSurface.getActive', opened())
  expect(state()).toContain('rejected')
  expect(form().get('ticket')).toBe('OPS-1')
})

test('DC-THROW a reading that fails is tried again', async () => {
  const { project, fail, elapse, sent } = desk()
  project({ taskSurface: active })
  await fail('taskSurface.getActive')
  elapse()
  expect(sent('taskSurface.getActive')).toHaveLength(2)
})

test('DC-LOCAL what the page knows to be wrong is not sent', async () => {
  const { open, dock, sent, state } = desk()
  await open()
  dock.submit()
  expect(state()).toContain('rejected')
  expect(sent('taskSurface.submit')).toEqual([])
})

test.each(['submitted', 'dismissed'])(
  'DC-SENT a draft goes once its surface is known to be %s, in every tab',
  async (reason) => {
    const shared = sharedStorage()
    const here = desk(shared)
    const there = desk(shared)
    await here.open()
    await there.open()
    here.form().set('ticket', 'OPS-1')
    here.leave()
    expect(there.form().get('ticket')).toBe('OPS-1')
    here.project({ taskSurface: { active: null }, taskSurfaceOutcomes: outcome(reason) })
    there.form().set('ticket', 'typed by a tab that slept')
    there.leave()
    expect(here.drafts.read(surfaceId)).toBeNull()
    expect(here.state()).toBe('"absent"')
  },
)

test.each(['bypassed', 'superseded'])('DC-KEPT a draft stays when its surface was %s', async (reason) => {
  const { open, form, leave, project, drafts, state } = desk()
  await open()
  form().set('ticket', 'OPS-1')
  leave()
  project({ taskSurface: { active: null }, taskSurfaceOutcomes: outcome(reason) })
  expect(drafts.read(surfaceId)?.values.get('ticket')).toBe('OPS-1')
  expect(state()).toBe('"ended"')
})

test('DC-SENT a draft of a surface that ended while this page was closed goes at the next look', async () => {
  const shared = sharedStorage()
  const before = desk(shared)
  await before.open()
  before.form().set('ticket', 'OPS-1')
  before.dock.dispose()
  const later = desk(shared)
  later.project({ taskSurface: { active: null }, taskSurfaceOutcomes: outcome('dismissed') })
  expect(later.drafts.read(surfaceId)).toBeNull()
})

test('DC-TABS what another tab typed shows here, unless this tab is being typed in', async () => {
  const shared = sharedStorage()
  const here = desk(shared)
  const there = desk(shared)
  await here.open()
  await there.open()
  there.form().set('ticket', 'mine')
  here.form().set('ticket', 'yours')
  here.leave()
  expect(there.form().get('ticket')).toBe('mine')
  there.leave()
  expect(here.form().get('ticket')).toBe('mine')
})

test('DC-OWN another surface gets a form and a draft of its own', async () => {
  const { open, form, leave, project, answer, drafts } = desk()
  await open()
  form().set('ticket', 'OPS-1')
  const next = taskSurfaceIdSchema.parse('S2')
  project({ taskSurface: { active: { callId, surfaceId: next } }, taskSurfaceOutcomes: outcome('superseded') })
  await answer('taskSurface.getActive', { ...opened(), surfaceId: next })
  expect(form().get('ticket')).toBe('')
  form().set('ticket', 'OPS-2')
  leave()
  expect(drafts.read(surfaceId)?.values.get('ticket')).toBe('OPS-1')
  expect(drafts.read(next)?.values.get('ticket')).toBe('OPS-2')
})

test('DC-UNREADABLE a model with a part this page does not know is a card with its reason', async () => {
  const { project, answer, dock, state } = desk()
  project({ taskSurface: active })
  const unknown = { ...everyField, fields: [{ kind: 'date', id: 'd', label: 'When' }] }
  await answer('taskSurface.getActive', JSON.parse(JSON.stringify({ ...opened(), model: unknown })))
  expect(state()).toContain('unreadable')
  expect(dock.getState().form).toBeNull()
  expect(dock.getState().unreadable[0]?.path).toBe('/fields/0/kind')
})

test('DC-DISPOSE a controller that was let go hears, asks and stores nothing more', async () => {
  const { open, dock, project, sent, timers } = desk()
  await open()
  dock.dispose()
  project({ taskSurface: { active: null } })
  expect(sent('taskSurface.getActive')).toHaveLength(1)
  expect(timers.size).toBe(0)
})
