/* One session as this page knows it, and how frames change it: pure, no clock, no socket (SPEC 8, client
   side). The mirror in `session-store.ts` decides which frames belong here. Rules: W-RESET a subscription
   replaces everything but what it repeats, W-SEQ the higher seq of a projection wins. */
import type { EventOf, SessionEvent } from '../../shared/event.ts'
import type {
  ApprovalId,
  CallId,
  InboxItemId,
  MessageId,
  QuestionId,
  SessionId,
  TaskSurfaceId,
} from '../../shared/ids.ts'
import type { Json } from '../../shared/json.ts'
import type { DiscardReason, QueuedMessage } from '../../shared/message.ts'
import type { Retry, SessionFrame } from '../../shared/protocol/frames.ts'
import type { Result } from '../../shared/protocol/methods.ts'
import type { Question } from '../../shared/question.ts'
import type { Session } from '../../shared/session.ts'
import type { TaskSurfacePendingSubmission } from '../../shared/surface/operations.ts'
import type { TaskView } from '../../shared/task.ts'

/**
 * `opening`: nothing known yet. `live`: follows the host. `last-known`: the connection is gone or being
 * repaired, every value is the last one seen. `missing`: the host does not know the session (any more).
 * `refused`: the host cannot serve it; `problem` says why.
 */
export type SessionPhase = 'opening' | 'live' | 'last-known' | 'missing' | 'refused'

export interface PendingQuestion {
  readonly questionId: QuestionId
  readonly callId: CallId
  readonly questions: readonly Question[]
}

export interface PendingApproval {
  readonly approvalId: ApprovalId
  readonly callId: CallId
  readonly tool: string
  readonly summary: string
  readonly input: Json
  readonly fromSession: SessionId | null
}

export interface Discarded {
  readonly itemId: InboxItemId
  readonly messageId: MessageId
  readonly reason: DiscardReason
  readonly why: string | null
  readonly text: string | null
}

/** The step that streams right now. It ends in an `assistant/message` event of the same id. */
export interface Streaming {
  readonly turn: number
  readonly step: number
  readonly messageId: MessageId
  readonly text: string
  readonly reasoning: string
}

export interface SessionState {
  readonly id: SessionId
  readonly phase: SessionPhase
  readonly problem: string | null
  readonly session: Session | null
  /** The loaded window of counted events, oldest first, without a hole up to the newest. */
  readonly events: readonly SessionEvent[]
  readonly hasMore: boolean
  readonly lastSeq: number
  readonly incarnation: string | null
  /** Counts subscriptions. A change means: whatever was read by a call before it must be read again. */
  readonly epoch: number
  readonly status: { readonly status: 'idle' | 'running'; readonly turn: number | null; readonly retry: Retry | null }
  readonly streaming: Streaming | null
  readonly queue: readonly QueuedMessage[]
  readonly projections: ReadonlyMap<string, { readonly value: Json; readonly seq: number }>
  /** The last push per surface; null: nothing pending. Absent: no push seen, ask `taskSurface.getActive`. */
  readonly pendingBySurface: ReadonlyMap<TaskSurfaceId, TaskSurfacePendingSubmission | null>
  readonly questions: readonly PendingQuestion[]
  readonly approvals: readonly PendingApproval[]
  readonly tasks: readonly TaskView[]
  /** Rows that ended without a message since this page opened the session, newest last; the last 64. */
  readonly discarded: readonly Discarded[]
}

const discardedKept = 64

const nothingLive = {
  status: { status: 'idle', turn: null, retry: null },
  streaming: null,
  queue: [],
  projections: new Map(),
  pendingBySurface: new Map(),
  questions: [],
  approvals: [],
  tasks: [],
} as const

export function newSessionState(id: SessionId): SessionState {
  return {
    id,
    phase: 'opening',
    problem: null,
    session: null,
    events: [],
    hasMore: false,
    lastSeq: -1,
    incarnation: null,
    epoch: 0,
    discarded: [],
    ...nothingLive,
  }
}

/** The answer of `session.open`: the log side of a fresh view. Live values follow as baseline frames. */
export function fromOpenAnswer(known: SessionState, answer: Result<'session.open'>): SessionState {
  const first = answer.events[0]
  const knownLast = known.events.at(-1)
  // Within one incarnation nothing can have been rewound, so an older window that reaches the new one still holds.
  const joins =
    first !== undefined &&
    knownLast !== undefined &&
    known.incarnation === answer.incarnation &&
    first.seq <= knownLast.seq + 1
  const older = joins ? known.events.filter((event) => event.seq < first.seq) : []
  return {
    ...known,
    ...nothingLive,
    problem: null,
    session: answer.session,
    events: older.length > 0 ? [...older, ...answer.events] : answer.events,
    hasMore: older.length > 0 ? known.hasMore : answer.hasMore,
    lastSeq: answer.lastSeq,
    incarnation: answer.incarnation,
    epoch: known.epoch + 1,
  }
}

/** A page of `session.history` in front of the window. A page that does not end before the window is ignored. */
export function withEarlier(state: SessionState, page: Result<'session.history'>): SessionState {
  const first = state.events[0]
  const last = page.events.at(-1)
  if (first === undefined || (last !== undefined && last.seq >= first.seq)) return state
  return { ...state, events: [...page.events, ...state.events], hasMore: page.hasMore }
}

function withEvent(state: SessionState, event: SessionEvent): SessionState {
  if (event.seq <= state.lastSeq) return state
  const ended =
    event.type === 'turn/end' ||
    (event.type === 'assistant/message' && event.data.message.id === state.streaming?.messageId)
  return { ...state, events: [...state.events, event], lastSeq: event.seq, streaming: ended ? null : state.streaming }
}

function withStream(
  state: SessionState,
  frame: Extract<SessionFrame, { type: 'session/stream' }>,
): SessionState | 'gap' {
  const same = state.streaming?.messageId === frame.messageId ? state.streaming : null
  const before = same?.[frame.part] ?? ''
  if (frame.offset > before.length) return 'gap'
  const rest = { text: same?.text ?? '', reasoning: same?.reasoning ?? '' }
  return {
    ...state,
    streaming: {
      turn: frame.turn,
      step: frame.step,
      messageId: frame.messageId,
      ...rest,
      [frame.part]: before.slice(0, frame.offset) + frame.text,
    },
  }
}

function withEntry<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key, value: Value): ReadonlyMap<Key, Value> {
  return new Map(map).set(key, value)
}

/** Applies one frame of this session. `gap`: the frame rests on something that was never seen. */
export function applyFrame(state: SessionState, frame: SessionFrame): SessionState | 'gap' {
  switch (frame.type) {
    case 'session/subscribed':
      return { ...state, ...nothingLive, incarnation: frame.incarnation }
    case 'session/event':
      return withEvent(state, frame.event)
    case 'session/stream':
      return withStream(state, frame)
    case 'session/status':
      return { ...state, status: { status: frame.status, turn: frame.turn ?? null, retry: frame.retry ?? null } }
    case 'session/queue':
      return { ...state, queue: frame.items }
    case 'session/discarded': {
      const { itemId, messageId, reason, text } = frame
      const one: Discarded = { itemId, messageId, reason, why: frame.why ?? null, text }
      return { ...state, discarded: [...state.discarded, one].slice(-discardedKept) }
    }
    case 'session/projection': {
      const known = state.projections.get(frame.key)
      if (known !== undefined && known.seq > frame.seq) return state
      return { ...state, projections: withEntry(state.projections, frame.key, { value: frame.value, seq: frame.seq }) }
    }
    case 'session/task-surface':
      return { ...state, pendingBySurface: withEntry(state.pendingBySurface, frame.surfaceId, frame.pending) }
    case 'session/tasks':
      return { ...state, tasks: frame.tasks }
    case 'question/requested': {
      const { questionId, callId, questions } = frame
      const others = state.questions.filter((one) => one.questionId !== questionId)
      return { ...state, questions: [...others, { questionId, callId, questions }] }
    }
    case 'question/resolved':
      return { ...state, questions: state.questions.filter((one) => one.questionId !== frame.questionId) }
    case 'approval/requested': {
      const { approvalId, callId, tool, summary, input } = frame
      const one = { approvalId, callId, tool, summary, input, fromSession: frame.fromSession ?? null }
      return { ...state, approvals: [...state.approvals.filter((other) => other.approvalId !== approvalId), one] }
    }
    case 'approval/resolved':
      return { ...state, approvals: state.approvals.filter((one) => one.approvalId !== frame.approvalId) }
    default: {
      const never: never = frame
      return never
    }
  }
}

/** The value of a projection as this page last saw it, unchecked; undefined before the baseline. */
export function projectionOf(state: SessionState, key: string): Json | undefined {
  return state.projections.get(key)?.value
}

export type ToolCall = EventOf<'tool/call'>
export type ToolResult = EventOf<'tool/result'>
