/* A provider of the AI SDK behind our model port. The library makes the request and reads the stream, nothing
   else: tools carry no `execute`, its retries are off, its argument parsing is ignored, and it is loaded with
   the first request, so a host that only guides starts without it. What a failure means: `model-failure.ts`. */
import type { LanguageModel, TextStreamPart, ToolSet } from 'ai'
import type { Usage } from '../../shared/message.ts'
import type { Clock } from '../clock.ts'
import { toSdkMessages } from './ai-sdk-messages.ts'
import { modelErrorOf, type FailureContext } from './model-failure.ts'
import { ModelError, type Model, type ModelPart, type ModelRequest } from './port.ts'

export interface AiSdkModelDeps {
  /** Called with every request. */
  open: () => Promise<LanguageModel>
  /** The longest silence between two parts, before the first one too. */
  stallMs: number
  clock: Clock
  failure: Omit<FailureContext, 'now'>
}

/** Abort reasons of this file. Without one, each abort makes an error with a stack; these come with every part. */
const left = 'the reader has left'
const heard = 'a part has come'

type SdkPart = TextStreamPart<ToolSet>
type Finish = Extract<ModelPart, { type: 'finish' }>
type ToolCall = Extract<ModelPart, { type: 'tool-call' }>

export function createAiSdkModel(deps: AiSdkModelDeps): Model {
  return { stream: (request) => streamRequest(deps, request) }
}

async function* streamRequest(deps: AiSdkModelDeps, request: ModelRequest): AsyncGenerator<ModelPart> {
  // Ends the request as well when the reader leaves early, after an error part or a stall.
  const leave = new AbortController()
  try {
    if (request.signal.aborted) throw stopped()
    const parts = await startStream(deps, request, AbortSignal.any([request.signal, leave.signal]))
    yield* translate(withoutStall(deps, parts, request.signal))
  } catch (error) {
    if (request.signal.aborted) throw stopped()
    throw error instanceof ModelError ? error : modelErrorOf(error, { ...deps.failure, now: deps.clock.now() })
  } finally {
    leave.abort(left)
  }
}

async function startStream(deps: AiSdkModelDeps, request: ModelRequest, signal: AbortSignal) {
  const sdk = await import('ai')
  // Its warnings would go to stdout and stderr, which belong to the host.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const tools: ToolSet = {}
  for (const tool of request.tools) {
    tools[tool.name] = { description: tool.description, inputSchema: sdk.jsonSchema(tool.inputSchema) }
  }
  const result = sdk.streamText({
    model: await deps.open(),
    ...(request.system === '' ? {} : { system: request.system }),
    messages: toSdkMessages(request.messages),
    ...(request.tools.length === 0 ? {} : { tools }),
    maxRetries: 0,
    abortSignal: signal,
    // The default prints the error, request included, on the console.
    onError: () => undefined,
  })
  return result.fullStream
}

/** Tool calls wait for the finish: a cut stream would otherwise pass on half a call as a whole one. */
async function* translate(parts: AsyncIterable<SdkPart>): AsyncGenerator<ModelPart> {
  const argumentsById = new Map<string, string>()
  const calls: ToolCall[] = []
  for await (const part of parts) {
    switch (part.type) {
      case 'text-delta':
        if (part.text !== '') yield { type: 'text', text: part.text }
        break
      case 'reasoning-delta':
        if (part.text !== '') yield { type: 'reasoning', text: part.text }
        break
      case 'tool-input-start':
        argumentsById.set(part.id, '')
        break
      case 'tool-input-delta':
        argumentsById.set(part.id, (argumentsById.get(part.id) ?? '') + part.delta)
        break
      case 'tool-call':
        // `part.input` is parsed: spacing, key order and doubled keys of the model's text are gone from it.
        calls.push({
          type: 'tool-call',
          name: part.toolName,
          arguments: argumentsById.get(part.toolCallId) ?? inputText(part.input),
        })
        break
      case 'error':
        throw part.error
      case 'abort':
        throw stopped()
      case 'finish':
        yield* calls
        yield finishOf(part, calls.length > 0)
        return
      default:
        break
    }
  }
  throw new ModelError('transient', 'The answer was cut off before its end.')
}

/** For a provider that does not stream a call's text. */
function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}

function finishOf(part: Extract<SdkPart, { type: 'finish' }>, hasCalls: boolean): Finish {
  const { inputTokens, outputTokens } = part.totalUsage
  const usage: Usage | undefined =
    inputTokens === undefined && outputTokens === undefined
      ? undefined
      : { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 }
  return {
    type: 'finish',
    reason: finishReason(part.finishReason, hasCalls),
    ...(usage === undefined ? {} : { usage }),
  }
}

function finishReason(
  reason: Extract<SdkPart, { type: 'finish' }>['finishReason'],
  hasCalls: boolean,
): Finish['reason'] {
  switch (reason) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'refused'
    case 'tool-calls':
      return 'tool-calls'
    case 'stop':
      // Several local servers say `stop` behind tool calls.
      return hasCalls ? 'tool-calls' : 'stop'
    case 'error':
      throw new ModelError('transient', 'The provider ended the answer with an error.')
    case 'other':
      return hasCalls ? 'tool-calls' : 'other'
  }
}

/** The parts as they come, failing when none comes for `stallMs`, and at once when the request is aborted. */
async function* withoutStall<T>(deps: AiSdkModelDeps, parts: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = parts[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await nextPart(deps, iterator, signal)
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // Not awaited: it may wait for the very read that stalls. The caller's abort ends both.
    void iterator.return?.().then(undefined, () => undefined)
  }
}

function nextPart<T>(
  deps: AiSdkModelDeps,
  iterator: AsyncIterator<T>,
  signal: AbortSignal,
): Promise<IteratorResult<T>> {
  if (signal.aborted) return Promise.reject(stopped())
  return new Promise((resolve, reject) => {
    const waiting = new AbortController()
    const onAbort = () => settle(() => reject(stopped()))
    const settle = (then: () => void) => {
      signal.removeEventListener('abort', onAbort)
      waiting.abort(heard)
      then()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    void deps.clock.sleep(deps.stallMs, waiting.signal).then(() => {
      if (waiting.signal.aborted) return
      const seconds = Math.round(deps.stallMs / 1000)
      settle(() => reject(new ModelError('transient', `The provider sent nothing for ${seconds} s.`)))
    })
    iterator.next().then(
      (next) => settle(() => resolve(next)),
      (error: unknown) => settle(() => reject(error)),
    )
  })
}

/** The turn loop aborted the request itself, so nobody reads this; `permanent` keeps it from being retried. */
function stopped(): ModelError {
  return new ModelError('permanent', 'The model call was stopped.')
}
