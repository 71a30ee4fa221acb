/* The test's side of the admission hook (SPEC 14, HARNESS.md): the host asks before it claims a row and again inside
   the admission of that row. Sessions that are not gated go on at once; gated ones are held until the test lets them
   through. One gate serves many sessions and outlives restarts of the host. */
import { createServer, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { Watchers, type Changes } from './changes.ts'
import { closeServer, listenOnLoopback, readBody } from './loopback-server.ts'

const requestSchema = z.discriminatedUnion('point', [
  z.strictObject({ point: z.literal('claim'), sessionId: z.string(), queue: z.array(z.string()).nonempty() }),
  z.strictObject({ point: z.literal('admit'), sessionId: z.string(), messageId: z.string() }),
])

export type Verdict = { admit: true } | { admit: false; reason: string }

interface Hold {
  response: ServerResponse
  messageId: string
}

/** The holds of one gated session. */
class Turnstile {
  readonly boundaries = new Set<ServerResponse>()
  readonly admissions = new Set<Hold>()
  /** Boundaries pass until an admission arrives. */
  isOpen = false
}

export class AdmissionGate {
  readonly url: string
  readonly watchers: Watchers
  readonly close: () => Promise<void>
  readonly #turnstiles: Map<string, Turnstile>

  private constructor(parts: {
    url: string
    watchers: Watchers
    turnstiles: Map<string, Turnstile>
    close: () => Promise<void>
  }) {
    this.url = parts.url
    this.watchers = parts.watchers
    this.close = parts.close
    this.#turnstiles = parts.turnstiles
  }

  static async start(): Promise<AdmissionGate> {
    const watchers = new Watchers()
    const turnstiles = new Map<string, Turnstile>()
    const server = createServer((request, response) => {
      void readBody(request)
        .then((body) => {
          if (body !== null) hold(turnstiles, requestSchema.parse(JSON.parse(body)), response)
          watchers.notify()
        })
        .catch((cause: unknown) => watchers.fail(cause instanceof Error ? cause : new Error(String(cause))))
    })
    const port = await listenOnLoopback(server)
    const url = `http://127.0.0.1:${port}/`
    return new AdmissionGate({ url, watchers, turnstiles, close: () => closeServer(server) })
  }

  /** From here on nothing of this session passes by itself. */
  guard(sessionId: string): void {
    if (!this.#turnstiles.has(sessionId)) this.#turnstiles.set(sessionId, new Turnstile())
  }

  /** Ends the guard: whatever is held goes on. */
  unguard(sessionId: string): void {
    const turnstile = this.#turnstiles.get(sessionId)
    if (turnstile === undefined) return
    this.#turnstiles.delete(sessionId)
    for (const response of turnstile.boundaries) response.end()
    for (const { response } of turnstile.admissions) answer(response, { admit: true })
  }

  /** The host stands before a claim and is held there. */
  isHolding(sessionId: string): boolean {
    return this.#turnstile(sessionId).boundaries.size > 0
  }

  /** Lets the host go on from before a claim, whatever it finds in the queue now. */
  pass(sessionId: string): void {
    const { boundaries } = this.#turnstile(sessionId)
    for (const response of boundaries) response.end()
    boundaries.clear()
  }

  /** The admission that is held: of the row claimed last. */
  heldAdmission(sessionId: string): string | undefined {
    return [...this.#turnstile(sessionId).admissions].at(-1)?.messageId
  }

  /** Lets one claim happen and answers whose admission is held now. */
  async claim(sessionId: string, changes: Changes): Promise<string> {
    const turnstile = this.#turnstile(sessionId)
    // What an interrupt left behind is answered late, and the host must ignore it.
    for (const { response } of turnstile.admissions) answer(response, { admit: true })
    turnstile.admissions.clear()
    turnstile.isOpen = true
    for (const response of turnstile.boundaries) response.end()
    turnstile.boundaries.clear()
    const held = await changes.until(() => [...turnstile.admissions][0], `an admission in ${sessionId}`)
    return held.messageId
  }

  /** Answers the admission that is held; of `messageId`, where it is given. */
  decide(sessionId: string, verdict: Verdict, messageId?: string): void {
    const turnstile = this.#turnstile(sessionId)
    const held = [...turnstile.admissions].at(-1)
    if (held === undefined || (messageId !== undefined && held.messageId !== messageId)) {
      throw new Error(`held is the admission of ${held?.messageId}, not of ${messageId}`)
    }
    turnstile.admissions.delete(held)
    answer(held.response, verdict)
  }

  #turnstile(sessionId: string): Turnstile {
    const turnstile = this.#turnstiles.get(sessionId)
    if (turnstile === undefined) throw new Error(`${sessionId} is not guarded`)
    return turnstile
  }
}

function hold(
  turnstiles: ReadonlyMap<string, Turnstile>,
  request: z.infer<typeof requestSchema>,
  response: ServerResponse,
): void {
  const turnstile = turnstiles.get(request.sessionId)
  if (request.point === 'claim') {
    if (turnstile === undefined || turnstile.isOpen) {
      response.end()
      return
    }
    turnstile.boundaries.add(response)
    response.on('close', () => turnstile.boundaries.delete(response))
    return
  }
  if (turnstile === undefined) {
    answer(response, { admit: true })
    return
  }
  turnstile.isOpen = false
  const held = { response, messageId: request.messageId }
  turnstile.admissions.add(held)
  response.on('close', () => turnstile.admissions.delete(held))
}

function answer(response: ServerResponse, verdict: Verdict): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(verdict))
}
