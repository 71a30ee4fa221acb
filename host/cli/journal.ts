/* `task-surface journal <session>`: what the actors of a session did, oldest first, from the running host or from the
   data folder. */
import { z } from 'zod'
import { sessionIdSchema, type SessionId } from '../../shared/ids.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import type { Json } from '../../shared/json.ts'
import { methods } from '../../shared/protocol/methods.ts'
import { systemClock } from '../clock.ts'
import { Journal } from '../lifecycles/journal.ts'
import { createJournalRecords } from '../log/journal-records.ts'
import { openLevelDatabase } from '../log/level-database.ts'
import { createLevelStore } from '../log/level-store.ts'
import { silentLogger } from '../logger.ts'
import { CommandError } from './command-error.ts'
import { findRunningHost } from './data-folder.ts'
import { askHost } from './host-client.ts'
import { onOneLine } from './terminal-text.ts'

const pageLimit = 500

/** What people look for in a reduced event. */
const eventSchema = z
  .object({ type: z.string(), cause: z.object({ seq: z.number() }).optional() })
  .transform(({ type, cause }) => ({ type, seq: cause?.seq }))

type ReadPage = (afterId: string) => Promise<{ entries: JournalEntry[]; hasMore: boolean }>

/** Calls `print` once a line: JSON entries, or columns for people. */
export async function printJournal(
  { dataDir, session, json }: { dataDir: string; session: string; json: boolean },
  print: (line: string) => void,
): Promise<void> {
  const parsed = sessionIdSchema.safeParse(session)
  if (!parsed.success) throw new CommandError(`${session} is not the id of a session`)
  await reading(dataDir, parsed.data, async (readPage) => {
    for (let afterId = '0', more = true; more;) {
      const { entries, hasMore } = await readPage(afterId)
      for (const entry of entries) print(json ? JSON.stringify(entry) : line(entry))
      afterId = entries.at(-1)?.id ?? afterId
      more = hasMore && entries.length > 0
    }
  })
}

async function reading(
  dataDir: string,
  sessionId: SessionId,
  work: (readPage: ReadPage) => Promise<void>,
): Promise<void> {
  const host = findRunningHost(dataDir)
  if (host !== null) {
    const { result } = methods['inspect.journal']
    return work(async (afterId) =>
      result.parse(await askHost(host, 'inspect.journal', { sessionId, afterId, limit: pageLimit })),
    )
  }
  const database = await openLevelDatabase(dataDir)
  try {
    const store = await createLevelStore(database)
    if ((await store.header(sessionId)) === null) throw new CommandError(`there is no session ${sessionId}`)
    const records = createJournalRecords(database, silentLogger)
    const journal = new Journal({ store: records, clock: systemClock, logger: silentLogger })
    await work((afterId) => journal.read(sessionId, Number(afterId), pageLimit))
  } finally {
    await database.close()
  }
}

function line({ id, at, actorId, event, from, to, accepted }: JournalEntry): string {
  const moved = accepted ? `${stateText(from)} → ${stateText(to)}` : `refused in ${stateText(from)}`
  const { type, seq } = eventSchema.parse(event)
  const why = seq === undefined ? '' : `  seq ${seq}`
  return onOneLine(`${id.padStart(6)}  ${new Date(at).toISOString()}  ${actorId}  ${type}  ${moved}${why}`)
}

/** `live.open` of `{"live": "open"}`; nothing yet is a dash. */
function stateText(state: Json): string {
  if (state === null) return '–'
  if (typeof state === 'string') return state
  return Object.entries(state)
    .map(([name, below]) => (below === null ? name : `${name}.${stateText(below)}`))
    .join(' + ')
}
