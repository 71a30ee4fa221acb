/* Replays the log of one session and says everything that does not hold (SPEC 13): damaged records, broken invariants, and
   derived records (header, checkpoint, index) that say something else than the events. Reads only. */
import { skippedAfter, type SkippedRanges } from '../../shared/counted.ts'
import type { SessionId } from '../../shared/ids.ts'
import { encodeHeader, indexEntries } from './codec.ts'
import { Invariants, type Broken } from './invariants.ts'
import { LogError } from './port.ts'
import type { SessionLog } from './session-log.ts'
import { emptyState, foldEvent, type SessionHeader, type SessionState } from './session-state.ts'

export interface Verdict {
  /** Records read. */
  events: number
  broken: Broken[]
}

/** A log with thousands of faults has one cause: the first ones tell it. */
const maxBroken = 100

export async function verifySession(log: SessionLog, sessionId: SessionId): Promise<Verdict> {
  const broken: Broken[] = []
  let skipped: SkippedRanges = []
  for await (const record of log.salvage(sessionId)) {
    if (record.kind === 'damaged') broken.push({ seq: record.seq, rule: 'readable', message: record.error.message })
    else skipped = skippedAfter(skipped, record.stored.event)
  }
  let events = 0
  let state: SessionState = emptyState(sessionId, skipped)
  const invariants = new Invariants(skipped)
  const seqById = new Map<string, { kind: ReturnType<typeof indexEntries>[number]['kind']; id: string; seq: number }>()
  for await (const record of log.salvage(sessionId)) {
    if (record.kind === 'damaged' || broken.length >= maxBroken) break
    events += 1
    const { stored } = record
    if (stored.kind === 'event') {
      if (state.fold !== null) broken.push(...invariants.check(stored.event, state.fold))
      for (const entry of indexEntries(stored.event)) seqById.set(`${entry.kind} ${entry.id}`, entry)
    }
    try {
      state = foldEvent(state, stored)
    } catch (error) {
      if (!(error instanceof LogError)) throw error
      broken.push({ seq: record.seq, rule: 'readable', message: error.message })
      break
    }
  }
  if (broken.length === 0) broken.push(...(await checkDerived(log, state, [...seqById.values()])))
  return { events, broken: broken.slice(0, maxBroken) }
}

/** What is wrong with it, where a newer version wrote it. */
async function headerOf(log: SessionLog, sessionId: SessionId): Promise<SessionHeader | null | string> {
  try {
    return await log.header(sessionId)
  } catch (error) {
    if (error instanceof LogError && error.code === 'format') return error.message
    throw error
  }
}

async function checkDerived(
  log: SessionLog,
  state: SessionState,
  ids: readonly { kind: ReturnType<typeof indexEntries>[number]['kind']; id: string; seq: number }[],
): Promise<Broken[]> {
  const { sessionId, lastSeq, header, skipped } = state
  const broken: Broken[] = []
  const stored = await headerOf(log, sessionId)
  if (typeof stored === 'string') return [{ seq: lastSeq, rule: 'format', message: stored }]
  if (header === null || stored === null || encodeHeader(stored) !== encodeHeader(header))
    broken.push({ seq: lastSeq, rule: 'header', message: 'the header says something else than the log' })
  const checkpoint = await log.verifyCheckpoint(sessionId)
  if (checkpoint.kind === 'differs')
    broken.push({ seq: checkpoint.seq, rule: 'checkpoint', message: 'the checkpoint says something else than the log' })
  for (const { kind, id, seq } of ids) {
    const found = await log.find(sessionId, kind, id, skipped)
    if (found?.seq !== seq)
      broken.push({ seq, rule: 'index', message: `the ${kind} id ${id} is not found where it stands` })
  }
  return broken
}
