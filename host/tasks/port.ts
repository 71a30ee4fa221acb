/* The task registry as the host sees it (SPEC 7). Tasks belong to the registry by owner: rewinding, reloading or
   interrupting a session leaves them alone, removing it and ending the host end them.
   Producers live in `host/tasks/`, tools in `host/tools/`, the carrier to the wire in `host/session/`. */
import type { SessionId, TaskId } from '../../shared/ids.ts'
import type { TaskView } from '../../shared/task.ts'
import type { TaskEndStatus, TaskStopper } from '../../machines/task.ts'
import type { Leader } from './process-table.ts'

export interface TaskEnd {
  status: TaskEndStatus
  /** What a person reads of a failure; one line. */
  detail?: string
}

/** What a producer may do with its task. */
export interface TaskHandle {
  readonly id: TaskId
  /** Aborts when the task was asked to stop: end the work, then settle. */
  readonly signal: AbortSignal
  /** Adds output. Resolves when more may come: a producer that does not wait floods memory. */
  write(chunk: Uint8Array): Promise<void>
  /** Says which process leads the task's group, so that the next host can end what a crash left behind. */
  started(leader: Leader): void
}

export interface TaskSpec {
  /** `bash`, `pwsh`, `pty-send`, `subagent`; any other producer names its own. */
  kind: string
  label: string
  owner?: SessionId
  /** Bytes of unread output that are kept; what comes on top is dropped and counted. */
  outputLimitBytes?: number
  /**
   * Begins the work and resolves once it runs; a rejection leaves nothing behind. `done` never rejects on purpose;
   * if it does, the task has failed.
   */
  run(handle: TaskHandle): Promise<{ done: Promise<TaskEnd> }>
}

/** A task as the host knows it. Never on the wire: `view` is. */
export interface TaskRecord {
  readonly id: TaskId
  readonly owner: SessionId | undefined
  readonly view: TaskView
  readonly stoppedBy: TaskStopper | null
  readonly modelTold: boolean
}

export interface TaskOutput {
  text: string
  /** Bytes that were dropped because the limit was reached, so far. */
  droppedBytes: number
  /** More output waits to be read. */
  more: boolean
}

/** `closed`: the host is stopping, or the owner's work is over. */
export type StartRefusal = 'too-many-tasks' | 'closed'

export interface TaskRegistry {
  /**
   * At most 10 live tasks an owner. Resolves once the task runs and its record is on disk; rejects with what `run`
   * rejected with, or where the record could not be written, and then nothing runs.
   */
  start(spec: TaskSpec): Promise<{ started: true; id: TaskId } | { started: false; reason: StartRefusal }>
  /** The owner's tasks and the unowned ones, in order of registration; of long settled ones the newest 1,000. */
  list(owner: SessionId): TaskView[]
  /** How many of the owner's own tasks run or are stopping. */
  liveCount(owner: SessionId): number
  /** Null for an unknown id and for one of another owner. */
  find(owner: SessionId, id: TaskId): TaskRecord | null
  /** The owner's own tasks that have ended without the model having been told. */
  untold(owner: SessionId): TaskRecord[]
  /** The one consuming cursor: it belongs to the model's tools alone. Text in whole characters. */
  read(id: TaskId, maxBytes: number): Promise<TaskOutput>
  /** Asks a live task to stop; false where there is nothing to stop. It is `killed` once its producer is done. */
  kill(id: TaskId, by: TaskStopper): boolean
  /**
   * The model has seen the end of the task, or asked for it. Until then the task is listed again by the next host, so
   * that its model can still be told.
   */
  told(id: TaskId): void
  /** Resolves once the task is settled, after `ms`, or when the signal aborts. */
  wait(id: TaskId, ms: number, signal: AbortSignal): Promise<TaskRecord | null>
  /** After registration, stopping, settlement and owner disposal; `undefined`: an unowned task, every view changed. */
  onTasksChanged(listener: (owner: SessionId | undefined) => void): () => void
  /**
   * Once a task, after everyone who waited for it was released: a call that waited may tell the model in this moment, so
   * whoever tells it later looks at `modelTold` again. Restored tasks ended before anybody listened.
   */
  onTaskDone(listener: (record: TaskRecord) => void): () => void
  /**
   * The owner's work is over: its live tasks are killed and stay listed, nobody is told of any of them, and it starts
   * none any more. Resolves once nothing of them runs.
   */
  endOwner(owner: SessionId): Promise<void>
  /** Ends and forgets the owner's tasks. */
  disposeOwner(owner: SessionId): Promise<void>
  /** Ends every task, children included; announces nothing. */
  close(): Promise<void>
}
