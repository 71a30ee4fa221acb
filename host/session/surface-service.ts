/* Task Surface on the host (SPEC 6.3, 6.4): the one occurrence that is open in a live session, its actor, and
   the operations on it. The log says what is open; the actor says what may happen to it; a pending submission
   is process-local and ends in commit or discard.

   `submit` and `dismiss` read what they need from the log first and then decide in one synchronous step
   against the state they read; if the state moved meanwhile they read again. So the slot is taken before
   anything else can run. Read on: `../../machines/surface.ts`. */
import { createActor } from 'xstate'
import type { InboxRow } from '../../machines/session.ts'
import { pendingOf, surfaceMachine, type SurfaceActor, type SurfaceMachineEvent } from '../../machines/surface.ts'
import type { RpcId, TaskSurfaceId } from '../../shared/ids.ts'
import type { DiscardReason } from '../../shared/message.ts'
import type { SessionFrameBody } from '../../shared/protocol/frames.ts'
import type { ClosingReason } from '../../shared/projections/task-surface.ts'
import type {
  DismissTaskSurfaceRequest,
  DismissTaskSurfaceResult,
  SubmitTaskSurfaceRequest,
  SubmitTaskSurfaceResult,
  TaskSurfacePendingSubmission,
} from '../../shared/surface/operations.ts'
import { submissionText } from '../../shared/surface/message-text.ts'
import type { OpenedSurface } from '../../shared/surface/meta.ts'
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import { samePayload, validateSubmission } from '../../shared/surface/submission.ts'
import type { SessionRuntime } from './session-runtime.ts'
import { readOccurrence, readSubmission, type Answered } from './surface-log.ts'
import { accepts } from '../lifecycles/accepts.ts'

const invalidId: SubmitTaskSurfaceResult = {
  accepted: false,
  reason: 'invalid-submission',
  issues: [{ path: '', message: 'This submission id was used with other answers.' }],
}

const closeEvent = {
  submitted: 'COMMIT',
  dismissed: 'DISMISS',
  bypassed: 'BYPASS',
  superseded: 'SUPERSEDE',
} as const satisfies Record<ClosingReason, SurfaceMachineEvent['type']>

export class SurfaceService {
  readonly #runtime: SessionRuntime
  #actor: SurfaceActor | null = null
  /** Settles when the append that may close the surface has settled; null while there is none. */
  #closing: Promise<unknown> | null = null
  /** The open occurrence as the log has it, read once: every submission is checked against it. */
  #opened: { surfaceId: TaskSurfaceId; read: Promise<OpenedSurface | null> } | null = null
  /** What the pending submission said, for a retry of it. */
  #pendingAnswer: Answered | null = null

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime
    this.#open()
  }

  get pending(): TaskSurfacePendingSubmission | null {
    return this.#actor === null ? null : pendingOf(this.#actor.getSnapshot())
  }

  /** For the baseline of a socket that opens the session. */
  baseline(): SessionFrameBody[] {
    const active = this.#runtime.state.projections.taskSurface.active
    const { pending } = this
    if (active === null || pending === null) return []
    return [{ type: 'session/task-surface', surfaceId: active.surfaceId, pending }]
  }

  async submit(request: SubmitTaskSurfaceRequest, rpcId: RpcId): Promise<SubmitTaskSurfaceResult> {
    for (;;) {
      await this.#settled()
      const { lastSeq } = this.#runtime.state
      const [known, occurrence] = await Promise.all([
        readSubmission(this.#runtime, request.submissionId),
        this.#readOpen(),
      ])
      if (this.#runtime.state.lastSeq !== lastSeq || this.#closing !== null) continue
      return this.#decideSubmit(request, rpcId, known, occurrence)
    }
  }

  async dismiss(request: DismissTaskSurfaceRequest): Promise<DismissTaskSurfaceResult> {
    const { surfaceId, dismissalId } = request
    for (;;) {
      await this.#settled()
      const { state, deps, sessionId } = this.#runtime
      const known = await deps.log.find(sessionId, 'dismissal', dismissalId, state.skipped)
      if (this.#runtime.state.lastSeq !== state.lastSeq || this.#closing !== null) continue
      if (known !== null && known.event.type === 'task-surface/dismissed') {
        const same = known.counted && known.event.data.surfaceId === surfaceId
        return same ? { dismissed: true, eventSeq: known.seq } : { dismissed: false, reason: 'stale' }
      }
      const active = state.projections.taskSurface.active
      if (this.#refuses({ type: 'DISMISS' })) return { dismissed: false, reason: 'submission-pending' }
      if (active === null || this.#actor === null) return { dismissed: false, reason: 'not-open' }
      if (active.surfaceId !== surfaceId) return { dismissed: false, reason: 'stale' }
      const [event] = await this.whileClosing(
        this.#runtime.append([
          { type: 'task-surface/dismissed', data: { version: 1, surfaceId, callId: active.callId, dismissalId } },
        ]),
      )
      return event === undefined ? { dismissed: false, reason: 'not-open' } : { dismissed: true, eventSeq: event.seq }
    }
  }

  /** Marks an append that may close the surface: no operation decides while it is in flight. */
  whileClosing<Value>(append: Promise<Value>): Promise<Value> {
    const settled = append.then(
      () => {},
      () => {},
    )
    this.#closing = settled
    void settled.then(() => {
      if (this.#closing === settled) this.#closing = null
    })
    return append
  }

  /** A row was taken from the queue. False: it answers a surface that takes no answer any more. */
  claim(row: InboxRow): boolean {
    if (row.answers === null) return true
    if (!this.#isPending(row) || this.#actor?.getSnapshot().can({ type: 'CLAIM' }) !== true) return false
    this.#send({ type: 'CLAIM' })
    return true
  }

  /** A row ended without a message. */
  discarded(row: InboxRow, reason: DiscardReason): void {
    if (row.answers !== null && this.#isPending(row)) this.#send({ type: 'DISCARD', reason })
  }

  /** Events became durable: closes and opens what the projections say was closed and opened. */
  follow(previous: { readonly lastSeq: number }): void {
    const { state } = this.#runtime
    for (const { surfaceId, reason, seq } of state.projections.taskSurfaceOutcomes.outcomes) {
      if (seq > previous.lastSeq && this.#actor?.getSnapshot().context.surfaceId === surfaceId)
        this.#close(surfaceId, reason)
    }
    this.#open()
  }

  remove(): void {
    this.#actor?.send({ type: 'REMOVE' })
  }

  #decideSubmit(
    request: SubmitTaskSurfaceRequest,
    rpcId: RpcId,
    known: Answered | null,
    occurrence: OpenedSurface | null,
  ): SubmitTaskSurfaceResult {
    const { inbox, deps } = this.#runtime
    const { submissionId, surfaceId } = request
    if (inbox.isDiscardedSubmission(submissionId)) return { accepted: false, reason: 'stale' }
    const { pending } = this
    const first = pending?.submissionId === submissionId ? this.#pendingAnswer : known
    if (first !== null) return this.#answerAgain(first, request)
    const event = { type: 'SUBMIT', submissionId, messageId: deps.ids.message() } as const
    if (this.#refuses(event)) return { accepted: false, reason: 'submission-pending' }
    if (occurrence === null || this.#actor === null) return { accepted: false, reason: 'not-open' }
    if (occurrence.surfaceId !== surfaceId) return { accepted: false, reason: 'stale' }
    const checked = this.#check(occurrence.model, request)
    if (!checked.ok) return { accepted: false, reason: 'invalid-submission', issues: checked.issues }
    // Before the slot is taken: a submission without a row would lock the surface for good.
    inbox.requireRoom(checked.text)
    const { messageId } = event
    const { callId, model } = occurrence
    const correlation = { version: 1, submissionId, callId, surfaceId, values: checked.values } as const
    this.#pendingAnswer = { counted: true, messageId, correlation, text: checked.text, model }
    this.#send(event)
    this.#runtime.claims.enqueue(
      { messageId, source: { kind: 'user', rpcId, taskSurface: correlation }, text: checked.text },
      'queued',
    )
    return { accepted: true, messageId, phase: 'queued' }
  }

  /** A known id: the same payload gets the first answer for ever, another one is refused. */
  #answerAgain(first: Answered, request: SubmitTaskSurfaceRequest): SubmitTaskSurfaceResult {
    if (!first.counted) return { accepted: false, reason: 'stale' }
    const { model, messageId, correlation, text } = first
    const checked = model === null ? null : this.#check(model, request)
    const same =
      checked?.ok === true &&
      samePayload(
        { surfaceId: correlation.surfaceId, values: correlation.values, text },
        { surfaceId: request.surfaceId, values: checked.values, text: checked.text },
      )
    return same ? { accepted: true, messageId, phase: 'queued' } : invalidId
  }

  #check(model: TaskSurfaceModelV1, { values, note }: SubmitTaskSurfaceRequest) {
    const checked = validateSubmission(model, values, note, this.#runtime.deps.surfaceLimits)
    return checked.ok ? { ...checked, text: submissionText(model, checked.values, checked.note) } : checked
  }

  /** The model of the open surface. Read when it opens, so that a person who submits waits for no more than the write. */
  #readOpen(): Promise<OpenedSurface | null> {
    const active = this.#runtime.state.projections.taskSurface.active
    if (active === null) return Promise.resolve(null)
    const { surfaceId } = active
    if (this.#opened?.surfaceId === surfaceId) return this.#opened.read
    const opened = { surfaceId, read: readOccurrence(this.#runtime, surfaceId) }
    this.#opened = opened
    opened.read.catch(() => {
      // The next submission reads again.
      if (this.#opened === opened) this.#opened = null
    })
    return opened.read
  }

  async #settled(): Promise<void> {
    while (this.#closing !== null) await this.#closing
  }

  /** A surface is open and its actor does not take this: a submission is pending. */
  #refuses(event: SurfaceMachineEvent): boolean {
    return this.#actor !== null && !accepts(this.#actor, event)
  }

  #isPending(row: InboxRow): boolean {
    const submission = this.#actor?.getSnapshot().context.submission ?? null
    return submission !== null && submission.submissionId === row.answers?.submissionId
  }

  #close(surfaceId: TaskSurfaceId, reason: ClosingReason): void {
    const actor = this.#actor
    if (actor === null) return
    const event: SurfaceMachineEvent = { type: closeEvent[reason] }
    if (!actor.getSnapshot().can(event))
      throw new Error(`surface ${surfaceId}: ${reason} by the log, refused by its actor`)
    const wasPending = this.pending !== null
    this.#actor = null
    this.#opened = null
    actor.send(event)
    if (!wasPending) return
    this.#pendingAnswer = null
    this.#runtime.publish({ type: 'session/task-surface', surfaceId, pending: null })
    this.#runtime.claims.discardAnswerTo(surfaceId)
  }

  #open(): void {
    const active = this.#runtime.state.projections.taskSurface.active
    if (active === null || this.#actor?.getSnapshot().context.surfaceId === active.surfaceId) return
    const name = `surface:${active.surfaceId}`
    const machine = this.#runtime.observed(surfaceMachine, name)
    this.#actor = this.#runtime.actors.start(name, createActor(machine, { id: name, input: active }))
    void this.#readOpen()
  }

  /** Sends an event that changes `pending`, and publishes the change. */
  #send(event: SurfaceMachineEvent): void {
    const actor = this.#actor
    if (actor === null) return
    actor.send(event)
    const { surfaceId } = actor.getSnapshot().context
    this.#runtime.publish({ type: 'session/task-surface', surfaceId, pending: pendingOf(actor.getSnapshot()) })
  }
}
