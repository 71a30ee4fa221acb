/* The task registry (SPEC 7): every background task is an actor that decides what may happen to it; this owns
   the order of registration, the output, the waiters and the two feeds. It knows no process: producers do.

   Settlement happens once, in this order: the record, the waiters, `onTasksChanged`, `onTaskDone`. Listeners
   are contained. Closing announces nothing. */
import { join } from 'node:path'
import { createActor } from 'xstate'
import { statusOf, taskMachine, type TaskActor, type TaskMachineEvent, type TaskStopper } from '../../machines/task.ts'
import type { SessionId, TaskId } from '../../shared/ids.ts'
import { taskDetailLength, taskLabelLength, type TaskView } from '../../shared/task.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import { oneLine } from './one-line.ts'
import type { TaskEnd, TaskHandle, TaskRecord, TaskRegistry, TaskSpec } from './port.ts'
import { TaskOutputBuffer } from './task-output.ts'
import type { StoredTask, TaskRecords } from './task-records.ts'

/** Live tasks an owner may have; more is a loop gone wild. */
export const maxLiveTasks = 10

export interface RegistryDeps {
  clock: Clock
  logger: Logger
  records: TaskRecords
  /** Private folder for output that does not fit in memory. */
  spillFolder: string
  mintTaskId: (kind: string) => TaskId
}

interface Task {
  id: TaskId
  owner: SessionId | undefined
  kind: string
  label: string
  startedAt: number
  finishedAt: number | undefined
  detail: string | undefined
  actor: TaskActor
  output: TaskOutputBuffer
  stop: AbortController
  /** Resolves at settlement. */
  settled: Promise<void>
  release: () => void
}

export function createTaskRegistry(deps: RegistryDeps): TaskRegistry {
  return new Registry(deps)
}

/** A task that a crash cut off: it settles as failed the moment it is listed. */
export function restoreLeftovers(registry: TaskRegistry, tasks: readonly StoredTask[]): void {
  if (registry instanceof Registry) for (const task of tasks) registry.restore(task)
}

class Registry implements TaskRegistry {
  readonly #deps: RegistryDeps
  readonly #taskById = new Map<TaskId, Task>()
  readonly #starting = new Map<SessionId | undefined, number>()
  readonly #changed = new Set<(owner: SessionId | undefined) => void>()
  readonly #done = new Set<(record: TaskRecord) => void>()
  #closed = false

  constructor(deps: RegistryDeps) {
    this.#deps = deps
  }

  async start(spec: TaskSpec): ReturnType<TaskRegistry['start']> {
    const { owner } = spec
    const starting = this.#starting.get(owner) ?? 0
    if (this.#closed || this.#liveOf(owner) + starting >= maxLiveTasks)
      return { started: false, reason: 'too-many-tasks' }
    // The slot is taken before the first await; a start that fails gives it back and leaves nothing else.
    this.#starting.set(owner, starting + 1)
    const task = this.#make(spec)
    try {
      const { done } = await spec.run(this.#handle(task))
      if (this.#closed) task.stop.abort('host')
      this.#taskById.set(task.id, task)
      this.#announce(owner)
      void this.#follow(task, done)
      return { started: true, id: task.id }
    } catch (error) {
      await task.output.dispose()
      await this.#deps.records.remove(task.id)
      throw error
    } finally {
      this.#starting.set(owner, (this.#starting.get(owner) ?? 1) - 1)
    }
  }

  liveCount(owner: SessionId): number {
    return this.#liveOf(owner)
  }

  list(owner: SessionId): TaskView[] {
    return [...this.#taskById.values()].filter((task) => task.owner === undefined || task.owner === owner).map(viewOf)
  }

  find(owner: SessionId, id: TaskId): TaskRecord | null {
    const task = this.#taskById.get(id)
    if (task === undefined || (task.owner !== undefined && task.owner !== owner)) return null
    return recordOf(task)
  }

  async read(id: TaskId, maxBytes: number): ReturnType<TaskRegistry['read']> {
    const task = this.#taskById.get(id)
    if (task === undefined) return { text: '', droppedBytes: 0, more: false }
    return task.output.read(maxBytes, task.finishedAt !== undefined)
  }

  kill(id: TaskId, by: TaskStopper): boolean {
    const task = this.#taskById.get(id)
    const event: TaskMachineEvent = { type: 'KILL', by }
    if (task === undefined || !task.actor.getSnapshot().can(event)) return false
    task.actor.send(event)
    this.#announce(task.owner)
    task.stop.abort(by)
    return true
  }

  told(id: TaskId): void {
    this.#taskById.get(id)?.actor.send({ type: 'TOLD' })
  }

  async wait(id: TaskId, ms: number, signal: AbortSignal): Promise<TaskRecord | null> {
    const task = this.#taskById.get(id)
    if (task === undefined) return null
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    await Promise.race([task.settled, this.#deps.clock.sleep(ms, either)])
    over.abort()
    return recordOf(task)
  }

  onTasksChanged(listener: (owner: SessionId | undefined) => void): () => void {
    this.#changed.add(listener)
    return () => void this.#changed.delete(listener)
  }

  onTaskDone(listener: (record: TaskRecord) => void): () => void {
    this.#done.add(listener)
    return () => void this.#done.delete(listener)
  }

  async disposeOwner(owner: SessionId): Promise<void> {
    const owned = [...this.#taskById.values()].filter((task) => task.owner === owner)
    for (const task of owned) this.kill(task.id, 'host')
    await Promise.all(owned.map(({ settled }) => settled))
    for (const task of owned) this.#taskById.delete(task.id)
    await Promise.all(owned.map(({ output }) => output.dispose()))
    if (owned.length > 0) this.#announce(owner)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#changed.clear()
    this.#done.clear()
    const tasks = [...this.#taskById.values()]
    for (const task of tasks) this.kill(task.id, 'host')
    await Promise.all(tasks.map(({ settled }) => settled))
    await Promise.all(tasks.map(({ output }) => output.dispose()))
  }

  /** Lists a task of a crashed host again, settled: "the host stopped". */
  restore(stored: StoredTask): void {
    const task = this.#build(stored.id, stored, stored.startedAt)
    this.#taskById.set(task.id, task)
    this.#settle(task, { status: 'failed', detail: 'the host stopped' })
  }

  #liveOf(owner: SessionId | undefined): number {
    return [...this.#taskById.values()].filter((task) => task.owner === owner && task.finishedAt === undefined).length
  }

  #make(spec: TaskSpec): Task {
    return this.#build(this.#deps.mintTaskId(spec.kind), spec, this.#deps.clock.now())
  }

  #build(id: TaskId, spec: Omit<TaskSpec, 'run'> | StoredTask, startedAt: number): Task {
    const { owner, kind, label } = spec
    const limit = 'outputLimitBytes' in spec ? spec.outputLimitBytes : undefined
    let release = (): void => {}
    const settled = new Promise<void>((resolve) => {
      release = resolve
    })
    const actor = createActor(taskMachine, { id: `task:${id}`, input: { taskId: id, owner: owner ?? null } })
    actor.start()
    return {
      id,
      owner,
      kind,
      label: oneLine(label, taskLabelLength),
      startedAt,
      finishedAt: undefined,
      detail: undefined,
      actor,
      output: new TaskOutputBuffer(join(this.#deps.spillFolder, `${id}.out`), limit),
      stop: new AbortController(),
      settled,
      release,
    }
  }

  #handle(task: Task): TaskHandle {
    const { id, owner, kind, label, startedAt } = task
    return {
      id,
      signal: task.stop.signal,
      write: (chunk) => task.output.write(chunk),
      started: (process) =>
        this.#deps.records.put({ id, kind, label, startedAt, process, ...(owner !== undefined && { owner }) }),
    }
  }

  async #follow(task: Task, done: Promise<TaskEnd>): Promise<void> {
    let end: TaskEnd
    try {
      end = await done
    } catch (error) {
      this.#deps.logger.error({ task: task.id, err: error }, 'a task producer failed')
      end = { status: 'failed', detail: 'The task failed inside the host.' }
    }
    await this.#deps.records.remove(task.id).catch((error: unknown) => {
      this.#deps.logger.error({ task: task.id, err: error }, 'the record of a settled task could not be removed')
    })
    this.#settle(task, end)
  }

  #settle(task: Task, { status, detail }: TaskEnd): void {
    task.finishedAt = this.#deps.clock.now()
    task.detail = detail === undefined ? undefined : oneLine(detail, taskDetailLength)
    task.actor.send({ type: 'SETTLE', status })
    task.release()
    this.#announce(task.owner)
    const record = recordOf(task)
    for (const listener of this.#done) this.#contained(() => listener(record))
  }

  #announce(owner: SessionId | undefined): void {
    for (const listener of this.#changed) this.#contained(() => listener(owner))
  }

  #contained(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'a task listener failed')
    }
  }
}

function viewOf({ id, kind, label, startedAt, finishedAt, detail, actor }: Task): TaskView {
  return {
    id,
    kind,
    label,
    status: statusOf(actor.getSnapshot()),
    ...(detail !== undefined && { detail }),
    startedAt,
    ...(finishedAt !== undefined && { finishedAt }),
  }
}

function recordOf(task: Task): TaskRecord {
  const { stoppedBy, modelTold } = task.actor.getSnapshot().context
  return { id: task.id, owner: task.owner, view: viewOf(task), stoppedBy, modelTold }
}
