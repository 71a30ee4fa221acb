/* One conversation up to an answered surface: a client that looks at what the log says and does whatever is next, so the
   same code begins, goes on after the host died, and opens again where the host broke continuity. It sends again, under
   the same ids, whatever it is not sure of. */
import type { SessionEvent } from '../../shared/event.ts'
import { errorCodes } from '../../shared/protocol/errors.ts'
import type { MethodName, Result } from '../../shared/protocol/methods.ts'
import type { Changes } from './changes.ts'
import { Client, type Address } from './client.ts'
import { isTurnOpen, openSurface } from './counted-log.ts'
import { scriptedAgent, type ModelCall, type ScriptedModel } from './scripted-model.ts'
import { surfaceModels } from './sequence-cases.ts'
import type { SessionView } from './session-view.ts'

const model = surfaceModels()['host:S1']
export const submission = { submissionId: 'q1', values: { name: 'Ada', ship: true }, note: 'soon' }

/** What the client knows whatever happens to the host. */
export interface Memory {
  sessionId: string | null
  /** Every event it was shown. */
  seen: readonly SessionEvent[]
  /** Ids of the messages it has sent. */
  sent: readonly string[]
  /** The last answer to the submission. */
  accepted: string | null
}

export const nothing: Memory = { sessionId: null, seen: [], sent: [], accepted: null }

/** The surface is open, or it was answered and the turn is over. */
export type Goal = 'open' | 'answered'

/** The socket closed under the player. */
export class HostGone extends Error {}

/** The host answered −32010: nothing is known but what the log says. */
class StorageTrouble extends Error {}

type Next =
  | { kind: 'answer'; call: ModelCall }
  | { kind: 'send'; messageId: string }
  | { kind: 'submit' }
  | { kind: 'open' }
  | { kind: 'done' }

export class Player {
  readonly #model: ScriptedModel
  readonly #changes: Changes
  #client: Client | null = null
  #view: SessionView | null = null
  #before: Memory
  #sent: readonly string[]
  #accepted: string | null
  #sessionId: string | null
  /** `n` before anything happened in this life. */
  #openedAt = 0
  /** Messages that this life has sent and that must become durable. */
  readonly #awaited = new Set<string>()

  constructor(stage: { model: ScriptedModel; changes: Changes }, before: Memory) {
    this.#model = stage.model
    this.#changes = stage.changes
    this.#before = before
    this.#sent = before.sent
    this.#accepted = before.accepted
    this.#sessionId = before.sessionId
  }

  get memory(): Memory {
    const events = this.#view?.events ?? []
    const seen = events.length >= this.#before.seen.length ? events : this.#before.seen
    return { sessionId: this.#sessionId, seen, sent: this.#sent, accepted: this.#accepted }
  }

  drop(): void {
    this.#client?.drop()
  }

  /** Plays until `goal`. Rejects with `HostGone` where the socket closes. */
  async play(address: Address, goal: Goal): Promise<void> {
    this.#client = await orGone(Client.connect(address, this.#changes))
    for (;;) {
      try {
        await this.#open()
        await this.#playOn(goal)
        return
      } catch (cause) {
        if (!(cause instanceof StorageTrouble)) throw cause
      }
    }
  }

  /** Opens the session, new or known, and sends again what it does not show. */
  async #open(): Promise<void> {
    this.#sessionId ??= (
      await this.#call('session.create', { agent: scriptedAgent, approval: 'auto', toolMode: 'native' })
    ).session.id
    await this.#call('session.open', { sessionId: this.#sessionId, limit: 500 })
    const view = this.#connected.view(this.#sessionId)
    this.#view = view
    this.#openedAt = view.n
    this.#awaited.clear()
    for (const messageId of this.#sent) await this.#send(messageId)
  }

  async #playOn(goal: Goal): Promise<void> {
    for (;;) {
      const next = await this.#changes.until(
        () => this.#next(goal),
        () =>
          `the next move; queue ${JSON.stringify(this.#view?.queue)}, events ${JSON.stringify(this.#view?.events.slice(-4))}`,
      )
      switch (next.kind) {
        case 'done':
          return
        case 'answer':
          this.#answer(next.call)
          break
        case 'send':
          await this.#send(next.messageId)
          break
        case 'submit':
          await this.#submit()
          break
        case 'open':
          await this.#open()
          break
      }
    }
  }

  #next(goal: Goal): Next | null {
    const view = this.#view
    if (view === null || this.#client?.isClosed === true) throw new HostGone()
    if (view.renewals > 0) return { kind: 'open' }
    const call = this.#model.calls.find((candidate) => candidate.isParked)
    if (call !== undefined) return { kind: 'answer', call }
    const { events, queue, status } = view
    for (const event of events) if (event.type === 'user/message') this.#awaited.delete(event.data.message.id)
    if (status?.status !== 'idle' || queue.length > 0 || this.#awaited.size > 0) return null
    // A turn whose status has not come yet; a cold session keeps the turn that was cut until something happens in it.
    if (isTurnOpen(events) && view.n !== this.#openedAt) return null
    if (isAnswered(events)) return isTurnOpen(events) ? this.#another() : { kind: 'done' }
    if (openSurface(events) === null) return this.#another()
    if (goal === 'open') return isTurnOpen(events) ? this.#another() : { kind: 'done' }
    return { kind: 'submit' }
  }

  #another(): Next {
    return { kind: 'send', messageId: `m${this.#sent.length + 1}` }
  }

  #answer(call: ModelCall): void {
    if (openSurface(this.#view?.events ?? []) !== null || isAnswered(this.#view?.events ?? [])) call.answerText('Done.')
    else call.answerCalls([{ name: 'show_task_surface', arguments: { model } }])
  }

  async #send(messageId: string): Promise<void> {
    if (!this.#sent.includes(messageId)) this.#sent = [...this.#sent, messageId]
    const { sessionId } = this.#place
    this.#awaited.add(messageId)
    await this.#call('session.send', { sessionId, messageId, text: `text of ${messageId}` })
  }

  async #submit(): Promise<void> {
    const { sessionId, view } = this.#place
    const surfaceId = openSurface(view.events)?.surfaceId
    const answer = await this.#call('taskSurface.submit', { sessionId, surfaceId, ...submission })
    if (!answer.accepted) throw new Error(`the submission was refused: ${JSON.stringify(answer)}`)
    this.#accepted = answer.messageId
    this.#awaited.add(answer.messageId)
  }

  async #call<Name extends MethodName>(method: Name, params: object): Promise<Result<Name>> {
    const reply = await orGone(this.#connected.ask(method, params))
    if (reply.ok) return reply.result
    const { code, message } = reply.error
    if (code === errorCodes.storage) throw new StorageTrouble(message)
    throw new Error(`${method}: ${code} ${message}`)
  }

  get #connected(): Client {
    if (this.#client === null) throw new Error('not connected')
    return this.#client
  }

  get #place(): { sessionId: string; view: SessionView } {
    if (this.#view === null || this.#sessionId === null) throw new Error('nothing is open')
    return { view: this.#view, sessionId: this.#sessionId }
  }
}

/** A socket that closed under a request means that the host is gone; anything else is what it says. */
async function orGone<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (cause) {
    if (
      cause instanceof Error &&
      /socket closed|closed socket|ECONNREFUSED|ECONNRESET|socket hang up/.test(cause.message)
    ) {
      throw new HostGone(cause.message, { cause })
    }
    throw cause
  }
}

/** Messages that answer the surface by this submission. */
export function answersOf(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'user/message') return []
    const { id, source } = event.data.message
    if (source.kind !== 'user' || !('taskSurface' in source)) return []
    const { taskSurface } = source
    const isOurs =
      typeof taskSurface === 'object' &&
      taskSurface !== null &&
      'submissionId' in taskSurface &&
      taskSurface.submissionId === submission.submissionId
    return isOurs ? [id] : []
  })
}

const isAnswered = (events: readonly SessionEvent[]): boolean => answersOf(events).length > 0
