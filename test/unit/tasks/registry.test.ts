import { describe, expect, it, vi } from 'vitest'
import { createMemoryTaskRecords, type TaskRecords } from '../../../host/tasks/task-records.ts'
import { taskIdSchema } from '../../../shared/ids.ts'
import { alice, bob, Producer, registryBench } from './registry-bench.ts'
import { settled } from './still-clock.ts'

const never = new AbortController().signal

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
    await start(new Producer({ unowned: true }))
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
    const records = {
      ...memory,
      put: (task: Parameters<TaskRecords['put']>[0]) => (task.end ? gate : Promise.resolve()),
    }
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

  it('complete-output: with the end, half a character that was waited for is handed out as broken', async () => {
    const { registry, start } = registryBench()
    const producer = new Producer()
    const id = await start(producer)
    await producer.handle?.write(Buffer.from('界').subarray(0, 2))
    expect((await registry.read(id, 100)).text).toBe('')
    producer.end({ status: 'completed' })
    await settled()
    expect((await registry.read(id, 100)).text).toBe('\uFFFD')
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

describe('views', () => {
  it('own-and-unowned: a list has the owner’s tasks and the unowned ones, in order of registration', async () => {
    const { registry, start } = registryBench()
    await start(new Producer())
    await start(new Producer({ kind: 'sync', unowned: true }))
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
