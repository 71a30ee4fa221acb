/* Which sessions there are: headers in pages, without reading a log (SPEC 2). A header that is damaged is derived from
   its log, so one bad record hides no session. */
import type { SessionId } from '../../shared/ids.ts'
import { decodeHeader } from './codec.ts'
import { LogError, type CallOptions, type LogStore, type StoredHeader } from './port.ts'
import { readState } from './session-reader.ts'
import type { SessionHeader } from './session-state.ts'

/** One row of the listing; `damaged`: its header could neither be read nor derived. */
export type ListedSession =
  | { kind: 'session'; sessionId: SessionId; header: SessionHeader }
  | { kind: 'damaged'; sessionId: SessionId; error: LogError }

const pageHeaders = 500

/** In order of session id. */
export async function* listSessions(store: LogStore, options?: CallOptions): AsyncGenerator<ListedSession> {
  let after: SessionId | undefined
  for (;;) {
    const range = after === undefined ? { limit: pageHeaders } : { after, limit: pageHeaders }
    const page = await store.headers(range, options)
    const last = page.at(-1)
    if (last === undefined) return
    for (const stored of page) {
      const row = await rowOf(store, stored, options)
      if (row !== null) yield row
    }
    after = last.sessionId
  }
}

/** Null for a session that was removed meanwhile. */
async function rowOf(
  store: LogStore,
  { sessionId, body }: StoredHeader,
  options?: CallOptions,
): Promise<ListedSession | null> {
  try {
    if (body !== null) return { kind: 'session', sessionId, header: decodeHeader(sessionId, body) }
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    if (error.code !== 'corrupt') return { kind: 'damaged', sessionId, error }
  }
  return await derivedRow(store, sessionId, options)
}

async function derivedRow(store: LogStore, sessionId: SessionId, options?: CallOptions): Promise<ListedSession | null> {
  try {
    const { header } = await readState(store, sessionId, options)
    return header === null ? null : { kind: 'session', sessionId, header }
  } catch (error) {
    if (!(error instanceof LogError) || error.code === 'unavailable') throw error
    return error.code === 'unknown-session' ? null : { kind: 'damaged', sessionId, error }
  }
}
