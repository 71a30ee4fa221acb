import { describe, expect, it, vi } from 'vitest'
import type { TaskSpec } from '../../../host/tasks/port.ts'
import { createMemoryTaskRecords, type TaskRecords } from '../../../host/tasks/task-records.ts'
import { taskIdSchema } from '../../../shared/ids.ts'
import { alice, bob, Producer, registryBench, storedTask } from './registry-bench.ts'
import { settled } from './still-clock.ts'

const never = new AbortController().signal
const idle = Promise.resolve()

describe('the feed of changes', () => {
  it('four-commits: registration, stopping, settlement and owner disposal fire it, each after its commit', async () => {
    const { registry, said, start } = registryBench()
    const producer = new Producer({ stubborn: true })
    const id = await start(producer)
    registry.kill(id, 'model')
    producer.end({ status: 'completed' })
    await settled()
    await registry.disposeOwner(alice)
    expect(said).toEqual([
      'changed s-alice: bash-r1 running',
      'changed s-alice: bash-r1 stopping',
      'changed s-alice: bash-r1 killed',
      'done bash-r1 killed',
      'changed s-alice: ',
    ])
  })

  it('four-commits: an unowned task changes the view of everybody', async () => {
    const { registry, start } = registryBench()
    const owners: unknown[] = []
    registry.onTasksChanged((owner) => owners.push(owner))
    const { owner: _, ...unowned } = new Producer().spec
    await start(Object.assign(new Producer(), { spec: unowned }))
    expect(owners).toEqual([undefined])
    expect(registry.list(bob)).toHaveLength(1)
  })

  it('four-commits: removal of an owner without tasks says nothing', async () => {
    const { registry, said } = registryBench()
    await registry.disposeOwner(alice)
    expect(said).toEqual([])
  })

  it('settlement-order: record on disk, waiters, changed, done', async () => {
    const order: string[] = []
    const memory = createMemoryTaskRecords()
    const records: TaskRecords = {
      ...memory,
      put: async (task) => {
        if (task.end !== undefined) order.push('record')
        await memory.put(task)
      },
    }
    const { registry, start } = registryBench({ records })
    const producer = new Producer()
    const id = await start(producer)
    registry.onTasksChanged(() => order.push('changed'))
    registry.onTaskDone(() => {
      order.push('done')
      // Waiters were released before, but they go on only once this turn is over.
      void settled().then(() => order.push('turn over'))
    })
    void registry.wait(id, 60_000, never).then(() => order.push('waiter'))
    producer.end({ status: 'completed' })
    await settled()
    await settled()
    expect(order).toEqual(['record', 'changed', 'done', 'waiter', 'turn over'])
  })

  it('contained-listeners: one that throws is logged and disturbs neither the task nor the others', async () => {
    const { registry, start, said, errors } = registryBench()
    registry.onTasksChanged(() => {
      throw new Error('a listener')
    })
    registry.onTaskDone(() => {
      throw new Error('a listener')
    })
    const heard: string[] = []
    registry.onTaskDone(({ id }) => heard.push(id))
    const producer = new Producer()
    const id = await start(producer)
    producer.end({ status: 'completed' })
    await settled()
    expect(heard).toEqual([id])
    expect(said).toHaveLength(3)
    expect(errors).toHaveLength(3)
  })

  it('disposed-listeners: a disposed listener hears nothing more, disposing twice does no harm', async () => {
    const { registry, start } = registryBench()
    const listener = vi.fn()
    const again = registry.onTasksChanged(listener)
    const dispose = registry.onTasksChanged(listener)
    dispose()
    dispose()
    await start(new Producer())
    expect(listener).toHaveBeenCalledTimes(1)
    again()
    await start(new Producer())
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('silent-close: closing ends every task and announces nothing', async () => {
    const { registry, start, said } = registryBench()
    await start(new Producer())
    await start(new Producer({ owner: bob }))
    const before = [...said]
    await registry.close()
    expect(said).toEqual(before)
    expect(registry.list(alice).map(({ status }) => status)).toEqual(['killed'])
  })
})

describe('settlement', () => {
  it('first-wins: whatever comes after the first end changes nothing', async () => {
    const { registry, start, said, record } = registryBench()
    const producer = new Producer()
    const id = await start(producer)
    producer.end({ status: 'failed', detail: 'exit code 1' })
    producer.end({ status: 'completed' })
    await settled()
    expect(registry.kill(id, 'person')).toBe(false)
    expect(record(id).view).toMatchObject({ status: 'failed', detail: 'exit code 1' })
    expect(said.filter((line) => line.startsWith('done'))).toEqual(['done bash-r1 failed'])
  })

  it('first-wins: a producer that breaks has failed, without its cause on the wire', async () => {
    const { start, record, errors } = registryBench()
    const producer = new Producer()
    const id = await start(producer)
    producer.fail(new Error('secret'))
    await settled()
    expect(record(id).view).toMatchObject({ status: 'failed', detail: 'the task failed inside the host' })
    expect(errors).toEqual(['a task producer failed'])
  })

  it('killed-when-done: stopping lasts until the producer is done, whatever it says then', async () => {
    const { registry, start, record } = registryBench()
    const producer = new Producer({ stubborn: true })
    const id = await start(producer)
    expect(registry.kill(id, 'model')).toBe(true)
    expect(registry.kill(id, 'person')).toBe(false)
    expect(producer.handle?.signal.aborted).toBe(true)
    expect(record(id).view.status).toBe('stopping')
    producer.end({ status: 'failed', detail: 'exit code 143' })
    await settled()
    expect(record(id)).toMatchObject({ stoppedBy: 'model', modelTold: false })
    expect(record(id).view.status).toBe('killed')
  })

  it('killed-when-done: a kill after the producer is done finds nothing to stop', async () => {
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    const memory = createMemoryTaskRecords()
    const records = { ...memory, put: (task: Parameters<TaskRecords['put']>[0]) => (task.end ? gate : idle) }
    const { registry, start, record } = registryBench({ records })
    const producer = new Producer()
    const id = await start(producer)
    producer.end({ status: 'completed' })
    await settled()
    expect(record(id).view).toEqual(expect.not.objectContaining({ finishedAt: expect.anything() }))
    expect(registry.kill(id, 'model')).toBe(false)
    open()
    await settled()
    expect(record(id).view.status).toBe('completed')
  })

  it('not-running: a store that hangs holds up the news of an end for a second and no longer', async () => {
    const memory = createMemoryTaskRecords()
    const records: TaskRecords = { ...memory, put: (task) => (task.end ? new Promise(() => {}) : memory.put(task)) }
    const { start, record, clock } = registryBench({ records })
    const producer = new Producer()
    const id = await start(producer)
    producer.end({ status: 'completed' })
    await settled()
    expect(record(id).view.status).toBe('running')
    await clock.advance(1_000)
    expect(record(id).view.status).toBe('completed')
  })

  it('times: a task starts when it was asked for and finishes when its producer is done', async () => {
    const { start, record, clock } = registryBench()
    const producer = new Producer()
    const id = await start(producer)
    await clock.advance(4_200)
    producer.end({ status: 'completed' })
    await settled()
    expect(record(id).view).toMatchObject({ startedAt: 1_000_000, finishedAt: 1_004_200 })
  })
})

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
    expect(await registry.start(new Producer().spec)).toEqual({ started: false, reason: 'closed' })
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
    expect(await registry.start(new Producer().spec)).toEqual({ started: false, reason: 'closed' })
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
    expect([...view.label]).toHaveLength(500)
  })
})

describe('views', () => {
  it('own-and-unowned: a list has the owner’s tasks and the unowned ones, in order of registration', async () => {
    const { registry, start } = registryBench()
    const { owner: _, ...unowned } = new Producer({ kind: 'sync' }).spec
    await start(new Producer())
    await start(Object.assign(new Producer(), { spec: unowned }))
    await start(new Producer({ owner: bob }))
    await start(new Producer())
    expect(registry.list(alice).map(({ id }) => id)).toEqual(['bash-r1', 'sync-r2', 'bash-r4'])
    expect(registry.list(bob).map(({ id }) => id)).toEqual(['sync-r2', 'bash-r3'])
  })

  it('own-and-unowned: nobody finds the task of another owner', async () => {
    const { registry, start } = registryBench()
    const id = await start(new Producer())
    expect(registry.find(bob, id)).toBeNull()
    expect(registry.find(alice, id)?.id).toBe(id)
  })

  it('browser-safe: a view has the seven fields of the note and nothing of the host', async () => {
    const { start, record } = registryBench()
    const producer = new Producer({ outputLimitBytes: 10 })
    const id = await start(producer)
    expect(Object.keys(record(id).view).toSorted()).toEqual(['id', 'kind', 'label', 'startedAt', 'status'])
    producer.end({ status: 'failed', detail: 'exit code 1' })
    await settled()
    const ended = Object.keys(record(id).view).toSorted()
    expect(ended).toEqual(['detail', 'finishedAt', 'id', 'kind', 'label', 'startedAt', 'status'])
  })
})

describe('waiting', () => {
  it('wait: resolves at the end, after the time, or at once for who no longer waits', async () => {
    const { registry, start, clock } = registryBench()
    const producer = new Producer()
    const id = await start(producer)
    const seen: (string | undefined)[] = []
    const note = (name: string) => (record: Awaited<ReturnType<typeof registry.wait>>) =>
      seen.push(`${name} ${record?.view.status}`)
    const impatient = new AbortController()
    void registry.wait(id, 1_000, never).then(note('short'))
    void registry.wait(id, 9_000, never).then(note('long'))
    void registry.wait(id, 9_000, impatient.signal).then(note('aborted'))
    void registry.wait(id, Number.MAX_SAFE_INTEGER, never).then(note('endless'))
    impatient.abort()
    await settled()
    await clock.advance(1_000)
    producer.end({ status: 'completed' })
    await settled()
    expect(seen).toEqual(['aborted running', 'short running', 'long completed', 'endless completed'])
    expect(clock.sleeping).toBe(0)
  })

  it('wait: an unknown task is no task', async () => {
    const { registry } = registryBench()
    expect(await registry.wait(taskIdSchema.parse('bash-none'), 1_000, never)).toBeNull()
  })
})

describe('what the next host learns', () => {
  it('not-lost: an end stays on record until the model was told', async () => {
    const { registry, start, records } = registryBench()
    const producer = new Producer()
    const id = await start(producer)
    producer.end({ status: 'failed', detail: 'exit code 2' })
    await settled()
    expect(await records.all()).toMatchObject([{ id, end: { status: 'failed', detail: 'exit code 2' } }])
    expect(registry.untold(alice).map((record) => record.id)).toEqual([id])
    registry.told(id)
    await settled()
    expect(await records.all()).toEqual([])
    expect(registry.untold(alice)).toEqual([])
  })

  it('not-lost: nothing is kept of a task whose model asked for its end, nor of one without a model', async () => {
    const { registry, start, records } = registryBench()
    const id = await start(new Producer())
    registry.kill(id, 'model')
    registry.told(id)
    const { owner: _, ...unowned } = new Producer().spec
    const nobodys = Object.assign(new Producer(), { spec: unowned })
    await start(nobodys)
    await settled()
    expect((await records.all()).map((record) => record.id)).toEqual(['bash-r2'])
    await registry.close()
    expect((await records.all()).map((record) => record.id)).toEqual(['bash-r2'])
  })

  it('not-lost: closing leaves the record of a task it cut off as that of a running one', async () => {
    const { registry, start, records } = registryBench()
    const id = await start(new Producer())
    await registry.close()
    const [left] = await records.all()
    expect(left).toMatchObject({ id })
    expect(left).not.toHaveProperty('end')
  })

  it('not-lost: removing the owner removes its records', async () => {
    const { registry, start, records } = registryBench()
    await start(new Producer())
    const ended = new Producer()
    await start(ended)
    ended.end({ status: 'completed' })
    await settled()
    await start(new Producer({ owner: bob }))
    await registry.disposeOwner(alice)
    expect((await records.all()).map(({ owner }) => owner)).toEqual([bob])
  })

  it('restored: what was cut off is listed as failed, what had ended as it ended, by start', async () => {
    const records = createMemoryTaskRecords()
    const restored = [
      storedTask({ id: taskIdSchema.parse('bash-b'), startedAt: 6_000 }),
      storedTask({
        id: taskIdSchema.parse('bash-a'),
        end: { status: 'failed', detail: 'exit code 2', finishedAt: 5_500 },
      }),
    ]
    const { registry, said } = registryBench({ records, restored })
    await settled()
    expect(registry.list(alice)).toEqual([
      {
        id: 'bash-a',
        kind: 'bash',
        label: 'npm run build',
        status: 'failed',
        detail: 'exit code 2',
        startedAt: 5_000,
        finishedAt: 5_500,
      },
      {
        id: 'bash-b',
        kind: 'bash',
        label: 'npm run build',
        status: 'failed',
        detail: 'the host stopped',
        startedAt: 6_000,
        finishedAt: 1_000_000,
      },
    ])
    expect(registry.untold(alice)).toHaveLength(2)
    expect(registry.liveCount(alice)).toBe(0)
    expect(said).toEqual([])
    // The host after this one tells the same story.
    expect(await records.all()).toContainEqual(
      expect.objectContaining({ end: { status: 'failed', detail: 'the host stopped', finishedAt: 1_000_000 } }),
    )
  })

  it('restored: an id that the host before used is not given again', async () => {
    const texts = ['a', 'b']
    const restored = [storedTask({ id: taskIdSchema.parse('bash-a') })]
    const { start } = registryBench({ restored, random: () => texts.shift() ?? 'c' })
    expect(await start(new Producer())).toBe('bash-b')
  })
})

describe('owner disposal', () => {
  it('disposal: what else lives with the owner ends with its tasks', async () => {
    const disposeWithOwner = vi.fn(async () => {})
    const { registry, start } = registryBench({ disposeWithOwner })
    await start(new Producer())
    await registry.disposeOwner(alice)
    expect(disposeWithOwner.mock.calls).toEqual([[alice]])
    expect(registry.list(alice)).toEqual([])
  })

  it('disposal: the tasks of others and the unowned ones stay', async () => {
    const { registry, start } = registryBench()
    const { owner: _, ...unowned } = new Producer().spec
    await start(Object.assign(new Producer(), { spec: unowned }))
    await start(new Producer({ owner: bob }))
    await start(new Producer())
    await registry.disposeOwner(alice)
    expect(registry.list(bob).map(({ status }) => status)).toEqual(['running', 'running'])
  })
})
