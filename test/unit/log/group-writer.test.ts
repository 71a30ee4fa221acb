/* The group writer (SPEC 2) over a store whose groups wait for the test. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { FaultPoint } from '../../../host/log/fault-points.ts'
import { createGroupWriter, type GroupWriterOptions } from '../../../host/log/group-writer.ts'
import { createMemoryStore } from '../../../host/log/memory-store.ts'
import type { AppendOutcome, Ownership } from '../../../host/log/port.ts'
import { appendOf, owned, session, wholeLog } from '../../contract/log-backends.ts'
import { controlStore, type ControlledStore, type HeldGroup } from '../../contract/log-controlled-store.ts'

const durable = { kind: 'durable' }
const never = () => ({ signal: new AbortController().signal, dispose: () => {} })

let control: ControlledStore
let first: Ownership
let second: Ownership
let third: Ownership

beforeEach(async () => {
  control = controlStore(createMemoryStore())
  first = await owned(control.store, session('a'))
  second = await owned(control.store, session('b'))
  third = await owned(control.store, session('c'))
  control.hold()
})

const writerOf = (options: GroupWriterOptions = {}) => createGroupWriter(control.store, { deadline: never, ...options })
const bodiesIn = (group: HeldGroup) => group.appends.flatMap(({ bodies }) => bodies)

describe('log/group', () => {
  it('log/group: what is said in one tick is one group; what waits during a write is the next one', async () => {
    const writer = writerOf()
    const early = [writer.append(appendOf(first, 0, ['a0'])), writer.append(appendOf(second, 0, ['b0']))]
    const group = await control.nextGroup()
    expect(bodiesIn(group)).toEqual(['a0', 'b0'])
    const late = [writer.append(appendOf(third, 0, ['c0'])), writer.append(appendOf(first, 1, ['a1']))]
    expect(control.waiting()).toBe(0)
    await group.write()
    expect(await Promise.all(early)).toEqual([durable, durable])
    const next = await control.nextGroup()
    expect(bodiesIn(next)).toEqual(['c0', 'a1'])
    await next.write()
    expect(await Promise.all(late)).toEqual([durable, durable])
  })

  it('log/group: one append of a session at a time, in the order of the calls', async () => {
    const writer = writerOf()
    const outcomes = [0, 1, 2].map((seq) => writer.append(appendOf(first, seq, [`a${seq}`])))
    const other = writer.append(appendOf(second, 0, ['b0']))
    const groups: string[][] = []
    for (let count = 0; count < 3; count += 1) {
      const group = await control.nextGroup()
      groups.push(bodiesIn(group))
      await group.write()
    }
    expect(groups).toEqual([['a0', 'b0'], ['a1'], ['a2']])
    expect(await Promise.all([...outcomes, other])).toEqual([durable, durable, durable, durable])
  })

  it('log/group: whoever answers an outcome with an append is in the very next group', async () => {
    const writer = writerOf()
    const chain = writer.append(appendOf(first, 0, ['a0'])).then(() => writer.append(appendOf(first, 1, ['a1'])))
    const group = await control.nextGroup()
    const waiting = writer.append(appendOf(second, 0, ['b0']))
    await group.write()
    const next = await control.nextGroup()
    expect(bodiesIn(next)).toEqual(['b0', 'a1'])
    await next.write()
    await Promise.all([chain, waiting])
  })

  it('log/group: is bounded by count and by bytes; a single larger append is a group of its own', async () => {
    const writer = writerOf({ maxAppends: 2, maxBytes: 1000 })
    const large = 'x'.repeat(2000)
    const all = [
      writer.append(appendOf(first, 0, ['a0'])),
      writer.append(appendOf(second, 0, [large])),
      writer.append(appendOf(third, 0, ['c0'])),
    ]
    const groups: string[][] = []
    for (let count = 0; count < 2; count += 1) {
      const group = await control.nextGroup()
      groups.push(bodiesIn(group))
      await group.write()
    }
    expect(groups).toEqual([['a0', 'c0'], [large]])
    const more = [first, second, third].map((ownership) => writer.append(appendOf(ownership, 1, ['x'])))
    const two = await control.nextGroup()
    expect(two.appends).toHaveLength(2)
    await two.write()
    await (await control.nextGroup()).write()
    expect(await Promise.all([...all, ...more])).toEqual([durable, durable, durable, durable, durable, durable])
  })

  it('log/group: no later append of a session overtakes one that had no room', async () => {
    const writer = writerOf({ maxBytes: 1000 })
    const large = 'x'.repeat(990)
    const all = [
      writer.append(appendOf(second, 0, ['b0'])),
      writer.append(appendOf(first, 0, [large])),
      writer.append(appendOf(first, 1, ['a1'])),
    ]
    const groups: string[][] = []
    for (let count = 0; count < 3; count += 1) {
      const group = await control.nextGroup()
      groups.push(bodiesIn(group))
      await group.write()
    }
    expect(groups).toEqual([['b0'], [large], ['a1']])
    expect(await Promise.all(all)).toEqual([durable, durable, durable])
  })
})

describe('log/outcome', () => {
  it('log/outcome: each append gets its own; a refused one fails no other', async () => {
    const writer = writerOf()
    const all = [writer.append(appendOf(first, 7, ['x'])), writer.append(appendOf(second, 0, ['b0']))]
    await (await control.nextGroup()).write()
    expect(await Promise.all(all)).toEqual([{ kind: 'refused', why: 'position' }, durable])
  })

  it.each<AppendOutcome>([
    { kind: 'unknown', cause: 'disk' },
    { kind: 'unavailable', cause: 'disk' },
  ])('log/outcome: $kind for the group is $kind for each, and the writer goes on', async (outcome) => {
    const writer = writerOf()
    const all = [writer.append(appendOf(first, 0, ['a0'])), writer.append(appendOf(second, 0, ['b0']))]
    const group = await control.nextGroup()
    group.answer(outcome)
    expect(await Promise.all(all)).toEqual([outcome, outcome])
    const later = writer.append(appendOf(third, 0, ['c0']))
    await (await control.nextGroup()).write()
    expect(await later).toEqual(durable)
  })

  it('log/outcome: a store that throws has left the fate of the group open', async () => {
    const broken = { ...control.store, appendGroup: () => Promise.reject(new Error('bug')) }
    const outcome = await createGroupWriter(broken, { deadline: never }).append(appendOf(first, 0, ['a0']))
    expect(outcome).toMatchObject({ kind: 'unknown', cause: { message: 'bug' } })
  })

  it('log/outcome: is answered only after the store gave it', async () => {
    const writer = writerOf()
    let answered = false
    const append = writer.append(appendOf(first, 0, ['a0'])).then(() => {
      answered = true
    })
    const group = await control.nextGroup()
    await new Promise((resolve) => setImmediate(resolve))
    expect(answered).toBe(false)
    await group.write()
    await append
    expect(answered).toBe(true)
  })
})

describe('log/abort', () => {
  it('log/abort: what still waits is not written; what was handed to the store is', async () => {
    const writer = writerOf()
    const abort = new AbortController()
    const options = { signal: abort.signal }
    const handed = writer.append(appendOf(first, 0, ['a0']), options)
    const group = await control.nextGroup()
    const waits = writer.append(appendOf(second, 0, ['b0']), options)
    abort.abort(new Error('enough'))
    await group.write()
    expect(await handed).toEqual(durable)
    expect(await waits).toMatchObject({ kind: 'unavailable', cause: { code: 'unavailable' } })
    expect(await control.store.read(session('b'), wholeLog)).toEqual([])
    const later = writer.append(appendOf(second, 0, ['b0']))
    await (await control.nextGroup()).write()
    expect(await later).toEqual(durable)
  })

  it('log/deadline: each group has its own, handed to the store and ended with it', async () => {
    const deadlines: { abort: AbortController; disposed: boolean }[] = []
    const deadline = () => {
      const entry = { abort: new AbortController(), disposed: false }
      deadlines.push(entry)
      return {
        signal: entry.abort.signal,
        dispose: () => {
          entry.disposed = true
        },
      }
    }
    const writer = writerOf({ deadline })
    const append = writer.append(appendOf(first, 0, ['a0']))
    const group = await control.nextGroup()
    expect(group.signal).toBe(deadlines[0]?.abort.signal)
    expect(deadlines[0]?.disposed).toBe(false)
    group.answer({ kind: 'unknown', cause: 'late' })
    expect(await append).toEqual({ kind: 'unknown', cause: 'late' })
    expect(deadlines).toMatchObject([{ disposed: true }])
  })

  it('log/bound: what waits is bounded; past it an append is unavailable and nothing else suffers', async () => {
    const writer = writerOf({ maxWaitingBytes: 1000 })
    const all = [writer.append(appendOf(first, 0, ['a0']))]
    const group = await control.nextGroup()
    all.push(writer.append(appendOf(second, 0, ['x'.repeat(900)])))
    expect(await writer.append(appendOf(third, 0, ['x'.repeat(900)]))).toMatchObject({ kind: 'unavailable' })
    await group.write()
    await (await control.nextGroup()).write()
    expect(await Promise.all(all)).toEqual([durable, durable])
    // What was written or refused takes no room.
    const again = [writer.append(appendOf(first, 1, ['a1']))]
    const next = await control.nextGroup()
    again.push(writer.append(appendOf(second, 1, ['b1'])), writer.append(appendOf(third, 0, ['x'.repeat(900)])))
    await next.write()
    await (await control.nextGroup()).write()
    expect(await Promise.all(again)).toEqual([durable, durable, durable])
  })

  it('log/close: waits for what was accepted and refuses what comes', async () => {
    const writer = writerOf()
    const all = [writer.append(appendOf(first, 0, ['a0'])), writer.append(appendOf(first, 1, ['a1']))]
    const closing = writer.close().then(() => 'closed')
    expect(await writer.append(appendOf(second, 0, ['b0']))).toMatchObject({ kind: 'unavailable' })
    await (await control.nextGroup()).write()
    await (await control.nextGroup()).write()
    expect(await Promise.all([closing, ...all])).toEqual(['closed', durable, durable])
    await writer.close()
  })
})

it('log/crash: the points are passed around the write of every group, before its outcomes are told', async () => {
  const passed: string[] = []
  const faults = { passed: (point: FaultPoint) => void passed.push(point) }
  const writer = writerOf({ faults })
  const append = writer.append(appendOf(first, 0, ['a0'])).then(() => passed.push('answered'))
  const group = await control.nextGroup()
  expect(passed).toEqual(['before-write'])
  await group.write()
  await append
  const refused = writer.append(appendOf(first, 9, ['x']))
  await (await control.nextGroup()).write()
  await refused
  expect(passed).toEqual(['before-write', 'after-write', 'answered', 'before-write', 'after-write'])
})
