/* Calls that another call made (SPEC 5, `run_code`): their ids name the call they stand under, so that a log needs no
   further member for it. Ids of other calls hold no dot. */
import { callIdSchema, type CallId } from './ids.ts'

/** The id of the n-th call, from 1, that `parent` made. */
export function nestedCallId(parent: CallId, n: number): CallId {
  return callIdSchema.parse(`${parent}.${n}`)
}

/** The call that made this one; null for a call of the model itself. */
export function parentCallId(callId: CallId): CallId | null {
  const dot = callId.lastIndexOf('.')
  return dot > 0 ? callIdSchema.parse(callId.slice(0, dot)) : null
}
