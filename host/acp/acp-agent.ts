/* A program that speaks the Agent Client Protocol as the agent of one session (SPEC 11). It is started with its first turn
   and told what was said before; from then on it remembers by itself and is told what is new. After it has ended, for
   whatever reason, the next turn begins with another one. Next: `prompt-run.ts` (a turn), `conversation.ts` (the program). */
import type { Usage } from '../../shared/message.ts'
import { ModelError, type CallResult, type ModelPart, type ModelRequest, type SeatedAgent } from '../agents/port.ts'
import type { Clock } from '../clock.ts'
import { openConversation, type Conversation, type ConversationDeps } from './conversation.ts'
import { firstPrompt, saidTexts } from './prompt-text.ts'
import { PromptRun, type Happening } from './prompt-run.ts'

/** After a surface: long enough to read its result and say a last word that nobody reads. */
const lastWordsMs = 15_000
/** The same once the person waits for the next turn. */
const hurryMs = 3_000

type Finish = Extract<ModelPart, { type: 'finish' }>

export interface AcpAgentDeps {
  /** Whatever a conversation needs but for who listens. */
  conversation: () => Omit<ConversationDeps, 'onUpdate' | 'onPermission'>
  clock: Clock
  silenceMs: number
}

export function createAcpAgent(deps: AcpAgentDeps): SeatedAgent {
  return new AcpAgent(deps)
}

class AcpAgent implements SeatedAgent {
  readonly #deps: AcpAgentDeps
  readonly #over = new AbortController()
  #conversation: Conversation | null = null
  #run: PromptRun | null = null
  /** Texts of the person and notices that the agent of the conversation was told. */
  #told = 0
  /** What prompts have cost and no step has said yet: an agent says so with their end, which may come after the turn's. */
  #cost: Usage | null = null
  /** The turn of the prompt is over. */
  #isLeaving = false

  constructor(deps: AcpAgentDeps) {
    this.#deps = deps
  }

  get isBusy(): boolean {
    return this.#run?.hasEnded === false
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const earlier = this.#run
    if (earlier !== null && (earlier.surfaceShown || this.#isLeaving)) {
      earlier.leave(earlier.surfaceShown ? hurryMs : 0)
      await earlier.settled
      if (this.#run === earlier) this.#run = null
    }
    let hasSpoken = false
    for (;;) {
      // Whoever began the next turn meanwhile has its own.
      if (request.signal.aborted) throw new ModelError('permanent', 'The turn was stopped.')
      const run = this.#run ?? (await this.#begin(request))
      if (run === null) return yield this.#withCost({ type: 'finish', reason: 'stop' })
      const happening = await run.next()
      if (happening.kind === 'end') {
        if (this.#run === run) this.#run = null
        await run.settled
        // What the person said meanwhile is the next prompt of the same turn.
        if (saidTexts(request.messages).length > this.#told && happening.reason === 'end_turn') {
          if (hasSpoken) yield { type: 'text', text: '\n\n' }
          continue
        }
        return yield this.#withCost(finish(happening.reason))
      }
      yield* partsOf(happening)
      hasSpoken ||= happening.kind === 'text'
      if (happening.kind !== 'text' && happening.kind !== 'reasoning') {
        return yield this.#withCost({ type: 'finish', reason: 'tool-calls' })
      }
    }
  }

  callInside(call: { name: string; arguments: string }, signal: AbortSignal): Promise<CallResult> | null {
    return this.#run?.hasEnded === false ? this.#run.callInside(call, signal) : null
  }

  turnEnded(): void {
    this.#isLeaving = true
    this.#run?.leave(this.#run.surfaceShown ? lastWordsMs : 0)
  }

  end(): void {
    this.#over.abort()
    this.#run?.leave(0)
    this.#conversation?.end()
  }

  /** Null: there is nothing to say. */
  async #begin(request: ModelRequest): Promise<PromptRun | null> {
    const { clock, silenceMs } = this.#deps
    const known = this.#conversation
    const isNew = known === null || known.ended.aborted
    const said = saidTexts(request.messages)
    const texts = isNew ? firstPrompt(request.messages) : said.slice(this.#told)
    if (texts.length === 0) return null
    const conversation = isNew ? await this.#open(request.signal) : known
    const run = new PromptRun({ conversation, clock, silenceMs }, texts)
    this.#told = said.length
    this.#run = run
    this.#isLeaving = false
    const leave = () => run.leave(0)
    if (request.signal.aborted) leave()
    request.signal.addEventListener('abort', leave, { once: true })
    void run.settled.then((usage) => {
      request.signal.removeEventListener('abort', leave)
      this.#pay(usage)
    })
    return run
  }

  #pay(usage: Usage | null): void {
    if (usage === null) return
    const { inputTokens, outputTokens } = this.#cost ?? { inputTokens: 0, outputTokens: 0 }
    this.#cost = { inputTokens: inputTokens + usage.inputTokens, outputTokens: outputTokens + usage.outputTokens }
  }

  #withCost(part: Finish): Finish {
    const usage = this.#cost
    this.#cost = null
    return usage === null ? part : { ...part, usage }
  }

  async #open(signal: AbortSignal): Promise<Conversation> {
    const stop = AbortSignal.any([signal, this.#over.signal])
    const opening = new AbortController()
    const cut = () => opening.abort()
    if (stop.aborted) cut()
    stop.addEventListener('abort', cut, { once: true })
    const conversation = await openConversation(
      {
        ...this.#deps.conversation(),
        onUpdate: (update) => this.#run?.take(update),
        onPermission: (request) => this.#run?.permit(request) ?? Promise.resolve({ outcome: 'cancelled' }),
      },
      opening.signal,
    ).finally(() => stop.removeEventListener('abort', cut))
    if (stop.aborted) {
      conversation.end()
      throw new ModelError('permanent', 'The agent was stopped.')
    }
    this.#conversation = conversation
    return conversation
  }
}

function* partsOf(happening: Exclude<Happening, { kind: 'end' }>): Generator<ModelPart> {
  switch (happening.kind) {
    case 'text':
    case 'reasoning':
      return yield { type: happening.kind, text: happening.text }
    case 'calls':
      for (const call of happening.calls) {
        yield { type: 'tool-call', name: call.name, arguments: call.argumentsText, ties: { tool: call.tool } }
      }
      return
    case 'inside':
      return yield {
        type: 'tool-call',
        name: happening.name,
        arguments: happening.arguments,
        ties: { onLogged: happening.settle },
      }
  }
}

function finish(reason: string): Finish {
  switch (reason) {
    case 'end_turn':
      return { type: 'finish', reason: 'stop' }
    case 'max_tokens':
      return { type: 'finish', reason: 'length' }
    case 'refusal':
      return { type: 'finish', reason: 'refused' }
    case 'max_turn_requests':
      throw new ModelError('permanent', 'The agent stopped: it had made as many requests as it may in one turn.')
    case 'cancelled':
      throw new ModelError('permanent', 'The agent stopped by itself before it was done.')
    default:
      return { type: 'finish', reason: 'other' }
  }
}
