import { describe, expect, it, vi } from 'vitest'
import type { TaskSpec } from '../../../host/tasks/port.ts'
import { createMemoryTaskRecords } from '../../../host/tasks/task-records.ts'
import { taskIdSchema } from '../../../shared/ids.ts'
import { alice, bob, Producer, registryBench } from './registry-bench.ts'
import { settled } from './still-clock.ts'

describe('starting', () => {
  it('failed-start: leaves no row, no record, no slot and no word', async () => {
    const { registry, records, said } = registryBench()
    const run: TaskSpec['run'] = async ({ write }) => {
      await write(Buffer.from('said before the end'))
      throw new Error('no such program')
    }
    for (let attempt = 0; attempt < 12; attempt += 1)
      await expect(registry.start({ kind: 'bash', label: 'x', owner: alice, run })).rejects.toThrow('no such program')
    expect(registry.list(alice)).toEqual([])
    expect(registry.liveCount(alice)).toBe(0)
    expect(await records.all()).toEqual([])
    expect(said).toEqual([])
  })

  it('failed-start: a kind that makes no id is refused before anything runs', async () => {
    const { registry } = registryBench()
    const run = vi.fn()
    await expect(registry.start({ kind: 'two words', label: 'x', owner: alice, run })).rejects.toThrow('an id is')
    expect(run).not.toHaveBeenCalled()
    expect(registry.liveCount(alice)).toBe(0)
  })

  it('failed-start: without its record on disk a task does not run', async () => {
    const records = { ...createMemoryTaskRecords(), put: () => Promise.reject(new Error('disk')) }
    const { registry, said } = registryBench({ records })
    const producer = new Producer()
    await expect(registry.start(producer.spec)).rejects.toThrow('disk')
    expect(producer.handle?.signal.aborted).toBe(true)
    expect(registry.list(alice)).toEqual([])
    expect(said).toEqual([])
  })

  it('recorded-before-reported: the record stands when the start is reported, with its process', async () => {
    const { records, registry } = registryBench()
    const leader = { pid: 4_242, startTime: 'boot/77' }
    const producer = new Producer()
    const { run } = producer.spec
    const spec: TaskSpec = { ...producer.spec, run: (handle) => (handle.started(leader), run(handle)) }
    await registry.start(spec)
    expect(await records.all()).toEqual([
      { id: 'bash-r1', owner: alice, kind: 'bash', label: 'npm run build', startedAt: 1_000_000, process: leader },
    ])
  })

  it('ten-live: slots are taken before anything is awaited, and given back at the end', async () => {
    const { registry } = registryBench()
    const producers = Array.from({ length: 12 }, () => new Producer({ slow: true }))
    const starts = producers.map(({ spec }) => registry.start(spec))
    for (const { ready } of producers) ready()
    const outcomes = await Promise.all(starts)
    expect(outcomes.map(({ started }) => started)).toEqual([...Array(10).fill(true), false, false])
    expect(outcomes.at(-1)).toEqual({ started: false, reason: 'too-many-tasks' })
    expect((await registry.start(new Producer({ owner: bob }).spec)).started).toBe(true)
    producers[3]?.end({ status: 'completed' })
    await settled()
    expect((await registry.start(new Producer().spec)).started).toBe(true)
    expect((await registry.start(new Producer().spec)).started).toBe(false)
  })

  it('ids: the kind and a random text, and a random text that repeats is not used twice', async () => {
    const texts = ['aa', 'aa', 'bb']
    const { start } = registryBench({ random: () => texts.shift() ?? 'cc' })
    const ids = [await start(new Producer({ kind: 'pty-send' })), await start(new Producer({ kind: 'pty-send' }))]
    expect(ids).toEqual(['pty-send-aa', 'pty-send-bb'])
  })

  it('kill-during-start: the task comes up stopping and settles as killed', async () => {
    const { registry, said } = registryBench()
    const producer = new Producer({ slow: true })
    const starting = registry.start(producer.spec)
    await settled()
    expect(registry.kill(taskIdSchema.parse('bash-r1'), 'person')).toBe(true)
    expect(said).toEqual([])
    producer.ready()
    expect(await starting).toEqual({ started: true, id: 'bash-r1' })
    await settled()
    expect(said).toEqual([
      'changed s-alice: bash-r1 stopping',
      'changed s-alice: bash-r1 killed',
      'done bash-r1 killed',
    ])
  })

  it('kill-during-start: removing the owner waits for a start, ends it and lists nothing', async () => {
    const { registry, records, said } = registryBench()
    const producer = new Producer({ slow: true })
    const starting = registry.start(producer.spec)
    await settled()
    const disposed = registry.disposeOwner(alice)
    const late = new Producer()
    expect(await registry.start(late.spec)).toEqual({ started: false, reason: 'closed' })
    expect(late.handle).toBeNull()
    producer.ready()
    expect(await starting).toEqual({ started: false, reason: 'closed' })
    await disposed
    expect(producer.handle?.signal.aborted).toBe(true)
    expect([registry.list(alice), await records.all(), said]).toEqual([[], [], []])
  })

  it('kill-during-start: closing waits for a start and ends it', async () => {
    const { registry } = registryBench()
    const producer = new Producer({ slow: true, stubborn: true })
    const starting = registry.start(producer.spec)
    await settled()
    let closed = false
    const closing = registry.close().then(() => (closed = true))
    producer.ready()
    await settled()
    expect(closed).toBe(false)
    producer.end({ status: 'completed' })
    await closing
    expect(await starting).toEqual({ started: false, reason: 'closed' })
    const late = new Producer()
    expect(await registry.start(late.spec)).toEqual({ started: false, reason: 'closed' })
    expect(late.handle).toBeNull()
  })

  it('one-line: label and detail are one line, cut by code points, never through a character', async () => {
    const { start, record } = registryBench()
    const label = `first\n\tsecond\u0000${'🧪'.repeat(5_000)}`
    const producer = new Producer({ label })
    const id = await start(producer)
    producer.end({ status: 'failed', detail: `${'界'.repeat(300)}\n` })
    await settled()
    const { view } = record(id)
    expect(view.label).toBe(`first second ${'🧪'.repeat(486)}…`)
    expect(view.detail).toBe(`${'界'.repeat(199)}…`)
    expect(Array.from(view.label)).toHaveLength(500)
  })
})
