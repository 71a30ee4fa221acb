/* A registry without processes: producers end when a test says so, records are in memory, time stands still. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger, type Logger } from '../../../host/logger.ts'
import type { TaskEnd, TaskHandle, TaskRecord, TaskRegistry, TaskSpec } from '../../../host/tasks/port.ts'
import { createTaskRegistry, type RegistryDeps } from '../../../host/tasks/registry.ts'
import { createMemoryTaskRecords, type StoredTask, type TaskRecords } from '../../../host/tasks/task-records.ts'
import { sessionIdSchema, type SessionId, type TaskId } from '../../../shared/ids.ts'
import { StillClock } from './still-clock.ts'

export const alice = sessionIdSchema.parse('s-alice')
export const bob = sessionIdSchema.parse('s-bob')

interface ProducerOptions extends Partial<TaskSpec> {
  /** Comes up when it is told to. */
  slow?: boolean
  /** Does not end by itself when it is asked to stop. */
  stubborn?: boolean
  unowned?: boolean
}

/** A producer in the hands of a test. It settles by itself only when it is asked to stop. */
export class Producer {
  readonly spec: TaskSpec
  handle: TaskHandle | null = null
  end: (end: TaskEnd) => void = () => {}
  fail: (cause: Error) => void = () => {}
  /** Lets `run` resolve; only for producers that start slowly. */
  ready: () => void = () => {}

  constructor(options: ProducerOptions = {}) {
    const { slow = false, stubborn = false, unowned = false, ...spec } = options
    const done = new Promise<TaskEnd>((resolve, reject) => {
      this.end = resolve
      this.fail = reject
    })
    const ready = new Promise<void>((resolve) => {
      this.ready = resolve
    })
    this.spec = {
      kind: 'bash',
      label: 'npm run build',
      ...(!unowned && { owner: alice }),
      ...spec,
      run: async (handle) => {
        this.handle = handle
        if (!stubborn) handle.signal.addEventListener('abort', () => this.end({ status: 'killed' }))
        if (slow) await ready
        return { done }
      },
    }
  }
}

export interface Bench {
  registry: TaskRegistry
  clock: StillClock
  records: TaskRecords
  /** What the feeds have said, in order. */
  said: string[]
  errors: string[]
  /** Starts a producer; throws where that is refused. */
  start(producer: Producer): Promise<TaskId>
  record(id: TaskId, owner?: SessionId): TaskRecord
}

export function registryBench(deps: Partial<RegistryDeps> = {}): Bench {
  const clock = new StillClock()
  const records = deps.records ?? createMemoryTaskRecords()
  const errors: string[] = []
  const logger: Logger = { ...silentLogger, error: (_, message) => errors.push(message) }
  let minted = 0
  const registry = createTaskRegistry({
    clock,
    logger,
    records,
    observe: (machine) => machine,
    spillFolder: join(tmpdir(), 'no-such-folder-of-a-registry-bench'),
    random: () => `r${(minted += 1)}`,
    ...deps,
  })
  const said: string[] = []
  registry.onTasksChanged((owner) => {
    const statuses = registry.list(owner ?? alice).map(({ id, status }) => `${id} ${status}`)
    said.push(`changed ${owner ?? 'everybody'}: ${statuses.join(', ')}`)
  })
  registry.onTaskDone(({ id, view }) => said.push(`done ${id} ${view.status}`))
  return {
    registry,
    clock,
    records,
    said,
    errors,
    async start(producer) {
      const outcome = await registry.start(producer.spec)
      if (!outcome.started) throw new Error(outcome.reason)
      return outcome.id
    },
    record(id, owner = alice) {
      const record = registry.find(owner, id)
      if (record === null) throw new Error(`there is no ${id}`)
      return record
    },
  }
}

export function storedTask(more: Partial<StoredTask> & { id: TaskId }): StoredTask {
  return { kind: 'bash', label: 'npm run build', owner: alice, startedAt: 5_000, ...more }
}
