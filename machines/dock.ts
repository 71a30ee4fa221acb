/* The dock of one session: what a person may do with the open surface, and what the page must ask next
   (SPEC 9). Knows no values, no socket and no clock: identities, answers, pushes and ids arrive as events,
   requests leave as actions. Collapse is the view's own and not here.

     absent ──IDENTITY──▶ loading ──READ──▶ editing · unreadable · queued · claiming
     editing · rejected · returned ──SUBMIT──▶ submitting ──ACCEPTED/PENDING──▶ queued ──PENDING──▶ claiming
        ▲         ▲          ▲                  │    └──SUBMIT_FAILED──▶ checking ──READ──▶ rejected · queued · claiming
        │         └──REFUSED/INVALID────────────┘
        │                    └──READ (nothing pending)── queued · claiming
        └──DISMISS_REFUSED/DISMISS_FAILED── dismissing ◀──DISMISS── editing · rejected · returned · unreadable
     every live state ──IDENTITY/READ (not open)/OUTCOME──▶ absent, or `ended` when something typed is left

   | rule | |
   | --- | --- |
   | own-answers | an answer or a push for another surface, submission or dismissal changes nothing |
   | lock-until-read | from SUBMIT on nothing is editable until an answer of the host says that nothing is pending |
   | read-again | every answer, push, row change and new connection asks `getActive` again; only its answer unlocks |
   | row-is-no-outcome | a row that is gone is no outcome: it asks, it does not decide |
   | never-stuck | a request that fails leads to asking; asking in vain `readsInVain` times gives the form back |
   | attempt-keeps-id | an attempt keeps its id until it is answered or edited; the next attempt takes another |
   | stale-ends-attempt | `stale` with this surface open and nothing pending ends the attempt, not the surface |
   | no-link-no-send | nothing is sent while the connection is gone; typing goes on |
   | says-ended | a surface that ends under the person's hands says so, unless it was submitted or dismissed */
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate'
import type { MessageId, TaskSurfaceDismissalId, TaskSurfaceId, TaskSurfaceSubmissionId } from '../shared/ids.ts'
import type { DiscardReason } from '../shared/message.ts'
import type { ClosingReason } from '../shared/projections/task-surface.ts'
import type { Issue, TaskSurfacePendingSubmission } from '../shared/surface/operations.ts'

/** What the last attempt came to, where the person must be told. */
export type DockTrouble =
  | { kind: 'invalid' }
  | { kind: 'stale' }
  | { kind: 'no-answer' }
  | { kind: 'not-dismissed' }
  /** `reason` is null until the host says it, or where it never does. */
  | { kind: 'discarded'; messageId: MessageId | null; reason: DiscardReason | null; why: string | null }

export interface DockContext {
  surfaceId: TaskSurfaceId | null
  connected: boolean
  /** False: this page cannot read the model. */
  readable: boolean
  /** The person changed something that was not sent. */
  touched: boolean
  /** The id of an attempt whose outcome is not known, or that is pending. */
  attempt: TaskSurfaceSubmissionId | null
  dismissalId: TaskSurfaceDismissalId | null
  pending: TaskSurfacePendingSubmission | null
  trouble: DockTrouble | null
  issues: readonly Issue[]
  failedReads: number
  ended: ClosingReason | null
}

const fresh: Omit<DockContext, 'connected'> = {
  surfaceId: null,
  readable: true,
  touched: false,
  attempt: null,
  dismissalId: null,
  pending: null,
  trouble: null,
  issues: [],
  failedReads: 0,
  ended: null,
}

type OfSurface = { surfaceId: TaskSurfaceId }

export type DockMachineEvent =
  /** The active projection. `attempt` and `touched` are what the stored draft says. */
  | {
      type: 'IDENTITY'
      surfaceId: TaskSurfaceId | null
      attempt: TaskSurfaceSubmissionId | null
      touched: boolean
    }
  | ({ type: 'READ'; open: true; readable: boolean; pending: TaskSurfacePendingSubmission | null } & OfSurface)
  | ({ type: 'READ'; open: false } & OfSurface)
  | ({ type: 'READ_FAILED' } & OfSurface)
  | { type: 'RETRY_DUE' }
  /** Something under `path`, a pointer into `{values, note}`, was changed by the person. */
  | { type: 'EDITED'; path: string }
  /** The person sends; `submissionId` is fresh and used unless an attempt is still open. */
  | { type: 'SUBMIT'; submissionId: TaskSurfaceSubmissionId }
  /** The person sends what this page already knows to be wrong. */
  | { type: 'INVALID'; issues: readonly Issue[] }
  | { type: 'ACCEPTED'; submissionId: TaskSurfaceSubmissionId; messageId: MessageId }
  | {
      type: 'REFUSED'
      submissionId: TaskSurfaceSubmissionId
      reason: 'not-open' | 'stale' | 'invalid-submission' | 'submission-pending'
      issues: readonly Issue[]
    }
  | { type: 'SUBMIT_FAILED'; submissionId: TaskSurfaceSubmissionId }
  | { type: 'DISMISS'; dismissalId: TaskSurfaceDismissalId }
  | { type: 'DISMISSED'; dismissalId: TaskSurfaceDismissalId }
  | { type: 'DISMISS_REFUSED'; dismissalId: TaskSurfaceDismissalId }
  | { type: 'DISMISS_FAILED'; dismissalId: TaskSurfaceDismissalId }
  | ({ type: 'PENDING'; pending: TaskSurfacePendingSubmission | null } & OfSurface)
  /** The correlated row of the queue came, changed or went. */
  | { type: 'ROW_CHANGED' }
  | { type: 'DISCARDED'; messageId: MessageId; reason: DiscardReason; why: string | null }
  | ({ type: 'OUTCOME'; reason: ClosingReason } & OfSurface)
  | { type: 'UP' }
  | { type: 'DOWN' }
  | { type: 'ACKNOWLEDGE' }

/** Answers of `getActive` that fail in a row before a form whose attempt is in doubt is given back. */
export const readsInVain = 3

type Seen = { context: DockContext; event: DockMachineEvent }

function isOwn({ context, event }: Seen): boolean {
  return 'surfaceId' in event && event.surfaceId === context.surfaceId
}
function phaseIn(seen: Seen): 'queued' | 'claiming' | 'free' | null {
  const { event } = seen
  if (!isOwn(seen) || (event.type !== 'READ' && event.type !== 'PENDING')) return null
  if (event.type === 'READ' && !event.open) return null
  return event.pending?.phase ?? 'free'
}
function isOwnAttempt({ context, event }: Seen): boolean {
  return 'submissionId' in event && event.submissionId === context.attempt
}
function isOwnDismissal({ context, event }: Seen): boolean {
  return 'dismissalId' in event && event.dismissalId === context.dismissalId
}

/** An issue of the whole is about whatever changes. */
function concerns(issue: Issue, path: string): boolean {
  return issue.path === '' || issue.path === path || issue.path.startsWith(`${path}/`)
}

function discard(messageId: MessageId | null, reason: DiscardReason | null, why: string | null): DockTrouble {
  return { kind: 'discarded', messageId, reason, why }
}

export const dockMachine = setup({
  types: { context: {} as DockContext, events: {} as DockMachineEvent },
  guards: {
    namesSurface: ({ event }) => event.type === 'IDENTITY' && event.surfaceId !== null,
    namesOther: ({ context, event }) =>
      event.type === 'IDENTITY' && event.surfaceId !== null && event.surfaceId !== context.surfaceId,
    namesNone: ({ event }) => event.type === 'IDENTITY' && event.surfaceId === null,
    namesNoneWithText: ({ context, event }) => event.type === 'IDENTITY' && event.surfaceId === null && context.touched,
    saysNotOpen: (seen) => isOwn(seen) && seen.event.type === 'READ' && !seen.event.open,
    saysNotOpenWithText: (seen) =>
      isOwn(seen) && seen.event.type === 'READ' && !seen.event.open && seen.context.touched,
    saysQueued: (seen) => phaseIn(seen) === 'queued',
    saysClaiming: (seen) => phaseIn(seen) === 'claiming',
    saysFree: (seen) => seen.event.type === 'READ' && phaseIn(seen) === 'free',
    saysFreeUnreadable: (seen) =>
      seen.event.type === 'READ' && phaseIn(seen) === 'free' && seen.event.open && !seen.event.readable,
    saysFreeWithAttempt: (seen) =>
      seen.event.type === 'READ' && phaseIn(seen) === 'free' && seen.context.attempt !== null,
    isPushOfNone: (seen) => seen.event.type === 'PENDING' && phaseIn(seen) === 'free',
    endsSilently: (seen) =>
      isOwn(seen) &&
      seen.event.type === 'OUTCOME' &&
      (!seen.context.touched || seen.event.reason === 'submitted' || seen.event.reason === 'dismissed'),
    isOwnOutcome: (seen) => isOwn(seen) && seen.event.type === 'OUTCOME',
    isConnected: ({ context }) => context.connected,
    isOwnAttempt,
    isOwnReadFailure: isOwn,
    isReadInVain: (seen) => isOwn(seen) && seen.context.connected && seen.context.failedReads + 1 >= readsInVain,
    isInvalid: (seen) =>
      isOwnAttempt(seen) && seen.event.type === 'REFUSED' && seen.event.reason === 'invalid-submission',
    isOwnDismissal,
    isOwnDismissalUnreadable: (seen) => isOwnDismissal(seen) && !seen.context.readable,
    isOwnReturn: ({ context, event }) =>
      event.type === 'DISCARDED' &&
      context.trouble?.kind === 'discarded' &&
      event.messageId === context.trouble.messageId,
    isOwnDiscard: ({ context, event }) => event.type === 'DISCARDED' && event.messageId === context.pending?.messageId,
  },
  actions: {
    /** `taskSurface.getActive`; answers with READ or READ_FAILED. */
    read: () => {},
    /** Sends RETRY_DUE after a while that grows with `failedReads`. */
    retryLater: () => {},
    /** `taskSurface.submit` with `attempt`; answers with ACCEPTED, REFUSED or SUBMIT_FAILED. */
    sendSubmission: () => {},
    /** `taskSurface.dismiss` with `dismissalId`. */
    sendDismissal: () => {},
    /** Stores `attempt` with the draft, so that a reload retries under the same id. */
    keepAttempt: () => {},
    takeIdentity: assign(({ context, event }) =>
      event.type === 'IDENTITY'
        ? {
            ...fresh,
            connected: context.connected,
            surfaceId: event.surfaceId,
            attempt: event.attempt,
            touched: event.touched,
          }
        : {},
    ),
    takeReading: assign(({ event }) =>
      event.type === 'READ' && event.open ? { readable: event.readable, pending: event.pending, failedReads: 0 } : {},
    ),
    takePending: assign(({ event }) => (event.type === 'PENDING' ? { pending: event.pending } : {})),
    takeAcceptance: assign(({ event }) =>
      event.type === 'ACCEPTED'
        ? { pending: { submissionId: event.submissionId, messageId: event.messageId, phase: 'queued' as const } }
        : {},
    ),
    noteEdit: assign(({ context, event }) => {
      if (event.type !== 'EDITED') return {}
      const left = context.issues.filter((issue) => !concerns(issue, event.path))
      return { touched: true, attempt: null, issues: left.length === context.issues.length ? context.issues : left }
    }),
    beginAttempt: assign(({ context, event }) =>
      event.type === 'SUBMIT'
        ? { attempt: context.attempt ?? event.submissionId, trouble: null, issues: [], touched: true }
        : {},
    ),
    endAttempt: assign({ attempt: null, pending: null }),
    noteIssues: assign(({ event }) =>
      event.type === 'INVALID' || event.type === 'REFUSED'
        ? { trouble: { kind: 'invalid' as const }, issues: event.issues }
        : {},
    ),
    noteStale: assign({ trouble: { kind: 'stale' as const } }),
    noteNoAnswer: assign({ trouble: { kind: 'no-answer' as const } }),
    noteNotDismissed: assign({ trouble: { kind: 'not-dismissed' as const } }),
    noteReturn: assign(({ context }) =>
      context.trouble?.kind === 'discarded' ? {} : { trouble: discard(context.pending?.messageId ?? null, null, null) },
    ),
    noteDiscard: assign(({ event }) =>
      event.type === 'DISCARDED' ? { trouble: discard(event.messageId, event.reason, event.why) } : {},
    ),
    noteFailedRead: assign({ failedReads: ({ context }) => context.failedReads + 1 }),
    endDismissal: assign({ dismissalId: null }),
    beginDismissal: assign(({ context, event }) =>
      event.type === 'DISMISS'
        ? { dismissalId: context.dismissalId ?? event.dismissalId, trouble: null, issues: [] }
        : {},
    ),
    noteOutcome: assign(({ event }) => (event.type === 'OUTCOME' ? { ended: event.reason } : {})),
    noteUp: assign({ connected: true, failedReads: 0 }),
    noteDown: assign({ connected: false }),
    forget: assign(({ context }) => ({ ...fresh, connected: context.connected })),
  },
}).createMachine({
  id: 'dock',
  context: { ...fresh, connected: false },
  initial: 'absent',
  on: { UP: { actions: 'noteUp' }, DOWN: { actions: 'noteDown' } },
  states: {
    absent: {
      on: { IDENTITY: { guard: 'namesSurface', target: 'live', actions: ['takeIdentity', 'read'] } },
    },
    live: {
      initial: 'loading',
      on: {
        IDENTITY: [
          { guard: 'namesOther', target: 'live', reenter: true, actions: ['takeIdentity', 'read'] },
          { guard: 'namesNoneWithText', target: 'ended' },
          { guard: 'namesNone', target: 'absent', actions: 'forget' },
        ],
        READ: [
          { guard: 'saysNotOpenWithText', target: 'ended' },
          { guard: 'saysNotOpen', target: 'absent', actions: 'forget' },
          { guard: 'saysQueued', target: '.pending.queued', actions: 'takeReading' },
          { guard: 'saysClaiming', target: '.pending.claiming', actions: 'takeReading' },
          { guard: 'saysFree', actions: 'takeReading' },
        ],
        READ_FAILED: { guard: 'isOwnReadFailure', actions: ['noteFailedRead', 'retryLater'] },
        RETRY_DUE: { guard: 'isConnected', actions: 'read' },
        PENDING: [
          { guard: 'saysQueued', target: '.pending.queued', actions: ['takePending', 'read'] },
          { guard: 'saysClaiming', target: '.pending.claiming', actions: ['takePending', 'read'] },
          { guard: 'isPushOfNone', actions: 'read' },
        ],
        OUTCOME: [
          { guard: 'endsSilently', target: 'absent', actions: 'forget' },
          { guard: 'isOwnOutcome', target: 'ended', actions: 'noteOutcome' },
        ],
        ACCEPTED: { actions: 'read' },
        REFUSED: { actions: 'read' },
        SUBMIT_FAILED: { actions: 'read' },
        DISMISSED: { actions: 'read' },
        DISMISS_REFUSED: { actions: 'read' },
        DISMISS_FAILED: { actions: 'read' },
        ROW_CHANGED: { actions: 'read' },
        UP: { actions: ['noteUp', 'read'] },
      },
      states: {
        loading: {
          on: {
            READ: [
              { guard: 'saysFreeUnreadable', target: 'unreadable', actions: 'takeReading' },
              { guard: 'saysFreeWithAttempt', target: 'open.returned', actions: ['noteReturn', 'takeReading'] },
              { guard: 'saysFree', target: 'open.editing', actions: 'takeReading' },
            ],
          },
        },
        unreadable: {
          on: {
            DISMISS: { guard: 'isConnected', target: 'dismissing', actions: ['beginDismissal', 'sendDismissal'] },
          },
        },
        open: {
          initial: 'editing',
          on: {
            EDITED: { actions: ['noteEdit', 'keepAttempt'] },
            INVALID: { guard: 'isConnected', target: '.rejected', actions: 'noteIssues' },
            SUBMIT: {
              guard: 'isConnected',
              target: 'submitting',
              actions: ['beginAttempt', 'keepAttempt', 'sendSubmission'],
            },
            DISMISS: { guard: 'isConnected', target: 'dismissing', actions: ['beginDismissal', 'sendDismissal'] },
          },
          states: {
            editing: {},
            rejected: {},
            returned: { on: { DISCARDED: { guard: 'isOwnReturn', actions: 'noteDiscard' } } },
          },
        },
        submitting: {
          on: {
            ACCEPTED: { guard: 'isOwnAttempt', target: 'pending.queued', actions: ['takeAcceptance', 'read'] },
            REFUSED: [
              {
                guard: 'isInvalid',
                target: 'open.rejected',
                actions: ['noteIssues', 'endAttempt', 'keepAttempt', 'read'],
              },
              {
                guard: 'isOwnAttempt',
                target: 'checking',
                actions: ['noteStale', 'endAttempt', 'keepAttempt', 'read'],
              },
            ],
            SUBMIT_FAILED: { guard: 'isOwnAttempt', target: 'checking', actions: ['noteNoAnswer', 'read'] },
            // Asked before the attempt was: it cannot know of it.
            READ: { guard: 'saysFree' },
          },
        },
        checking: {
          on: {
            READ: { guard: 'saysFree', target: 'open.rejected', actions: ['takeReading'] },
            READ_FAILED: { guard: 'isReadInVain', target: 'open.rejected', actions: ['noteFailedRead', 'retryLater'] },
          },
        },
        dismissing: {
          on: {
            DISMISSED: { guard: 'isOwnDismissal', target: '#dock.absent', actions: 'forget' },
            DISMISS_REFUSED: [
              { guard: 'isOwnDismissalUnreadable', target: 'unreadable', actions: ['endDismissal', 'read'] },
              { guard: 'isOwnDismissal', target: 'open.editing', actions: ['endDismissal', 'read'] },
            ],
            DISMISS_FAILED: [
              { guard: 'isOwnDismissalUnreadable', target: 'unreadable', actions: ['noteNotDismissed', 'read'] },
              { guard: 'isOwnDismissal', target: 'open.rejected', actions: ['noteNotDismissed', 'read'] },
            ],
          },
        },
        pending: {
          initial: 'queued',
          on: {
            READ: [
              {
                guard: 'saysFreeUnreadable',
                target: 'unreadable',
                actions: ['noteReturn', 'takeReading', 'endAttempt', 'keepAttempt'],
              },
              {
                guard: 'saysFree',
                target: 'open.returned',
                actions: ['noteReturn', 'takeReading', 'endAttempt', 'keepAttempt'],
              },
            ],
            DISCARDED: { guard: 'isOwnDiscard', actions: ['noteDiscard', 'read'] },
          },
          states: { queued: {}, claiming: {} },
        },
      },
    },
    ended: {
      on: {
        IDENTITY: { guard: 'namesSurface', target: 'live', actions: ['takeIdentity', 'read'] },
        OUTCOME: [
          { guard: 'endsSilently', target: 'absent', actions: 'forget' },
          { guard: 'isOwnOutcome', actions: 'noteOutcome' },
        ],
        ACKNOWLEDGE: { target: 'absent', actions: 'forget' },
      },
    },
  },
})

export type DockActor = ActorRefFrom<typeof dockMachine>
export type DockSnapshot = SnapshotFrom<typeof dockMachine>
