/* The page's one socket to the host: when to open it, when to doubt it, how long to wait before the next
   try. Knows no WebSocket and no clock: sockets are opened by the adapter, time and chance arrive in events.

     connecting ──HELLO──▶ up.steady ──DOUBT/WOKEN──▶ up.probing
       ▲   │                   ▲  │                    │   │
       │   │                   └──┼──────ANSWERED──────┘   │
       │   └──CLOSED/SILENT──▶ waiting ◀──CLOSED/SILENT────┘      (CLOSED in steady as well)
       └──RETRY_DUE/TRY_NOW/WOKEN──┘ └──REFUSED──▶ refused ──TRY_NOW──▶ connecting

   | rule | |
   | --- | --- |
   | hello-first | only the host's hello makes a connection: an open socket alone is none |
   | backoff | each failure in a row doubles the wait, up to a limit, with jitter below it; a hello starts anew |
   | doubt | a connection is probed when something speaks against it, and given up when the probe stays silent |
   | one-socket | an answer or a hello that comes late, while waiting, changes nothing |
   | refused-stays | a host that refuses the page is not asked again until the person says so |
   | last-up | `downSince` is the time the last connection was lost, until the next hello */
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate'

/** `at` in epoch milliseconds, `random` in [0, 1). */
type Failed = { at: number; random: number }

export type ConnectionMachineEvent =
  | { type: 'HELLO'; bootId: string; version: string }
  | ({ type: 'CLOSED' } & Failed)
  /** No hello, or no answer to the probe, within its time. */
  | ({ type: 'SILENT' } & Failed)
  | { type: 'REFUSED' }
  | { type: 'RETRY_DUE' }
  | { type: 'TRY_NOW' }
  /** The page became visible, or the machine came online: whatever was known may be old. */
  | { type: 'WOKEN' }
  /** A call stayed without an answer. */
  | { type: 'DOUBT' }
  | { type: 'ANSWERED' }

export interface ConnectionContext {
  failures: number
  retryDelayMs: number
  retryAt: number | null
  downSince: number | null
  everUp: boolean
  bootId: string | null
  version: string | null
}

const firstDelayMs = 500
/** Long enough to spare a host that is down for the night, short enough that nobody waits for it. */
const longestDelayMs = 15_000

/** Half of the wait is fixed, half is chance, so that many pages do not return at one moment. */
export function retryDelayMs(failures: number, random: number): number {
  const full = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures, 16))
  return Math.round(full * (0.5 + random / 2))
}

export const connectionMachine = setup({
  types: { context: {} as ConnectionContext, events: {} as ConnectionMachineEvent },
  actions: {
    /** Opens a socket and starts the hello timer; a former one is dropped first. */
    openSocket: () => {},
    /** Closes the socket if there is one; what it still says is ignored. */
    dropSocket: () => {},
    /** Calls `host.describe`, answers with ANSWERED or SILENT. */
    probe: () => {},
    scheduleRetry: (_, _params: { delayMs: number }) => {},
    cancelRetry: () => {},
    noteHello: assign(({ event }) =>
      event.type === 'HELLO'
        ? { failures: 0, retryAt: null, downSince: null, everUp: true, bootId: event.bootId, version: event.version }
        : {},
    ),
    noteFailure: assign(({ context, event }) => {
      if (event.type !== 'CLOSED' && event.type !== 'SILENT') return {}
      const delayMs = retryDelayMs(context.failures, event.random)
      const downSince = context.downSince ?? (context.everUp ? event.at : null)
      return { failures: context.failures + 1, retryDelayMs: delayMs, retryAt: event.at + delayMs, downSince }
    }),
    forgetRetry: assign({ retryAt: null }),
  },
}).createMachine({
  id: 'connection',
  context: { failures: 0, retryDelayMs: 0, retryAt: null, downSince: null, everUp: false, bootId: null, version: null },
  initial: 'connecting',
  states: {
    connecting: {
      entry: 'openSocket',
      on: {
        HELLO: { target: 'up', actions: 'noteHello' },
        CLOSED: { target: 'waiting', actions: 'noteFailure' },
        SILENT: { target: 'waiting', actions: 'noteFailure' },
      },
    },
    up: {
      initial: 'steady',
      on: {
        CLOSED: { target: 'waiting', actions: 'noteFailure' },
      },
      states: {
        steady: { on: { DOUBT: 'probing', WOKEN: 'probing' } },
        probing: {
          entry: 'probe',
          on: {
            ANSWERED: 'steady',
            SILENT: { target: '#connection.waiting', actions: 'noteFailure' },
          },
        },
      },
    },
    waiting: {
      entry: ['dropSocket', { type: 'scheduleRetry', params: ({ context }) => ({ delayMs: context.retryDelayMs }) }],
      exit: ['cancelRetry', 'forgetRetry'],
      on: {
        RETRY_DUE: 'connecting',
        TRY_NOW: 'connecting',
        WOKEN: 'connecting',
        REFUSED: 'refused',
      },
    },
    refused: { on: { TRY_NOW: 'connecting' } },
  },
})

export type ConnectionActor = ActorRefFrom<typeof connectionMachine>
export type ConnectionSnapshot = SnapshotFrom<typeof connectionMachine>
