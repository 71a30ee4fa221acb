/* A session with its sockets, one turn after another: texts, a form that is shown, its submission. After so many turns the
   session is removed and a new one takes its place, so that a host under load is in a steady state: as many sessions, as
   old as before. Each end is checked on every socket against what the host says. */
import { z } from 'zod'
import type { Address } from '../harness/client.ts'
import type { Position, SoakFrame } from './ledger.ts'
import { field, quickAgent, showWord } from './quick-model.ts'
import { Viewer } from './viewer.ts'

/** Of five turns three are texts, then a form is shown and submitted. */
const cycle = 5

const sessionSchema = z.looseObject({ session: z.looseObject({ id: z.string() }) })
const openedSchema = z.looseObject({ result: z.looseObject({ incarnation: z.string(), n: z.int(), lastSeq: z.int() }) })
const shownSchema = z.looseObject({ meta: z.looseObject({ surfaceId: z.string() }) })
const endSchema = z.looseObject({ reason: z.string() })
const acceptedSchema = z.looseObject({ accepted: z.literal(true) })

/** Milliseconds from the moment a turn was due until its message, and its end, had reached every socket. */
export interface TurnTimes {
  visibleMs: number
  endedMs: number
}

export interface SeatOptions {
  address: Address
  cwd: string
  sockets: number
  /** Of a session before it is replaced. */
  turnsPerSession: number
  /** Of the first session, so that not all are replaced at once. */
  turnsOfFirst: number
  /** Resolves when the next turn may begin. */
  mayBegin(): Promise<void>
  finished(times: TurnTimes): void
  broken(cause: Error): void
}

/** Resolves once it was counted down. */
class Countdown {
  readonly done: Promise<number>
  #left: number
  #resolve: (at: number) => void = () => {}

  constructor(count: number) {
    this.#left = count
    this.done = new Promise((resolve) => (this.#resolve = resolve))
  }

  down(): void {
    this.#left -= 1
    if (this.#left === 0) this.#resolve(performance.now())
  }
}

export class Seat {
  sessions = 0
  isRunning = false
  readonly #options: SeatOptions
  readonly #viewers: Viewer[] = []
  #sessionId = ''
  #turns = 0
  #turnsLeft: number
  #surfaceId = ''
  #visible = new Countdown(1)
  #ended = new Countdown(1)
  #chain: Promise<void> = Promise.resolve()

  constructor(options: SeatOptions) {
    this.#options = options
    this.#turnsLeft = options.turnsOfFirst
  }

  async sit(): Promise<void> {
    const { address, sockets, broken } = this.#options
    const events = { event: (event: NonNullable<SoakFrame['event']>) => this.#see(event), broken }
    const opened = Array.from({ length: sockets }, () => Viewer.open(address, events))
    this.#viewers.push(...(await Promise.all(opened)))
    await this.#begin()
  }

  /** A turn that is due now; it begins when those before it are over. */
  turn(dueAt: number): void {
    this.#chain = this.#chain.then(async () => {
      await this.#options.mayBegin()
      this.isRunning = true
      if (this.#turnsLeft === 0) await this.#replace()
      this.#turnsLeft -= 1
      await this.#run(dueAt)
      this.isRunning = false
    })
    this.#chain.catch(this.#options.broken)
  }

  /** Resolves when every turn is over and every socket has seen all there was. */
  async settle(): Promise<void> {
    await this.#chain
    await this.#leave()
  }

  get frames(): number {
    return this.#viewers.reduce((sum, viewer) => sum + viewer.frames, 0)
  }

  get hostFrames(): number {
    return this.#viewers.reduce((sum, viewer) => sum + viewer.hostFrames, 0)
  }

  close(): void {
    for (const viewer of this.#viewers) viewer.close()
  }

  async #run(dueAt: number): Promise<void> {
    this.#visible = new Countdown(this.#viewers.length)
    this.#ended = new Countdown(this.#viewers.length)
    const [visibleAt, endedAt] = await Promise.all([this.#visible.done, this.#ended.done, this.#say()])
    this.#turns += 1
    this.#options.finished({ visibleMs: visibleAt - dueAt, endedMs: endedAt - dueAt })
  }

  async #say(): Promise<void> {
    const speaker = this.#viewers[this.#turns % this.#viewers.length]
    const sessionId = this.#sessionId
    const at = this.#turns % cycle
    if (at === cycle - 1) {
      const values = { [field]: 'The second one, because of the first year.' }
      const submission = { sessionId, surfaceId: this.#surfaceId, submissionId: `submission-${this.#turns}`, values }
      acceptedSchema.parse(await speaker?.call('taskSurface.submit', submission))
    } else {
      const text =
        at === cycle - 2 ? `${showWord} me what to decide.` : `Question ${this.#turns}: which plan is cheaper?`
      await speaker?.call('session.send', { sessionId, messageId: `message-${this.#turns}`, text })
    }
  }

  #see({ type, data }: NonNullable<SoakFrame['event']>): void {
    if (type === 'user/message') this.#visible.down()
    else if (type === 'tool/result') this.#surfaceId = shownSchema.parse(data).meta.surfaceId
    else if (type === 'turn/end') {
      const { reason } = endSchema.parse(data)
      if (reason !== 'completed') throw new Error(`a turn ended as ${reason}: ${JSON.stringify(data)}`)
      this.#ended.down()
    }
  }

  async #begin(): Promise<void> {
    const { cwd } = this.#options
    const created = await this.#viewers[0]?.call('session.create', { agent: quickAgent, cwd })
    this.#sessionId = sessionSchema.parse(created).session.id
    this.#turns = 0
    this.sessions += 1
    await Promise.all(this.#viewers.map((viewer) => viewer.watch(this.#sessionId)))
  }

  async #replace(): Promise<void> {
    const sessionId = this.#sessionId
    await this.#leave()
    await this.#viewers[0]?.call('session.remove', { sessionId })
    await this.#begin()
    this.#turnsLeft = this.#options.turnsPerSession
  }

  async #leave(): Promise<void> {
    const end = { ...(await this.#hostPosition()), messages: this.#turns }
    // What the host sent before it answered is here by now on the socket that asks next.
    await Promise.all(this.#viewers.map((viewer) => viewer.call('host.describe', {})))
    await Promise.all(this.#viewers.map((viewer) => viewer.leave(this.#sessionId, end)))
  }

  /** Asked outside of the sockets, whose subscriptions stay as they are. */
  async #hostPosition(): Promise<Position> {
    const { port, token } = this.#options.address
    const call = { jsonrpc: '2.0', id: 1, method: 'session.open', params: { sessionId: this.#sessionId, limit: 1 } }
    const response = await fetch(`http://127.0.0.1:${port}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(call),
    })
    return openedSchema.parse(await response.json()).result
  }
}
