/* What one socket was sent about one session, frame by frame: live frames under one incarnation with a contiguous `n`,
   events with a contiguous `seq` (SPEC 8). A frame too many and a frame too few are errors at the frame that shows them;
   what is lost at the very end shows in `assertAt`. It keeps counts and no frames. */
import { z } from 'zod'

export const frameSchema = z.looseObject({
  type: z.string(),
  sessionId: z.string(),
  incarnation: z.string().optional(),
  n: z.int().optional(),
  lastSeq: z.int().optional(),
  event: z.looseObject({ seq: z.int(), type: z.string(), data: z.looseObject({}) }).optional(),
})
export type SoakFrame = z.infer<typeof frameSchema>

export interface Position {
  incarnation: string
  n: number
  lastSeq: number
}

export class Ledger {
  frames = 0
  readonly #sessionId: string
  #at: Position | null = null
  #isLive = false

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  take(frame: SoakFrame): void {
    if (frame.sessionId !== this.#sessionId) throw new Error(`a frame of another session than ${this.#sessionId}`)
    this.frames += 1
    if (frame.type === 'session/subscribed') return this.#begin(frame)
    if (frame.n === undefined) return this.#baseline(frame)
    const at = this.#position(frame)
    if (frame.incarnation !== at.incarnation) throw this.#wrong('another incarnation', frame)
    if (frame.n !== at.n + 1) throw this.#wrong(frame.n > at.n ? 'a lost frame' : 'a frame twice', frame)
    at.n = frame.n
    this.#isLive = true
    const { event } = frame
    if (event === undefined) return
    if (event.seq !== at.lastSeq + 1)
      throw this.#wrong(event.seq > at.lastSeq ? 'a lost event' : 'an event twice', frame)
    at.lastSeq = event.seq
  }

  /** The host says the session stands here, and nothing is on its way. */
  assertAt({ incarnation, n, lastSeq }: Position): void {
    const at = this.#at
    if (at?.incarnation === incarnation && at.n === n && at.lastSeq === lastSeq) return
    const said = JSON.stringify({ incarnation, n, lastSeq })
    throw new Error(`the host says ${said}, the last frame of ${this.#sessionId} was ${JSON.stringify(at)}`)
  }

  #begin(frame: SoakFrame): void {
    const { incarnation, n, lastSeq } = frame
    if (this.#at !== null) throw this.#wrong('the session began anew', frame)
    if (incarnation === undefined || n === undefined || lastSeq === undefined) throw this.#wrong('no position', frame)
    this.#at = { incarnation, n, lastSeq }
  }

  #baseline(frame: SoakFrame): void {
    this.#position(frame)
    if (this.#isLive) throw this.#wrong('a live frame without n', frame)
  }

  #position(frame: SoakFrame): Position {
    if (this.#at === null) throw this.#wrong('a frame before session/subscribed', frame)
    return this.#at
  }

  #wrong(what: string, frame: SoakFrame): Error {
    return new Error(`${what}: ${JSON.stringify(frame).slice(0, 300)} after ${JSON.stringify(this.#at)}`)
  }
}
