/* Pages, forks and rewinds of the session log (SPEC 2, 8) over the memory store, compared with the plain list of events. */
import { fc } from '../../harness/property.ts'
import { describe, expect, it, vi } from 'vitest'
import { createSessionLog, type SessionLog } from '../../../host/log/session-log.ts'
import { isCounted } from '../../../shared/counted.ts'
import type { SessionEvent } from '../../../shared/event.ts'
import { forkEvents, forkSelection } from '../../../shared/fork.ts'
import { owned, session, wholeLog } from '../../contract/log-backends.ts'
import { acts, collect, longScript, opened, play, type Act } from './random-session.ts'

// Random sessions are many; on a busy machine they take their time.
vi.setConfig({ testTimeout: 60_000 })

const a = session('a')
const child = session('child')

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

describe('log/import', () => {
  const source = (events: readonly unknown[]) => ({
    sessionId: child,
    read: async function* () {
      yield* events
    },
  })

  it('log/import: what was exported comes back the same, rewinds and all, and nothing is added', async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (script) => {
        const { log, store } = opened()
        const { state, events } = await play(log, a, script)
        const outcome = await log.import(source(JSON.parse(JSON.stringify(events))))
        if (outcome.kind !== 'imported') throw new Error(outcome.kind)
        expect(JSON.stringify(outcome.state.fold)).toBe(JSON.stringify(state.fold))
        expect(await store.read(child, wholeLog)).toEqual(await store.read(a, wholeLog))
        expect(JSON.stringify(await log.readState(child))).toBe(JSON.stringify(outcome.state))
      }),
      { numRuns: 30 },
    )
  })

  it('log/import: an illegal log is refused at its first illegal event and leaves nothing behind', async () => {
    const { log, store } = opened()
    const { events } = await play(log, a, longScript.slice(0, 3))
    const wrong: readonly [unknown[], number][] = [
      [[], -1],
      [events.slice(1), 0],
      [[...events, events[0]], events.length],
      [events.filter(({ seq }) => seq !== 4), 4],
      [[...events.slice(0, 5), { type: 'session/teleported', seq: 5, time: 1, data: {} }], 5],
    ]
    for (const [illegal, index] of wrong)
      expect(await log.import(source(illegal))).toMatchObject({ kind: 'invalid', index })
    expect(await store.read(child, wholeLog)).toEqual([])
    expect(await collect(log.list())).toHaveLength(1)
  })

  it('log/import: a session that exists is left alone, by a fork as well', async () => {
    const { log } = opened()
    const { state, events, ownership } = await play(log, a, longScript.slice(0, 3))
    await log.release(ownership)
    const { ownership: other, events: kept } = await play(log, child, longScript.slice(0, 2))
    await log.release(other)
    expect(await log.import(source(events))).toEqual({ kind: 'exists' })
    expect(await log.fork(state, { child, time: 1 })).toEqual({ kind: 'refused', why: 'position' })
    expect(await collect(log.countedEvents(child, { skipped: [] }))).toEqual(kept)
    expect(await log.header(child)).not.toBeNull()
  })
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
