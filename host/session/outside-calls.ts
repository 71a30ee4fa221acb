/* Calls that an agent elsewhere makes in this session (SPEC 11): each waits until the session is idle and is then a
   turn of its own. Knows no protocol: whoever made the call reads its outcome from the log.

   Invariant: every call is settled exactly once: `ended`, `cancelled` before it began, or `lost` with the runtime. */
import { callingModel } from '../agents/mcp-agent.ts'
import type { Model } from '../agents/port.ts'

/** Calls of one session that may wait for their turn. Real clients make a handful at once. */
const maxWaiting = 32

export type OutsideOutcome =
  /** Its turn stands in the log, from the event behind `afterSeq` on. */
  { kind: 'ended'; afterSeq: number } | { kind: 'cancelled' } | { kind: 'too-many' } | { kind: 'lost' }

export interface WaitingCall {
  readonly model: Model
  /** Aborts when its maker no longer wants it. */
  readonly signal: AbortSignal
  readonly settle: (outcome: OutsideOutcome) => void
}

export class OutsideCalls {
  readonly #wake: () => void
  #waiting: WaitingCall[] = []

  /** `wake`: there is a call to look at. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  get size(): number {
    return this.#waiting.length
  }

  /** `arguments` is JSON. Never rejects. */
  make(call: { name: string; arguments: string }, signal: AbortSignal): Promise<OutsideOutcome> {
    if (signal.aborted) return Promise.resolve({ kind: 'cancelled' })
    if (this.#waiting.length >= maxWaiting) return Promise.resolve({ kind: 'too-many' })
    return new Promise((resolve) => {
      const waiting = { model: callingModel(call), signal, settle: resolve }
      this.#waiting.push(waiting)
      // Once it has begun, this finds nothing: the turn is cut by whoever runs it.
      signal.addEventListener('abort', () => this.#forget(waiting), { once: true })
      this.#wake()
    })
  }

  /** The call whose turn it is. It is settled by the caller. */
  take(): WaitingCall | undefined {
    return this.#waiting.shift()
  }

  /** The session ends: nobody is left waiting. */
  loseAll(): void {
    for (const { settle } of this.#waiting.splice(0)) settle({ kind: 'lost' })
  }

  #forget(call: WaitingCall): void {
    if (!this.#waiting.includes(call)) return
    this.#waiting = this.#waiting.filter((other) => other !== call)
    call.settle({ kind: 'cancelled' })
  }
}
