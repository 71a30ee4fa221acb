/* The tool calls of one step (SPEC 5). Calls that are not concurrency-safe run alone and are ordering
   barriers: earlier ones are durable before they start, later ones start after they are. Every call ends in
   one durable result; an interrupt ends the running ones and answers the rest. */
import type { EventData, EventDraft } from '../../shared/event.ts'
import { jsonSchema, type Json } from '../../shared/json.ts'
import { textOf } from '../../shared/message.ts'
import {
  parseJson,
  ToolFailure,
  type NestedEnd,
  type Permission,
  type PreparedCall,
  type Tool,
  type ToolExecution,
  type ToolSession,
} from '../tools/tool.ts'
import { untilAborted } from '../until-aborted.ts'
import type { StepCall } from './model-step.ts'
import { NestedCalls } from './nested-calls.ts'
import { headerOf, isSubagent, toolModeOf } from './session-view.ts'
import type { SessionRuntime } from './session-runtime.ts'

interface Step {
  turn: number
  step: number
  signal: AbortSignal
}

/** True when a call concluded the turn. */
export async function runCalls(runtime: SessionRuntime, calls: readonly StepCall[], at: Step): Promise<boolean> {
  let concluded = false
  for (const group of barrierGroups(runtime, calls)) {
    await runtime.append(group.map((call) => callDraft(call, at)))
    const ends = await Promise.all(group.map((call) => runCall(runtime, call, at)))
    concluded ||= ends.includes(true)
  }
  return concluded
}

/** Runs of calls that may overlap; every other call is a group of its own. */
function barrierGroups(runtime: SessionRuntime, calls: readonly StepCall[]): StepCall[][] {
  const groups: StepCall[][] = []
  const mode = toolModeOf(headerOf(runtime.state))
  let joinable = false
  for (const call of calls) {
    const safe = (call.ties?.tool ?? runtime.deps.tools.find(call.name, mode))?.concurrencySafe === true
    const last = groups.at(-1)
    if (safe && joinable && last !== undefined) last.push(call)
    else groups.push([call])
    joinable = safe
  }
  return groups
}

function callDraft({ callId, name, arguments: text }: StepCall, { turn, step }: Step): EventDraft {
  return { type: 'tool/call', data: { turn, step, callId, name, arguments: loggedArguments(text) } }
}

/** What is no JSON is logged as the text it is. */
function loggedArguments(text: string): Json {
  const json = parseJson(text)
  const parsed = json.ok ? jsonSchema.safeParse(json.value) : null
  return parsed?.success === true ? parsed.data : text
}

/** What follows once a result is on disk. */
type Act = (succeeded: boolean) => void

type CallEnd = Pick<EventData<'tool/result'>, 'content' | 'isError' | 'error' | 'meta'>

async function runCall(runtime: SessionRuntime, call: StepCall, at: Step): Promise<boolean> {
  let concluded = false
  const acts: Act[] = []
  const { tools } = runtime.deps
  const nested = new NestedCalls({
    parent: call.callId,
    isSafe: (name) => tools.nested(name)?.concurrencySafe === true,
    run: (inner) => runNested(runtime, inner, at, acts),
  })
  const exec: ToolExecution = {
    session: toolSession(runtime),
    callId: call.callId,
    nested: false,
    signal: at.signal,
    nest: (name, argumentsText, tool) => nested.call(name, argumentsText, tool),
    permit: (summary, over) => permission(runtime, call, summary, whichever(at.signal, over)),
    concludeTurn: () => {
      concluded = true
    },
    onLogged: (act) => void acts.push(act),
  }
  const tool = call.ties?.tool ?? tools.find(call.name, toolModeOf(headerOf(runtime.state)))
  const end = await finish(runtime, call, tool, exec)
  // A call that was cut off may have left some of its own: their results come before its own.
  await nested.settled()
  await logResult(runtime, call, at, end, acts)
  call.ties?.onLogged?.({ text: textOf(end.content), isError: end.isError === true })
  return concluded && end.isError !== true
}

/** The model reads nothing of it but through the call it stands in: `outerActs` follow that one's result. */
async function runNested(runtime: SessionRuntime, call: StepCall, at: Step, outerActs: Act[]): Promise<NestedEnd> {
  const acts: Act[] = []
  const exec: ToolExecution = {
    session: toolSession(runtime),
    callId: call.callId,
    nested: true,
    signal: at.signal,
    nest: () => Promise.reject(new Error('a nested call made a call')),
    permit: (summary, over) => permission(runtime, call, summary, whichever(at.signal, over)),
    concludeTurn: () => {},
    onLogged: (act) => void acts.push(act),
  }
  await runtime.append([callDraft(call, at)])
  const end = await finish(runtime, call, call.ties?.tool ?? runtime.deps.tools.nested(call.name), exec)
  await logResult(runtime, call, at, end, [])
  const isError = end.isError === true
  outerActs.push(
    ...acts.map(
      (act): Act =>
        (succeeded) =>
          act(succeeded && !isError),
    ),
  )
  return { text: textOf(end.content), isError }
}

async function logResult(
  runtime: SessionRuntime,
  { callId, name }: StepCall,
  { turn, step }: Step,
  end: CallEnd,
  acts: readonly Act[],
): Promise<void> {
  await runtime.append([{ type: 'tool/result', data: { turn, step, callId, name, ...end } }], () => {
    for (const act of acts) act(end.isError !== true)
  })
}

async function finish(
  runtime: SessionRuntime,
  call: StepCall,
  tool: Tool | undefined,
  exec: ToolExecution,
): Promise<CallEnd> {
  const interrupted = new ToolFailure('INTERRUPTED', 'The person interrupted the turn before this call was done.')
  if (exec.signal.aborted) return errorEnd(interrupted)
  const prepared = prepare(call, tool)
  if ('failure' in prepared) return errorEnd(prepared.failure)
  try {
    const refusal = await askPermission(runtime, call, prepared.asks, exec.signal)
    if (refusal !== null) return errorEnd(refusal)
    const outcome = await untilAborted(prepared.run(exec), exec.signal)
    return outcome === 'aborted' ? errorEnd(interrupted) : outcome
  } catch (error) {
    if (error instanceof ToolFailure) return errorEnd(error)
    runtime.deps.logger.error({ sessionId: runtime.sessionId, tool: call.name, err: error }, 'tool failed')
    return errorEnd(new ToolFailure('TOOL_FAILED', 'The tool failed inside the host.'))
  }
}

function whichever(signal: AbortSignal, over: AbortSignal | undefined): AbortSignal {
  return over === undefined ? signal : AbortSignal.any([signal, over])
}

/** A tool the person allowed for the session is not asked about again. */
function permission(
  runtime: SessionRuntime,
  { callId, name, arguments: text }: StepCall,
  summary: string,
  signal: AbortSignal,
): Promise<Permission> {
  const { state, deps } = runtime
  if (headerOf(state).approval === 'auto' || state.fold?.allowedTools.includes(name) === true)
    return Promise.resolve('allow')
  const desk = deps.personOf(runtime)
  const request = { callId, tool: name, summary, input: loggedArguments(text) }
  return desk.approvals.request(runtime, request, signal)
}

/** Null: the call may run. */
async function askPermission(
  runtime: SessionRuntime,
  call: StepCall,
  summary: string | null,
  signal: AbortSignal,
): Promise<ToolFailure | null> {
  if (summary === null) return null
  switch (await permission(runtime, call, summary, signal)) {
    case 'allow':
      return null
    case 'deny':
      return new ToolFailure('DENIED', 'The person did not allow this call.')
    case 'cancelled':
      return new ToolFailure('INTERRUPTED', 'The turn was interrupted before the person decided.')
  }
}

function prepare({ name, arguments: text }: StepCall, tool: Tool | undefined): PreparedCall {
  if (tool === undefined) return { failure: new ToolFailure('UNKNOWN_TOOL', `There is no tool named ${name}.`) }
  return tool.prepare(text)
}

function errorEnd({ code, message }: ToolFailure): CallEnd {
  return { content: [{ type: 'text', text: `${code}: ${message}` }], isError: true, error: { code, message } }
}

function toolSession(runtime: SessionRuntime): ToolSession {
  const header = headerOf(runtime.state)
  return {
    sessionId: runtime.sessionId,
    cwd: header.cwd,
    delegated: isSubagent(header),
    activeSurface: () => runtime.state.projections.taskSurface.active?.surfaceId ?? null,
    ask: (callId, questions, signal) => runtime.questions.ask(callId, questions, signal),
  }
}
