/* The inbox at work (SPEC 4): rows in, one claim at a time, every claim to exactly one outcome. The session
   machine decides; this carries out its decisions. Between taking a row, moving its surface and publishing
   the queue there is no await. */
import { setImmediate } from 'node:timers/promises'
import { queueRefusal, type InboxRow, type SessionMachineEvent } from '../../machines/session.ts'
import type { EventDraft } from '../../shared/event.ts'
import type { InboxItemId } from '../../shared/ids.ts'
import type { DiscardReason, Message, Placement } from '../../shared/message.ts'
import { conflict } from '../../shared/protocol/errors.ts'
import type { QueueAction } from '../../shared/protocol/methods.ts'
import type { Model } from '../agents/port.ts'
import { accepts } from '../lifecycles/accepts.ts'
import { untilAborted } from '../until-aborted.ts'
import { admitMessage, admitTurn } from './admission.ts'
import { correlationOf, editableText, type InboxEntry } from './inbox.ts'
import { isMcpAgent } from '../agents/mcp-agent.ts'
import { OutsideCalls, type WaitingCall } from './outside-calls.ts'
import type { SessionRuntime } from './session-runtime.ts'
import { headerOf, isSubagent } from './session-view.ts'
import { runTurn } from './turn-loop.ts'

const refusalText = {
  'queue-item-not-found': 'This row is no longer in the queue.',
  'queue-item-locked': 'A submission can be removed, but not edited or steered.',
  'steer-unavailable': 'No turn is running that could be steered.',
} as const

export class Claims {
  /** What an agent elsewhere does in this session. */
  readonly outside = new OutsideCalls(() => this.wake())
  readonly #runtime: SessionRuntime
  #claim: AbortController | null = null
  #turn: AbortController | null = null
  #looping = false
  #loop: Promise<void> = Promise.resolve()
  #draining = false
  #wakeWanted = false

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime
  }

  /** Adds a row behind the others and answers its placement. Synchronous: the caller has checked the ids. */
  enqueue(entry: Omit<InboxEntry, 'answered'>, wanted: Placement): Placement {
    const { session, inbox, deps } = this.#runtime
    inbox.requireRoom(entry.text)
    const itemId = deps.ids.inboxItem()
    const correlation = correlationOf(entry.source)
    const answers =
      correlation === undefined ? null : { surfaceId: correlation.surfaceId, submissionId: correlation.submissionId }
    inbox.put(itemId, { ...entry, answered: wanted })
    session.send({ type: 'ENQUEUE', row: { itemId, messageId: entry.messageId, placement: wanted, answers } })
    const row = session.getSnapshot().context.rows.find((candidate) => candidate.itemId === itemId)
    const placement = row?.placement ?? 'queued'
    inbox.put(itemId, { ...entry, answered: placement })
    this.#runtime.publishQueue()
    this.wake()
    return placement
  }

  /**
   * `session.updateQueue`. There is no optimistic change: the queue frame is the commit. A refused event is sent as
   * well, for the journal; it changes nothing.
   */
  update(itemId: InboxItemId, action: QueueAction): void {
    const { session, inbox } = this.#runtime
    const event = toEvent(itemId, action)
    const snapshot = session.getSnapshot()
    const refusal = queueRefusal(snapshot, event)
    if (refusal !== null) {
      session.send(event)
      throw conflict(refusal, refusalText[refusal])
    }
    if (action.kind === 'edit') inbox.requireRoom(action.text, itemId)
    const row = snapshot.context.rows.find((candidate) => candidate.itemId === itemId)
    session.send(event)
    if (action.kind === 'edit') inbox.edit(itemId, action.text)
    if (action.kind === 'remove' && row !== undefined) this.#discard(row, 'removed')
    this.#runtime.publishQueue()
  }

  /** `session.interrupt`: a claim is given back until its append is issued, then the turn it starts is cut. */
  interrupt(reason: 'aborted' | 'interrupted' = 'aborted'): void {
    const { session } = this.#runtime
    const { claimed } = session.getSnapshot().context
    session.send({ type: 'INTERRUPT' })
    if (session.getSnapshot().matches({ live: 'boundary' })) this.#claim?.abort()
    if (claimed !== null && session.getSnapshot().context.claimed === null) this.#discard(claimed, 'cancelled')
    if (this.#runtime.isRunning) this.#turn?.abort(reason)
  }

  /** The submission row of a surface that closed otherwise: its values stay in the browser's draft. */
  discardAnswerTo(surfaceId: string): void {
    const { session } = this.#runtime
    for (const row of session.getSnapshot().context.rows) {
      if (row.answers?.surfaceId !== surfaceId) continue
      session.send({ type: 'REMOVE', itemId: row.itemId })
      this.#discard(row, 'surface-closed')
      this.#runtime.publishQueue()
    }
  }

  /** Gives back whatever waits or is claimed; only for the end of the runtime. */
  discardAll(reason: DiscardReason): void {
    const { rows, claimed } = this.#runtime.session.getSnapshot().context
    this.#claim?.abort()
    this.#turn?.abort('interrupted')
    this.outside.loseAll()
    if (claimed !== null) this.#discard(claimed, reason)
    for (const row of rows) this.#discard(row, reason)
    if (rows.length > 0) this.#runtime.publish({ type: 'session/queue', items: [] })
  }

  /** Starts the boundary loop unless it runs. Requests end first: the loop begins in a later microtask. */
  wake(): void {
    if (this.#looping) return
    this.#looping = true
    this.#loop = Promise.resolve().then(() => this.#run())
    this.#runtime.contain('claim', this.#loop)
  }

  /** A notice came: begins a turn for it where the session is idle and may be woken. */
  wakeForNotices(): void {
    this.#wakeWanted = true
    this.wake()
  }

  /** Resolves once nothing is claimed, runs or may be claimed next. */
  async settled(): Promise<void> {
    await this.#loop.catch(() => {})
  }

  /** Takes no further row, cuts what runs, and resolves when it has written its end. */
  async drain(): Promise<void> {
    this.#draining = true
    this.interrupt('interrupted')
    await this.settled()
  }

  async #run(): Promise<void> {
    try {
      await this.#claimRows()
    } finally {
      // In the same tick as the last look at the queue: a later `wake` must not be lost.
      this.#looping = false
    }
  }

  async #claimRows(): Promise<void> {
    const { session, deps, sessionId, ended } = this.#runtime
    while (!ended.aborted && !this.#draining) {
      const snapshot = session.getSnapshot()
      if (snapshot.matches({ live: 'boundary' })) {
        const queue = snapshot.context.rows.map(({ messageId }) => messageId)
        if (queue.length > 0) await deps.admission.beforeClaim({ sessionId, queue })
        if (ended.aborted || !session.getSnapshot().matches({ live: 'boundary' })) return
        session.send({ type: 'CLAIM' })
        const { claimed } = session.getSnapshot().context
        if (claimed !== null) await this.#carry(claimed)
      } else if (this.#mayWake()) {
        session.send({ type: 'WAKE' })
        await this.#carryNotices()
      } else if (this.outside.size > 0 && session.getSnapshot().can({ type: 'CALL' })) {
        const call = this.outside.take()
        session.send({ type: 'CALL' })
        if (call !== undefined) await this.#carryCall(call)
      } else return
    }
  }

  /**
   * Asked once a notice: what may not wake the session now waits for its next turn. A subagent has but one, and an agent
   * elsewhere is told with its next call.
   */
  #mayWake(): boolean {
    const { session, notices, state } = this.#runtime
    const wanted = this.#wakeWanted
    this.#wakeWanted = false
    const surfaceIsOpen = state.projections.taskSurface.active !== null
    const header = headerOf(state)
    const mayBeginTurn = !surfaceIsOpen && !isSubagent(header) && !isMcpAgent(header.agent)
    return wanted && notices.size > 0 && mayBeginTurn && accepts(session, { type: 'WAKE' })
  }

  async #carryNotices(): Promise<void> {
    const runtime = this.#runtime
    const claim = new AbortController()
    this.#claim = claim
    const verdict = await untilAborted(admitTurn(runtime), claim.signal)
    if (runtime.ended.aborted || verdict === 'aborted') return
    if (!verdict.admitted) return runtime.session.send({ type: 'DISCARD' })
    runtime.session.send({ type: 'ISSUE' })
    await runtime.notices.deliver((messages) => this.#begin(messages, () => {}))
    await this.#runTurn(verdict.model)
  }

  /** A turn that nobody's message began. Whoever made the call may still take it back. */
  async #carryCall({ model, signal, settle }: WaitingCall): Promise<void> {
    const afterSeq = this.#runtime.state.lastSeq
    try {
      await this.#begin([], () => {})
      await this.#runTurn(model, signal)
      settle({ kind: 'ended', afterSeq })
    } finally {
      // Without effect where it has ended: this is for a runtime that is over.
      settle({ kind: 'lost' })
    }
  }

  async #carry(row: InboxRow): Promise<void> {
    const { session, surfaces, ended } = this.#runtime
    const claim = new AbortController()
    this.#claim = claim
    const answerable = surfaces.claim(row)
    this.#runtime.publishQueue()
    if (!answerable) return this.#refuse(row, 'surface-closed')
    const verdict = await untilAborted(admitMessage(this.#runtime, row.messageId), claim.signal)
    if (ended.aborted || verdict === 'aborted') return
    if (!verdict.admitted) return this.#refuse(row, 'rejected', verdict.why)
    session.send({ type: 'ISSUE' })
    await this.#commit(row)
    await this.#runTurn(verdict.model)
  }

  #refuse(row: InboxRow, reason: DiscardReason, why?: string): void {
    this.#runtime.session.send({ type: 'DISCARD' })
    this.#discard(row, reason, why)
  }

  async #commit(row: InboxRow): Promise<void> {
    const { surfaces, inbox } = this.#runtime
    const begun = this.#begin([inbox.message(row.itemId)], () => inbox.admitted(row.itemId))
    await surfaces.whileClosing(begun)
  }

  /** The claim's append: a turn begins with these messages. */
  #begin(messages: readonly Message[], onDurable: () => void): Promise<unknown> {
    const runtime = this.#runtime
    const drafts: EventDraft[] = [
      { type: 'turn/start', data: { turn: runtime.state.lastTurn + 1 } },
      ...messages.map((message): EventDraft => ({ type: 'user/message', data: { message } })),
    ]
    return runtime.append(drafts, () => {
      onDurable()
      runtime.session.send({ type: 'COMMIT' })
      runtime.publishStatus()
    })
  }

  async #runTurn(model: Model, cancelled?: AbortSignal): Promise<void> {
    const { session, ended } = this.#runtime
    // What was committed leaves first: sockets are written at the end of the tick, and the first request takes a while.
    await setImmediate()
    if (ended.aborted) return
    const turn = new AbortController()
    this.#turn = turn
    if (session.getSnapshot().context.interruptTurn || cancelled?.aborted === true) turn.abort('aborted')
    const cancel = () => turn.abort('aborted')
    cancelled?.addEventListener('abort', cancel, { once: true })
    await runTurn(this.#runtime, model, turn.signal).finally(() => {
      cancelled?.removeEventListener('abort', cancel)
      this.#runtime.seat.turnEnded()
    })
    this.#turn = null
  }

  #discard(row: InboxRow, reason: DiscardReason, why?: string): void {
    const { inbox, surfaces } = this.#runtime
    const { source, text } = inbox.entry(row.itemId)
    inbox.discarded(row.itemId)
    this.#runtime.publish({
      type: 'session/discarded',
      itemId: row.itemId,
      messageId: row.messageId,
      reason,
      ...(why !== undefined && { why }),
      text: editableText(source, text),
    })
    surfaces.discarded(row, reason)
  }
}

function toEvent(
  itemId: InboxItemId,
  action: QueueAction,
): Extract<SessionMachineEvent, { type: 'EDIT' | 'STEER' | 'REMOVE' }> {
  switch (action.kind) {
    case 'edit':
      return { type: 'EDIT', itemId }
    case 'steer':
      return { type: 'STEER', itemId }
    case 'remove':
      return { type: 'REMOVE', itemId }
  }
}
