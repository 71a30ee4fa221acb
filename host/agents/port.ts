/* The model port: what a turn asks of whatever answers in a session (SPEC 5, 11). The demo agent and every
   provider implement it; the turn loop validates, runs tools, retries and logs, so an implementation only
   turns one request into one stream of parts. */
import type { SessionId } from '../../shared/ids.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { AssistantPart, Usage } from '../../shared/message.ts'
import type { AgentView } from '../../shared/protocol/methods.ts'
import type { Tool } from '../tools/tool.ts'

/** The transcript as a model reads it: counted messages only, tool results right behind their calls. */
export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; parts: readonly AssistantPart[] }
  | { role: 'tool'; results: readonly { callId: string; name: string; text: string; isError: boolean }[] }

/** A tool as advertised. `inputSchema` is JSON Schema, byte-stable for a composition. */
export interface ToolSpec {
  name: string
  description: string
  inputSchema: JsonObject
}

export interface ModelRequest {
  sessionId: SessionId
  system: string
  messages: readonly ModelMessage[]
  tools: readonly ToolSpec[]
  /** Aborting it must end the request to the provider. */
  signal: AbortSignal
}

/** `arguments` is the model's text, byte for byte, not parsed and not repaired. */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call'; name: string; arguments: string; ties?: CallTies }
  | { type: 'finish'; reason: 'stop' | 'tool-calls' | 'length' | 'refused' | 'other'; usage?: Usage }

/** What binds a call to the agent that made it, where that agent does more than ask for it. */
export interface CallTies {
  /** Runs the call: the work is done in the agent, and this waits for it. Left out, a tool of the host runs. */
  tool?: Tool
  /** Told once the result is on disk; never where that does not come to pass. */
  onLogged?: (result: CallResult) => void
}

export interface CallResult {
  text: string
  isError: boolean
}

export interface Model {
  /** One model call. Text and reasoning come in pieces, a tool call whole. Ends with `finish`, or throws `ModelError`. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>
}

/** `transient` is retried with backoff by the turn loop; the message is shown to the person as it is. */
export class ModelError extends Error {
  readonly kind: 'transient' | 'permanent'
  readonly retryAfterMs: number | undefined

  constructor(kind: 'transient' | 'permanent', message: string, options?: { retryAfterMs?: number; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ModelError'
    this.kind = kind
    this.retryAfterMs = options?.retryAfterMs
  }
}

/** What an agent with a program of its own is told of the session it works in. */
export interface Seat {
  sessionId: SessionId
  cwd: string
}

/**
 * An agent that lives in one session and remembers the conversation by itself. `stream` goes on where the step before it
 * ended, or begins with what the person has said since.
 */
export interface SeatedAgent extends Model {
  /**
   * A tool of the host that the agent calls by another door while its turn runs: it becomes a call of that turn. Null:
   * no turn runs. Never rejects.
   */
  callInside(call: { name: string; arguments: string }, signal: AbortSignal): Promise<CallResult> | null
  /** Its turn runs, or still ends. */
  readonly isBusy: boolean
  /** The turn has its end: whatever the agent still does is no longer part of it. */
  turnEnded(): void
  /** Nothing follows. Idempotent. */
  end(): void
}

export type ResolvedAgent =
  | { available: true; model: Model }
  | { available: true; sit: (seat: Seat) => SeatedAgent }
  | { available: false; why: string }

export interface AgentCatalog {
  /** In the order they are offered; the first available one is the default of a new session. */
  list(): AgentView[]
  /** Any name of a known form resolves; `null`: no agent has this name. Never throws. */
  resolve(name: string): ResolvedAgent | null
}
