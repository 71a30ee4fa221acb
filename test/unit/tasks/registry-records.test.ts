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
    await start(new Producer({ unowned: true }))
    await start(new Producer({ owner: bob }))
    await start(new Producer())
    await registry.disposeOwner(alice)
    expect(registry.list(bob).map(({ status }) => status)).toEqual(['running', 'running'])
  })
})
