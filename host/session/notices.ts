/* Notices of the host to the model (SPEC 5, 7): kept until the model can be told, in the order they came. Inside
   a turn they join its next step; an idle session is woken for them, but never past an open Task Surface. They
   never show in the queue. The registry knows which ends the model was told of, so a notice outlives this runtime and
   one that a tool call made needless is not sent. */
import type { TaskId } from '../../shared/ids.ts'
import type { Message } from '../../shared/message.ts'
import type { SessionRuntime } from './session-runtime.ts'
import { completionNotice } from './task-carrier.ts'

/** Notices that may wait; the oldest go first. Ten live tasks an owner make more than this unlikely. */
const maxWaiting = 100

export class Notices {
  readonly #runtime: SessionRuntime
  #waiting: Message[] = []

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime
    for (const record of runtime.deps.tasks?.untold(runtime.sessionId) ?? [])
      this.#keep(completionNotice(record), record.id)
  }

  get size(): number {
    return this.#untold.length
  }

  add(text: string, taskId: TaskId): void {
    this.#keep(text, taskId)
    this.#runtime.claims.wakeForNotices()
  }

  #keep(text: string, taskId: TaskId): void {
    if (this.#waiting.some((message) => taskOf(message) === taskId)) return
    const message: Message = {
      id: this.#runtime.deps.ids.message(),
      role: 'user',
      source: { kind: 'notice', about: 'task', taskId },
      content: [{ type: 'text', text }],
    }
    this.#waiting = [...this.#untold, message].slice(-maxWaiting)
  }

  /** Makes what waits durable by `append`; what came meanwhile goes on waiting. */
  async deliver(append: (messages: readonly Message[]) => Promise<unknown>): Promise<void> {
    const told = this.#untold
    if (told.length === 0) return
    await append(told)
    this.#waiting = this.#waiting.filter((message) => !told.includes(message))
    for (const message of told) {
      const taskId = taskOf(message)
      if (taskId !== undefined) this.#runtime.deps.tasks?.told(taskId)
    }
  }

  /** A call of the model may have seen the end meanwhile. */
  get #untold(): Message[] {
    const { deps, sessionId } = this.#runtime
    return this.#waiting.filter((message) => {
      const taskId = taskOf(message)
      return taskId === undefined || deps.tasks?.find(sessionId, taskId)?.modelTold !== true
    })
  }
}

function taskOf({ source }: Message): TaskId | undefined {
  return source.kind === 'notice' ? source.taskId : undefined
}
