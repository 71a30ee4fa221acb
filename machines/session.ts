/* The session: who may speak next. It owns the order of the inbox, the one claim in flight and whether a
   turn runs; message texts, the log and the agent stay with the host.

     idle ──WAKE──▶ claiming (a notice instead of a row)
     idle ──CALL──▶ calling ──COMMIT──▶ running (an agent elsewhere acts, and nobody said anything)
     idle ──ENQUEUE──▶ boundary ──CLAIM──▶ claiming ──ISSUE──▶ committing ──COMMIT──▶ running
      ▲                   ▲                   │                    │                    │
      └───── no rows ─────┴──────DISCARD──────┴──────DISCARD───────┘      TURN_ENDED ───┘ (rows left: boundary)

   | rule | |
   | --- | --- |
   | row-order | a live session takes every row, behind those that wait; a row that is gone is not found |
   | claim-order | CLAIM takes the first queued row; steering rows are taken by JOIN, all at once |
   | steer-running | only a running turn can be steered; steering sent elsewhere is an ordinary row |
   | locked-rows | a row that answers a surface can be removed, never edited or steered |
   | one-claim | there is at most one claimed row, and every claim ends in COMMIT or DISCARD |
   | one-turn | a turn runs from COMMIT to TURN_ENDED; what is left then is looked at again |
   | interrupt-claim | INTERRUPT discards a claim until its append is issued; after that it is remembered for the turn |
   | wake | WAKE begins a turn for a notice, from idle only, at most `maxWakes` times without a person's message |
   | call | CALL begins a turn for a call from outside, from idle only: rows go first, and it is no wake |
   | left-steering | steering rows a turn leaves behind become ordinary rows, ahead of the others |
   | busy | REWIND and CONFIGURE are refused from claim or call to the end of the turn, and while reloading |
   | reload | REWIND leads to `reloading`, where nothing is claimed until the host ends the actor, or RESUME: no rewind |
   | ended-once | END comes from anywhere and is final: the host makes a new actor from the log | */
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate'
import type { InboxItemId, MessageId, TaskSurfaceId, TaskSurfaceSubmissionId } from '../shared/ids.ts'
import type { Placement } from '../shared/message.ts'

/** What the order of the inbox depends on. `answers` names the surface a submission row answers. */
export interface InboxRow {
  itemId: InboxItemId
  messageId: MessageId
  placement: Placement
  answers: { surfaceId: TaskSurfaceId; submissionId: TaskSurfaceSubmissionId } | null
}

export interface SessionContext {
  rows: InboxRow[]
  claimed: InboxRow | null
  /** An interrupt that came when the claim could no longer be discarded. */
  interruptTurn: boolean
  /** Turns begun for a notice since the person last said something. */
  wakes: number
}

/** Turns in a row that notices may begin: work that finishes must not talk to itself for ever. */
export const maxWakes = 3

export type SessionMachineEvent =
  | { type: 'ENQUEUE'; row: InboxRow }
  | { type: 'EDIT'; itemId: InboxItemId }
  | { type: 'STEER'; itemId: InboxItemId }
  | { type: 'REMOVE'; itemId: InboxItemId }
  | { type: 'WAKE' }
  /** An agent that runs elsewhere made a call. */
  | { type: 'CALL' }
  | { type: 'CLAIM' }
  | { type: 'ISSUE' }
  | { type: 'COMMIT' }
  | { type: 'DISCARD' }
  | { type: 'JOIN' }
  | { type: 'INTERRUPT' }
  | { type: 'TURN_ENDED' }
  | { type: 'CONFIGURE' }
  | { type: 'REWIND' }
  /** The rewind was refused: nothing was written. */
  | { type: 'RESUME' }
  | { type: 'END' }

const isQueued = (row: InboxRow): boolean => row.placement === 'queued'
const asQueued = (row: InboxRow): InboxRow => ({ ...row, placement: 'queued' })

const rowOf = (context: SessionContext, event: SessionMachineEvent): InboxRow | undefined =>
  'itemId' in event ? context.rows.find((row) => row.itemId === event.itemId) : undefined

export const sessionMachine = setup({
  types: {
    context: {} as SessionContext,
    events: {} as SessionMachineEvent,
  },
  guards: {
    hasRow: ({ context, event }) => rowOf(context, event) !== undefined,
    hasUnlockedRow: ({ context, event }) => rowOf(context, event)?.answers === null,
    hasQueuedRow: ({ context }) => context.rows.some(isQueued),
    mayWake: ({ context }) => context.wakes < maxWakes,
    hasSteeringRow: ({ context }) => context.rows.some((row) => !isQueued(row)),
  },
  actions: {
    addRow: assign({
      rows: ({ context, event }) => (event.type === 'ENQUEUE' ? [...context.rows, event.row] : context.rows),
    }),
    addQueuedRow: assign({
      rows: ({ context, event }) => (event.type === 'ENQUEUE' ? [...context.rows, asQueued(event.row)] : context.rows),
    }),
    dropRow: assign({
      rows: ({ context, event }) => {
        const gone = rowOf(context, event)
        return context.rows.filter((row) => row !== gone)
      },
    }),
    steerRow: assign({
      rows: ({ context, event }): InboxRow[] => {
        const steered = rowOf(context, event)
        return context.rows.map((row) => (row === steered ? { ...row, placement: 'steering' } : row))
      },
    }),
    claimFirstRow: assign(({ context }) => {
      const claimed = context.rows.find(isQueued) ?? null
      return { claimed, rows: context.rows.filter((row) => row !== claimed) }
    }),
    admitClaim: assign({
      claimed: null,
      wakes: ({ context }) => (context.claimed === null ? context.wakes + 1 : 0),
    }),
    dropClaim: assign({ claimed: null, interruptTurn: false }),
    takeSteering: assign({ rows: ({ context }) => context.rows.filter(isQueued), wakes: 0 }),
    returnSteering: assign({
      rows: ({ context }) => [
        ...context.rows.filter((row) => !isQueued(row)).map(asQueued),
        ...context.rows.filter(isQueued),
      ],
    }),
    /** The decision is the whole effect: what follows is the host's. */
    permit: () => {},
    rememberInterrupt: assign({ interruptTurn: true }),
    forgetInterrupt: assign({ interruptTurn: false }),
  },
}).createMachine({
  id: 'session',
  context: { rows: [], claimed: null, interruptTurn: false, wakes: 0 },
  initial: 'live',
  states: {
    live: {
      initial: 'idle',
      on: {
        EDIT: { guard: 'hasUnlockedRow', actions: 'permit' },
        REMOVE: { guard: 'hasRow', actions: 'dropRow' },
        END: 'ended',
      },
      states: {
        idle: {
          on: {
            ENQUEUE: { target: 'boundary', actions: 'addQueuedRow' },
            WAKE: { guard: 'mayWake', target: 'claiming' },
            CALL: 'calling',
            CONFIGURE: { actions: 'permit' },
            REWIND: 'reloading',
          },
        },
        boundary: {
          on: {
            ENQUEUE: { actions: 'addQueuedRow' },
            CLAIM: [{ guard: 'hasQueuedRow', target: 'claiming', actions: 'claimFirstRow' }, { target: 'idle' }],
            CONFIGURE: { actions: 'permit' },
            REWIND: 'reloading',
          },
        },
        claiming: {
          on: {
            ENQUEUE: { actions: 'addQueuedRow' },
            ISSUE: 'committing',
            DISCARD: { target: 'boundary', actions: 'dropClaim' },
            INTERRUPT: { target: 'boundary', actions: 'dropClaim' },
          },
        },
        committing: {
          on: {
            ENQUEUE: { actions: 'addQueuedRow' },
            COMMIT: { target: 'running', actions: 'admitClaim' },
            DISCARD: { target: 'boundary', actions: 'dropClaim' },
            INTERRUPT: { actions: 'rememberInterrupt' },
          },
        },
        calling: {
          on: {
            ENQUEUE: { actions: 'addQueuedRow' },
            COMMIT: 'running',
            INTERRUPT: { actions: 'rememberInterrupt' },
          },
        },
        running: {
          on: {
            ENQUEUE: { actions: 'addRow' },
            STEER: { guard: 'hasUnlockedRow', actions: 'steerRow' },
            JOIN: { guard: 'hasSteeringRow', actions: 'takeSteering' },
            INTERRUPT: { actions: 'rememberInterrupt' },
            TURN_ENDED: { target: 'boundary', actions: ['returnSteering', 'forgetInterrupt'] },
          },
        },
        reloading: { on: { ENQUEUE: { actions: 'addQueuedRow' }, RESUME: 'boundary' } },
      },
    },
    ended: { type: 'final' },
  },
})

export type SessionActor = ActorRefFrom<typeof sessionMachine>
export type SessionSnapshot = SnapshotFrom<typeof sessionMachine>

export type QueueRefusal = 'queue-item-not-found' | 'queue-item-locked' | 'steer-unavailable'

/** Why the machine refuses an EDIT, STEER or REMOVE; null when it accepts. Checked in this order (SPEC 4). */
export function queueRefusal(
  snapshot: SessionSnapshot,
  event: Extract<SessionMachineEvent, { type: 'EDIT' | 'STEER' | 'REMOVE' }>,
): QueueRefusal | null {
  if (snapshot.can(event)) return null
  const row = rowOf(snapshot.context, event)
  if (row === undefined) return 'queue-item-not-found'
  return row.answers === null ? 'steer-unavailable' : 'queue-item-locked'
}
