/* Notices of the host to the model (SPEC 5, 7): kept until the model can be told, in the order they came. Inside
   a turn they join its next step; an idle session is woken for them, but never past an open Task Surface. They
   never show in the queue. */
import type { TaskId } from '../../shared/ids.ts'
import type { Message } from '../../shared/message.ts'
import type { SessionRuntime } from './session-runtime.ts'

/** Notices that may wait; the oldest go first. Ten live tasks an owner make more than this unlikely. */
const maxWaiting = 100

export class Notices {
  readonly #runtime: SessionRuntime
  #waiting: Message[] = []

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime
  }

  get size(): number {
    return this.#waiting.length
  }

  add(text: string, taskId: TaskId): void {
    const message: Message = {
      id: this.#runtime.deps.ids.message(),
      role: 'user',
      source: { kind: 'notice', about: 'task', taskId },
      content: [{ type: 'text', text }],
    }
    this.#waiting = [...this.#waiting, message].slice(-maxWaiting)
    this.#runtime.claims.wakeForNotices()
  }

  /** Makes what waits durable by `append`; what came meanwhile goes on waiting. */
  async deliver(append: (messages: readonly Message[]) => Promise<unknown>): Promise<void> {
    const told = this.#waiting
    if (told.length === 0) return
    await append(told)
    this.#waiting = this.#waiting.filter((message) => !told.includes(message))
  }
}
