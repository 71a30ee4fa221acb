/* `export`, `import`, `verify` and `doctor` (SPEC 13). They print what they find and answer with the exit code. */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sessionIdSchema, type SessionId } from '../../shared/ids.ts'
import type { Broken } from '../log/invariants.ts'
import { repairDatabase } from '../log/level-repair.ts'
import { LogError } from '../log/port.ts'
import type { SessionLog } from '../log/session-log.ts'
import { verifySession } from '../log/verify.ts'
import { CommandError } from './command-error.ts'
import { findRunningHost, prepareDataFolder } from './data-folder.ts'
import { withOwnLog, withSessionData } from './session-data.ts'
import { onOneLine } from './terminal-text.ts'

export interface Output {
  /** As it is. Resolves when it may go on: a pipe that is slow holds the reader back. */
  line(text: string): Promise<void>
  /** For the person, on one line whatever it holds. */
  warn(text: string): void
}

/** One event a line. A record that cannot be read ends it, or is named on stderr and left out. */
export async function exportSession(
  { dataDir, session, salvage }: { dataDir: string; session: string; salvage: boolean },
  output: Output,
): Promise<void> {
  const sessionId = sessionIdOf(session)
  await withSessionData(dataDir, async (data) => {
    for (let from: number | null = 0; from !== null;) {
      const { records, next } = await data.page(sessionId, from)
      for (const record of records) {
        if ('line' in record) await output.line(record.line)
        else if (salvage) output.warn(`left out: ${record.damaged}`)
        else throw new CommandError(`${record.damaged}; with --salvage such records are left out`)
      }
      from = next
    }
  })
}

/** Prints the id of the new session. Without a file it reads what is piped in. */
export async function importSession(
  { dataDir, file, session }: { dataDir: string; file: string | undefined; session: string | undefined },
  input: NodeJS.ReadableStream,
  output: Output,
): Promise<void> {
  const sessionId = session === undefined ? undefined : sessionIdOf(session)
  const folder = prepareDataFolder(dataDir)
  if (file !== undefined) return output.line(await withSessionData(folder, (data) => data.import(file, sessionId)))
  // A log is read twice: rewinds must be known before anything is folded.
  const spool = mkdtempSync(join(folder, 'import-'))
  try {
    const spooled = join(spool, 'events.jsonl')
    await pipeline(input, createWriteStream(spooled, { mode: 0o600 }))
    await output.line(await withSessionData(folder, (data) => data.import(spooled, sessionId)))
  } finally {
    rmSync(spool, { recursive: true, force: true })
  }
}

/** The exit code: 1 where an invariant is broken. */
export async function verifySessions(
  { dataDir, session }: { dataDir: string; session: string | undefined },
  output: Output,
): Promise<number> {
  return withSessionData(dataDir, async (data) => {
    const ids = session === undefined ? await data.sessions() : [sessionIdOf(session)]
    let [events, broken] = [0, 0]
    for (const id of ids) {
      const verdict = await data.verify(id)
      events += verdict.events
      broken += verdict.broken.length
      for (const one of verdict.broken) await output.line(brokenLine(id, one))
    }
    await output.line(`${ids.length} sessions, ${events} events, ${broken === 0 ? 'nothing' : broken} broken`)
    return broken === 0 ? 0 : 1
  })
}

/** Says what is wrong with a folder no host runs on, and mends what can be mended without losing an event. */
export async function doctor(
  { dataDir, acceptLoss, rebuild }: { dataDir: string; acceptLoss: boolean; rebuild: boolean },
  output: Output,
): Promise<number> {
  const host = findRunningHost(dataDir)
  if (host !== null)
    throw new CommandError(`a host runs on ${dataDir} (process ${host.pid}); stop it first, or use verify`)
  const look = () => withOwnLog(dataDir, { acceptLoss }, (log) => examine(log, rebuild, output))
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof LogError) || (error.code !== 'dropped' && error.code !== 'damaged')) throw error
    if (error.code === 'damaged' && acceptLoss) {
      const kept = await repairDatabase(dataDir, `damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
      await output.line(
        `The database was rebuilt from what is readable; the damaged files are kept in ${onOneLine(kept)}`,
      )
      return await look()
    }
    await output.line(onOneLine(error.message))
    await output.line(`Run "task-surface doctor --accept-loss" to ${adviceOn[error.code]}.`)
    return 1
  }
}

const adviceOn = {
  dropped: 'go on without what was dropped',
  damaged: 'rebuild it from what is readable; the damaged files are kept beside it',
} as const

async function examine(log: SessionLog, rebuild: boolean, output: Output): Promise<number> {
  let [sessions, ill] = [0, 0]
  for await (const { sessionId } of log.list()) {
    sessions += 1
    const { broken, events } = await verifySession(log, sessionId)
    if (broken.length === 0) continue
    for (const one of broken) await output.line(brokenLine(sessionId, one))
    if (rebuild && broken.every(({ rule }) => derived.has(rule)) && (await rebuilt(log, sessionId))) {
      await output.line(`${sessionId}  written anew from its ${events} events`)
      continue
    }
    ill += 1
    await output.line(`${sessionId}  ${adviceFor(sessionId, broken)}`)
  }
  await output.line(`${sessions} sessions, ${ill === 0 ? 'none' : ill} ill`)
  return ill === 0 ? 0 : 1
}

function adviceFor(sessionId: SessionId, broken: readonly Broken[]): string {
  const has = (rule: string) => broken.some((one) => one.rule === rule)
  if (has('readable')) return `task-surface export ${sessionId} --salvage > FILE keeps what is readable`
  if (has('format')) return 'the version that wrote it can read it'
  return 'task-surface doctor --rebuild writes derived records anew'
}

/** Rules about records that the events can be asked for. */
const derived: ReadonlySet<string> = new Set(['header', 'checkpoint', 'index'])

async function rebuilt(log: SessionLog, sessionId: SessionId): Promise<boolean> {
  const acquired = await log.acquire(sessionId)
  if (acquired.kind !== 'owned') return false
  const outcome = await log.rebuild(acquired.ownership)
  await log.release(acquired.ownership)
  return outcome.kind === 'durable'
}

function brokenLine(sessionId: SessionId, { seq, rule, message }: Broken): string {
  return onOneLine(`${sessionId}  seq ${seq}  ${rule}: ${message}`)
}

function sessionIdOf(text: string): SessionId {
  const parsed = sessionIdSchema.safeParse(text)
  if (!parsed.success) throw new CommandError(`${text} is not the id of a session`)
  return parsed.data
}
