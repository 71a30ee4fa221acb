/* What a socket was told about one session, and the promises of SPEC 8 about it checked on every frame: live frames
   carry the incarnation and a contiguous `n`, events a contiguous `seq`, baseline frames neither. A break is an
   exception and ends the test. The view replaces nothing silently: only `session/subscribed` starts it again. */
import type { EventOf, EventType, SessionEvent } from '../../shared/event.ts'
import type { Json } from '../../shared/json.ts'
import type { QueuedMessage } from '../../shared/message.ts'
import type { SessionFrame } from '../../shared/protocol/frames.ts'
import type { Result } from '../../shared/protocol/methods.ts'

export type FrameOf<Type extends SessionFrame['type']> = Extract<SessionFrame, { type: Type }>

interface ShownStream {
  text: string
  reasoning: string
}

export class SessionView {
  readonly sessionId: string
  incarnation: string
  /** Of the last live frame. */
  n: number
  lastSeq: number
  /** The events of the answer and of every live frame since. */
  events: SessionEvent[]
  readonly hasMore: boolean
  queue: readonly QueuedMessage[] = []
  status: FrameOf<'session/status'> | null = null
  readonly projections = new Map<string, { value: Json; seq: number }>()
  readonly streams = new Map<string, ShownStream>()
  readonly tasks: FrameOf<'session/tasks'>['tasks'][] = []
  /** Live ones and those of a baseline, in order. */
  readonly pushes: FrameOf<'session/task-surface'>[] = []
  readonly discarded: FrameOf<'session/discarded'>[] = []
  readonly questions = new Map<string, FrameOf<'question/requested'>>()
  /** Types of the frames after the last `session/subscribed` and before the first live one. */
  baseline: SessionFrame[] = []
  /** How often the host itself began the session anew for this socket. */
  renewals = 0
  #subscribed = false
  #isLive = false

  constructor(sessionId: string, answer: Result<'session.open'>) {
    this.sessionId = sessionId
    this.incarnation = answer.incarnation
    this.n = answer.n
    this.lastSeq = answer.lastSeq
    this.events = [...answer.events]
    this.hasMore = answer.hasMore
    const last = answer.events.at(-1)
    if (last !== undefined && last.seq > answer.lastSeq) throw new Error(`an event behind lastSeq ${answer.lastSeq}`)
    for (const [index, event] of answer.events.entries()) {
      const before = answer.events[index - 1]
      if (before !== undefined && before.seq >= event.seq) throw new Error(`seq ${event.seq} follows ${before.seq}`)
    }
  }

  /** Events of one type, oldest first. */
  eventsOf<Type extends EventType>(type: Type): EventOf<Type>[] {
    return this.events.filter(
      (event): event is Extract<SessionEvent, { type: Type }> & EventOf<Type> => event.type === type,
    )
  }

  take(frame: SessionFrame): void {
    if (frame.type === 'session/subscribed') this.#begin(frame)
    else if (frame.incarnation === undefined && frame.n === undefined) this.#takeBaseline(frame)
    else this.#takeLive(frame)
  }

  #begin(frame: FrameOf<'session/subscribed'>): void {
    if (this.#subscribed) {
      if (frame.incarnation === this.incarnation) throw new Error('the session began anew under the same incarnation')
      this.renewals += 1
    } else if (frame.incarnation === this.incarnation && (frame.n !== this.n || frame.lastSeq !== this.lastSeq)) {
      throw new Error(
        `the answer says n ${this.n}, lastSeq ${this.lastSeq}; session/subscribed ${JSON.stringify(frame)}`,
      )
    }
    this.#subscribed = true
    this.#isLive = false
    this.incarnation = frame.incarnation
    this.n = frame.n
    this.lastSeq = frame.lastSeq
    this.baseline = []
    this.queue = []
    this.status = null
    this.projections.clear()
    this.streams.clear()
    this.questions.clear()
  }

  #takeBaseline(frame: SessionFrame): void {
    if (!this.#subscribed || this.#isLive) throw new Error(`a live frame without incarnation: ${JSON.stringify(frame)}`)
    if (frame.type === 'session/event' || frame.type === 'session/discarded') {
      throw new Error(`${frame.type} in a baseline`)
    }
    this.baseline.push(frame)
    this.#show(frame)
  }

  #takeLive(frame: SessionFrame): void {
    if (!this.#subscribed) throw new Error(`a live frame before session/subscribed: ${JSON.stringify(frame)}`)
    if (frame.incarnation !== this.incarnation || frame.n !== this.n + 1) {
      throw new Error(`expected ${this.incarnation} n ${this.n + 1}: ${JSON.stringify(frame)}`)
    }
    this.#isLive = true
    this.n = frame.n
    this.#show(frame)
  }

  #show(frame: SessionFrame): void {
    switch (frame.type) {
      case 'session/event':
        if (frame.event.seq !== this.lastSeq + 1) {
          throw new Error(`expected seq ${this.lastSeq + 1}: ${JSON.stringify(frame)}`)
        }
        this.lastSeq = frame.event.seq
        this.events.push(frame.event)
        this.#compareStream(frame.event)
        return
      case 'session/projection': {
        const known = this.projections.get(frame.key)
        if (frame.seq > this.lastSeq) throw new Error(`projection ${frame.key} rests on ${frame.seq}, not yet seen`)
        if (known !== undefined && known.seq > frame.seq) throw new Error(`projection ${frame.key} went back`)
        this.projections.set(frame.key, { value: frame.value, seq: frame.seq })
        return
      }
      case 'session/stream':
        this.#showStream(frame)
        return
      case 'session/queue':
        this.queue = frame.items
        return
      case 'session/status':
        this.status = frame
        return
      case 'session/task-surface':
        this.pushes.push(frame)
        return
      case 'session/discarded':
        this.discarded.push(frame)
        return
      case 'session/tasks':
        this.tasks.push(frame.tasks)
        return
      case 'question/requested':
        this.questions.set(frame.questionId, frame)
        return
      case 'question/resolved':
        this.questions.delete(frame.questionId)
        return
      default:
        return
    }
  }

  /** The frames of a stream end in one message that says the same. */
  #compareStream(event: SessionEvent): void {
    if (event.type !== 'assistant/message') return
    const { id, content } = event.data.message
    const shown = this.streams.get(id) ?? { text: '', reasoning: '' }
    for (const kind of ['text', 'reasoning'] as const) {
      const text = content.flatMap((part) => (part.type === kind ? [part.text] : [])).join('')
      if (text !== shown[kind]) throw new Error(`message ${id}: ${kind} is ${text}; streamed was ${shown[kind]}`)
    }
  }

  #showStream({ messageId, part, offset, text }: FrameOf<'session/stream'>): void {
    const shown = this.streams.get(messageId) ?? { text: '', reasoning: '' }
    if (offset !== 0 && offset !== shown[part].length) {
      throw new Error(`a stream frame at ${offset}, shown are ${shown[part].length} units of ${part}`)
    }
    this.streams.set(messageId, { ...shown, [part]: offset === 0 ? text : shown[part] + text })
  }
}
