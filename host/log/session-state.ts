/* The state of one session behind an event of its log, as the host uses it: a view of the fold in `shared/fold.ts`, which
   owns the rules. Does not know stores, bytes or clocks.
   Invariant: folding cold, folding live and going on from a checkpoint give the same state, byte for byte. */
import { z } from 'zod'
import type { SkippedRanges } from '../../shared/counted.ts'
import {
  approvalPolicySchema,
  logFormatVersion,
  parentSchema,
  toolModeSchema,
  type ParsedEvent,
  type SessionEvent,
} from '../../shared/event.ts'
import { beginFold, foldEvent as foldNext, type FoldState, type OpenTurn } from '../../shared/fold.ts'
import { sessionIdSchema, type SessionId } from '../../shared/ids.ts'
import { initialProjections, type ProjectionValues } from '../../shared/projections/registry.ts'
import { eventKey } from './keys.ts'
import { LogError } from './port.ts'

/** The small record per session that listing and opening read. Derivable from the log; follows what counts. */
export const sessionHeaderSchema = z.object({
  format: z.int().positive(),
  sessionId: sessionIdSchema,
  /** Own title, else the first line of the first message; empty before that. */
  title: z.string(),
  agent: z.string(),
  cwd: z.string(),
  createdAt: z.number(),
  /** Time of the newest event, counted or not. */
  updatedAt: z.number(),
  toolMode: toolModeSchema,
  approval: approvalPolicySchema,
  parent: parentSchema.exactOptional(),
  /** Seq of the newest event, counted or not. */
  lastSeq: z.int().nonnegative(),
})
export type SessionHeader = z.infer<typeof sessionHeaderSchema>

export interface SessionState {
  readonly sessionId: SessionId
  /** Seq of the newest event of the log, counted or not; −1 before the first. */
  readonly lastSeq: number
  /** Null before `session/created`. */
  readonly header: SessionHeader | null
  /** Values by key. One keeps its reference as long as it does not change. */
  readonly projections: ProjectionValues
  /** Seqs that no longer count. */
  readonly skipped: SkippedRanges
  /** The highest turn number ever used; the next turn is one more. 0 before the first. */
  readonly lastTurn: number
  /** The turn that has begun and not ended, with its calls that have no result; null between turns. */
  readonly openTurn: OpenTurn | null
  /** What all of the above is a view of, and what a checkpoint stores. Null before the first event. */
  readonly fold: FoldState | null
}

/** What a stored record turned out to be: an event, or one of a newer version that may be skipped. */
export type StoredEvent = Exclude<ParsedEvent, { kind: 'refused' }>

export interface FoundEvent {
  readonly seq: number
  readonly event: SessionEvent
  /** False once a rewind took it away: its id stays used up. */
  readonly counted: boolean
}

/** Before the first event. `skipped`: what the whole log takes back, where that is known. */
export function emptyState(sessionId: SessionId, skipped: SkippedRanges = []): SessionState {
  return {
    sessionId,
    lastSeq: -1,
    header: null,
    projections: initialProjections,
    skipped,
    lastTurn: 0,
    openTurn: null,
    fold: null,
  }
}

export function stateOf(sessionId: SessionId, fold: FoldState): SessionState {
  const { lastSeq, values, skipped, lastTurn, openTurn } = fold
  return {
    sessionId,
    lastSeq,
    header: deriveHeader(sessionId, fold),
    projections: values,
    skipped,
    lastTurn,
    openTurn,
    fold,
  }
}

/** The header that belongs to a state: what every append stores, and what `doctor` rebuilds. */
export function deriveHeader(sessionId: SessionId, { config, values, updatedAt, lastSeq }: FoldState): SessionHeader {
  const { agent, cwd, createdAt, toolMode, approval, parent } = config
  return {
    format: logFormatVersion,
    sessionId,
    title: values.title.title,
    agent,
    cwd,
    createdAt,
    updatedAt,
    toolMode,
    approval,
    ...(parent === undefined ? {} : { parent }),
    lastSeq,
  }
}

/**
 * The state behind the next event. An event that cannot follow is `corrupt`. A `session/rewound` must be known to
 * `state.skipped` beforehand, because it takes back what was folded: `session-reader.ts` and `rewind.ts` see to that.
 */
export function foldEvent(state: SessionState, next: StoredEvent): SessionState {
  const step = state.fold === null ? beginFold(next, state.skipped) : foldNext(state.fold, next)
  switch (step.kind) {
    case 'folded':
      return stateOf(state.sessionId, step.state)
    case 'refold':
      throw new Error('a rewind was folded that nobody announced')
    case 'refused': {
      const key = eventKey(state.sessionId, state.lastSeq + 1)
      throw new LogError('corrupt', `the event ${key} cannot follow: ${step.message}`, { key })
    }
  }
}
