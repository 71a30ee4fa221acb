/* Calls that wait for a person's permission (SPEC 5). The approval actor decides whether a decision still
   counts; the decision is durable before the call goes on. A child session's request shows in the session its
   person looks at, and its decision stands in the log of the session that asked. */
import { createActor } from 'xstate'
import {
  approvalMachine,
  outcomeOf,
  type ApprovalActor,
  type ApprovalMachineEvent,
  type ApprovalOutcome,
} from '../../machines/approval.ts'
import type { ApprovalId, CallId, SessionId } from '../../shared/ids.ts'
import type { Json } from '../../shared/json.ts'
import type { SessionFrameBody } from '../../shared/protocol/frames.ts'
import type { SessionRuntime } from './session-runtime.ts'
import { accepts } from '../lifecycles/accepts.ts'

export interface ApprovalRequest {
  callId: CallId
  tool: string
  /** What the person is asked to allow, whole. */
  summary: string
  input: Json
}

export type DecideResult = { accepted: true } | { accepted: false; reason: 'not-pending' }

interface Pending extends ApprovalRequest {
  asker: SessionRuntime
  actor: ApprovalActor
  resolve: (outcome: ApprovalOutcome) => void
}

export class ApprovalService {
  readonly #runtime: SessionRuntime
  readonly #pendingById = new Map<ApprovalId, Pending>()

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime
  }

  get size(): number {
    return this.#pendingById.size
  }

  /** Resolves with the person's decision, or `cancelled` when `signal` aborts or this session ends. */
  request(asker: SessionRuntime, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalOutcome> {
    if (signal.aborted) return Promise.resolve('cancelled')
    const approvalId = this.#runtime.deps.ids.approval()
    const { callId } = request
    const name = `approval:${approvalId}`
    const actor = this.#runtime.actors.start(
      name,
      createActor(this.#runtime.observed(approvalMachine, name), { id: name, input: { approvalId, callId } }),
    )
    return new Promise((resolve) => {
      const pending: Pending = { ...request, asker, actor, resolve }
      this.#pendingById.set(approvalId, pending)
      signal.addEventListener('abort', () => this.#cancel(approvalId), { once: true })
      this.#runtime.publish(this.#requested(approvalId, pending))
    })
  }

  /** `approval.decide`. The first decision wins; it is answered once it is durable. */
  async decide(approvalId: ApprovalId, decision: 'allow' | 'deny', remember: boolean): Promise<DecideResult> {
    const pending = this.#pendingById.get(approvalId)
    const event: ApprovalMachineEvent = { type: decision === 'allow' ? 'ALLOW' : 'DENY' }
    if (pending === undefined || !accepts(pending.actor, event)) return { accepted: false, reason: 'not-pending' }
    // From now on nobody else decides; what was decided counts once it is durable.
    this.#pendingById.delete(approvalId)
    const data = { callId: pending.callId, decision, ...(remember && { remember }) }
    try {
      await pending.asker.append([{ type: 'approval/decided', data }], () => pending.actor.send(event))
    } catch (error) {
      // Nobody knows of the decision: the call that waits must not go on, nor wait for ever, nor stay on a screen.
      pending.actor.send({ type: 'CANCEL' })
      this.#finish(approvalId, pending)
      throw error
    }
    this.#finish(approvalId, pending)
    return { accepted: true }
  }

  cancelAll(): void {
    for (const approvalId of this.#pendingById.keys()) this.#cancel(approvalId)
  }

  /** For the baseline of a socket that opens the session. */
  pending(): SessionFrameBody[] {
    return [...this.#pendingById].map(([approvalId, pending]) => this.#requested(approvalId, pending))
  }

  #cancel(approvalId: ApprovalId): void {
    const pending = this.#pendingById.get(approvalId)
    if (pending === undefined) return
    this.#pendingById.delete(approvalId)
    pending.actor.send({ type: 'CANCEL' })
    this.#finish(approvalId, pending)
  }

  #finish(approvalId: ApprovalId, { actor, resolve }: Pending): void {
    const outcome = outcomeOf(actor.getSnapshot()) ?? 'cancelled'
    this.#runtime.publish({ type: 'approval/resolved', approvalId, outcome })
    resolve(outcome)
  }

  #requested(approvalId: ApprovalId, { callId, tool, summary, input, asker }: Pending): SessionFrameBody {
    const fromSession: SessionId | undefined = asker === this.#runtime ? undefined : asker.sessionId
    const request = { type: 'approval/requested', approvalId, callId, tool, summary, input } as const
    return { ...request, ...(fromSession !== undefined && { fromSession }) }
  }
}
