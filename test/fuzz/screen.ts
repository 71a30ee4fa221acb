/* What one socket shows of each session it has opened: its frames since the last `session/subscribed`, folded as a client
   would fold them. Two sockets that were told the same show the same; the order of the frames themselves is held by the
   harness (`session-view.ts`). Also hands on what must never be lost: events seen, rows given back, transitions. */
import type { QueuedMessage } from '../../shared/message.ts'
import type { InspectFrame, SessionFrame } from '../../shared/protocol/frames.ts'
import type { TaskView } from '../../shared/task.ts'
import { isSessionFrame, type Client } from '../harness/client.ts'
import type { FrameOf } from '../harness/session-view.ts'

export interface Shown {
  queue: readonly QueuedMessage[]
  status: { status: 'idle' | 'running'; turn: number | undefined } | null
  values: Map<string, unknown>
  questions: Map<string, FrameOf<'question/requested'>>
  approvals: Map<string, FrameOf<'approval/requested'>>
  pending: FrameOf<'session/task-surface'> | null
  tasks: readonly TaskView[]
}

export interface Listener {
  frame(frame: SessionFrame): void
  inspected(frame: InspectFrame): void
  session(sessionId: string, there: boolean): void
}

const nothingShown = (): Shown => ({
  queue: [],
  status: null,
  values: new Map(),
  questions: new Map(),
  approvals: new Map(),
  pending: null,
  tasks: [],
})

export class Screen {
  readonly client: Client
  readonly #listener: Listener
  readonly #shownById = new Map<string, Shown>()
  #read = 0

  constructor(client: Client, listener: Listener) {
    this.client = client
    this.#listener = listener
  }

  /** Null while the session is not open on this socket. */
  shown(sessionId: string): Shown | null {
    this.read()
    return this.client.viewById.has(sessionId) ? (this.#shownById.get(sessionId) ?? null) : null
  }

  /** Takes in what came since the last look. */
  read(): void {
    const { frames } = this.client
    for (; this.#read < frames.length; this.#read += 1) {
      const frame = frames[this.#read]
      if (frame === undefined) continue
      if (isSessionFrame(frame)) {
        this.#show(frame)
        this.#listener.frame(frame)
      } else if (frame.type === 'actor/inspect') this.#listener.inspected(frame)
      else if (frame.type === 'host/session-added') this.#listener.session(frame.session.id, true)
      else if (frame.type === 'host/session-removed') this.#listener.session(frame.sessionId, false)
    }
  }

  #show(frame: SessionFrame): void {
    if (frame.type === 'session/subscribed') {
      this.#shownById.set(frame.sessionId, nothingShown())
      return
    }
    const shown = this.#shownById.get(frame.sessionId)
    if (shown === undefined) throw new Error(`${frame.type} before session/subscribed`)
    switch (frame.type) {
      case 'session/queue':
        shown.queue = frame.items
        return
      case 'session/status':
        shown.status = { status: frame.status, turn: frame.turn }
        return
      case 'session/projection':
        shown.values.set(frame.key, frame.value)
        return
      case 'session/task-surface':
        shown.pending = frame.pending === null ? null : frame
        return
      case 'session/tasks':
        shown.tasks = frame.tasks
        return
      case 'question/requested':
        shown.questions.set(frame.questionId, frame)
        return
      case 'question/resolved':
        shown.questions.delete(frame.questionId)
        return
      case 'approval/requested':
        shown.approvals.set(frame.approvalId, frame)
        return
      case 'approval/resolved':
        shown.approvals.delete(frame.approvalId)
        return
      case 'session/event':
      case 'session/stream':
      case 'session/discarded':
    }
  }
}

/** As text, for comparing and for people; without the instants at which frames were made. */
export function textOfShown({ queue, status, values, questions, approvals, pending, tasks }: Shown): string {
  const bare = (frame: object) => ({ ...frame, incarnation: undefined, n: undefined })
  return JSON.stringify({
    queue,
    status,
    values: [...values].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    questions: [...questions.values()].map(bare),
    approvals: [...approvals.values()].map(bare),
    pending: pending === null ? null : bare(pending),
    tasks,
  })
}
