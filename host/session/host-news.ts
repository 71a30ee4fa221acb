/* What every socket is told about the list of sessions. As it happens, as long as little happens. A thousand sockets cost a
   thousand sends for each telling, so under load what came meanwhile waits a moment and goes out together, of each
   session its newest word alone: a session is whole in each of these frames. Knows no socket. */
import type { SessionId } from '../../shared/ids.ts'
import type { HostFrame } from '../../shared/protocol/frames.ts'
import type { Clock } from '../clock.ts'

export type HostNewsFrame = Exclude<HostFrame, { type: 'host/hello' }>

/** So many in a row are told at once; more than one host does for one person. */
const burst = 20
const refillMs = 50
/** Short enough that nobody sees it. */
const gatherMs = 50

export class HostNews {
  readonly #publish: (text: string) => void
  readonly #clock: Clock
  readonly #heldById = new Map<SessionId, HostNewsFrame>()
  #left = burst
  #countedAt: number

  constructor(deps: { publish: (text: string) => void; clock: Clock }) {
    this.#publish = deps.publish
    this.#clock = deps.clock
    this.#countedAt = deps.clock.now()
  }

  tell(frame: HostNewsFrame): void {
    if (this.#heldById.size === 0 && this.#mayAtOnce()) return this.#publish(JSON.stringify(frame))
    if (this.#heldById.size === 0) void this.#tellLater()
    this.#hold(frame)
  }

  #mayAtOnce(): boolean {
    const refilled = Math.floor((this.#clock.now() - this.#countedAt) / refillMs)
    // Also where the clock was set back.
    if (refilled !== 0) this.#countedAt = this.#clock.now()
    this.#left = Math.min(burst, this.#left + Math.max(0, refilled))
    if (this.#left === 0) return false
    this.#left -= 1
    return true
  }

  #hold(frame: HostNewsFrame): void {
    const sessionId = frame.type === 'host/session-removed' ? frame.sessionId : frame.session.id
    const isNew = this.#heldById.get(sessionId)?.type === 'host/session-added' && frame.type === 'host/session-updated'
    this.#heldById.set(sessionId, isNew ? { type: 'host/session-added', session: frame.session } : frame)
  }

  async #tellLater(): Promise<void> {
    await this.#clock.sleep(gatherMs, new AbortController().signal)
    const held = [...this.#heldById.values()]
    this.#heldById.clear()
    for (const frame of held) this.#publish(JSON.stringify(frame))
  }
}
