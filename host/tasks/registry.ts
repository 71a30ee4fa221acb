/* The task registry (SPEC 7): every background task is an actor that decides what may happen to it; this owns
   the order of registration, the output, the waiters and the two feeds. It knows no process: producers do.

   Settlement happens once, in this order: the record, the waiters, `onTasksChanged`, `onTaskDone`. The record is on
   disk before anybody learns of the end. Listeners are contained. Closing announces nothing, and leaves the records of
   what it cut off to the next host. */
import { join } from 'node:path'
import type { TaskEndStatus, TaskMachineEvent, TaskStopper } from '../../machines/task.ts'
import { taskIdSchema, type SessionId, type TaskId } from '../../shared/ids.ts'
import { taskDetailLength, type TaskView } from '../../shared/task.ts'
import type { Clock } from '../clock.ts'
import { accepts } from '../lifecycles/accepts.ts'
import type { Logger } from '../logger.ts'
import { oneLine } from './one-line.ts'
import type { TaskEnd, TaskHandle, TaskOutput, TaskRecord, TaskRegistry, TaskSpec } from './port.ts'
import { createTask, isLive, recordOf, storedOf, viewOf, type ObserveTask, type Task, type TaskOrigin } from './task.ts'
import type { StoredTask, TaskRecords } from './task-records.ts'

/** Live tasks an owner may have; more is a loop gone wild. */
export const maxLiveTasks = 10
/** Settled tasks of an owner that stay listed: every change sends the whole list, which must not grow without end. */
export const maxSettledTasks = 1_000
/** Settlement does not wait longer for its record: a list must not show a running task that is not running. */
const recordMs = 1_000
/** The longest a timer of the system can wait. */
const maxWaitMs = 2 ** 31 - 1

const hostStopped = { status: 'failed', detail: 'the host stopped' } as const

export interface RegistryDeps {
  clock: Clock
  logger: Logger
  records: TaskRecords
  /** Private folder for output that does not fit in memory. */
  spillFolder: string
  /** A short random text of the id alphabet. */
  random: () => string
  /** What the host before this one left in the records: listed again, settled. */
  restored?: readonly StoredTask[]
  /** Shows actors of tasks to those who look at lifecycles. */
  observe: ObserveTask
  /** What else of an owner runs, and ends with its tasks. */
  endWithOwner?: (owner: SessionId) => Promise<void>
  /** What else lives as long as its owner. */
  disposeWithOwner?: (owner: SessionId) => Promise<void>
}

export function createTaskRegistry(deps: RegistryDeps): TaskRegistry {
  return new Registry(deps)
}

class Registry implements TaskRegistry {
  readonly #deps: RegistryDeps
  readonly #taskById = new Map<TaskId, Task>()
  readonly #startingById = new Map<TaskId, Task>()
  /** Owners that start nothing any more: their work is over, or they are being removed. */
  readonly #ended = new Set<SessionId>()
  readonly #changed = new Set<(owner: SessionId | undefined) => void>()
  readonly #done = new Set<(record: TaskRecord) => void>()
  #closed = false

  constructor(deps: RegistryDeps) {
    this.#deps = deps
    const restored = [...(deps.restored ?? [])].sort((a, b) => a.startedAt - b.startedAt)
    for (const stored of restored) this.#restore(stored)
  }

  async start(spec: TaskSpec): ReturnType<TaskRegistry['start']> {
    const { owner } = spec
    if (this.#isClosedTo(owner)) return { started: false, reason: 'closed' }
    if (this.#liveOf(owner) >= maxLiveTasks) return { started: false, reason: 'too-many-tasks' }
    // The slot is taken before the first await; a start that fails gives it back and leaves nothing else.
    const task = this.#make({ ...spec, id: this.#newId(spec.kind), startedAt: this.#deps.clock.now() })
    this.#startingById.set(task.id, task)
    try {
      const { ending } = await this.#run(task, spec)
      this.#startingById.delete(task.id)
      this.#taskById.set(task.id, task)
      this.#announce(owner)
      void this.#follow(task, ending)
      return { started: true, id: task.id }
    } catch (error) {
      await this.#record(task, () => this.#deps.records.remove(task.id))
      await this.#forget(task)
      if (error instanceof ClosedMeanwhile) return { started: false, reason: 'closed' }
      throw error
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

  untold(owner: SessionId): TaskRecord[] {
    const ended = [...this.#taskById.values()].filter((task) => task.owner === owner && !isLive(task))
    return ended.map(recordOf).filter(({ modelTold }) => !modelTold)
  }

  async read(id: TaskId, maxBytes: number): Promise<TaskOutput> {
    const task = this.#taskById.get(id)
    return task === undefined ? { text: '', droppedBytes: 0, more: false } : task.output.read(maxBytes)
  }

  kill(id: TaskId, by: TaskStopper): boolean {
    const task = this.#taskById.get(id) ?? this.#startingById.get(id)
    return task !== undefined && this.#stop(task, by)
  }

  told(id: TaskId): void {
    const task = this.#taskById.get(id)
    if (task === undefined) return
    task.actor.send({ type: 'TOLD' })
    if (task.end !== undefined) void this.#record(task, () => this.#deps.records.remove(id))
  }

  async wait(id: TaskId, ms: number, signal: AbortSignal): Promise<TaskRecord | null> {
    const task = this.#taskById.get(id)
    if (task === undefined) return null
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    await Promise.race([task.over, this.#deps.clock.sleep(Math.min(ms, maxWaitMs), either)])
    over.abort()
    return recordOf(task)
  }

  onTasksChanged(listener: (owner: SessionId | undefined) => void): () => void {
    const entry = (owner: SessionId | undefined) => listener(owner)
    this.#changed.add(entry)
    return () => void this.#changed.delete(entry)
  }

  onTaskDone(listener: (record: TaskRecord) => void): () => void {
    const entry = (record: TaskRecord) => listener(record)
    this.#done.add(entry)
    return () => void this.#done.delete(entry)
  }

  async endOwner(owner: SessionId): Promise<void> {
    // What closing cuts off is left to the next host.
    if (this.#closed) return
    this.#ended.add(owner)
    const owned = this.#ownedBy(owner)
    for (const task of owned) {
      this.told(task.id)
      this.#stop(task, 'host')
    }
    await Promise.all([this.#deps.endWithOwner?.(owner), ...owned.map(({ over }) => over)])
  }

  async disposeOwner(owner: SessionId): Promise<void> {
    this.#ended.add(owner)
    try {
      const owned = this.#ownedBy(owner)
      for (const task of owned) this.#stop(task, 'host')
      const { endWithOwner, disposeWithOwner } = this.#deps
      await Promise.all([endWithOwner?.(owner), disposeWithOwner?.(owner), ...owned.map(({ over }) => over)])
      const listed = owned.filter(({ id }) => this.#taskById.delete(id))
      await Promise.all(listed.map((task) => this.#record(task, () => this.#deps.records.remove(task.id))))
      await Promise.all(listed.map((task) => this.#forget(task)))
      if (listed.length > 0) this.#announce(owner)
    } finally {
      this.#ended.delete(owner)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#changed.clear()
    this.#done.clear()
    const tasks = this.#all()
    for (const task of tasks) this.#stop(task, 'host')
    await Promise.all(tasks.map(({ over }) => over))
    await Promise.all(tasks.map(({ recording, output }) => Promise.all([recording, output.dispose()])))
  }

  /** Resolves once the work runs and the record stands; otherwise nothing runs when it rejects. */
  async #run(task: Task, spec: TaskSpec): Promise<{ ending: Promise<TaskEnd> }> {
    const { done } = await spec.run(this.#handle(task))
    const ending = this.#contain(task, done)
    try {
      await this.#deps.records.put(storedOf(task))
      if (this.#isClosedTo(task.owner)) throw new ClosedMeanwhile()
      return { ending }
    } catch (error) {
      task.stop.abort('host')
      await ending
      throw error
    }
  }

  async #contain(task: Task, done: Promise<TaskEnd>): Promise<TaskEnd> {
    try {
      return await done
    } catch (error) {
      this.#deps.logger.error({ task: task.id, err: error }, 'a task producer failed')
      return { status: 'failed', detail: 'the task failed inside the host' }
    }
  }

  async #follow(task: Task, ending: Promise<TaskEnd>): Promise<void> {
    const { status, detail } = await ending
    const isStopping = !task.actor.getSnapshot().can({ type: 'KILL', by: 'host' })
    const end = {
      status: isStopping ? 'killed' : status,
      ...(detail !== undefined && { detail: oneLine(detail, taskDetailLength) }),
      finishedAt: this.#deps.clock.now(),
    }
    task.end = end
    await task.output.end()
    await this.#recordEnd(task)
    this.#settle(task, end.status)
  }

  /** Cut off by the host's own closing, a task keeps the record of one that runs: the next host tells its model. */
  async #recordEnd(task: Task): Promise<void> {
    const { stoppedBy, modelTold } = task.actor.getSnapshot().context
    if (this.#closed && stoppedBy === 'host') return
    const { records, clock } = this.#deps
    const nobodyToTell = task.owner === undefined || modelTold
    const written = this.#record(task, () => (nobodyToTell ? records.remove(task.id) : records.put(storedOf(task))))
    const over = new AbortController()
    await Promise.race([written, clock.sleep(recordMs, over.signal)])
    over.abort()
  }

  #settle(task: Task, status: TaskEndStatus): void {
    task.actor.send({ type: 'SETTLE', status })
    task.release()
    this.#forgetOldest(task.owner)
    this.#announce(task.owner)
    const record = recordOf(task)
    for (const listener of this.#done) this.#contained(() => listener(record))
  }

  #restore(stored: StoredTask): void {
    const task = this.#make(stored)
    const end = stored.end ?? { ...hostStopped, finishedAt: this.#deps.clock.now() }
    task.end = end
    this.#taskById.set(task.id, task)
    void task.output.end()
    void this.#recordEnd(task)
    this.#settle(task, end.status)
  }

  #stop(task: Task, by: TaskStopper): boolean {
    const event: TaskMachineEvent = { type: 'KILL', by }
    if (task.end !== undefined || !accepts(task.actor, event)) return false
    task.actor.send(event)
    if (this.#taskById.has(task.id)) this.#announce(task.owner)
    task.stop.abort(by)
    return true
  }

  #isClosedTo(owner: SessionId | undefined): boolean {
    return this.#closed || (owner !== undefined && this.#ended.has(owner))
  }

  #ownedBy(owner: SessionId | undefined): Task[] {
    return this.#all().filter((task) => task.owner === owner)
  }

  /** A task whose end the model does not know yet is never among those. */
  #forgetOldest(owner: SessionId | undefined): void {
    const settled = this.#ownedBy(owner).filter((task) => !isLive(task))
    const known = settled.filter((task) => owner === undefined || task.actor.getSnapshot().context.modelTold)
    for (const task of known.slice(0, Math.max(0, settled.length - maxSettledTasks))) {
      this.#taskById.delete(task.id)
      void this.#forget(task)
    }
  }

  #all(): Task[] {
    return [...this.#taskById.values(), ...this.#startingById.values()]
  }

  #liveOf(owner: SessionId | undefined): number {
    return this.#ownedBy(owner).filter(({ end }) => end === undefined).length
  }

  #newId(kind: string): TaskId {
    for (;;) {
      const id = taskIdSchema.parse(`${kind}-${this.#deps.random()}`)
      if (!this.#taskById.has(id) && !this.#startingById.has(id)) return id
    }
  }

  #make(origin: TaskOrigin): Task {
    return createTask(origin, join(this.#deps.spillFolder, `${origin.id}.out`), this.#deps.observe)
  }

  #handle(task: Task): TaskHandle {
    return {
      id: task.id,
      signal: task.stop.signal,
      write: (chunk) => task.output.write(chunk),
      started: (leader) => {
        task.leader = leader
      },
    }
  }

  async #forget(task: Task): Promise<void> {
    this.#startingById.delete(task.id)
    task.actor.stop()
    task.release()
    await task.output.dispose()
  }

  /** Never rejects: what a record is for goes on without it. */
  #record(task: Task, write: () => Promise<void>): Promise<void> {
    task.recording = task.recording.then(write).catch((error: unknown) => {
      this.#deps.logger.error({ task: task.id, err: error }, 'the record of a task could not be written')
    })
    return task.recording
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

/** The registry closed, or the owner left, while the task came to run. */
class ClosedMeanwhile extends Error {}
