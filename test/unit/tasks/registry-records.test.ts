import { describe, expect, it, vi } from 'vitest'
import { createMemoryTaskRecords } from '../../../host/tasks/task-records.ts'
import { taskIdSchema } from '../../../shared/ids.ts'
import { alice, bob, Producer, registryBench, storedTask } from './registry-bench.ts'
import { settled } from './still-clock.ts'

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
    await start(new Producer({ unowned: true }))
    await settled()
    expect((await records.all()).map((record) => record.id)).toEqual(['bash-r2'])
    await registry.close()
    expect((await records.all()).map((record) => record.id)).toEqual(['bash-r2'])
  })

  it('not-lost: nothing is kept of the end of a task that has no model', async () => {
    const { start, records } = registryBench()
    const producer = new Producer({ unowned: true })
    await start(producer)
    expect(await records.all()).toHaveLength(1)
    producer.end({ status: 'completed' })
    await settled()
    expect(await records.all()).toEqual([])
  })

  it('not-lost: the record of a task that was killed says so, whatever its producer said', async () => {
    const { registry, start, records } = registryBench()
    const producer = new Producer({ stubborn: true })
    const id = await start(producer)
    registry.kill(id, 'person')
    producer.end({ status: 'completed' })
    await settled()
    expect(await records.all()).toMatchObject([{ id, end: { status: 'killed' } }])
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

it('one-id: a task that is still coming up has its id already', async () => {
  const texts = ['a', 'a', 'b']
  const { registry } = registryBench({ random: () => texts.shift() ?? 'c' })
  const [first, second] = [new Producer({ slow: true }), new Producer({ slow: true })]
  const starting = Promise.all([registry.start(first.spec), registry.start(second.spec)])
  first.ready()
  second.ready()
  expect((await starting).map((outcome) => (outcome.started ? outcome.id : outcome.reason))).toEqual([
    'bash-a',
    'bash-b',
  ])
})

describe('the end of an owner’s work', () => {
  it('owner-over: what runs is killed and stays listed, what had ended stays as it ended, and all of it is told', async () => {
    const endWithOwner = vi.fn(async () => {})
    const disposeWithOwner = vi.fn(async () => {})
    const { registry, start, records, said, record } = registryBench({ endWithOwner, disposeWithOwner })
    const ended = new Producer()
    await start(ended)
    ended.end({ status: 'failed', detail: 'exit code 2' })
    await settled()
    await start(new Producer())
    await start(new Producer({ owner: bob }))
    const done: boolean[] = []
    registry.onTaskDone(({ modelTold }) => done.push(modelTold))
    await registry.endOwner(alice)
    expect(registry.list(alice).map(({ status }) => status)).toEqual(['failed', 'killed'])
    expect(said.at(-2)).toBe('changed s-alice: bash-r1 failed, bash-r2 killed')
    expect(done).toEqual([true])
    expect(record(taskIdSchema.parse('bash-r2')).stoppedBy).toBe('host')
    expect(registry.untold(alice)).toEqual([])
    expect((await records.all()).map(({ owner }) => owner)).toEqual([bob])
    expect(registry.list(bob).map(({ status }) => status)).toEqual(['running'])
    expect([endWithOwner.mock.calls, disposeWithOwner.mock.calls]).toEqual([[[alice]], []])
  })

  it('owner-over: it ends only with its last task, and nothing starts any more', async () => {
    const { registry, start } = registryBench()
    const stubborn = new Producer({ stubborn: true })
    const slow = new Producer({ slow: true })
    await start(stubborn)
    const starting = registry.start(slow.spec)
    let over = false
    const ending = registry.endOwner(alice).then(() => (over = true))
    await settled()
    expect(await registry.start(new Producer().spec)).toEqual({ started: false, reason: 'closed' })
    slow.ready()
    expect(await starting).toEqual({ started: false, reason: 'closed' })
    expect(over).toBe(false)
    stubborn.end({ status: 'completed' })
    await ending
    expect(await registry.start(new Producer().spec)).toEqual({ started: false, reason: 'closed' })
    expect(await registry.start(new Producer({ owner: bob }).spec)).toMatchObject({ started: true })
    expect(registry.list(alice).map(({ status }) => status)).toEqual(['killed'])
  })

  it('not-lost: what a closing host cuts off is not given up by the end of its owner', async () => {
    const { registry, start, records } = registryBench()
    const stubborn = new Producer({ stubborn: true })
    const id = await start(stubborn)
    const closing = registry.close()
    const ending = registry.endOwner(alice)
    stubborn.end({ status: 'killed' })
    await Promise.all([closing, ending])
    expect(await records.all()).toMatchObject([{ id }])
  })
})

describe('owner disposal', () => {
  it('disposal: what else runs or lies there of the owner ends with its tasks', async () => {
    const endWithOwner = vi.fn(async () => {})
    const disposeWithOwner = vi.fn(async () => {})
    const { registry, start } = registryBench({ endWithOwner, disposeWithOwner })
    await start(new Producer())
    await registry.disposeOwner(alice)
    expect([endWithOwner.mock.calls, disposeWithOwner.mock.calls]).toEqual([[[alice]], [[alice]]])
    expect(registry.list(alice)).toEqual([])
  })

  it('disposal: the tasks of others and the unowned ones stay', async () => {
    const { registry, start } = registryBench()
    await start(new Producer({ unowned: true }))
    await start(new Producer({ owner: bob }))
    await start(new Producer())
    await registry.disposeOwner(alice)
    expect(registry.list(bob).map(({ status }) => status)).toEqual(['running', 'running'])
  })
})
