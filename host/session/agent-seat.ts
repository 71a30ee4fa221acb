/* The agent that lives in this session (SPEC 11), where it is one with a program and a memory of its own. Begun with its
   first turn, ended with the runtime, or when the person gives the session to another agent. */
import type { SessionId } from '../../shared/ids.ts'
import type { CallResult, Seat, SeatedAgent } from '../agents/port.ts'

export class AgentSeat {
  readonly #sessionId: SessionId
  #taken: { name: string; agent: SeatedAgent } | null = null

  constructor(sessionId: SessionId) {
    this.#sessionId = sessionId
  }

  get isTaken(): boolean {
    return this.#taken !== null
  }

  /** The agent of this name, which `sit` begins where another one or none is here. */
  take(name: string, cwd: string, sit: (seat: Seat) => SeatedAgent): SeatedAgent {
    if (this.#taken?.name === name) return this.#taken.agent
    this.end()
    const agent = sit({ sessionId: this.#sessionId, cwd })
    this.#taken = { name, agent }
    return agent
  }

  /** Its turn runs, or still ends. */
  get isBusy(): boolean {
    return this.#taken?.agent.isBusy === true
  }

  /** Null: it makes no calls now, so this is not one of its turn. */
  callInside(call: { name: string; arguments: string }, signal: AbortSignal): Promise<CallResult> | null {
    return this.#taken?.agent.callInside(call, signal) ?? null
  }

  turnEnded(): void {
    this.#taken?.agent.turnEnded()
  }

  end(): void {
    this.#taken?.agent.end()
    this.#taken = null
  }
}
