/* What a socket that opens a session is told first, and every subscriber after a break (SPEC 8): values, not
   history. A cold session is idle whatever its log says. */
import type { SessionFrameBody } from '../../shared/protocol/frames.ts'
import { projectionKeys } from '../../shared/projections/registry.ts'
import type { SessionState } from '../log/session-state.ts'
import type { ModelStream } from './model-step.ts'
import type { SessionRuntime } from './session-runtime.ts'

export function coldBaseline(state: SessionState): SessionFrameBody[] {
  return [...projectionFrames(state), { type: 'session/status', status: 'idle' }]
}

export function liveBaseline(runtime: SessionRuntime): SessionFrameBody[] {
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
