/* A session's state as a fold of its log (SPEC 2, 3): the projections, and what a runtime needs to go on from there. The state
   is plain JSON, so that it can be stored as a checkpoint; folding cold gives the same bytes as folding live.

   Cold: `foldLog(events)`; or, in pages, `skippedAfter` over the whole log, then `beginFold(first, skipped)` and
   `foldEvent` for every further event. Live: `foldEvent` for every durable event; a `session/rewound` answers `refold`,
   because values only grow forwards: fold the log again, cold, with the ranges it names.
   Rewound events are still checked and still use up their turn numbers; they change nothing else. */
import { z } from 'zod'
import { isCounted, skipRewound, skippedAfter, skippedRangeSchema } from './counted.ts'
import type { SkippedRanges } from './counted.ts'
import { approvalPolicySchema, parentSchema, toolModeSchema } from './event.ts'
import type { EventOf, ParsedEvent, SessionEvent } from './event.ts'
import { callIdSchema } from './ids.ts'
import { applyProjections, initialProjections, projectionValuesSchema } from './projections/registry.ts'

/** Of the stored state: a checkpoint of another version is thrown away and the log folded again. */
export const foldVersion = 2

const openCallSchema = z.object({ callId: callIdSchema, name: z.string(), step: z.int().nonnegative() })
export type OpenCall = z.infer<typeof openCallSchema>

const openTurnSchema = z.object({
  turn: z.int().positive(),
  startedSeq: z.int().nonnegative(),
  /** Calls the model made in it that have no result yet, in order. */
  calls: z.array(openCallSchema),
})
export type OpenTurn = z.infer<typeof openTurnSchema>

const sessionConfigSchema = z.object({
  agent: z.string(),
  cwd: z.string(),
  toolMode: toolModeSchema,
  approval: approvalPolicySchema,
  createdAt: z.number(),
  parent: parentSchema.exactOptional(),
})
export type SessionConfig = z.infer<typeof sessionConfigSchema>

const foldStateSchema = z.object({
  version: z.literal(foldVersion),
  /** Of the whole log, counted or not: what a projection frame rests on. */
  lastSeq: z.int().nonnegative(),
  /** Time of the newest event, counted or not. */
  updatedAt: z.number(),
  skipped: z.array(skippedRangeSchema).readonly(),
  values: projectionValuesSchema,
  /** The highest turn number ever used; a rewind does not give it back. */
  lastTurn: z.int().nonnegative(),
  openTurn: openTurnSchema.nullable(),
  config: sessionConfigSchema,
  /** Tools the person allowed for the rest of this session. */
  allowedTools: z.array(z.string()),
})
export type FoldState = z.infer<typeof foldStateSchema>

export type FoldStep =
  /** `counted` is false for an event that was rewound or may be ignored. */
  | { kind: 'folded'; state: FoldState; counted: boolean }
  | { kind: 'refold'; skipped: SkippedRanges }
  | { kind: 'refused'; message: string }

export type FoldedLog = { ok: true; state: FoldState } | { ok: false; index: number; message: string }

/** Folds a whole log. `index` is that of the first event that makes it illegal. */
export function foldLog(events: Iterable<ParsedEvent>): FoldedLog {
  const log = [...events]
  let skipped: SkippedRanges = []
  for (const parsed of log) if (parsed.kind === 'event') skipped = skippedAfter(skipped, parsed.event)

  let state: FoldState | null = null
  for (const [index, parsed] of log.entries()) {
    const step: FoldStep = state === null ? beginFold(parsed, skipped) : foldEvent(state, parsed)
    if (step.kind === 'refused') return { ok: false, index, message: step.message }
    if (step.kind === 'refold') throw new Error(`the rewind at ${index} was not known beforehand`)
    state = step.state
  }
  return state === null ? { ok: false, index: 0, message: 'a log begins with session/created' } : { ok: true, state }
}

/** The state after the first event. `skipped` is what the whole log takes back, where that is known. */
export function beginFold(first: ParsedEvent, skipped: SkippedRanges = []): FoldStep {
  if (first.kind === 'refused') return first
  const { event } = first
  if (event.seq !== 0) return { kind: 'refused', message: `seq is ${event.seq}, expected 0` }
  if (first.kind === 'ignorable' || first.event.type !== 'session/created') {
    return { kind: 'refused', message: 'a log begins with session/created' }
  }
  const state: FoldState = {
    version: foldVersion,
    lastSeq: 0,
    updatedAt: event.time,
    skipped,
    values: applyProjections(initialProjections, first.event),
    lastTurn: 0,
    openTurn: null,
    config: configOf(first.event),
    allowedTools: [],
  }
  return { kind: 'folded', state, counted: true }
}

/** The state after the next event. Refuses what cannot follow; the state itself is never changed. */
export function foldEvent(state: FoldState, next: ParsedEvent): FoldStep {
  if (next.kind === 'refused') return next
  const { event } = next
  if (event.seq !== state.lastSeq + 1)
    return { kind: 'refused', message: `seq is ${event.seq}, expected ${state.lastSeq + 1}` }
  const passed: FoldState = { ...state, lastSeq: event.seq, updatedAt: event.time }
  if (next.kind === 'ignorable') return { kind: 'folded', state: passed, counted: false }
  return foldKnown(passed, next.event)
}

/** A stored checkpoint, or null where this version cannot use it. */
export function readFoldState(value: unknown): FoldState | null {
  const read = foldStateSchema.safeParse(value)
  return read.success ? read.data : null
}

function foldKnown(passed: FoldState, event: SessionEvent): FoldStep {
  if (event.type === 'session/created')
    return { kind: 'refused', message: 'session/created stands at the beginning only' }
  if (event.type === 'session/rewound' && event.data.toSeq >= event.seq) {
    return { kind: 'refused', message: `toSeq is ${event.data.toSeq}, not before ${event.seq}` }
  }
  const lastTurn = event.type === 'turn/start' ? Math.max(passed.lastTurn, event.data.turn) : passed.lastTurn
  if (!isCounted(passed.skipped, event.seq)) return { kind: 'folded', state: { ...passed, lastTurn }, counted: false }
  if (event.type === 'session/rewound') {
    return { kind: 'refold', skipped: skipRewound(passed.skipped, { seq: event.seq, toSeq: event.data.toSeq }) }
  }
  const state: FoldState = {
    ...passed,
    values: applyProjections(passed.values, event),
    lastTurn,
    openTurn: openTurnAfter(passed.openTurn, event),
    config: configAfter(passed.config, event),
    allowedTools: allowedAfter(passed, event),
  }
  return { kind: 'folded', state, counted: true }
}

/** The decision names a call; the call, which waits for it, names the tool. */
function allowedAfter({ allowedTools, openTurn }: FoldState, event: SessionEvent): string[] {
  if (event.type !== 'approval/decided' || event.data.decision !== 'allow' || event.data.remember !== true)
    return allowedTools
  const name = openTurn?.calls.find(({ callId }) => callId === event.data.callId)?.name
  return name === undefined || allowedTools.includes(name) ? allowedTools : [...allowedTools, name]
}

function openTurnAfter(open: OpenTurn | null, event: SessionEvent): OpenTurn | null {
  if (event.type === 'turn/start') return { turn: event.data.turn, startedSeq: event.seq, calls: [] }
  if (open === null) return null
  switch (event.type) {
    case 'turn/end':
      return null
    // The model asked for these; a host that died may not have come to log them as `tool/call`.
    case 'assistant/message': {
      const { step } = event.data
      const asked = event.data.message.content.flatMap((part) =>
        part.type === 'tool-call' ? [{ callId: part.callId, name: part.name, step }] : [],
      )
      return withCalls(open, asked)
    }
    case 'tool/call':
      return withCalls(open, [{ callId: event.data.callId, name: event.data.name, step: event.data.step }])
    case 'tool/result': {
      const calls = open.calls.filter((call) => call.callId !== event.data.callId)
      return calls.length === open.calls.length ? open : { ...open, calls }
    }
    default:
      return open
  }
}

function withCalls(open: OpenTurn, calls: readonly OpenCall[]): OpenTurn {
  const known = new Set<string>(open.calls.map((call) => call.callId))
  const added = calls.filter((call) => !known.has(call.callId))
  return added.length === 0 ? open : { ...open, calls: [...open.calls, ...added] }
}

function configOf({ time, data }: EventOf<'session/created'>): SessionConfig {
  return {
    agent: data.agent,
    cwd: data.cwd,
    toolMode: data.toolMode ?? 'native',
    approval: data.approval ?? 'ask',
    createdAt: time,
    ...(data.parent === undefined ? {} : { parent: data.parent }),
  }
}

function configAfter(config: SessionConfig, event: SessionEvent): SessionConfig {
  if (event.type !== 'session/configured') return config
  const { agent, approval, toolMode } = event.data
  return {
    ...config,
    agent: agent ?? config.agent,
    toolMode: toolMode ?? config.toolMode,
    approval: approval ?? config.approval,
  }
}
