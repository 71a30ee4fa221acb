/* Every store of journals, and the journal above it: what comes back is what happened, bounded, and never what was
   removed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Clock } from '../../host/clock.ts'
import type { JournalStore } from '../../host/lifecycles/journal-store.ts'
import { Journal, type JournalDraft } from '../../host/lifecycles/journal.ts'
import { createJournalRecords } from '../../host/log/journal-records.ts'
import { headerKey, journalRange } from '../../host/log/keys.ts'
import { openLevelDatabase } from '../../host/log/level-database.ts'
import { silentLogger } from '../../host/logger.ts'
import { sessionIdSchema } from '../../shared/ids.ts'
import { createMemoryJournal } from '../harness/memory-journal.ts'

const a = sessionIdSchema.parse('a')
const gone = sessionIdSchema.parse('gone')

/** Time stands still until a test lets what was gathered be written. */
class HeldClock implements Clock {
  readonly #sleepers = new Set<() => void>()

  now(): number {
    return 1
  }

  sleep(_: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.add(resolve)
      signal.addEventListener('abort', () => resolve())
    })
  }

  /** Every sleep is over, and whoever slept has acted. */
  async pass(): Promise<void> {
    for (const wake of this.#sleepers) wake()
    this.#sleepers.clear()
    await Promise.resolve()
  }
}

const draft = (n: number, accepted = true): JournalDraft => ({
  at: n,
  actorId: 'surface:1',
  machine: 'surface',
  sessionId: a,
  event: { type: `E${n}` },
  from: 'x',
  to: 'y',
  accepted,
})

const backends: [name: string, open: () => Promise<JournalStore>][] = [
  ['memory', async () => createMemoryJournal((sessionId) => sessionId === a)],
  [
    'LevelDB',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'task-surface-journal-'))
      const database = await openLevelDatabase(folder)
      await database.write([{ type: 'put', key: headerKey(a), value: 'a session' }])
      onTestFinished(async () => {
        await database.close()
        rmSync(folder, { recursive: true, force: true })
      })
      return createJournalRecords(database, silentLogger)
    },
  ],
]

describe.each(backends)('journal on %s', (_, open) => {
  const journalOn = (store: JournalStore, keptEntries = 10_000, clock = new HeldClock()) =>
    new Journal({ store, clock, logger: silentLogger }, { keptEntries })

  /** Resolves with the ids, once all are numbered. */
  async function record(journal: Journal, drafts: readonly JournalDraft[]): Promise<string[]> {
    return await Promise.all(
      drafts.map((entry) => new Promise<string>((numbered) => journal.record(a, entry, ({ id }) => numbered(id)))),
    )
  }
  const typesOf = (entries: readonly { event: unknown }[]) => entries.map(({ event }) => event)
  const types = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (__, n) => ({ type: `E${from + n}` }))
  const drafts = (from: number, to: number) => Array.from({ length: to - from + 1 }, (__, n) => draft(from + n))

  it('numbered: ids grow without a gap, and go on behind the stored ones in the next life of the host', async () => {
    const store = await open()
    const first = journalOn(store)
    expect(await record(first, drafts(1, 70))).toEqual(Array.from({ length: 70 }, (__, n) => String(n + 1)))
    first.close()
    const second = journalOn(store)
    expect(await record(second, drafts(71, 75))).toEqual(['71', '72', '73', '74', '75'])
    second.close()
    const { entries, hasMore } = await journalOn(store).read(a, 0, 500)
    expect(typesOf(entries)).toEqual(types(1, 75))
    expect(hasMore).toBe(false)
  })

  it('numbered: pages follow each other from any entry, written or not', async () => {
    const journal = journalOn(await open())
    await record(journal, drafts(1, 100))
    for (const limit of [1, 7, 32, 33, 99, 100, 101]) {
      const read: unknown[] = []
      for (let after = 0, more = true; more;) {
        const { entries, hasMore } = await journal.read(a, after, limit)
        expect(entries.length).toBeLessThanOrEqual(limit)
        read.push(...typesOf(entries))
        after = Number(entries.at(-1)?.id ?? after)
        more = hasMore
      }
      expect(read).toEqual(types(1, 100))
    }
    expect((await journal.read(a, 100, 10)).entries).toEqual([])
    expect((await journal.read(a, 5_000, 10)).entries).toEqual([])
  })

  it.each(['before', 'after'])(
    'numbered: a page has no hole where entries are written %s the store is read',
    async (when) => {
      const clock = new HeldClock()
      const store = await open()
      let isOver = false
      const meanwhile = async () => {
        if (isOver) return
        isOver = true
        await record(journal, [draft(6), draft(7, false), draft(8)])
        await clock.pass()
        await record(journal, drafts(9, 9))
      }
      const chunks: JournalStore['chunks'] = async (...args) => {
        if (when === 'before') await meanwhile()
        const read = await store.chunks(...args)
        await meanwhile()
        return read
      }
      const journal = journalOn({ ...store, chunks }, 10_000, clock)
      await record(journal, drafts(1, 5))
      const first = (await journal.read(a, 0, 500)).entries
      const rest = (await journal.read(a, Number(first.at(-1)?.id), 500)).entries
      expect(typesOf([...first, ...rest])).toEqual(types(1, 9))
    },
  )

  it('numbered: a page holds what was recorded before it was asked for, while it is still read where the journal ends', async () => {
    const store = await open()
    const before = journalOn(store)
    await record(before, drafts(1, 3))
    before.close()
    const journal = journalOn(store)
    for (const each of [draft(4), draft(5, false)]) journal.record(a, each)
    const { entries } = await journal.read(a, 0, 100)
    expect(entries.map(({ id }) => Number(id))).toEqual([1, 2, 3, 4, 5])
    expect(typesOf(entries)).toEqual(types(1, 5))
  })

  it('bounded: the newest entries stay, give or take some chunks', async () => {
    const store = await open()
    const clock = new HeldClock()
    const journal = journalOn(store, 100, clock)
    for (let n = 1; n <= 1000; n += 10) {
      await record(journal, drafts(n, n + 9))
      await clock.pass()
      // Whatever a write lets go is gone before the next one.
      await journal.read(a, 0, 1)
    }
    journal.close()
    const { entries } = await journalOn(store).read(a, 0, 500)
    expect(typesOf(entries)).toEqual(types(1001 - entries.length, 1000))
    expect(entries.length).toBeGreaterThanOrEqual(100)
    expect(entries.length).toBeLessThanOrEqual(200)
  })

  it('bounded: refused events are a ring of their own and push out nothing that happened', async () => {
    const store = await open()
    const journal = journalOn(store, 64)
    await record(journal, drafts(1, 10))
    await record(
      journal,
      Array.from({ length: 1000 }, (__, n) => draft(1_000 + n, false)),
    )
    await record(journal, drafts(11, 12))
    journal.close()
    const { entries } = await journalOn(store).read(a, 0, 500)
    expect(typesOf(entries.filter(({ accepted }) => accepted))).toEqual(types(1, 12))
    const refused = entries.filter(({ accepted }) => !accepted)
    expect(refused.length).toBeLessThan(500)
    expect(typesOf(refused)).toEqual(types(2_000 - refused.length, 1_999))
    // In the order in which it happened: between what was accepted before and after.
    expect(entries.map(({ id }) => Number(id))).toEqual(entries.map(({ id }) => Number(id)).toSorted((x, y) => x - y))
  })

  it('gone-with-session: nothing is kept of a session that does not exist', async () => {
    const store = await open()
    const journal = journalOn(store)
    journal.record(gone, draft(1))
    expect((await journal.read(gone, 0, 10)).entries).toEqual([])
    journal.close()
    expect((await journalOn(store).read(gone, 0, 10)).entries).toEqual([])
  })

  it('gone-with-session: what was not written when the session went is never written', async () => {
    const store = await open()
    const journal = journalOn(store)
    await record(journal, drafts(1, 5))
    journal.forget(a)
    journal.close()
    expect((await journalOn(store).read(a, 0, 10)).entries).toEqual([])
  })

  it('numbered: a session that turned cold goes on where it was', async () => {
    const store = await open()
    const journal = journalOn(store)
    await record(journal, drafts(1, 40))
    journal.settle(a)
    expect(await record(journal, drafts(41, 42))).toEqual(['41', '42'])
    expect(typesOf((await journal.read(a, 0, 100)).entries)).toEqual(types(1, 42))
  })
})

it('journal on LevelDB: a damaged chunk costs its own entries', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'task-surface-journal-'))
  const database = await openLevelDatabase(folder)
  onTestFinished(async () => {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await database.write([{ type: 'put', key: headerKey(a), value: 'a session' }])
  const warned: string[] = []
  const logger = { ...silentLogger, warn: (_: object, message: string) => warned.push(message) }
  const store = createJournalRecords(database, logger)
  const clock = new HeldClock()
  const journal = new Journal({ store, clock, logger })
  for (let n = 1; n <= 100; n++) {
    await new Promise<void>((numbered) => journal.record(a, draft(n), () => numbered()))
    if (n % 32 === 0) await clock.pass()
  }
  journal.close()
  await database.flush()
  const [, second] = await database.scan({ ...journalRange(a), limit: 2, maxBytes: 1e6 })
  await database.write([{ type: 'put', key: second?.[0] ?? '', value: 'not what was written' }])
  const { entries } = await new Journal({ store, clock, logger }).read(a, 0, 200)
  expect(entries.map(({ id }) => Number(id))).toEqual(
    [1, 32, 65, 100].flatMap((n, index, all) => {
      const to = all[index + 1]
      return index % 2 === 0 && to !== undefined ? Array.from({ length: to - n + 1 }, (_, step) => n + step) : []
    }),
  )
  expect(warned).toEqual(['a record of the journal cannot be read'])
})
