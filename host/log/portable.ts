/* Logs as JSON lines, out of a store and into one (SPEC 13): one event a line, as it is stored, none added. */
import type { SessionId } from '../../shared/ids.ts'
import { fileLines } from './file-lines.ts'
import type { ImportOutcome } from './import.ts'
import { LogError, pageMaxBytes } from './port.ts'
import type { SessionLog } from './session-log.ts'

export type PortableRecord = { seq: number; line: string } | { seq: number; damaged: string }

/** Records from `from` on, about 1 MiB of them; `next` is null behind the last one. */
export async function exportPage(
  log: SessionLog,
  sessionId: SessionId,
  from: number,
): Promise<{ records: PortableRecord[]; next: number | null }> {
  const records: PortableRecord[] = []
  let bytes = 0
  for await (const record of log.salvage(sessionId, from)) {
    if (record.kind === 'damaged') records.push({ seq: record.seq, damaged: record.error.message })
    else {
      const line = JSON.stringify(record.stored.event)
      bytes += Buffer.byteLength(line)
      records.push({ seq: record.seq, line })
    }
    if (bytes >= pageMaxBytes) return { records, next: record.seq + 1 }
  }
  return { records, next: null }
}

/** Makes a session of a file that `export` wrote. Rejects with `LogError` where the file cannot be read. */
export function importFile(log: SessionLog, sessionId: SessionId, file: string): Promise<ImportOutcome> {
  return log.import({ sessionId, read: () => values(file) })
}

async function* values(file: string): AsyncGenerator<unknown> {
  try {
    for await (const line of fileLines(file)) {
      if (line === null) yield undefined
      else if (line.trim() !== '') yield parsed(line)
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      throw new LogError('unavailable', `${file} cannot be read: ${error.message}`, { cause: error })
    }
    throw error
  }
}

/** What is no JSON is no event either; the import says so, with its place. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
