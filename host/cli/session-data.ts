/* The sessions of a data folder, for commands (SPEC 13): through the host that runs on it, else by opening the database.
   Both ways answer alike. */
import { resolve } from 'node:path'
import type { SessionId } from '../../shared/ids.ts'
import { methods } from '../../shared/protocol/methods.ts'
import { createIdMint } from '../id-mint.ts'
import { openLevelDatabase } from '../log/level-database.ts'
import { createLevelStore } from '../log/level-store.ts'
import { exportPage, importFile, type PortableRecord } from '../log/portable.ts'
import { createSessionLog, type SessionLog } from '../log/session-log.ts'
import { verifySession, type Verdict } from '../log/verify.ts'
import { CommandError } from './command-error.ts'
import { findRunningHost, type RunningHost } from './data-folder.ts'
import { askHost } from './host-client.ts'

export interface SessionData {
  sessions(): Promise<SessionId[]>
  page(sessionId: SessionId, from: number): Promise<{ records: PortableRecord[]; next: number | null }>
  verify(sessionId: SessionId): Promise<Verdict>
  /** The id of the new session. */
  import(file: string, sessionId: SessionId | undefined): Promise<SessionId>
}

export async function withSessionData<Value>(
  dataDir: string,
  work: (data: SessionData) => Promise<Value>,
): Promise<Value> {
  const host = findRunningHost(dataDir)
  if (host !== null) return work(remoteData(host))
  return withOwnLog(dataDir, {}, (log) => work(localData(log)))
}

/** For what needs the folder alone. */
export async function withOwnLog<Value>(
  dataDir: string,
  options: { acceptLoss?: boolean },
  work: (log: SessionLog) => Promise<Value>,
): Promise<Value> {
  const database = await openLevelDatabase(dataDir, options)
  try {
    const log = createSessionLog({ store: await createLevelStore(database) })
    const value = await work(log)
    await log.close()
    return value
  } finally {
    await database.close()
  }
}

export function localData(log: SessionLog): SessionData {
  const known = async (sessionId: SessionId, isEmpty: boolean) => {
    if (isEmpty && (await log.header(sessionId)) === null) throw new CommandError(`there is no session ${sessionId}`)
  }
  return {
    async sessions() {
      const ids: SessionId[] = []
      for await (const { sessionId } of log.list()) ids.push(sessionId)
      return ids
    },
    async page(sessionId, from) {
      const page = await exportPage(log, sessionId, from)
      await known(sessionId, page.records.length === 0)
      return page
    },
    async verify(sessionId) {
      const verdict = await verifySession(log, sessionId)
      await known(sessionId, verdict.events === 0)
      return verdict
    },
    async import(file, sessionId = createIdMint().session()) {
      const outcome = await importFile(log, sessionId, resolve(file))
      if (outcome.kind === 'imported') return sessionId
      if (outcome.kind === 'exists') throw new CommandError(`there is a session ${sessionId} already`)
      if (outcome.kind === 'invalid') throw new CommandError(`${file}, line ${outcome.index + 1}: ${outcome.message}`)
      throw new CommandError('the session could not be written')
    },
  }
}

function remoteData(host: RunningHost): SessionData {
  return {
    async sessions() {
      const { sessions } = methods['session.list'].result.parse(await askHost(host, 'session.list', {}))
      return sessions.map(({ id }) => id)
    },
    async page(sessionId, fromSeq) {
      const answer = await askHost(host, 'data.export', { sessionId, fromSeq })
      const { records, nextSeq } = methods['data.export'].result.parse(answer)
      return { records, next: nextSeq }
    },
    async verify(sessionId) {
      return methods['data.verify'].result.parse(await askHost(host, 'data.verify', { sessionId }))
    },
    async import(file, sessionId) {
      const params = { file: resolve(file), ...(sessionId !== undefined && { sessionId }) }
      return methods['data.import'].result.parse(await askHost(host, 'data.import', params)).session.id
    },
  }
}
