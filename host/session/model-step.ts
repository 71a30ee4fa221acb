/* One model call of a turn: streams its parts to the hub and collects them into the assistant message
   (SPEC 5). Retries and what follows are decided by the turn. */
import type { CallId, MessageId } from '../../shared/ids.ts'
import type { AssistantPart, Usage } from '../../shared/message.ts'
import { ModelError, type CallTies, type Model, type ModelPart, type ModelRequest } from '../agents/port.ts'
import { untilAborted } from '../until-aborted.ts'
import type { SessionRuntime } from './session-runtime.ts'

/** The answer in progress, for the baseline of a socket that opens the session. UTF-16 text so far. */
export interface ModelStream {
  turn: number
  step: number
  messageId: MessageId
  text: string
  reasoning: string
}

export interface StepCall {
  callId: CallId
  name: string
  arguments: string
  ties?: CallTies | undefined
}

export interface ModelAnswer {
  parts: AssistantPart[]
  calls: StepCall[]
  usage: Usage | undefined
  /** Why its calls may not run and nothing follows. */
  stop: 'max-tokens' | 'blocked' | null
}

export type ModelOutcome =
  | { kind: 'answered'; answer: ModelAnswer }
  /** `answer`: what had arrived, without calls. */
  | { kind: 'interrupted'; answer: ModelAnswer }
  | { kind: 'failed'; error: ModelError; answer: ModelAnswer }

/**
 * UTF-16 units of one answer. More than any model says in one go, and even when each unit is escaped (6 bytes) the message
 * fits into one append and one frame. What comes on top is treated as a model treats its own limit.
 */
const maxAnswerUnits = 1_000_000

type FinishPart = Extract<ModelPart, { type: 'finish' }>

/** Never throws: whatever a model does ends in an outcome. The stream stays shown until the message is durable. */
export async function callModel(
  runtime: SessionRuntime,
  model: Model,
  request: ModelRequest,
  at: { turn: number; step: number; messageId: MessageId },
): Promise<ModelOutcome> {
  const stream: ModelStream = { ...at, text: '', reasoning: '' }
  runtime.stream = stream
  const parts: AssistantPart[] = []
  const calls: StepCall[] = []
  let finish: FinishPart | null = null
  let units = 0
  try {
    const iterator = model.stream(request)[Symbol.asyncIterator]()
    for (;;) {
      const next = await untilAborted(iterator.next(), request.signal)
      if (next === 'aborted') {
        // The request ends by its signal; whether the iterator still answers does not matter.
        void iterator.return?.().catch(() => {})
        return { kind: 'interrupted', answer: partial(parts) }
      }
      if (next.done === true) break
      if (next.value.type === 'finish') {
        finish = next.value
        continue
      }
      units += unitsOf(next.value)
      if (units > maxAnswerUnits) {
        void iterator.return?.().catch(() => {})
        return { kind: 'answered', answer: { ...partial(parts), stop: 'max-tokens' } }
      }
      if (next.value.type === 'tool-call') takeCall(runtime, parts, calls, next.value)
      else takeText(runtime, stream, parts, next.value)
    }
  } catch (error) {
    if (request.signal.aborted) return { kind: 'interrupted', answer: partial(parts) }
    return { kind: 'failed', error: asModelError(error), answer: partial(parts) }
  }
  if (finish === null) {
    return { kind: 'failed', error: new ModelError('transient', 'The answer was cut off.'), answer: partial(parts) }
  }
  return { kind: 'answered', answer: whole(parts, calls, finish) }
}

/** Takes back what a failed attempt has shown. */
export function clearStream(runtime: SessionRuntime): void {
  const { stream } = runtime
  runtime.stream = null
  if (stream === null) return
  const { turn, step, messageId } = stream
  for (const part of ['text', 'reasoning'] as const) {
    if (stream[part] !== '')
      runtime.publish({ type: 'session/stream', turn, step, messageId, offset: 0, part, text: '' })
  }
}

type CallPart = Extract<ModelPart, { type: 'tool-call' }>

function takeCall(
  runtime: SessionRuntime,
  parts: AssistantPart[],
  calls: StepCall[],
  { name, arguments: text, ties }: CallPart,
): void {
  const call = { callId: runtime.deps.ids.call(), name, arguments: text }
  parts.push({ type: 'tool-call', ...call })
  calls.push({ ...call, ties })
}

function takeText(
  runtime: SessionRuntime,
  stream: ModelStream,
  parts: AssistantPart[],
  part: Exclude<ModelPart, FinishPart | CallPart>,
): void {
  if (part.text === '') return
  const { turn, step, messageId } = stream
  const offset = stream[part.type].length
  stream[part.type] += part.text
  runtime.publish({ type: 'session/stream', turn, step, messageId, offset, part: part.type, text: part.text })
  const last = parts.at(-1)
  if (last?.type === part.type) last.text += part.text
  else parts.push({ type: part.type, text: part.text })
}

function unitsOf(part: Exclude<ModelPart, FinishPart>): number {
  return part.type === 'tool-call' ? part.name.length + part.arguments.length : part.text.length
}

function whole(parts: AssistantPart[], calls: StepCall[], finish: FinishPart): ModelAnswer {
  const { usage, reason } = finish
  if (reason === 'length') return { ...partial(parts), usage, stop: 'max-tokens' }
  if (reason === 'refused') return { ...partial(parts), usage, stop: 'blocked' }
  return { parts, calls, usage, stop: null }
}

/** A call of an answer that did not end may lack its arguments, so none is kept. */
function partial(parts: readonly AssistantPart[]): ModelAnswer {
  return { parts: parts.filter(({ type }) => type !== 'tool-call'), calls: [], usage: undefined, stop: null }
}

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  return new ModelError('permanent', 'The agent failed inside the host.', { cause: error })
}
