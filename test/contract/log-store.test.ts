/* The promises of the log port (SPEC 2), held against every store. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LogError, appendMaxBytes, pageMaxBytes, type LogStore } from '../../host/log/port.ts'
import { appendOf, backends, bodiesOf, owned, session, wholeLog, type Medium } from './log-backends.ts'

const a = session('a')
const b = session('b')

describe.each(backends)('$name', ({ create }) => {
  let medium: Medium
  let store: LogStore

  beforeEach(async () => {
    medium = await create()
    store = await medium.open()
  })
  afterEach(async () => {
    await store.close()
    await medium.dispose()
  })

  async function reopen() {
    await store.close()
    store = await medium.open()
  }

  async function fill(sessionId = a, count = 10) {
    const ownership = await owned(store, sessionId)
    const outcomes = await store.appendGroup([appendOf(ownership, 0, bodiesOf(sessionId, 0, count))])
    expect(outcomes).toEqual([{ kind: 'durable' }])
    return ownership
  }

  const seqs = async (from: number, to: number, direction: 'forward' | 'backward', limit = 100) =>
    (await store.read(a, { from, to, direction, limit })).map(({ seq }) => seq)

  describe('log/read', () => {
    it('log/read: pages forwards and backwards within inclusive bounds, at most `limit`', async () => {
      await fill()
      expect(await seqs(2, 5, 'forward')).toEqual([2, 3, 4, 5])
      expect(await seqs(2, 5, 'backward')).toEqual([5, 4, 3, 2])
      expect(await seqs(2, 5, 'forward', 2)).toEqual([2, 3])
      expect(await seqs(2, 5, 'backward', 2)).toEqual([5, 4])
      expect(await seqs(0, 0, 'backward')).toEqual([0])
    })

    it('log/read: past the end there is nothing, and a page that reaches over it ends there', async () => {
      await fill()
      expect(await seqs(8, 50, 'forward')).toEqual([8, 9])
      expect(await seqs(8, 50, 'backward')).toEqual([9, 8])
      expect(await seqs(8, Number.MAX_SAFE_INTEGER, 'backward')).toEqual([9, 8])
      expect(await seqs(10, 50, 'forward')).toEqual([])
      expect(await seqs(10, 50, 'backward')).toEqual([])
      expect(await seqs(5, 4, 'forward')).toEqual([])
      expect(await store.read(b, wholeLog)).toEqual([])
    })

    it('log/read: a page ends by size, never empty while records remain', async () => {
      const ownership = await owned(store, a)
      const large = 'x'.repeat(pageMaxBytes * 0.6)
      await store.appendGroup([appendOf(ownership, 0, [large, large, large])])
      expect(await seqs(0, 2, 'forward')).toEqual([0, 1])
      expect(await seqs(2, 2, 'forward')).toEqual([2])
      expect(await seqs(0, 2, 'backward')).toEqual([2, 1])
      const huge = 'y'.repeat(pageMaxBytes * 2)
      await store.appendGroup([appendOf(ownership, 3, [huge, huge])])
      expect(await seqs(3, 4, 'forward')).toEqual([3])
    })

    it('log/read: seqs sort as numbers, and sessions do not see each other', async () => {
      await fill(a, 120)
      await fill(session('a.b'), 3)
      await fill(session('a-'), 3)
      expect(await seqs(0, 500, 'forward', 500)).toEqual(Array.from({ length: 120 }, (_, seq) => seq))
      expect((await store.read(a, { ...wholeLog, from: 9 }))[0]).toEqual({ seq: 9, body: 'a#9' })
    })

    it('log/read: bodies come back as they were, whatever text they are', async () => {
      const ownership = await owned(store, a)
      const bodies = ['', '!', '00000000', '\u0000 \u{1f600} "\n', JSON.stringify({ lone: '\ud800' })]
      await store.appendGroup([appendOf(ownership, 0, bodies)])
      expect((await store.read(a, wholeLog)).map(({ body }) => body)).toEqual(bodies)
    })
  })

  describe('log/append', () => {
    it('log/append: begins behind the last stored event, nowhere else', async () => {
      const ownership = await fill()
      const refused = [{ kind: 'refused', why: 'position' }]
      expect(await store.appendGroup([appendOf(ownership, 9, ['again'])])).toEqual(refused)
      expect(await store.appendGroup([appendOf(ownership, 11, ['too far'])])).toEqual(refused)
      expect(await store.appendGroup([appendOf(ownership, 10, ['next'])])).toEqual([{ kind: 'durable' }])
      expect((await store.read(a, { ...wholeLog, from: 9 })).map(({ body }) => body)).toEqual(['a#9', 'next'])
    })

    it('log/append: two at once for one place, and one of them is refused', async () => {
      const ownership = await fill()
      const group = () => store.appendGroup([appendOf(ownership, 10, ['next'])])
      const outcomes = (await Promise.all([group(), group()])).flat().map(({ kind }) => kind)
      expect(outcomes.toSorted()).toEqual(['durable', 'refused'])
    })

    it('log/append: a refused one writes nothing and fails no other of its group', async () => {
      const first = await fill(a)
      const second = await fill(b)
      const stale = await owned(store, session('c'))
      await store.release(stale)
      const index = [{ kind: 'message', id: 'refused', seq: 7 }] as const
      const outcomes = await store.appendGroup([
        appendOf(stale, 0, ['stale']),
        appendOf(first, 10, ['a']),
        appendOf(first, 4, ['taken'], { index }),
        appendOf(second, 10, ['b']),
      ])
      expect(outcomes).toEqual([
        { kind: 'refused', why: 'owner' },
        { kind: 'durable' },
        { kind: 'refused', why: 'position' },
        { kind: 'durable' },
      ])
      await reopen()
      expect((await store.read(a, wholeLog)).at(-1)).toEqual({ seq: 10, body: 'a' })
      expect((await store.read(b, wholeLog)).at(-1)).toEqual({ seq: 10, body: 'b' })
      expect(await store.read(session('c'), wholeLog)).toEqual([])
      expect(await store.lookup(a, 'message', 'refused')).toBeNull()
    })

    it('log/append: more bytes than the limit are refused, not cut; the limit itself passes', async () => {
      const ownership = await owned(store, a)
      const half = 'é'.repeat(appendMaxBytes / 4)
      expect(await store.appendGroup([appendOf(ownership, 0, [half, half, 'x'])])).toEqual([
        { kind: 'refused', why: 'size' },
      ])
      expect(await store.appendGroup([appendOf(ownership, 0, [half, half])])).toEqual([{ kind: 'durable' }])
    })

    it('log/append: what resolved is there after closing and opening again', async () => {
      const checkpoint = { seq: 9, body: 'values!' }
      const ownership = await owned(store, a)
      await store.appendGroup([
        appendOf(ownership, 0, bodiesOf(a, 0, 10), { checkpoint, index: [{ kind: 'surface', id: 's', seq: 4 }] }),
      ])
      await reopen()
      expect((await store.read(a, wholeLog)).map(({ body }) => body)).toEqual(bodiesOf(a, 0, 10))
      expect(await store.header(a)).toBe('header of 10')
      expect(await store.checkpoint(a)).toEqual(checkpoint)
      expect(await store.lookup(a, 'surface', 's')).toBe(4)
    })

    it('log/append: without events it replaces header, index and checkpoint', async () => {
      const ownership = await fill()
      const append = appendOf(ownership, 10, [], { header: 'rebuilt', index: [{ kind: 'message', id: 'm', seq: 3 }] })
      expect(await store.appendGroup([append])).toEqual([{ kind: 'durable' }])
      expect(await store.header(a)).toBe('rebuilt')
      expect(await store.lookup(a, 'message', 'm')).toBe(3)
      expect(await store.appendGroup([appendOf(ownership, 10, ['next'])])).toEqual([{ kind: 'durable' }])
    })
  })

  describe('log/owner', () => {
    it('log/owner: a session has one owner; releasing gives it free, twice as well', async () => {
      const ownership = await owned(store, a)
      expect(ownership.sessionId).toBe(a)
      expect(await store.acquire(a)).toEqual({ kind: 'held' })
      await store.release(ownership)
      await store.release(ownership)
      const again = await owned(store, a)
      await store.release(ownership)
      expect(await store.acquire(a)).toEqual({ kind: 'held' })
      expect(await store.appendGroup([appendOf(again, 0, ['x'])])).toEqual([{ kind: 'durable' }])
    })

    it('log/owner: a stale or foreign ownership writes nothing', async () => {
      const stale = await fill()
      await store.release(stale)
      const refused = [{ kind: 'refused', why: 'owner' }]
      expect(await store.appendGroup([appendOf(stale, 10, ['x'])])).toEqual(refused)
      await owned(store, a)
      expect(await store.appendGroup([appendOf(stale, 10, ['x'])])).toEqual(refused)
      expect(await store.appendGroup([appendOf({ sessionId: a }, 10, ['x'])])).toEqual(refused)
      await expect(store.remove(stale)).rejects.toMatchObject({ code: 'unavailable' })
      expect(await store.read(a, wholeLog)).toHaveLength(10)
    })

    it('log/owner: the next owner goes on where the last one ended', async () => {
      await store.release(await fill())
      const ownership = await owned(store, a)
      expect(await store.appendGroup([appendOf(ownership, 10, ['next'])])).toEqual([{ kind: 'durable' }])
    })

    it('log/owner: two that ask at once get one ownership between them', async () => {
      const outcomes = await Promise.all([store.acquire(a), store.acquire(a)])
      expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['held', 'owned'])
    })
  })

  it('log/index: the newest seq of an id wins; kinds and sessions are apart', async () => {
    const ownership = await fill()
    const entry = (seq: number) => ({ kind: 'message', id: 'm', seq }) as const
    await store.appendGroup([appendOf(ownership, 10, ['x', 'y'], { index: [entry(10), entry(11)] })])
    await store.appendGroup([appendOf(ownership, 12, ['z'], { index: [{ kind: 'submission', id: 'm', seq: 12 }] })])
    expect(await store.lookup(a, 'message', 'm')).toBe(11)
    expect(await store.lookup(a, 'submission', 'm')).toBe(12)
    expect(await store.lookup(a, 'surface', 'm')).toBeNull()
    expect(await store.lookup(b, 'message', 'm')).toBeNull()
  })

  it('log/checkpoint: a later one replaces the earlier; an append without one leaves it', async () => {
    const ownership = await fill()
    expect(await store.checkpoint(a)).toBeNull()
    await store.appendGroup([appendOf(ownership, 10, ['x'], { checkpoint: { seq: 10, body: 'first' } })])
    await store.appendGroup([appendOf(ownership, 11, ['y'])])
    expect(await store.checkpoint(a)).toEqual({ seq: 10, body: 'first' })
    await store.appendGroup([appendOf(ownership, 12, ['z'], { checkpoint: { seq: 12, body: 'second' } })])
    expect(await store.checkpoint(a)).toEqual({ seq: 12, body: 'second' })
  })

  it('log/headers: are listed in pages in order of session id', async () => {
    const ids = ['b', 'a', 'a.1', 'a-', 'C', 'a:', '0'].map(session)
    for (const id of ids) await fill(id, 1)
    const sorted = ids.toSorted((left, right) => (left < right ? -1 : 1))
    const paged: string[] = []
    for (let after: (typeof ids)[number] | undefined; ;) {
      const page = await store.headers(after === undefined ? { limit: 2 } : { after, limit: 2 })
      if (page.length === 0) break
      expect(page.length).toBeLessThanOrEqual(2)
      paged.push(...page.map(({ sessionId }) => sessionId))
      after = page.at(-1)?.sessionId
    }
    expect(paged).toEqual(sorted)
    expect(await store.headers({ limit: 10 })).toContainEqual({ sessionId: 'a', body: 'header of 1' })
    expect(await store.header(session('unknown'))).toBeNull()
  })

  describe('log/copy', () => {
    const hidden = { header: null }

    it('log/copy: is not listed until its header comes, and whole then', async () => {
      const ownership = await owned(store, a)
      await store.appendGroup([appendOf(ownership, 0, ['one'], hidden)])
      await store.appendGroup([appendOf(ownership, 1, ['two'], hidden)])
      expect(await store.header(a)).toBeNull()
      expect(await store.headers({ limit: 10 })).toEqual([])
      await store.appendGroup([appendOf(ownership, 2, ['three'])])
      await reopen()
      expect(await store.header(a)).toBe('header of 3')
      expect(await seqs(0, 9, 'forward')).toEqual([0, 1, 2])
    })

    it('log/copy: one that was cut off is gone when the store opens', async () => {
      const ownership = await owned(store, a)
      const index = [{ kind: 'message', id: 'm', seq: 0 }] as const
      await store.appendGroup([appendOf(ownership, 0, ['one'], { ...hidden, index })])
      await fill(b)
      await reopen()
      expect(await store.read(a, wholeLog)).toEqual([])
      expect(await store.lookup(a, 'message', 'm')).toBeNull()
      expect(await store.read(b, wholeLog)).toHaveLength(10)
      expect(await store.appendGroup([appendOf(await owned(store, a), 0, ['anew'])])).toEqual([{ kind: 'durable' }])
    })

    it('log/copy: one that was given up is gone when the session is acquired again', async () => {
      const ownership = await owned(store, a)
      await store.appendGroup([appendOf(ownership, 0, ['one'], hidden)])
      await store.release(ownership)
      expect(await store.appendGroup([appendOf(await owned(store, a), 0, ['anew'])])).toEqual([{ kind: 'durable' }])
      expect((await store.read(a, wholeLog)).map(({ body }) => body)).toEqual(['anew'])
    })

    it('log/copy: an append without header leaves a header that exists', async () => {
      const ownership = await fill()
      await store.appendGroup([appendOf(ownership, 10, ['x'], hidden)])
      await reopen()
      expect(await store.header(a)).toBe('header of 10')
      expect(await store.read(a, wholeLog)).toHaveLength(11)
    })
  })

  describe('log/remove', () => {
    async function expectGone() {
      expect(await store.header(a)).toBeNull()
      expect(await store.headers({ limit: 10 })).toEqual([{ sessionId: b, body: 'header of 10' }])
      expect(await store.read(a, wholeLog)).toEqual([])
      expect(await store.checkpoint(a)).toBeNull()
      expect(await store.lookup(a, 'message', 'm')).toBeNull()
      expect(await store.read(b, wholeLog)).toHaveLength(10)
    }

    async function fillBoth() {
      await fill(b)
      const ownership = await fill()
      const index = [{ kind: 'message', id: 'm', seq: 10 }] as const
      await store.appendGroup([appendOf(ownership, 10, ['x'], { index, checkpoint: { seq: 10, body: 'values' } })])
      return ownership
    }

    it('log/remove: takes everything of the session, nothing of another, and spends the ownership', async () => {
      const ownership = await fillBoth()
      await store.remove(ownership)
      await expectGone()
      expect(await store.appendGroup([appendOf(ownership, 11, ['x'])])).toEqual([{ kind: 'refused', why: 'owner' }])
      await reopen()
      await expectGone()
    })

    it('log/remove: one that was cut off hides the session at once and is finished when the store opens', async () => {
      const ownership = await fillBoth()
      const abort = new AbortController()
      const removal = store.remove(ownership, { signal: abort.signal })
      abort.abort()
      await expect(removal).rejects.toMatchObject({ code: 'unavailable' })
      await reopen()
      await expectGone()
    })

    it('log/remove: one that was cut off is finished before the session is owned again', async () => {
      const ownership = await fillBoth()
      const abort = new AbortController()
      const removal = store.remove(ownership, { signal: abort.signal })
      abort.abort()
      await expect(removal).rejects.toMatchObject({ code: 'unavailable' })
      // The session is held until what still runs of the removal has ended.
      await vi.waitFor(async () => {
        const append = appendOf(await owned(store, a), 0, ['anew'])
        expect(await store.appendGroup([append])).toEqual([{ kind: 'durable' }])
      })
      expect((await store.read(a, wholeLog)).map(({ body }) => body)).toEqual(['anew'])
    })
  })

  describe('log/abort', () => {
    it('log/abort: a call that was given up before it began does nothing', async () => {
      const ownership = await fill()
      const options = { signal: AbortSignal.abort(new Error('enough')) }
      const unavailable = { code: 'unavailable' }
      await expect(store.read(a, wholeLog, options)).rejects.toMatchObject(unavailable)
      await expect(store.lookup(a, 'message', 'm', options)).rejects.toMatchObject(unavailable)
      await expect(store.checkpoint(a, options)).rejects.toMatchObject(unavailable)
      await expect(store.header(a, options)).rejects.toMatchObject(unavailable)
      await expect(store.headers({ limit: 1 }, options)).rejects.toMatchObject(unavailable)
      await expect(store.remove(ownership, options)).rejects.toMatchObject(unavailable)
      expect(await store.acquire(b, options)).toMatchObject({ kind: 'unavailable' })
      expect(await store.appendGroup([appendOf(ownership, 10, ['x'])], options)).toMatchObject([
        { kind: 'unavailable' },
      ])
      expect(await store.appendGroup([appendOf(ownership, 10, ['y'])])).toEqual([{ kind: 'durable' }])
    })
  })

  it('log/close: afterwards everything is unavailable, and closing again is safe', async () => {
    const ownership = await fill()
    await store.close()
    await store.close()
    const failure: unknown = await store.read(a, wholeLog).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(LogError)
    expect(failure).toMatchObject({ code: 'unavailable' })
    expect(await store.acquire(b)).toMatchObject({ kind: 'unavailable' })
    expect(await store.appendGroup([appendOf(ownership, 10, ['x'])])).toMatchObject([{ kind: 'unavailable' }])
    await expect(store.remove(ownership)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
