/* One tool call that the agent makes and runs by itself, as a tool call of our log: it begins with the agent's words for
   it, asks the person for what the agent asks, and ends when the agent says so (SPEC 11).

   Invariants: every permission request is answered exactly once; nobody is asked about a call that has ended. */
import { z } from 'zod'
import { jsonObjectSchema, type JsonObject } from '../../shared/json.ts'
import type { Clock } from '../clock.ts'
import { wellFormed } from '../session/send-message.ts'
import { plainlyShown } from '../tools/approval-text.ts'
import { ToolFailure, type Tool, type ToolExecution, type ToolOutcome } from '../tools/tool.ts'
import { trimmed } from '../trimmed.ts'
import { chosenOption, toolContentText } from './updates.ts'
import type { PermissionOutcome, PermissionRequest, ToolCallFields } from './updates.ts'

/** How long an agent may say nothing of a call that runs: builds and test runs are silent, and may be long. */
const maxSilenceMs = 60 * 60_000
/** UTF-16 units of a result that is kept. */
const maxResultUnits = 200_000

/** What servers accept as the name of a function, so that another agent can go on with this session. */
const nameLength = 64

interface PendingPermission {
  request: PermissionRequest
  answer: (outcome: PermissionOutcome) => void
}

type End = { text: string; isError: boolean }

export class AcpCall {
  readonly createdAt: number
  readonly #clock: Clock
  readonly #onRun: (call: AcpCall, exec: ToolExecution | null) => void
  readonly #permissions: PendingPermission[] = []
  #fields: ToolCallFields
  #end: End | null = null
  readonly #over = new AbortController()
  /** What stands under it and still runs. */
  readonly #held = new Set<Promise<unknown>>()
  #changed = new AbortController()

  /** `onRun`: the call runs from the one telling to the other, which comes with null. */
  constructor(fields: ToolCallFields, clock: Clock, onRun: (call: AcpCall, exec: ToolExecution | null) => void) {
    this.#fields = fields
    this.#clock = clock
    this.#onRun = onRun
    this.createdAt = clock.now()
    this.#take(fields)
  }

  get id(): string {
    return this.#fields.toolCallId
  }

  /** The agent does not say what kind of work it is, as for tools of MCP servers. */
  get isOther(): boolean {
    const { kind } = this.#fields
    return kind === undefined || kind === null || kind === 'other'
  }

  /** Enough is known to show it: agents announce a call before they have its arguments. */
  get isReady(): boolean {
    const { status, rawInput } = this.#fields
    const begun = status !== undefined && status !== null && status !== 'pending'
    return begun || this.#permissions.length > 0 || this.#end !== null || isFilled(rawInput)
  }

  get hasEnded(): boolean {
    return this.#end !== null
  }

  /** Others can stand under it: it goes on, or what stands under it does and may wait for them. */
  get isHost(): boolean {
    return this.#end === null || this.#held.size > 0
  }

  /** Keeps the call open until the work is done. */
  hold(work: Promise<unknown>): void {
    const held: Promise<unknown> = work.finally(() => this.#held.delete(held)).catch(() => {})
    this.#held.add(held)
  }

  get name(): string {
    const { kind, name, title } = this.#fields
    const word = this.isOther ? (name ?? title ?? '') : (kind ?? '')
    return trimmed(word.replaceAll(/[^A-Za-z0-9_-]+/g, '_'), '_').slice(0, nameLength) || 'tool'
  }

  get argumentsText(): string {
    return JSON.stringify(this.#input)
  }

  /** Later words of the agent about it. What they leave out stays as it was. */
  update(fields: Partial<ToolCallFields>): void {
    const told = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
    this.#take({ ...this.#fields, ...Object.fromEntries(told) })
  }

  permit(request: PermissionRequest): Promise<PermissionOutcome> {
    this.update(request.toolCall)
    return new Promise((resolve) => {
      if (this.#end !== null) resolve({ outcome: 'cancelled' })
      else {
        this.#permissions.push({ request, answer: resolve })
        this.#tell()
      }
    })
  }

  /** The agent will not say how it ended. The first end stands. */
  finish(end: End): void {
    this.#close(end)
    this.#tell()
  }

  get tool(): Tool {
    return {
      name: this.name,
      spec: { name: this.name, description: '', inputSchema: {} },
      concurrencySafe: true,
      prepare: () => ({ asks: null, run: (exec) => this.#run(exec) }),
    }
  }

  async #run(exec: ToolExecution): Promise<ToolOutcome> {
    const cut = () => this.finish({ text: 'It was interrupted.', isError: true })
    if (exec.signal.aborted) cut()
    exec.signal.addEventListener('abort', cut, { once: true })
    this.#onRun(this, exec)
    try {
      for (;;) {
        const pending = this.#permissions.shift()
        if (pending !== undefined) await this.#decide(pending, exec)
        else if (this.#end === null) await this.#untilChanged()
        else if (this.#held.size > 0) await Promise.all(this.#held)
        else return outcomeOf(this.#end)
      }
    } finally {
      exec.signal.removeEventListener('abort', cut)
      this.#onRun(this, null)
    }
  }

  async #decide({ request, answer }: PendingPermission, exec: ToolExecution): Promise<void> {
    const decision = await exec.permit(this.#summary, this.#over.signal).catch((error: unknown) => {
      answer({ outcome: 'cancelled' })
      throw error
    })
    answer(chosenOption(request, decision))
    if (decision !== 'deny') return
    this.finish({ text: 'denied', isError: true })
    throw new ToolFailure('DENIED', 'The person did not allow this call.')
  }

  async #untilChanged(): Promise<void> {
    const { signal } = this.#changed
    await this.#clock.sleep(maxSilenceMs, signal)
    if (!signal.aborted) this.finish({ text: 'The agent has not said how this ended.', isError: true })
  }

  #take(fields: ToolCallFields): void {
    this.#fields = fields
    if (fields.status === 'completed') this.#close({ text: this.#result, isError: false })
    if (fields.status === 'failed')
      this.#close({ text: this.#result || 'The agent says that it failed.', isError: true })
    this.#tell()
  }

  #close(end: End): void {
    if (this.#end !== null) return
    this.#end = end
    for (const { answer } of this.#permissions.splice(0)) answer({ outcome: 'cancelled' })
    this.#over.abort()
  }

  #tell(): void {
    const changed = this.#changed
    this.#changed = new AbortController()
    changed.abort()
  }

  get #input(): JsonObject {
    const { rawInput, title } = this.#fields
    const input = jsonObjectSchema.safeParse(rawInput)
    if (input.success && Object.keys(input.data).length > 0) return input.data
    return title === undefined || title === null ? {} : { title: wellFormed(title) }
  }

  get #result(): string {
    const { content, rawOutput } = this.#fields
    const said = (content ?? []).map(toolContentText).filter((text) => text !== '')
    const text = wellFormed(said.length > 0 ? said.join('\n') : outputText(rawOutput))
    if (text.length <= maxResultUnits) return text
    return `${wellFormed(text.slice(0, maxResultUnits))}\n(… ${text.length - maxResultUnits} more characters)`
  }

  /** What the person is asked to allow, whole. */
  get #summary(): string {
    const { title, content } = this.#fields
    const shown = (content ?? []).map(toolContentText).filter((text) => text !== '')
    const input = this.#input
    const details = shown.length > 0 || 'title' in input ? shown : [JSON.stringify(input, null, 2)]
    return plainlyShown([title ?? this.name, ...details].join('\n'))
  }
}

function isFilled(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length > 0
}

const outputSchema = z.looseObject({ output: z.string() })

function outputText(output: unknown): string {
  if (output === undefined || output === null) return ''
  if (typeof output === 'string') return output
  const known = outputSchema.safeParse(output)
  return known.success ? known.data.output : JSON.stringify(output)
}

function outcomeOf({ text, isError }: End): ToolOutcome {
  if (isError) throw new ToolFailure('AGENT_TOOL_FAILED', text)
  return { content: [{ type: 'text', text }] }
}
