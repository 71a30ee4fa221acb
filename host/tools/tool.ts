/* What a tool is (SPEC 5). Three layers: the canonical value lives only while the call runs; `render` makes
   the content the model reads; `presentationMeta` makes the stored payload from the same value, so executor
   and projector cannot disagree. `defineTool` closes over the types, so a registry holds plain tools. */
import { z } from 'zod'
import type { CallId, SessionId, TaskSurfaceId } from '../../shared/ids.ts'
import { jsonObjectSchema, type Json, type JsonObject } from '../../shared/json.ts'
import type { TextPart } from '../../shared/message.ts'
import type { Question, QuestionAnswer } from '../../shared/question.ts'
import type { ToolSpec } from '../agents/port.ts'

/** What a tool may ask of the session it runs in. */
export interface ToolSession {
  readonly sessionId: SessionId
  readonly cwd: string
  /** True for a session that a parent agent started. */
  readonly delegated: boolean
  activeSurface(): TaskSurfaceId | null
  /** Blocks until a person answers, declines, or the call is interrupted. */
  ask(callId: CallId, questions: readonly Question[], signal: AbortSignal): Promise<AskOutcome>
}

export type AskOutcome =
  | { kind: 'answered'; answers: readonly QuestionAnswer[] }
  | { kind: 'declined' }
  | { kind: 'cancelled' }

export interface ToolExecution {
  readonly session: ToolSession
  readonly callId: CallId
  /** From inside `run_code`: no meta, and it cannot conclude the turn. */
  readonly nested: boolean
  readonly signal: AbortSignal
  /**
   * Makes another call from within this one: logged, asked about and run like any other. Nested calls nest no further.
   * `tool` runs it; left out, the host's tool of that name.
   */
  nest(name: string, argumentsText: string, tool?: Tool): Promise<NestedEnd>
  /**
   * Asks for what could not be known before the call began; who was told once, or may decide alone, is not asked. `over`
   * takes the question back.
   */
  permit(summary: string, over?: AbortSignal): Promise<Permission>
  /** Ends the turn after this step; only a call that succeeds concludes. */
  concludeTurn(): void
  /**
   * `act` is called once the result of this call is on disk, with whether it is a success; never where that does not
   * come to pass. What follows from the model having read something belongs there, and must not throw.
   */
  onLogged(act: (succeeded: boolean) => void): void
}

export type Permission = 'allow' | 'deny' | 'cancelled'

export interface NestedEnd {
  text: string
  isError: boolean
}

/** An expected failure: the model reads code and message as an error result. */
export class ToolFailure extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'ToolFailure'
    this.code = code
  }
}

export interface ToolDefinition<Input, Value> {
  name: string
  description: string
  input: z.ZodType<Input>
  /** The advertised schema where it says more than `input` does. */
  inputSchema?: JsonObject
  concurrencySafe?: boolean
  /** UTF-8 bytes of the call's argument text, judged before it is parsed. */
  maxArgumentBytes?: number
  /** The error code of arguments that do not fit. */
  invalidCode?: string
  /** What a person is asked to allow, in whole: what they read is what runs. Null or absent: nobody is asked. */
  asks?(input: Input): string | null
  execute(input: Input, exec: ToolExecution): Promise<Value> | Value
  render(input: Input, value: Value): string
  presentationMeta?(input: Input, value: Value): Json
}

export interface ToolOutcome {
  content: TextPart[]
  meta?: Json
}

/** A call whose arguments fit. `asks` must be allowed before `run` is called. */
export interface RunnableCall {
  asks: string | null
  run(exec: ToolExecution): Promise<ToolOutcome>
}

export type PreparedCall = RunnableCall | { failure: ToolFailure }

export interface Tool {
  readonly name: string
  readonly spec: ToolSpec
  readonly concurrencySafe: boolean
  prepare(argumentsText: string): PreparedCall
}

/** Arguments of an ordinary call: far above any sensible one, far below what would stall the host. */
const defaultMaxArgumentBytes = 4 * 1024 * 1024

export function defineTool<Input, Value>(definition: ToolDefinition<Input, Value>): Tool {
  const { name, description, input } = definition
  const inputSchema = definition.inputSchema ?? jsonObjectSchema.parse(z.toJSONSchema(input, { io: 'input' }))
  const maxBytes = definition.maxArgumentBytes ?? defaultMaxArgumentBytes
  const invalid = (message: string): PreparedCall => ({
    failure: new ToolFailure(definition.invalidCode ?? 'INVALID_INPUT', message),
  })
  return {
    name,
    spec: { name, description, inputSchema },
    concurrencySafe: definition.concurrencySafe ?? false,
    prepare(argumentsText) {
      const bytes = Buffer.byteLength(argumentsText)
      if (bytes > maxBytes) return invalid(`The arguments are ${bytes} bytes; at most ${maxBytes} are read.`)
      const json = parseJson(argumentsText)
      if (!json.ok) return invalid(`The arguments are not JSON: ${json.message}`)
      const parsed = input.safeParse(json.value)
      if (!parsed.success) return invalid(`The arguments do not fit:\n${z.prettifyError(parsed.error)}`)
      return {
        asks: definition.asks?.(parsed.data) ?? null,
        run: (exec) => runTool(definition, parsed.data, exec),
      }
    },
  }
}

async function runTool<Input, Value>(
  definition: ToolDefinition<Input, Value>,
  input: Input,
  exec: ToolExecution,
): Promise<ToolOutcome> {
  const value = await definition.execute(input, exec)
  const content: TextPart[] = [{ type: 'text', text: definition.render(input, value) }]
  if (exec.nested || definition.presentationMeta === undefined) return { content }
  return { content, meta: definition.presentationMeta(input, value) }
}

export type ParsedJson = { ok: true; value: unknown } | { ok: false; message: string }

/** Models send an empty text for a call without arguments. */
export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { ok: true, value: {} }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}
