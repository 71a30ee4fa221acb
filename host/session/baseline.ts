/* What a socket that opens a session is told first, and every subscriber after a break (SPEC 8): values, not
   history. A cold session is idle whatever its log says. */
import type { SessionId } from '../../shared/ids.ts'
import type { SessionFrameBody } from '../../shared/protocol/frames.ts'
import { projectionKeys } from '../../shared/projections/registry.ts'
import type { SessionState } from '../log/session-state.ts'
import type { ModelStream } from './model-step.ts'
import type { RuntimeDeps, SessionRuntime } from './session-runtime.ts'

/** Of a session whose runtime may or may not be live; `state` is what counts while it is cold. */
export function baselineOf({ deps, live }: Sessions, state: SessionState): SessionFrameBody[] {
  const runtime = live(state.sessionId)
  const tasks = deps.tasks?.list(state.sessionId) ?? []
  return [
    ...(runtime === undefined ? coldBaseline(state) : liveBaseline(runtime)),
    ...(tasks.length === 0 ? [] : [{ type: 'session/tasks' as const, tasks }]),
  ]
}

interface Sessions {
  readonly deps: RuntimeDeps
  readonly live: (sessionId: SessionId) => SessionRuntime | undefined
}

function coldBaseline(state: SessionState): SessionFrameBody[] {
  return [...projectionFrames(state), { type: 'session/status', status: 'idle' }]
}

function liveBaseline(runtime: SessionRuntime): SessionFrameBody[] {
  const { state, stream, questions, approvals, surfaces, inbox, session } = runtime
  const { rows } = session.getSnapshot().context
  return [
    ...projectionFrames(state),
    runtime.isRunning
      ? { type: 'session/status', status: 'running', turn: state.lastTurn }
      : { type: 'session/status', status: 'idle' },
    ...(stream === null ? [] : streamFrames(stream)),
    ...questions.pending(),
    ...approvals.pending(),
    ...surfaces.baseline(),
    ...(rows.length === 0 ? [] : [{ type: 'session/queue' as const, items: inbox.view(rows) }]),
  ]
}

function projectionFrames(state: SessionState): SessionFrameBody[] {
  return projectionKeys.map((key) => ({
    type: 'session/projection',
    key,
    value: state.projections[key],
    seq: state.lastSeq,
  }))
}

function streamFrames({ turn, step, messageId, text, reasoning }: ModelStream): SessionFrameBody[] {
  const at = { type: 'session/stream' as const, turn, step, messageId, offset: 0 }
  return [
    ...(reasoning === '' ? [] : [{ ...at, part: 'reasoning' as const, text: reasoning }]),
    ...(text === '' ? [] : [{ ...at, part: 'text' as const, text }]),
  ]
}
