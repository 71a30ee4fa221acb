/* Background tasks on the wire (SPEC 7, 8): the real registry, carrier and hub over a fanout that keeps what it is given.
   Producers end when a test says so. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../host/clock.ts'
import { silentLogger } from '../../host/logger.ts'
import { noFaultPoints } from '../../host/log/fault-points.ts'
import { SubscriptionHub } from '../../host/session/hub.ts'
import { carryTasks, completionNotice } from '../../host/session/task-carrier.ts'
import type { TaskEnd, TaskRecord } from '../../host/tasks/port.ts'
import { createTaskRegistry, maxSettledTasks } from '../../host/tasks/registry.ts'
import { createMemoryTaskRecords } from '../../host/tasks/task-records.ts'
import type { SessionId, TaskId } from '../../shared/ids.ts'
import { sessionFrameSchema } from '../../shared/protocol/frames.ts'
import { owner, stranger } from './tasks-bench.ts'

interface Sent {
  topic: string
  text: string
}

function openCarrier() {
  const sent: Sent[] = []
  const hub = new SubscriptionHub({
    fanout: { publish: (topic, text) => void sent.push({ topic, text }), subscribers: () => 1 },
    bootId: 'boot',
    faults: noFaultPoints,
    clock: systemClock,
  })
  let minted = 0
  const registry = createTaskRegistry({
    clock: systemClock,
    logger: silentLogger,
    records: createMemoryTaskRecords(),
    observe: (machine) => machine,
    spillFolder: join(tmpdir(), 'no-such-folder-of-a-carrier'),
    random: () => String((minted += 1)).padStart(10, '0'),
  })
  const read = vi.spyOn(registry, 'read')
  const notified: { owner: SessionId; record: TaskRecord }[] = []
  const dispose = carryTasks(registry, hub, (who, record) => notified.push({ owner: who, record }))
  return {
    registry,
    hub,
    sent,
    read,
    notified,
    dispose,
    frames: () => sent.map(({ text }) => tasksFrame(text)),
    /** Starts a task of `owner`; `null`: of nobody. */
    async start(who: SessionId | null = owner, label = 'npm run build') {
      let end = (_: TaskEnd): void => {}
      const done = new Promise<TaskEnd>((resolve) => (end = resolve))
      const outcome = await registry.start({
        kind: 'bash',
        label,
        ...(who !== null && { owner: who }),
        run: async ({ signal, write }) => {
          await write(Buffer.from('something said'))
          signal.addEventListener('abort', () => end({ status: 'killed' }))
          return { done }
        },
      })
      if (!outcome.started) throw new Error(outcome.reason)
      const { id } = outcome
      const settle = async (result: TaskEnd = { status: 'completed' }) => {
        end(result)
        await registry.wait(id, 10_000, new AbortController().signal)
      }
      return { id, settle }
    },
  }
}

function tasksFrame(text: string) {
  const frame = sessionFrameSchema.parse(JSON.parse(text))
  if (frame.type !== 'session/tasks') throw new Error(`a frame of type ${frame.type}`)
  return frame
}

const statuses = (text: string) => tasksFrame(text).tasks.map(({ status }) => status)

describe('who is sent what', () => {
  it('snapshot-per-change: start, stopping and settlement each send the whole list to the owner, and [] once', async () => {
    const { registry, sent, start } = openCarrier()
    const first = await start()
    const second = await start()
    registry.kill(second.id, 'model')
    await second.settle()
    await first.settle({ status: 'failed', detail: 'exit code 1' })
    await registry.disposeOwner(owner)
    await registry.disposeOwner(owner)
    expect(sent.map(({ text }) => statuses(text).join())).toEqual([
      'running',
      'running,running',
      'running,stopping',
      'running,killed',
      'failed,killed',
      '',
    ])
    expect(new Set(sent.map(({ topic }) => topic))).toEqual(new Set([`session:${owner}`]))
  })

  it('unowned-fan-out: the task of nobody is in the list of every session, and no other is', async () => {
    const { hub, sent, start } = openCarrier()
    for (const sessionId of [owner, stranger]) hub.position(sessionId)
    await start(owner, 'mine')
    const unowned = await start(null, 'of nobody')
    await unowned.settle()
    const labels = (topic: string) =>
      sent
        .filter((one) => one.topic === `session:${topic}`)
        .map(({ text }) => tasksFrame(text).tasks.map(({ label, status }) => `${label} ${status}`))
    expect(labels(stranger)).toEqual([['of nobody running'], ['of nobody completed']])
    expect(labels(owner)).toEqual([
      ['mine running'],
      ['mine running', 'of nobody running'],
      ['mine running', 'of nobody completed'],
    ])
  })

  it('one-cursor: nothing that goes on the wire is output, and the model still gets every byte', async () => {
    const { registry, sent, read, start } = openCarrier()
    const task = await start()
    await task.settle()
    expect(read).not.toHaveBeenCalled()
    expect(sent.map(({ text }) => text).join()).not.toContain('something said')
    expect((await registry.read(task.id, 100)).text).toBe('something said')
  })

  it('disposed: a carrier that was disposed sends and tells nothing more', async () => {
    const { sent, notified, dispose, start } = openCarrier()
    const task = await start()
    dispose()
    dispose()
    await task.settle()
    expect([sent.length, notified]).toEqual([1, []])
  })
})

describe('the notice of an end', () => {
  it('notice: once, to the owner, for whom nobody has told; for the task of nobody there is none', async () => {
    const { registry, notified, start } = openCarrier()
    const [ended, told, unowned] = [await start(), await start(), await start(null)]
    registry.told(told.id)
    for (const task of [ended, told, unowned]) await task.settle({ status: 'failed', detail: 'exit code 2' })
    expect(notified.map((one) => [one.owner, one.record.id])).toEqual([[owner, ended.id]])
  })

  it.each([
    ['completed', { status: 'completed' }, null, 'completed.'],
    ['failed', { status: 'failed', detail: 'exit code 2' }, null, 'failed (exit code 2).'],
    ['killed by the person', { status: 'killed' }, 'person', 'killed by the person.'],
    ['killed by the model', { status: 'killed' }, 'model', 'killed.'],
    ['killed by the host', { status: 'killed' }, 'host', 'killed.'],
  ] as const)('notice: it names id, kind, label and status: %s', async (_, end, by, said) => {
    const { registry, notified, start } = openCarrier()
    const task = await start()
    if (by !== null) registry.kill(task.id, by)
    await task.settle(end)
    const [{ record } = { record: null }] = notified
    if (record === null) throw new Error('there is no notice')
    expect(completionNotice(record)).toBe(
      `Background task ${task.id} (bash) "npm run build" ${said} task_output shows what it wrote.`,
    )
  })
})

describe('how much is sent', () => {
  /** Of everything in a frame that is not a row. */
  const envelopeBytes = 200
  /** Of a row of the longest label and detail, each character as long as JSON may make it. */
  const largestRowBytes = 500 * 4 + 200 * 4 + 200

  it('legal-labels: ten kilobytes of lines are one line of 500 code points in every frame', async () => {
    const { frames, start } = openCarrier()
    const task = await start(owner, 'echo "界\u0007"\r\n\t'.repeat(1_000))
    await task.settle({ status: 'failed', detail: `${'why\n'.repeat(1_000)}` })
    for (const { tasks } of frames()) {
      for (const { label, detail = '' } of tasks) {
        expect(Array.from(label).length).toBeLessThanOrEqual(500)
        expect(Array.from(detail).length).toBeLessThanOrEqual(200)
        // oxlint-disable-next-line no-control-regex
        expect(label + detail).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
      }
    }
  })

  it(
    'linear-bytes: of a thousand tasks each change sends one list once, as long as its rows; a longer list forgets its oldest',
    { timeout: 120_000 },
    async () => {
      const { registry, hub, sent, start } = openCarrier()
      hub.position(stranger)
      const ids: TaskId[] = []
      const rowBytes: number[] = []
      for (let count = 1; count <= maxSettledTasks + 20; count += 1) {
        const before = sent.length
        const task = await start()
        ids.push(task.id)
        await task.settle()
        registry.told(task.id)
        expect(sent.length - before).toBe(2)
        const listed = Math.min(count, maxSettledTasks + 1)
        for (const { topic, text } of sent.slice(before)) {
          expect(topic).toBe(`session:${owner}`)
          rowBytes.push((Buffer.byteLength(text) - envelopeBytes) / listed)
        }
        // Kept, a thousand lists would be a hundred megabytes.
        for (const one of sent.slice(before)) one.text = ''
      }
      const last = registry.list(owner)
      expect(last.map(({ id }) => id)).toEqual(ids.slice(-last.length))
      expect(last.length).toBeGreaterThanOrEqual(maxSettledTasks)
      expect(last.length).toBeLessThanOrEqual(maxSettledTasks + 1)
      // A row costs the same in the first list and in the last: neither grows with what happened before.
      expect(Math.max(...rowBytes)).toBeLessThan(200)
      // The longest list there can be stays far below what closes a socket (16 MiB), twice over.
      expect((maxSettledTasks + 11) * largestRowBytes).toBeLessThan(8 * 1024 * 1024)
    },
  )

  it('linear-bytes: what the model was not told of is never forgotten', async () => {
    const { registry, start, dispose } = openCarrier()
    dispose()
    const untold = await start()
    await untold.settle()
    for (let count = 0; count < maxSettledTasks + 5; count += 1) {
      const task = await start()
      registry.told(task.id)
      await task.settle()
    }
    expect(registry.list(owner)[0]?.id).toBe(untold.id)
    expect(registry.list(owner)).toHaveLength(maxSettledTasks)
    registry.told(untold.id)
    const next = await start()
    await next.settle()
    expect(registry.find(owner, untold.id)).toBeNull()
  })
})
