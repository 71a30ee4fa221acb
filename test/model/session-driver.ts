/* Drives one session of a real host by the events of the session machine. A person's go over the socket, the model is
   scripted, and the host's steps around a claim are held and released by the admission gate. The driver decides
   nothing: it does what stands for an event, and keeps which row of the host is which of the machine. */
import type { InboxRow } from '../../machines/session.ts'
import type { AdmissionGate } from '../harness/admission-gate.ts'
import type { Reply } from '../harness/client.ts'
import { openSurface } from '../harness/counted-log.ts'
import { LifecycleSession, type StageOfSessions } from './lifecycle-stage.ts'
import {
  isAnswer,
  isSteering,
  type SessionEvent,
  type SessionPath,
  type SessionSnapshot,
} from './session-host-paths.ts'

const model = {
  version: 1,
  title: 'A form',
  sections: [],
  fields: [{ kind: 'text', id: 'answer', label: 'Answer' }],
  submit: { label: 'Send' },
} as const

/** A row of the machine as the host knows it. */
interface Ids {
  itemId: string
  messageId: string
}

export class SessionDriver {
  readonly session: LifecycleSession
  readonly #gate: AdmissionGate | null
  readonly #idsByItem = new Map<string, Ids>()
  #sent = 0

  private constructor(session: LifecycleSession, gate: AdmissionGate | null) {
    this.session = session
    this.#gate = gate
  }

  /** A live session in which nothing goes on; with an open surface, where its path will answer one. */
  static async open(stage: StageOfSessions, withSurface: boolean): Promise<SessionDriver> {
    const session = await LifecycleSession.open(stage)
    const { client, sessionId, view } = session
    if (withSurface) {
      await session.send()
      ;(await session.call()).answerCalls([{ name: 'show_task_surface', arguments: { model } }])
      await session.until(() => view.eventsOf('turn/end').length > 0 && view.status?.status === 'idle', 'a surface')
    } else await client.call('session.configure', { sessionId })
    // The first entries of a session wait until its stored journal is read.
    const count = withSurface ? 7 : 2
    await session.until(() => session.entriesOf('session').length === count, `${count} transitions to begin with`)
    stage.gate?.guard(sessionId)
    return new SessionDriver(session, stage.gate)
  }

  /** The message behind a row of the machine. */
  messageOf({ itemId }: InboxRow): string | undefined {
    return this.#idsByItem.get(itemId)?.messageId
  }

  /** Does what stands for `event`; null where no more was asked than to go on. */
  async perform(
    event: SessionEvent,
    before: SessionSnapshot,
    next: SessionEvent | undefined,
  ): Promise<Reply<unknown> | null> {
    const { client, sessionId } = this.session
    switch (event.type) {
      case 'ENQUEUE':
        return this.#enqueue(event.row)
      case 'EDIT':
        return this.#update(event.itemId, { kind: 'edit', text: `${this.session.tag} edited` })
      case 'STEER':
        return this.#update(event.itemId, { kind: 'steer' })
      case 'REMOVE':
        return isGivenBack(event, before) ? null : this.#update(event.itemId, { kind: 'remove' })
      case 'INTERRUPT':
        return client.ask('session.interrupt', { sessionId })
      case 'CONFIGURE':
        return client.ask('session.configure', { sessionId, approval: 'auto' })
      case 'REWIND':
        return client.ask('session.rewind', { sessionId, toSeq: next?.type === 'RESUME' ? 1_000_000 : 0 })
      case 'END':
        return before.matches({ live: 'reloading' }) ? null : client.ask('session.remove', { sessionId })
      case 'CLAIM':
        this.#gate?.pass(sessionId)
        return null
      case 'ISSUE':
        this.#gate?.decide(sessionId, { admit: true })
        return null
      case 'DISCARD':
        this.#gate?.decide(sessionId, { admit: false, reason: 'Not now.' })
        return null
      case 'JOIN':
        ;(await this.session.call()).answerText('Go on.')
        return null
      case 'TURN_ENDED':
        await this.#endTurn(before)
        return null
      case 'COMMIT':
      case 'RESUME':
        return null
      case 'WAKE':
      case 'CALL':
        throw new Error(`${event.type} has a suite of its own`)
    }
  }

  /** Waits until the host stands where nothing happens by itself. */
  async settle(at: SessionSnapshot): Promise<void> {
    const { session } = this
    const { sessionId, view } = session
    const { claimed, rows } = at.context
    if (at.matches({ live: 'boundary' })) await session.until(() => this.#gate?.isHolding(sessionId), 'a held boundary')
    if (at.matches({ live: 'claiming' }) && claimed !== null) {
      const messageId = this.messageOf(claimed)
      await session.until(() => this.#gate?.heldAdmission(sessionId) === messageId, `the admission of ${messageId}`)
    }
    if (at.matches({ live: 'running' })) await session.call()
    if (at.matches('live')) await session.until(() => view.queue.length === rows.length, `${rows.length} rows`)
  }

  async #enqueue(row: InboxRow): Promise<Reply<unknown>> {
    const { client, sessionId, tag, view } = this.session
    const number = (this.#sent += 1)
    const surface = openSurface(view.events)
    if (row.answers !== null && surface !== null) {
      const submissionId = `${tag}-submission-${number}`
      const of = { sessionId, surfaceId: surface.surfaceId, submissionId, values: { answer: 'x' } }
      const reply = await client.ask('taskSurface.submit', of)
      if (!reply.ok || !reply.result.accepted) throw new Error(`not accepted: ${JSON.stringify(reply)}`)
      await this.#learn(row, reply.result.messageId)
      return reply
    }
    const messageId = `${tag}-row-${number}`
    const message = { sessionId, messageId, text: `${tag} row ${number}`, placement: row.placement }
    const reply = await client.ask('session.send', message)
    if (reply.ok) await this.#learn(row, messageId)
    return reply
  }

  async #learn({ itemId }: InboxRow, messageId: string): Promise<void> {
    const { session } = this
    // It may be claimed by now, so every frame counts.
    const find = () =>
      session.client.frames.flatMap((frame) => (frame.type === 'session/queue' ? frame.items : [])).find(isMeant)
    const isMeant = (queued: { messageId: string }) => queued.messageId === messageId
    const row = await session.until(find, `the row of ${messageId}`)
    this.#idsByItem.set(itemId, { itemId: row.id, messageId })
  }

  #update(itemId: string, action: object): Promise<Reply<unknown>> {
    const { client, sessionId } = this.session
    const known = this.#idsByItem.get(itemId)?.itemId ?? 'never-made'
    return client.ask('session.updateQueue', { sessionId, itemId: known, action })
  }

  /** A turn that goes on takes steering along: only one that fails leaves it behind. */
  async #endTurn({ context }: SessionSnapshot): Promise<void> {
    if (context.interruptTurn) return
    const call = await this.session.call()
    if (context.rows.some(isSteering)) call.answerError(400, 'No such thing.')
    else call.answerText('Well.')
  }
}

export const answersSurface = ({ steps }: SessionPath): boolean =>
  steps.some(({ event }) => event.type === 'ENQUEUE' && event.row.answers !== null)

/** By the host itself: the answer to a surface that an ordinary message has closed. */
const isGivenBack = ({ itemId }: { itemId: string }, before: SessionSnapshot): boolean =>
  before.matches({ live: 'committing' }) && before.context.rows.some((row) => row.itemId === itemId && isAnswer(row))
