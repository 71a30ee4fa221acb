/* The inbox at work (SPEC 4): rows in, one claim at a time, every claim to exactly one outcome. The session
   machine decides; this carries out its decisions. Between taking a row, moving its surface and publishing
   the queue there is no await. */
import { stat } from 'node:fs/promises'
import { queueRefusal, type InboxRow, type SessionMachineEvent } from '../../machines/session.ts'
import type { InboxItemId } from '../../shared/ids.ts'
import type { DiscardReason, Placement } from '../../shared/message.ts'
import { conflict } from '../../shared/protocol/errors.ts'
import type { QueueAction } from '../../shared/protocol/methods.ts'
import type { Model } from '../agents/port.ts'
import { editableText, maxRows, type InboxEntry } from './inbox.ts'
import { headerOf } from './session-view.ts'
import type { SessionRuntime } from './session-runtime.ts'
import { runTurn } from './turn-loop.ts'

const refusalText = {
  'queue-item-not-found': 'This row is no longer in the queue.',
  'queue-item-locked': 'A submission can be removed, but not edited or steered.',
  'steer-unavailable': 'No turn is running that could be steered.',
} as const

type Admitted = { admitted: true; model: Model } | { admitted: false; why: string }

export class Claims {
  readonly #runtime: SessionRuntime
  #claim: AbortController | null = null
  #turn: AbortController | null = null
  #looping = false
  #loop: Promise<void> = Promise.resolve()
  #draining = false

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime
  }

  /** Adds a row behind the others and answers its placement. Synchronous: the caller has checked the ids. */
  enqueue(entry: Omit<InboxEntry, 'answered'>, wanted: Placement): Placement {
    const { session, inbox, deps } = this.#runtime
    if (inbox.size >= maxRows) throw conflict('queue-full', `At most ${maxRows} messages may wait in a session.`)
    const itemId = deps.ids.inboxItem()
    const { taskSurface } = entry.source
    const answers =
      taskSurface === undefined ? null : { surfaceId: taskSurface.surfaceId, submissionId: taskSurface.submissionId }
    inbox.put(itemId, { ...entry, answered: wanted })
    session.send({ type: 'ENQUEUE', row: { itemId, messageId: entry.messageId, placement: wanted, answers } })
    const row = session.getSnapshot().context.rows.find((candidate) => candidate.itemId === itemId)
    const placement = row?.placement ?? 'queued'
    inbox.put(itemId, { ...entry, answered: placement })
    this.#runtime.publishQueue()
    this.wake()
    return placement
  }

  /** `session.updateQueue`. There is no optimistic change: the queue frame is the commit. */
  update(itemId: InboxItemId, action: QueueAction): void {
    const { session, inbox } = this.#runtime
    const event = toEvent(itemId, action)
    const snapshot = session.getSnapshot()
    const refusal = queueRefusal(snapshot, event)
    if (refusal !== null) throw conflict(refusal, refusalText[refusal])
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
    if (claimed !== null && session.getSnapshot().context.claimed === null) {
      this.#claim?.abort()
      this.#discard(claimed, 'cancelled')
    }
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

  /** Takes no further row, cuts what runs, and resolves when it has written its end. */
  async drain(): Promise<void> {
    this.#draining = true
    this.interrupt('interrupted')
    await this.#loop.catch(() => {})
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
    while (!ended.aborted && !this.#draining && session.getSnapshot().matches({ live: 'boundary' })) {
      const queue = session.getSnapshot().context.rows.map(({ messageId }) => messageId)
      if (queue.length > 0) await deps.admission.beforeClaim({ sessionId, queue })
      if (ended.aborted || !session.getSnapshot().matches({ live: 'boundary' })) return
      session.send({ type: 'CLAIM' })
      const { claimed } = session.getSnapshot().context
      if (claimed !== null) await this.#carry(claimed)
    }
  }

  async #carry(row: InboxRow): Promise<void> {
    const { session, surfaces, ended } = this.#runtime
    const claim = new AbortController()
    this.#claim = claim
    const answerable = surfaces.claim(row)
    this.#runtime.publishQueue()
    if (!answerable) return this.#refuse(row, 'surface-closed')
    const verdict = await untilAborted(this.#admit(row), claim.signal)
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

  async #admit({ messageId }: InboxRow): Promise<Admitted> {
    const { deps, sessionId, state } = this.#runtime
    const { agent, cwd } = headerOf(state)
    const hook = await deps.admission.admit({ sessionId, messageId })
    if (!hook.admit) return { admitted: false, why: hook.reason }
    const resolved = deps.agents.resolve(agent)
    if (resolved === null) return { admitted: false, why: `There is no agent named ${agent}.` }
    if (!resolved.available) return { admitted: false, why: resolved.why }
    if (!(await isFolder(cwd))) return { admitted: false, why: `The session's folder is missing: ${cwd}` }
    return { admitted: true, model: resolved.model }
  }

  async #commit(row: InboxRow): Promise<void> {
    const runtime = this.#runtime
    const turn = runtime.state.lastTurn + 1
    const message = runtime.inbox.message(row.itemId)
    const drafts = [
      { type: 'turn/start', data: { turn } },
      { type: 'user/message', data: { message } },
    ] as const
    await runtime.surfaces.whileClosing(
      runtime.append(drafts, () => {
        runtime.inbox.admitted(row.itemId)
        runtime.session.send({ type: 'COMMIT' })
        runtime.publishStatus()
      }),
    )
  }

  async #runTurn(model: Model): Promise<void> {
    const { session } = this.#runtime
    const turn = new AbortController()
    this.#turn = turn
    if (session.getSnapshot().context.interruptTurn) turn.abort('aborted')
    await runTurn(this.#runtime, model, turn.signal)
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

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

/** The value, or 'aborted' as soon as the signal says so; a late value is ignored. */
export function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | 'aborted'> {
  if (signal.aborted) {
    value.catch(() => {})
    return Promise.resolve('aborted')
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
