/* Failures of the session log as wire errors (SPEC 8): an unknown session is −32004, everything else −32010. */
import { errorCodes, RpcError } from '../../shared/protocol/errors.ts'
import { LogError } from '../log/port.ts'

/** The error to answer with; null for what is no failure of the log. */
export function wireError(error: unknown): RpcError | null {
  if (!(error instanceof LogError)) return null
  const code = error.code === 'unknown-session' ? errorCodes.unknownSession : errorCodes.storage
  return new RpcError(code, error.message, { cause: error })
}
