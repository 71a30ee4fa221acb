/* Carries `connectionMachine`: opens the WebSocket, runs its timers, and moves requests and frames over it.
   Decides nothing itself. Rules: C-LOST, C-PROBE, C-SCHEMA, C-ORDER (frames and answers are handled in the
   order of their arrival, each completely before the next). Next: `machines/connection.ts`, `browser-socket.ts`. */
import { createActor } from 'xstate'
import { connectionMachine } from '../../machines/connection.ts'
import type { MethodName, Params, Result } from '../../shared/protocol/methods.ts'
import type { NoteActor } from '../page-actors.ts'
import { createStore, type ReadableStore } from '../store.ts'
import { createCalls, type Outcome } from './calls.ts'
import { type AnyFrame, parseIncoming } from './incoming.ts'
import type { Rpc } from './rpc.ts'

export interface ConnectionState {
  readonly phase: 'connecting' | 'up' | 'waiting' | 'refused'
  /** False until the first hello of this page. */
  readonly everUp: boolean
  readonly retryAt: number | null
  readonly downSince: number | null
  readonly version: string | null
  /** Host time minus this page's time, in milliseconds, as of the last hello. */
  readonly hostAheadMs: number
  /** Something came that this page cannot read: the host is newer, a reload helps. */
  readonly outdated: boolean
}

/** A call whose outcome is told in the tick it arrives, before the next frame is looked at. */
export interface Requester extends Rpc {
  request<Name extends MethodName>(
    method: Name,
    params: Params<Name>,
    settle: (outcome: Outcome<Result<Name>>) => void,
  ): void
}

export interface SocketLike {
  send(text: string): void
  close(): void
}
export interface SocketEvents {
  message(text: string): void
  closed(): void
}

export interface ConnectionDeps {
  /** Never calls back before it returned. */
  openSocket: (events: SocketEvents) => SocketLike
  /** Asked after a socket closed before its hello: does the host refuse this page (no cookie)? Never rejects. */
  isRefused: () => Promise<boolean>
  now: () => number
  random: () => number
  /** Calls back after so many milliseconds; returns its disposer. */
  after: (delayMs: number, work: () => void) => () => void
  noteActor?: NoteActor
}

export interface Connection {
  readonly state: ReadableStore<ConnectionState>
  readonly requester: Requester
  /** In order of arrival; the listener must not throw. */
  onFrame(listener: (frame: AnyFrame) => void): () => void
  start(): void
  tryNow(): void
  /** The page became visible or the machine came online. */
  woken(): void
  dispose(): void
}

/** A host on loopback answers in milliseconds; one behind a tunnel may take seconds. */
const helloTimeoutMs = 8_000
const probeTimeoutMs = 5_000
const callTimeoutMs = 20_000

const nothing = () => {}

export function createConnection(deps: ConnectionDeps): Connection {
  const listeners = new Set<(frame: AnyFrame) => void>()
  let socket: SocketLike | null = null
  let stopHelloTimer = nothing
  let stopRetryTimer = nothing
  let outdated = false
  let hostAheadMs = 0

  const actor = createActor(
    connectionMachine.provide({
      actions: {
        openSocket: open,
        dropSocket: drop,
        probe,
        scheduleRetry: (_, { delayMs }) => {
          stopRetryTimer = deps.after(delayMs, () => actor.send({ type: 'RETRY_DUE' }))
        },
        cancelRetry: () => stopRetryTimer(),
      },
    }),
  )
  const forgetActor = deps.noteActor?.({ machine: 'connection', sessionId: null, actor }) ?? nothing
  const calls = createCalls({
    send(text) {
      if (socket === null || !actor.getSnapshot().matches('up')) return false
      socket.send(text)
      return true
    },
    after: deps.after,
    onTimeout: () => actor.send({ type: 'DOUBT' }),
  })
  const state = createStore(view())
  actor.subscribe(() => state.setState(view()))

  function view(): ConnectionState {
    const { value, context } = actor.getSnapshot()
    const { everUp, retryAt, downSince, version } = context
    return {
      phase: typeof value === 'string' ? value : 'up',
      everUp,
      retryAt,
      downSince,
      version,
      hostAheadMs,
      outdated,
    }
  }

  const failure = () => ({ at: deps.now(), random: deps.random() })

  function drop(): void {
    const old = socket
    socket = null
    stopHelloTimer()
    calls.lost()
    old?.close()
  }

  function open(): void {
    drop()
    let greeted = false
    const own = deps.openSocket({
      message(text) {
        if (socket !== own) return
        if (receive(text) && !greeted) {
          greeted = true
          stopHelloTimer()
        }
      },
      closed() {
        if (socket !== own) return
        actor.send({ type: 'CLOSED', ...failure() })
        if (greeted) return
        void deps.isRefused().then((refused) => {
          if (refused) actor.send({ type: 'REFUSED' })
        })
      },
    })
    socket = own
    stopHelloTimer = deps.after(helloTimeoutMs, () => actor.send({ type: 'SILENT', ...failure() }))
  }

  function probe(): void {
    calls.request(
      'host.describe',
      {},
      (outcome) => {
        // An error is an answer, too. A lost connection has told the machine already.
        const silent = !outcome.ok && outcome.error.failure.reason === 'timeout'
        const lost = !outcome.ok && outcome.error.failure.reason === 'connection-lost'
        if (!lost) actor.send(silent ? { type: 'SILENT', ...failure() } : { type: 'ANSWERED' })
      },
      probeTimeoutMs,
    )
  }

  /** True for a hello. */
  function receive(text: string): boolean {
    const incoming = parseIncoming(text)
    if (incoming.kind === 'response') {
      calls.answered(incoming.response)
      return false
    }
    if (incoming.kind === 'unreadable' || incoming.frame.type === 'unreadable') {
      outdated = true
      state.setState(view())
    }
    if (incoming.kind === 'unreadable') return false
    const { frame } = incoming
    if (frame.type === 'host/hello') {
      hostAheadMs = frame.serverTime - deps.now()
      actor.send({ type: 'HELLO', bootId: frame.bootId, version: frame.version })
    }
    for (const listener of [...listeners]) listener(frame)
    return frame.type === 'host/hello'
  }

  const requester: Requester = {
    request: (method, params, settle) => calls.request(method, params, settle, callTimeoutMs),
    call: (method, params, options) =>
      new Promise((resolve, reject) => {
        const settle = (outcome: Outcome<Result<typeof method>>) =>
          outcome.ok ? resolve(outcome.value) : reject(outcome.error)
        calls.request(method, params, settle, options?.timeoutMs ?? callTimeoutMs)
      }),
  }

  return {
    state,
    requester,
    onFrame(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    start: () => void actor.start(),
    tryNow: () => actor.send({ type: 'TRY_NOW' }),
    woken: () => actor.send({ type: 'WOKEN' }),
    dispose() {
      actor.stop()
      forgetActor()
      stopRetryTimer()
      drop()
      listeners.clear()
    },
  }
}
