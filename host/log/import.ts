/* A log from elsewhere as a session of this host (SPEC 2, 13): the events as they are, none added; a log that could not
   have been folded is refused and leaves nothing behind. Writing is `copy.ts`. */
import { skippedAfter, type SkippedRanges } from '../../shared/counted.ts'
import { parseEvent } from '../../shared/event.ts'
import type { SessionId } from '../../shared/ids.ts'
import { copyLog } from './copy.ts'
import type { GroupWriter } from './group-writer.ts'
import { LogError, type AppendOutcome, type CallOptions, type LogStore } from './port.ts'
import type { SessionState, StoredEvent } from './session-state.ts'

export type ImportOutcome =
  | { kind: 'imported'; state: SessionState }
  /** The session exists already. */
  | { kind: 'exists' }
  /** `index`: of the event that makes the log illegal. */
  | { kind: 'invalid'; index: number; message: string }
  | Exclude<AppendOutcome, { kind: 'durable' }>

/** Thrown through the copy to end it; never leaves this module. */
class InvalidEvent extends Error {}

/** `read` begins anew each time: rewinds must be known before anything is folded, so the log is read twice. */
export async function importLog(
  store: LogStore,
  writer: GroupWriter,
  { sessionId, read }: { sessionId: SessionId; read: () => AsyncIterable<unknown> },
  options?: CallOptions,
): Promise<ImportOutcome> {
  let index = -1
  async function* events(): AsyncGenerator<StoredEvent> {
    index = -1
    for await (const value of read()) {
      index += 1
      const parsed = parseEvent(value)
      if (parsed.kind === 'refused') throw new InvalidEvent(parsed.message.replaceAll(/\s+/g, ' '))
      yield parsed
    }
    if (index < 0) throw new InvalidEvent('a log begins with session/created')
  }
  try {
    let skipped: SkippedRanges = []
    for await (const { event } of events()) skipped = skippedAfter(skipped, event)
    const outcome = await copyLog(store, writer, { sessionId, skipped, events: events() }, options)
    if (outcome.kind === 'copied') return { kind: 'imported', state: outcome.state }
    return outcome.kind === 'refused' && outcome.why === 'position' ? { kind: 'exists' } : outcome
  } catch (error) {
    const refused = error instanceof InvalidEvent || (error instanceof LogError && error.code === 'corrupt')
    if (refused) return { kind: 'invalid', index, message: error.message }
    throw error
  }
}
