// @vitest-environment happy-dom
/* Unsent answers in the browser's storage, with more than one tab on it. */
import { expect, test } from 'vitest'
import { sessionIdSchema, taskSurfaceIdSchema, taskSurfaceSubmissionIdSchema } from '../../../../shared/ids.ts'
import {
  createSurfaceDrafts,
  type Draft,
  maxBytes,
  maxDrafts,
  removeDraftsOf,
  removeOldDrafts,
} from '../../../../web/plugins/task-surface/drafts.ts'
import { sharedStorage } from './memory-storage.ts'

const session = sessionIdSchema.parse('A')
const surface = taskSurfaceIdSchema.parse('S1')
const draftOf = (text: string): Draft => ({ values: new Map([['name', text]]), note: '', attempt: null })
const numbered = (index: number) => taskSurfaceIdSchema.parse(`S${index}`)

function clock() {
  let time = 1_000
  return { now: () => (time += 1), pass: (ms: number) => (time += ms) }
}

test('DR-OWN a draft is read under its session and surface alone', () => {
  const storage = sharedStorage().tab()
  const { now } = clock()
  const drafts = createSurfaceDrafts(session, storage, now)
  drafts.write(surface, { ...draftOf('x'), attempt: taskSurfaceSubmissionIdSchema.parse('try-1'), note: 'n' })
  expect(drafts.read(surface)).toEqual({ values: new Map([['name', 'x']]), note: 'n', attempt: 'try-1' })
  expect(drafts.read(numbered(2))).toBeNull()
  expect(createSurfaceDrafts(sessionIdSchema.parse('B'), storage, now).read(surface)).toBeNull()
  // A session whose id begins like another one is another one.
  expect(createSurfaceDrafts(sessionIdSchema.parse('AA'), storage, now).read(surface)).toBeNull()
})

test('DR-BOUND the oldest drafts of a session go first, by number and by size', () => {
  const drafts = createSurfaceDrafts(session, sharedStorage().tab(), clock().now)
  for (let index = 0; index <= maxDrafts; index += 1) drafts.write(numbered(index), draftOf('x'))
  expect(drafts.read(numbered(0))).toBeNull()
  expect(drafts.read(numbered(1))).not.toBeNull()
  drafts.write(numbered(20), draftOf('y'.repeat(maxBytes - 200)))
  expect(drafts.read(numbered(1))).toBeNull()
  expect(drafts.read(numbered(20))).not.toBeNull()
})

test('DR-BOUND a draft that is too long alone is refused and displaces nothing', () => {
  const drafts = createSurfaceDrafts(session, sharedStorage().tab(), clock().now)
  drafts.write(surface, draftOf('x'))
  expect(drafts.write(numbered(2), draftOf('字'.repeat(maxBytes / 3)))).toBe('too-long')
  expect(drafts.read(surface)).not.toBeNull()
})

test('DR-SENT a tab that slept cannot write a sent draft back, until the surface is open again', () => {
  const shared = sharedStorage()
  const { now } = clock()
  const here = createSurfaceDrafts(session, shared.tab(), now)
  const there = createSurfaceDrafts(session, shared.tab(), now)
  here.write(surface, draftOf('x'))
  here.end(surface)
  expect(there.write(surface, draftOf('old copy'))).toBe('ended')
  expect(there.read(surface)).toBeNull()
  there.reopen(surface)
  expect(there.write(surface, draftOf('after a rewind'))).toBe('saved')
})

test('DR-SENT marks are few', () => {
  const shared = sharedStorage()
  const drafts = createSurfaceDrafts(session, shared.tab(), clock().now)
  for (let index = 0; index < 100; index += 1) drafts.end(numbered(index))
  expect(shared.keys().length).toBeLessThanOrEqual(16)
})

test('DR-FULL a full storage says so; what must go still goes', () => {
  const shared = sharedStorage()
  const drafts = createSurfaceDrafts(session, shared.tab(), clock().now)
  drafts.write(surface, draftOf('x'))
  shared.fill()
  expect(drafts.write(surface, draftOf('y'))).toBe('full')
  expect(drafts.read(surface)).toEqual(draftOf('x'))
  drafts.end(surface)
  expect(drafts.read(surface)).toBeNull()
})

test('DR-OWN a change is heard in both tabs, and no more after dispose', () => {
  const shared = sharedStorage()
  const { now } = clock()
  const here = createSurfaceDrafts(session, shared.tab(), now)
  const there = createSurfaceDrafts(session, shared.tab(), now)
  const heard: string[] = []
  here.onChange(surface, () => heard.push('here'))
  there.onChange(surface, () => heard.push('there'))
  here.write(surface, draftOf('x'))
  expect(heard.toSorted()).toEqual(['here', 'there'])
  there.dispose()
  here.remove(surface)
  expect(heard.toSorted()).toEqual(['here', 'here', 'there'])
})

test('DR-OWN a removed session leaves nothing, another one everything', () => {
  const shared = sharedStorage()
  const { now } = clock()
  const storage = shared.tab()
  createSurfaceDrafts(session, storage, now).write(surface, draftOf('x'))
  createSurfaceDrafts(sessionIdSchema.parse('AB'), storage, now).write(surface, draftOf('x'))
  removeDraftsOf(storage, session)
  expect(shared.keys()).toEqual(['task-surface:surface-draft:AB/S1'])
})

test('DR-BOUND drafts of any session that nobody came back to are forgotten', () => {
  const shared = sharedStorage()
  const time = clock()
  const storage = shared.tab()
  createSurfaceDrafts(session, storage, time.now).write(surface, draftOf('old'))
  time.pass(31 * 24 * 3600 * 1000)
  createSurfaceDrafts(session, storage, time.now).write(numbered(2), draftOf('new'))
  removeOldDrafts(storage, time.now())
  expect(shared.keys()).toEqual(['task-surface:surface-draft:A/S2'])
})

test('DR-OWN a record that somebody else wrote is no draft', () => {
  const storage = sharedStorage().tab()
  storage.write('surface-draft:A/S1', { kind: 'draft', values: { a: 1 }, note: '', attempt: null, at: 0 })
  expect(createSurfaceDrafts(session, storage, clock().now).read(surface)).toBeNull()
})
