/* One session of a running sequence: everything that was ever seen of it, over new views and restarts, and how far the
   expectations of the steps have used it up. */
import { isDeepStrictEqual } from 'node:util'
import type { SessionEvent } from '../../shared/event.ts'
import { isSessionFrame, type Client } from './client.ts'
import { countedEvents, isTurnOpen, openSurface } from './counted-log.ts'
import type { Bindings } from './sequence-bindings.ts'
import type { ExpectedDiscard, ExpectedEvent, ExpectedPush, ExpectedState } from './sequence-cases.ts'
import type { FrameOf, SessionView } from './session-view.ts'

/** Events that steps do not list. */
const unlisted = new Set<string>(['assistant/message', 'session/title', 'session/created', 'session/end-seed'])

export class SequenceSession {
  readonly sessionId: string
  readonly #bindings: Bindings
  /** What the harness puts before each text it sends, so that model calls can be told apart. */
  readonly #tag: string
  #client: Client
  #framesRead = 0
  /** The whole log, rewound events included; index = seq. */
  readonly log: SessionEvent[] = []
  readonly itemIdByRow = new Map<string, string>()
  /** Which call showed which surface of the fixture. */
  readonly surfaceByCall = new Map<string, string>()
  readonly #pushes: FrameOf<'session/task-surface'>[] = []
  readonly #discarded: FrameOf<'session/discarded'>[] = []
  readonly #expected = {
    events: new Array<ExpectedEvent>(),
    /** Repairs after a restart, appended at the latest before the next event. */
    repairs: new Array<ExpectedEvent>(),
    pushes: new Array<ExpectedPush>(),
    discarded: new Array<ExpectedDiscard>(),
  }
  #eventsUsed = 0

  constructor(parts: { sessionId: string; client: Client; bindings: Bindings; tag: string }) {
    this.sessionId = parts.sessionId
    this.#client = parts.client
    this.#bindings = parts.bindings
    this.#tag = parts.tag
    this.#merge(this.view.events)
    this.#eventsUsed = this.log.length
    this.#framesRead = 0
  }

  get view(): SessionView {
    return this.#client.view(this.sessionId)
  }

  get counted(): SessionEvent[] {
    this.read()
    return countedEvents(this.log)
  }

  /** After a new connection or another `session.open`. */
  reopened(client: Client): void {
    if (client !== this.#client) this.#framesRead = 0
    this.#client = client
    this.read()
    this.#merge(this.view.events)
  }

  /** Takes in the frames that came since the last look. */
  read(): void {
    const { frames } = this.#client
    for (; this.#framesRead < frames.length; this.#framesRead += 1) {
      const frame = frames[this.#framesRead]
      if (frame === undefined || !isSessionFrame(frame) || frame.sessionId !== this.sessionId) continue
      if (frame.type === 'session/queue') {
        for (const row of frame.items) {
          this.itemIdByRow.set(`message ${row.messageId}`, row.id)
          const answers = row.source.kind === 'user' ? row.source.taskSurface?.submissionId : undefined
          if (answers !== undefined) this.itemIdByRow.set(`submission ${answers}`, row.id)
        }
      }
      if (frame.incarnation === undefined) continue
      if (frame.type === 'session/event') this.#merge([frame.event])
      if (frame.type === 'session/task-surface') this.#pushes.push(frame)
      if (frame.type === 'session/discarded') this.#discarded.push(frame)
    }
  }

  /** A rewind is no frame: it is what the answer says. */
  rewound(lastSeq: number, toSeq: number): void {
    this.#merge([{ type: 'session/rewound', seq: lastSeq, time: 0, data: { toSeq } }])
  }

  expect(step: {
    appended?: readonly ExpectedEvent[] | undefined
    repairs?: readonly ExpectedEvent[] | undefined
    pushes?: readonly ExpectedPush[] | undefined
    discarded?: readonly ExpectedDiscard[] | undefined
  }): void {
    this.#expected.events.push(...(step.appended ?? []))
    this.#expected.repairs.push(...(step.repairs ?? []))
    this.#expected.pushes.push(...(step.pushes ?? []))
    this.#expected.discarded.push(...(step.discarded ?? []))
  }

  /** What differs from the expectations so far; null: all of them are met and nothing else came. */
  difference(): string | null {
    this.read()
    const events = this.#matchEvents()
    if (!events.met) return `appended: expected ${events.expected}; saw ${this.#show(this.log.slice(this.#eventsUsed))}`
    if (events.extra.length > 0) return `appended and not expected: ${this.#show(events.extra)}`
    const { pushes, discarded } = this.#expected
    const sameCount = pushes.length === this.#pushes.length && discarded.length === this.#discarded.length
    return sameCount ? this.#frameDifference() : this.#frameCounts()
  }

  /** As `difference`, for a product that went on by itself: more may have come. */
  differenceInPassing(): string | null {
    this.read()
    const events = this.#matchEvents()
    if (!events.met) return `appended: expected ${events.expected}; saw ${this.#show(this.log.slice(this.#eventsUsed))}`
    const { pushes, discarded } = this.#expected
    const enough = pushes.length <= this.#pushes.length && discarded.length <= this.#discarded.length
    return enough ? this.#frameDifference() : this.#frameCounts()
  }

  /** The expectations were met: what comes next is of the next step. */
  settle(): void {
    const { repairs, events } = this.#expected
    if (this.#matchEvents().repaired) repairs.length = 0
    events.length = 0
    this.#eventsUsed = this.log.length
    this.#expected.pushes.length = 0
    this.#pushes.length = 0
    this.#expected.discarded.length = 0
    this.#discarded.length = 0
  }

  /** What differs from the state a step ends in. `pending` is compared by whoever asks `getActive`. */
  stateDifference(state: ExpectedState): string | null {
    const { view, counted } = this
    const queue = view.queue.map(({ messageId, placement }) => ({ messageId, placement }))
    const wanted = state.queue.map(({ messageId, placement }) => ({
      messageId: this.#bindings.known(messageId),
      placement,
    }))
    if (!isDeepStrictEqual(queue, wanted)) return `queue: ${JSON.stringify(queue)}`
    const running = this.#expected.repairs.length === 0 ? isTurnOpen(counted) : view.status?.status === 'running'
    if (running !== state.running) return `running: ${running}`
    const status = running ? 'running' : 'idle'
    if (view.status?.status !== status) return `status: ${JSON.stringify(view.status)}`
    const open = openSurface(counted)
    const surfaceId = state.active === null ? null : this.#bindings.known(state.active.surface)
    if ((open?.surfaceId ?? null) !== surfaceId) return `active by the log: ${JSON.stringify(open)}`
    const projection = view.projections.get('taskSurface')?.value
    const active = open === null ? null : { callId: open.callId, surfaceId: open.surfaceId }
    if (!isDeepStrictEqual(projection, { active })) return `projection: ${JSON.stringify(projection)}`
    return null
  }

  /** The text of a message as this session has it: what the harness sends is tagged, what the host writes is not. */
  tagged(text: string): string {
    return `${this.#tag} ${text}`
  }

  #merge(events: readonly SessionEvent[]): void {
    for (const event of events) {
      if (event.seq < this.log.length) {
        if (!isDeepStrictEqual(this.log[event.seq], event))
          throw new Error(`another event ${event.seq}: ${JSON.stringify(event)}`)
      } else if (event.seq === this.log.length) this.log.push(event)
      else throw new Error(`event ${event.seq} after ${this.log.length - 1}`)
    }
  }

  #matchEvents(): { met: boolean; repaired: boolean; expected: string; extra: SessionEvent[] } {
    const { events, repairs } = this.#expected
    const fresh = this.log.slice(this.#eventsUsed)
    const all = [...repairs, ...events]
    const expected = JSON.stringify(all)
    // Repairs may wait until something happens in the session.
    if (repairs.length > 0 && events.length === 0 && fresh.length === 0) {
      return { met: true, repaired: false, expected, extra: [] }
    }
    const extra: SessionEvent[] = []
    let next = 0
    for (const event of fresh) {
      const wanted = all[next]
      if (wanted !== undefined && this.#isEvent(wanted, event)) next += 1
      else if (!unlisted.has(event.type) && !isRepair(repairs, event)) extra.push(event)
    }
    return { met: next === all.length, repaired: true, expected, extra }
  }

  #isEvent(wanted: ExpectedEvent, event: SessionEvent): boolean {
    return wanted.type === event.type && isDeepStrictEqual(this.#shorten(event), this.#resolve(wanted))
  }

  /** An event in the short form of the fixtures. */
  #shorten(event: SessionEvent): Record<string, unknown> {
    switch (event.type) {
      case 'user/message':
      case 'steering/message': {
        const { id, source, content } = event.data.message
        const correlation = source.kind === 'user' && 'taskSurface' in source ? source.taskSurface : undefined
        return {
          messageId: id,
          text: content.length === 1 ? content[0]?.text : content,
          ...(isCorrelation(correlation) && {
            surface: correlation.surfaceId,
            submissionId: correlation.submissionId,
            values: correlation.values,
          }),
        }
      }
      case 'tool/call':
        return { surface: this.surfaceByCall.get(event.data.callId) }
      case 'tool/result': {
        const { callId, error } = event.data
        return { surface: this.surfaceByCall.get(callId), ...(error !== undefined && { error: error.code }) }
      }
      case 'turn/end':
        return { reason: event.data.reason }
      case 'task-surface/dismissed':
        return { surface: event.data.surfaceId, dismissalId: event.data.dismissalId }
      default:
        return {}
    }
  }

  #resolve({ type, session: _, ...wanted }: ExpectedEvent): Record<string, unknown> {
    const isMessage = type === 'user/message' || type === 'steering/message'
    const isOrdinary = isMessage && wanted.surface === undefined
    const isCall = type === 'tool/call' || type === 'tool/result'
    return {
      ...wanted,
      ...(wanted.messageId !== undefined && { messageId: this.#bindings.known(wanted.messageId) }),
      ...(wanted.surface !== undefined && !isCall && { surface: this.#bindings.known(wanted.surface) }),
      ...(wanted.text !== undefined && isOrdinary && { text: this.tagged(wanted.text) }),
    }
  }

  #frameDifference(): string | null {
    for (const [index, { surface, pending }] of this.#expected.pushes.entries()) {
      const seen = this.#pushes[index]
      const wanted = pending === null ? null : { ...pending, messageId: this.#bindings.known(pending.messageId) }
      if (seen?.surfaceId !== this.#bindings.known(surface) || !isDeepStrictEqual(seen?.pending, wanted)) {
        return this.#frameCounts()
      }
    }
    for (const [index, { messageId, reason, text }] of this.#expected.discarded.entries()) {
      const seen = this.#discarded[index]
      const wanted = text === undefined ? null : this.tagged(text)
      if (seen?.messageId !== this.#bindings.known(messageId) || seen?.reason !== reason || seen.text !== wanted) {
        return this.#frameCounts()
      }
    }
    return null
  }

  #frameCounts(): string {
    const { pushes, discarded } = this.#expected
    return (
      `pushes: expected ${JSON.stringify(pushes)}; saw ${JSON.stringify(this.#pushes)}\n` +
      `discarded: expected ${JSON.stringify(discarded)}; saw ${JSON.stringify(this.#discarded)}`
    )
  }

  #show(events: readonly SessionEvent[]): string {
    return JSON.stringify(events.map((event) => ({ type: event.type, ...this.#shorten(event) })))
  }
}

function isRepair(repairs: readonly ExpectedEvent[], event: SessionEvent): boolean {
  return repairs.length > 0 && event.type === 'tool/result' && event.data.isError === true
}

interface Correlation {
  surfaceId: string
  submissionId: string
  values: unknown
}

function isCorrelation(value: unknown): value is Correlation {
  return typeof value === 'object' && value !== null && 'surfaceId' in value && 'submissionId' in value
}
