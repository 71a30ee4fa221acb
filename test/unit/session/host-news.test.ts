/* SPEC 8: every socket is told of sessions as they happen; under load together, a moment later, and nothing is lost. */
import { expect, test } from 'vitest'
import { HostNews, type HostNewsFrame } from '../../../host/session/host-news.ts'
import { sessionIdSchema } from '../../../shared/ids.ts'
import type { Session } from '../../../shared/session.ts'
import { StillClock } from '../tasks/still-clock.ts'

const sessionOf = (id: string, status: Session['status']): Session => ({
  id: sessionIdSchema.parse(id),
  title: 'A session',
  agent: 'demo',
  cwd: '/',
  createdAt: 1,
  updatedAt: 1,
  status,
  toolMode: 'native',
  approval: 'ask',
})
const updated = (id: string, status: Session['status'] = 'running'): HostNewsFrame => ({
  type: 'host/session-updated',
  session: sessionOf(id, status),
})
const added = (id: string): HostNewsFrame => ({ type: 'host/session-added', session: sessionOf(id, 'idle') })
const removed = (id: string): HostNewsFrame => ({
  type: 'host/session-removed',
  sessionId: sessionIdSchema.parse(id),
})

/** More than are told in a row. */
const many = Array.from({ length: 30 }, (_, index) => `s${index}`)

function open() {
  const told: unknown[] = []
  const clock = new StillClock()
  const news = new HostNews({ publish: (text) => told.push(JSON.parse(text)), clock })
  return { told, clock, news }
}

test('host-news: what happens now and then is told as it happens', async () => {
  const { told, clock, news } = open()
  for (const id of [...many, ...many]) {
    news.tell(updated(id))
    expect(told.at(-1)).toEqual(updated(id))
    await clock.advance(50)
  }
  expect(told).toHaveLength(2 * many.length)
})

test('host-news: under load each session is told once with its newest word, within 50 ms', async () => {
  const { told, clock, news } = open()
  for (const id of many) news.tell(updated(id))
  const atOnce = told.length
  expect(atOnce).toBeLessThan(many.length)
  for (const id of many) news.tell(updated(id, 'idle'))
  expect(told).toHaveLength(atOnce)
  await clock.advance(50)
  const later = told.slice(atOnce)
  expect(later).toHaveLength(many.length)
  expect(later).toEqual(expect.arrayContaining(many.map((id) => updated(id, 'idle'))))
  await clock.advance(50)
  news.tell(updated('s1'))
  expect(told.at(-1)).toEqual(updated('s1'))
})

test('host-news: under load a new session stays new, and a removed one is told as removed', async () => {
  const { told, clock, news } = open()
  for (const id of many) news.tell(updated(id))
  const atOnce = told.length
  news.tell(added('new'))
  news.tell(updated('new', 'running'))
  news.tell(added('short'))
  news.tell(updated('short'))
  news.tell(removed('short'))
  await clock.advance(50)
  const later = told.slice(atOnce)
  expect(later).toContainEqual({ type: 'host/session-added', session: sessionOf('new', 'running') })
  expect(later.filter((frame) => JSON.stringify(frame).includes('"short"'))).toEqual([removed('short')])
})
