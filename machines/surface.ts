/* One occurrence of a Task Surface (SPEC 6.3). The log knows only open and closed; queued and claiming are
   process-local and start over as open when the occurrence is loaded from the log.

     open ──SUBMIT──▶ queued ──CLAIM──▶ claiming ──COMMIT──▶ closed (submitted)
       ▲                │                  │
       └── discarded ◀──┴──── DISCARD ─────┘
     open ──DISMISS──▶ closed (dismissed)        live ──BYPASS | SUPERSEDE | REMOVE──▶ closed

   | rule | |
   | --- | --- |
   | one-submission | SUBMIT is accepted only while open: one pending submission at most |
   | no-dismiss-pending | DISMISS is refused while a submission is queued or claiming |
   | discard-reopens | DISCARD drops the pending submission, passes `discarded` and is open again |
   | close-by-log | COMMIT, DISMISS, BYPASS and SUPERSEDE are sent only once their event is durable |
   | closed-once | live states sit under one parent: what is closed accepts nothing */
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate'
import type { CallId, MessageId, TaskSurfaceId, TaskSurfaceSubmissionId } from '../shared/ids.ts'
import type { DiscardReason } from '../shared/message.ts'
import type { TaskSurfacePendingSubmission } from '../shared/surface/operations.ts'

export type SurfaceCloseReason = 'submitted' | 'dismissed' | 'bypassed' | 'superseded' | 'removed'

export interface SurfaceContext {
  surfaceId: TaskSurfaceId
  callId: CallId
  submission: { submissionId: TaskSurfaceSubmissionId; messageId: MessageId } | null
  discarded: DiscardReason | null
  closed: SurfaceCloseReason | null
}

export type SurfaceMachineEvent =
  | { type: 'SUBMIT'; submissionId: TaskSurfaceSubmissionId; messageId: MessageId }
  | { type: 'CLAIM' }
  | { type: 'COMMIT' }
  | { type: 'DISCARD'; reason: DiscardReason }
  | { type: 'DISMISS' }
  | { type: 'BYPASS' }
  | { type: 'SUPERSEDE' }
  | { type: 'REMOVE' }

export const surfaceMachine = setup({
  types: {
    context: {} as SurfaceContext,
    events: {} as SurfaceMachineEvent,
    input: {} as { surfaceId: TaskSurfaceId; callId: CallId },
  },
  actions: {
    takeSubmission: assign(({ event }) =>
      event.type === 'SUBMIT'
        ? { submission: { submissionId: event.submissionId, messageId: event.messageId }, discarded: null }
        : {},
    ),
    dropSubmission: assign(({ event }) => ({
      submission: null,
      discarded: event.type === 'DISCARD' ? event.reason : null,
    })),
    close: assign((_, params: { reason: SurfaceCloseReason }) => ({ submission: null, closed: params.reason })),
  },
}).createMachine({
  id: 'surface',
  context: ({ input }) => ({
    surfaceId: input.surfaceId,
    callId: input.callId,
    submission: null,
    discarded: null,
    closed: null,
  }),
  initial: 'live',
  states: {
    live: {
      initial: 'open',
      on: {
        BYPASS: { target: 'closed', actions: { type: 'close', params: { reason: 'bypassed' } } },
        SUPERSEDE: { target: 'closed', actions: { type: 'close', params: { reason: 'superseded' } } },
        REMOVE: { target: 'closed', actions: { type: 'close', params: { reason: 'removed' } } },
      },
      states: {
        open: {
          on: {
            SUBMIT: { target: 'queued', actions: 'takeSubmission' },
            DISMISS: { target: '#surface.closed', actions: { type: 'close', params: { reason: 'dismissed' } } },
          },
        },
        queued: { on: { CLAIM: 'claiming', DISCARD: { target: 'discarded', actions: 'dropSubmission' } } },
        claiming: {
          on: {
            COMMIT: { target: '#surface.closed', actions: { type: 'close', params: { reason: 'submitted' } } },
            DISCARD: { target: 'discarded', actions: 'dropSubmission' },
          },
        },
        discarded: { always: 'open' },
      },
    },
    closed: { type: 'final' },
  },
})

export type SurfaceActor = ActorRefFrom<typeof surfaceMachine>
export type SurfaceSnapshot = SnapshotFrom<typeof surfaceMachine>

/** The pending submission of a live occurrence, as the wire has it. */
export function pendingOf(snapshot: SurfaceSnapshot): TaskSurfacePendingSubmission | null {
  const { submission } = snapshot.context
  if (submission === null) return null
  if (snapshot.matches({ live: 'queued' })) return { ...submission, phase: 'queued' }
  if (snapshot.matches({ live: 'claiming' })) return { ...submission, phase: 'claiming' }
  return null
}
