/* Logs as data, for the commands that work on a running host (SPEC 13): nothing here starts a session. */
import { isAbsolute } from 'node:path'
import { conflict, errorCodes, RpcError } from '../../shared/protocol/errors.ts'
import type { Params, Result } from '../../shared/protocol/methods.ts'
import { exportPage, importFile } from '../log/portable.ts'
import { verifySession } from '../log/verify.ts'
import { storageError, type SessionDirectory } from './session-directory.ts'

export async function exportData(
  { deps: { log } }: SessionDirectory,
  { sessionId, fromSeq = 0 }: Params<'data.export'>,
): Promise<Result<'data.export'>> {
  const { records, next } = await exportPage(log, sessionId, fromSeq)
  if (records.length === 0 && fromSeq === 0 && (await log.header(sessionId)) === null) throw unknown(sessionId)
  return { records, nextSeq: next }
}

export async function verifyData(
  { deps: { log } }: SessionDirectory,
  { sessionId }: Params<'data.verify'>,
): Promise<Result<'data.verify'>> {
  const verdict = await verifySession(log, sessionId)
  if (verdict.events === 0 && verdict.broken.every(({ rule }) => rule === 'header')) throw unknown(sessionId)
  return verdict
}

export async function importData(
  directory: SessionDirectory,
  { file, sessionId = directory.deps.ids.session() }: Params<'data.import'>,
): Promise<Result<'data.import'>> {
  if (!isAbsolute(file)) throw new RpcError(errorCodes.invalidParams, 'file: an absolute path.')
  const outcome = await directory.exclusive(sessionId, () => importFile(directory.deps.log, sessionId, file))
  switch (outcome.kind) {
    case 'imported':
      return { session: directory.announce(outcome.state) }
    case 'exists':
      throw conflict('session-exists', `There is a session ${sessionId}.`)
    case 'invalid':
      throw new RpcError(errorCodes.invalidParams, `file: line ${outcome.index + 1}: ${outcome.message}`)
    default:
      throw storageError()
  }
}

function unknown(sessionId: string): RpcError {
  return new RpcError(errorCodes.unknownSession, `There is no session ${sessionId}.`)
}
