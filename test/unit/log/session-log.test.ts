/* The session log (SPEC 2) over the memory store: whatever a session did, the log says the same live, cold, from a
   checkpoint, in pages and forked. */
import { fc } from '../../harness/property.ts'
import { describe, expect, it, vi } from 'vitest'
import { createMemoryStore } from '../../../host/log/memory-store.ts'
import { createSessionLog } from '../../../host/log/session-log.ts'
import { emptyState, foldEvent } from '../../../host/log/session-state.ts'
import type { SessionEvent } from '../../../shared/event.ts'
import { foldLog } from '../../../shared/fold.ts'
import { owned, session, wholeLog } from '../../contract/log-backends.ts'
import { acts, collect, longScript, opened, play } from './random-session.ts'

// Random sessions are many; on a busy machine they take their time.
vi.setConfig({ testTimeout: 60_000 })

const a = session('a')
const ofEvent = (event: SessionEvent) => ({ kind: 'event', event }) as const

describe('log/fold', () => {
  it('log/fold: live, cold and from the checkpoint are the same state, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(acts, fc.boolean(), async (script, long) => {
        const { log } = opened()
        const { state, events } = await play(log, a, long ? [...longScript.slice(0, 22), ...script] : script)
        const cold = foldLog(events.map(ofEvent))
        expect(cold.ok && JSON.stringify(cold.state)).toBe(JSON.stringify(state.fold))
        expect(JSON.stringify(await log.readState(a))).toBe(JSON.stringify(state))
        expect(JSON.stringify(await log.header(a))).toBe(JSON.stringify(state.header))
        expect(await log.verifyCheckpoint(a)).not.toMatchObject({ kind: 'differs' })
      }),
      { numRuns: 25 },
    )
  })

  it('log/fold: an event comes back exactly as it was answered', async () => {
    const { log, store } = opened()
    const ownership = await owned(store, a)
    const data = { agent: 'demo', cwd: '/w', title: undefined, extra: 1 }
    const outcome = await log.append(ownership, emptyState(a), [{ type: 'session/created', data }], 5)
    if (outcome.kind !== 'durable') throw new Error(outcome.kind)
    expect(outcome.events).toStrictEqual([
      { type: 'session/created', seq: 0, time: 5, data: { agent: 'demo', cwd: '/w' } },
    ])
    expect(await collect(log.countedEvents(a, { skipped: [] }))).toStrictEqual(outcome.events)
    expect((await store.read(a, wholeLog))[0]?.body).toBe(JSON.stringify(outcome.events[0]))
  })

  it('log/checkpoint: opening a long session reads little more than the last events', async () => {
    const { log, store } = opened()
    await play(log, a, longScript)
    let records = 0
    const counting = createSessionLog({
      store: {
        ...store,
        read: async (...args) => {
          const page = await store.read(...args)
          records += page.length
          return page
        },
      },
    })
    const { lastSeq } = await counting.readState(a)
    expect(lastSeq).toBeGreaterThan(300)
    expect(records).toBeLessThan(64)
  })

  it('log/checkpoint: one that says something else is reported, and rebuilding makes it true again', async () => {
    const { log, store } = opened()
    const { state, ownership } = await play(log, a, longScript)
    const stored = await store.checkpoint(a)
    if (stored === null) throw new Error('there is no checkpoint')
    const wrong = { seq: stored.seq, body: stored.body.replace('"inputTokens":', '"inputTokens":1') }
    const append = {
      ownership,
      firstSeq: state.lastSeq + 1,
      bodies: [],
      header: 'broken',
      index: [],
      checkpoint: wrong,
    }
    expect(await store.appendGroup([append])).toEqual([{ kind: 'durable' }])
    expect(await log.verifyCheckpoint(a)).toMatchObject({ kind: 'differs', seq: stored.seq })
    expect(await log.rebuild(ownership)).toEqual({ kind: 'durable' })
    expect(await log.verifyCheckpoint(a)).toEqual({ kind: 'equal', seq: state.lastSeq })
    expect(await log.header(a)).toEqual(state.header)
  })

  it.each(['no JSON', '[]', '{"version":999}'])(
    'log/checkpoint: %s is no checkpoint, and the log is folded cold',
    async (body) => {
      const { log, store } = opened()
      const { state, ownership } = await play(log, a, longScript)
      const append = { ownership, firstSeq: state.lastSeq + 1, bodies: [], header: null, index: [] }
      await store.appendGroup([{ ...append, checkpoint: { seq: 5, body } }])
      expect(JSON.stringify(await log.readState(a))).toBe(JSON.stringify(state))
    },
  )
})

describe('log/damage', () => {
  async function withBody(seq: number, change: (body: string) => string) {
    const { log, store } = opened()
    await play(log, a, longScript.slice(0, 3))
    const damaged = createSessionLog({
      store: {
        ...store,
        read: async (...args) => {
          const page = await store.read(...args)
          return page.map((record) => (record.seq === seq ? { seq, body: change(record.body) } : record))
        },
      },
    })
    return damaged
  }

  it.each<[string, (body: string) => string]>([
    ['torn', (body) => body.slice(0, -5)],
    ['of an unknown type', (body) => body.replace('user/message', 'user/telepathy')],
    ['of another seq', (body) => body.replace('"seq":2', '"seq":3')],
    ['without its data', (body) => body.replace('"data"', '"date"')],
    ['a second session/created', () => '{"type":"session/created","seq":2,"time":1,"data":{"agent":"demo","cwd":"/"}}'],
  ])('log/damage: an event that is %s refuses the log, with its key', async (_name, change) => {
    const log = await withBody(2, change)
    await expect(log.readState(a)).rejects.toMatchObject({ code: 'corrupt', key: 's!a!e!0000000000000002' })
  })

  it('log/damage: a single event is read with the same care as a whole log', async () => {
    const torn = await withBody(2, (body) => body.slice(0, -5))
    const moved = await withBody(2, (body) => body.replace('"seq":2', '"seq":3'))
    for (const log of [torn, moved]) {
      await expect(log.eventAt(a, 2, [])).rejects.toMatchObject({ code: 'corrupt' })
      await expect(log.find(a, 'message', 'm0', [])).rejects.toMatchObject({ code: 'corrupt' })
      await expect(log.page(a, { limit: 50, skipped: [] })).rejects.toMatchObject({ code: 'corrupt' })
    }
  })

  it('log/damage: an unknown event that says ignorable is passed over everywhere', async () => {
    const log = await withBody(2, (body) =>
      body.replace('user/message', 'user/telepathy').replace('"data"', '"ignorable":true,"data"'),
    )
    const state = await log.readState(a)
    const page = await log.page(a, { limit: 100, skipped: state.skipped })
    expect(page.events.map(({ seq }) => seq)).not.toContain(2)
    expect(page.events).toHaveLength(state.lastSeq)
    expect(await collect(log.countedEvents(a, { skipped: [] }))).toEqual(page.events)
    expect(await log.eventAt(a, 2, [])).toBeNull()
  })

  it('log/damage: a log shorter than its header says is refused', async () => {
    const { log, store } = opened()
    const { state, ownership } = await play(log, a, longScript.slice(0, 3))
    const header = JSON.stringify({ ...state.header, lastSeq: state.lastSeq + 1 })
    await store.appendGroup([{ ownership, firstSeq: state.lastSeq + 1, bodies: [], header, index: [] }])
    await expect(log.readState(a)).rejects.toMatchObject({ code: 'corrupt' })
  })

  it('log/damage: a header that cannot be read is derived from the log, for the list too', async () => {
    const { log, store } = opened()
    const { state, ownership } = await play(log, a, longScript.slice(0, 3))
    await store.appendGroup([{ ownership, firstSeq: state.lastSeq + 1, bodies: [], header: '{}', index: [] }])
    expect(await log.header(a)).toEqual(state.header)
    expect(await collect(log.list())).toEqual([{ kind: 'session', sessionId: a, header: state.header }])
    const header = JSON.stringify({ ...state.header, format: 2 })
    await store.appendGroup([{ ownership, firstSeq: state.lastSeq + 1, bodies: [], header, index: [] }])
    await expect(log.readState(a)).rejects.toMatchObject({ code: 'format' })
    expect(await collect(log.list())).toMatchObject([{ kind: 'damaged', sessionId: a, error: { code: 'format' } }])
  })

  it('log/damage: salvage reads past bad records and names them', async () => {
    const log = await withBody(2, () => 'x')
    const records = await collect(log.salvage(a))
    expect(records.filter(({ kind }) => kind === 'damaged')).toMatchObject([{ seq: 2, error: { code: 'corrupt' } }])
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index))
    expect(records.length).toBeGreaterThan(10)
  })

  it('log/unknown-session: reading one that does not exist says so', async () => {
    const { log } = opened()
    await expect(log.readState(a)).rejects.toMatchObject({ code: 'unknown-session' })
    expect(await log.header(a)).toBeNull()
  })
})

describe('log/append', () => {
  it('log/append: one that is not durable changes nothing and answers why', async () => {
    const { log, store } = opened()
    const { state, ownership } = await play(log, a, longScript.slice(0, 2))
    const drafts = [{ type: 'session/title', data: { title: 'x' } }] as const
    const stale = { ...state, ...emptyState(a) }
    expect(
      await log.append(ownership, stale, [{ type: 'session/created', data: { agent: 'a', cwd: '/' } }], 1),
    ).toEqual({
      kind: 'refused',
      why: 'position',
    })
    await log.release(ownership)
    expect(await log.append(ownership, state, drafts, 1)).toEqual({ kind: 'refused', why: 'owner' })
    expect(await store.read(a, wholeLog)).toHaveLength(state.lastSeq + 1)
  })

  it('log/append: nothing to append is durable at once', async () => {
    const { log } = opened()
    const { state, ownership } = await play(log, a, longScript.slice(0, 2))
    expect(await log.append(ownership, state, [], 1)).toEqual({ kind: 'durable', events: [], state })
  })

  it('log/append: an event that cannot follow is a bug and writes nothing', async () => {
    const { log, store } = opened()
    const { state, ownership } = await play(log, a, longScript.slice(0, 2))
    const drafts = [{ type: 'session/created', data: { agent: 'a', cwd: '/' } }] as const
    await expect(log.append(ownership, state, drafts, 1)).rejects.toThrow()
    expect(await store.read(a, wholeLog)).toHaveLength(state.lastSeq + 1)
  })

  it('log/fold: an event is folded only forwards', async () => {
    const { log } = opened()
    const { state, events } = await play(log, a, longScript.slice(0, 2))
    const [first] = events
    if (first === undefined) throw new Error('no events')
    expect(() => foldEvent(state, ofEvent(first))).toThrow(/cannot follow/)
  })
})

it('log/deadline: a read that takes too long is unavailable', async () => {
  const store = createMemoryStore()
  const abort = new AbortController()
  const deadline = () => ({ signal: abort.signal, dispose: () => {} })
  const log = createSessionLog({
    store: {
      ...store,
      header: (_id, options) =>
        new Promise((_, reject) => {
          options?.signal?.addEventListener('abort', () => reject(options.signal?.reason))
        }),
    },
    deadline,
  })
  const reading = log.header(a)
  abort.abort(new Error('late'))
  await expect(reading).rejects.toThrow('late')
})
