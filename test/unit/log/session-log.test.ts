/* The session log (SPEC 2) over the memory store: whatever a session did, the log says the same live, cold, from a
   checkpoint, in pages and forked. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createMemoryStore } from '../../../host/log/memory-store.ts'
import { createSessionLog, type SessionLog } from '../../../host/log/session-log.ts'
import { emptyState, foldEvent } from '../../../host/log/session-state.ts'
import { isCounted } from '../../../shared/counted.ts'
import type { SessionEvent } from '../../../shared/event.ts'
import { foldLog } from '../../../shared/fold.ts'
import { forkEvents, forkSelection } from '../../../shared/fork.ts'
import { owned, session, wholeLog } from '../../contract/log-backends.ts'
import { acts, play, type Act } from './random-session.ts'

// Random sessions are many; on a busy machine they take their time.
vi.setConfig({ testTimeout: 60_000 })

const a = session('a')
const child = session('child')
const ofEvent = (event: SessionEvent) => ({ kind: 'event', event }) as const

function opened() {
  const store = createMemoryStore()
  return { store, log: createSessionLog({ store }) }
}

async function collect<Value>(source: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = []
  for await (const value of source) values.push(value)
  return values
}

/** Long enough for several checkpoints. */
const longScript: Act[] = Array.from({ length: 60 }, (_, index) =>
  index % 7 === 3
    ? { kind: 'alone', draft: 'title' }
    : { kind: 'turn', tools: 1, steps: 2, open: false, surface: false, text: `text ${index}` },
)

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

async function forkedLogs(log: SessionLog, script: readonly Act[], atSeq: number | undefined) {
  const { state, events } = await play(log, a, script)
  const outcome = await log.fork(state, { child, time: 77, ...(atSeq === undefined ? {} : { atSeq }) })
  return { state, events, outcome, selection: forkSelection(events, atSeq) }
}

describe('log/fork', () => {
  it('log/fork: the child is what the rules in shared/ make of the whole log, and cold folds to its state', async () => {
    await fc.assert(
      fc.asyncProperty(acts, fc.option(fc.nat(60), { nil: undefined }), async (script, atSeq) => {
        const { log, store } = opened()
        const { events, outcome, selection } = await forkedLogs(log, script, atSeq)
        if (!selection.ok) {
          expect(outcome).toEqual({ kind: 'fork-unavailable' })
          expect(await store.read(child, wholeLog)).toEqual([])
          return
        }
        if (outcome.kind !== 'forked') throw new Error(outcome.kind)
        const first = events[0]
        if (first?.type !== 'session/created') throw new Error('no beginning')
        const copied = selection.copied.slice(1).flatMap((seq) => events[seq] ?? [])
        const made = { source: first.data, sourceId: a, copied: selection.copied, time: 77 }
        const expected = [...forkEvents(made, copied)]
        expect((await store.read(child, wholeLog)).map(({ body }) => body)).toEqual(
          expected.map((event) => JSON.stringify(event)),
        )
        expect(JSON.stringify(await log.readState(child))).toBe(JSON.stringify(outcome.state))
        for (const { seq, event } of await indexed(log, expected)) expect(event?.seq).toBe(seq)
        await owned(store, child)
      }),
      { numRuns: 40 },
    )
  })

  /** Every looked-up id of a log with the newest seq that carries it. */
  async function indexed(log: SessionLog, events: readonly { type: string; seq: number; data: unknown }[]) {
    const seqById = new Map<string, number>()
    for (const { type, seq, data } of events) {
      const message = typeof data === 'object' && data !== null && 'message' in data ? data.message : null
      const id = typeof message === 'object' && message !== null && 'id' in message ? String(message.id) : null
      if (type === 'user/message' && id !== null) seqById.set(id, seq)
    }
    return await Promise.all(
      [...seqById].map(async ([id, seq]) => ({ seq, event: await log.find(child, 'message', id, []) })),
    )
  }

  it('log/fork: a large log comes in chunks that stay hidden until the last', async () => {
    const { log, store } = opened()
    const chunks: { count: number; header: boolean }[] = []
    const watched = createSessionLog({
      store: {
        ...store,
        appendGroup: async (appends, options) => {
          for (const { ownership, bodies, header } of appends) {
            if (ownership.sessionId === child) chunks.push({ count: bodies.length, header: header !== null })
          }
          return await store.appendGroup(appends, options)
        },
      },
    })
    const text = 'x'.repeat(100_000)
    const script = Array.from({ length: 20 }, (): Act => ({
      kind: 'turn',
      tools: 0,
      steps: 0,
      open: false,
      surface: false,
      text,
    }))
    const { state } = await play(log, a, script)
    expect(await watched.fork(state, { child, time: 1 })).toMatchObject({ kind: 'forked' })
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.map(({ header }) => header)).toEqual(chunks.map((_, index) => index === chunks.length - 1))
    const { lastSeq } = await log.readState(child)
    expect(chunks.reduce((sum, { count }) => sum + count, 0)).toBe(lastSeq + 1)
  })

  it.each(['unavailable', 'unknown'] as const)(
    'log/fork: a copy that ends in %s leaves nothing behind',
    async (kind) => {
      const { log, store } = opened()
      const { state } = await play(log, a, longScript.slice(0, 3))
      const failing = createSessionLog({
        store: { ...store, appendGroup: async (appends) => appends.map(() => ({ kind, cause: new Error('disk') })) },
      })
      expect(await failing.fork(state, { child, time: 1 })).toMatchObject({ kind })
      expect(await collect(log.list())).toHaveLength(1)
      expect(await log.fork(state, { child, time: 1 })).toMatchObject({ kind: 'forked' })
    },
  )
})

describe('log/rewind', () => {
  const turn = (text: string): Act => ({ kind: 'turn', tools: 0, steps: 1, open: false, surface: false, text })

  it('log/rewind: only counted events outside a turn can be rewound to', async () => {
    const { log } = opened()
    // 0 created, 1 start, 2 message, 3 answer, 4 end, 5 title, 6 start, 7 message, 8 answer, 9 end
    const { state, ownership } = await play(log, a, [turn('one'), { kind: 'alone', draft: 'title' }, turn('two')])
    const kinds: string[] = []
    for (let seq = -1; seq <= state.lastSeq + 1; seq += 1) {
      const { log: other } = opened()
      const played = await play(other, a, [turn('one'), { kind: 'alone', draft: 'title' }, turn('two')])
      kinds.push((await other.rewind(played.ownership, played.state, seq, 1)).kind)
    }
    const [no, yes] = ['invalid-target', 'rewound']
    expect(kinds).toEqual([no, yes, no, no, no, yes, yes, no, no, no, yes, no])
    const outcome = await log.rewind(ownership, state, 4, 1)
    if (outcome.kind !== 'rewound') throw new Error(outcome.kind)
    expect(await log.rewind(ownership, outcome.state, 9, 1)).toEqual({ kind: 'invalid-target' })
    expect(await log.rewind(ownership, outcome.state, 10, 1)).toEqual({ kind: 'invalid-target' })
  })

  it('log/rewind: gives back the text of the first message of a person, takes renames back, keeps ids and turn numbers', async () => {
    const { log } = opened()
    const script: Act[] = [
      turn('one'),
      { kind: 'alone', draft: 'title' },
      { kind: 'alone', draft: 'notice' },
      turn('two'),
      turn('three'),
    ]
    const { state, ownership } = await play(log, a, script)
    const outcome = await log.rewind(ownership, state, 4, 1)
    if (outcome.kind !== 'rewound') throw new Error(outcome.kind)
    expect(outcome.text).toBe('two')
    expect(outcome.state).toMatchObject({ lastTurn: 3, header: { title: 'one', lastSeq: state.lastSeq + 1 } })
    const { skipped } = outcome.state
    expect(await log.find(a, 'message', 'm4', skipped)).toMatchObject({
      counted: false,
      event: { type: 'user/message' },
    })
    expect(await log.find(a, 'message', 'm0', skipped)).toMatchObject({ counted: true })
    expect(await log.find(a, 'message', 'unknown', skipped)).toBeNull()
    const page = await log.page(a, { limit: 50, skipped })
    expect(page.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4])
    expect(await log.rewind(ownership, outcome.state, 4, 1)).toMatchObject({ kind: 'rewound', text: null })
  })

  it('log/rewind: is refused where it does not belong', async () => {
    const { log } = opened()
    const { state, ownership } = await play(log, a, [turn('one')])
    const drafts = [{ type: 'session/rewound', data: { toSeq: 0 } }] as const
    await expect(log.append(ownership, state, drafts, 1)).rejects.toThrow(/rewind/)
  })
})

describe('log/history', () => {
  const isMessage = ({ type }: SessionEvent) => /^(user|steering|assistant)\/message$/.test(type)

  it('log/history: pages backwards are the counted events, whole messages, no gap and no overlap', async () => {
    await fc.assert(
      fc.asyncProperty(acts, fc.integer({ min: 1, max: 5 }), async (script, limit) => {
        const { log } = opened()
        const { state, events } = await play(log, a, script)
        const { skipped } = state
        let all: SessionEvent[] = []
        for (let beforeSeq = state.lastSeq + 1; ;) {
          const page = await log.page(a, { beforeSeq, limit, skipped })
          const messages = page.events.filter(isMessage).length
          expect(messages).toBeLessThanOrEqual(limit)
          // A page that does not reach the beginning is full and begins with a message.
          if (page.hasMore) expect([messages, page.events.findIndex(isMessage)]).toEqual([limit, 0])
          all = [...page.events, ...all]
          if (!page.hasMore) break
          beforeSeq = page.events[0]?.seq ?? -1
        }
        expect(all).toEqual(events.filter(({ seq }) => isCounted(skipped, seq)))
        expect(await collect(log.countedEvents(a, { skipped }))).toEqual(all)
      }),
      { numRuns: 40 },
    )
  })

  it('log/history: a page ends at 1 MiB, but never without a message', async () => {
    const { log } = opened()
    const text = 'x'.repeat(600_000)
    const huge = 'y'.repeat(2_000_000)
    const turn = (said: string): Act => ({ kind: 'turn', tools: 0, steps: 0, open: false, surface: false, text: said })
    const { state } = await play(log, a, [turn(text), turn(huge), turn(text), turn('short'), turn('short')])
    const counts: number[] = []
    for (let beforeSeq = state.lastSeq + 1; ;) {
      const page = await log.page(a, { beforeSeq, limit: 50, skipped: [] })
      counts.push(page.events.filter(isMessage).length)
      if (!page.hasMore) break
      beforeSeq = page.events[0]?.seq ?? -1
    }
    expect(counts).toEqual([3, 1, 1])
  })

  it('log/history: in a long log a page reads only what it answers, and skips what was rewound', async () => {
    const { log, store } = opened()
    const script = Array.from({ length: 4 }, () => longScript).flat()
    const { state, ownership, events } = await play(log, a, script)
    const toSeq = events.findIndex(({ type, seq }) => type === 'turn/end' && seq > 40)
    const outcome = await log.rewind(ownership, state, toSeq, 1)
    if (outcome.kind !== 'rewound') throw new Error(outcome.kind)
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
    const { lastSeq, skipped } = outcome.state
    for (const from of [{ beforeSeq: lastSeq + 1 }, {}]) {
      records = 0
      const page = await counting.page(a, { ...from, limit: 10, skipped })
      expect(page.events.at(-1)?.seq).toBe(toSeq)
      expect(state.lastSeq).toBeGreaterThan(1000)
      expect(records).toBeLessThan(100)
    }
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
