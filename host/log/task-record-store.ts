/* Task records in the one LevelDB database of a data folder (SPEC 7). Owns how they are stored and which can be read;
   what they are for is the registry's business. One damaged record costs one row, never the start of the host. */
import type { Logger } from '../logger.ts'
import { storedTaskSchema, type StoredTask, type TaskRecords } from '../tasks/task-records.ts'
import { seal, unseal } from './checksum.ts'
import { prefixRange, taskKey, taskRange } from './keys.ts'
import type { LevelDatabase } from './level-database.ts'
import { pageMaxBytes } from './port.ts'

const pageLimit = 1_000

export function createTaskRecordStore(database: LevelDatabase, logger: Logger): TaskRecords {
  return {
    put: (task) => database.write([{ type: 'put', key: taskKey(task.id), value: seal(JSON.stringify(task)) }]),
    remove: (id) => database.write([{ type: 'del', key: taskKey(id) }]),
    async all() {
      const tasks: StoredTask[] = []
      for (let range = taskRange; ;) {
        const page = await database.scan({ ...range, limit: pageLimit, maxBytes: pageMaxBytes })
        for (const [key, value] of page) {
          const task = read(value)
          if (task === null) logger.warn({ key }, 'the record of a background task cannot be read')
          else tasks.push(task)
        }
        const last = page.at(-1)
        if (last === undefined) return tasks
        // `!` sorts before every character of an id: the first key behind this one.
        range = { ...range, gte: prefixRange(`${last[0]}!`).gte }
      }
    },
  }
}

function read(value: string): StoredTask | null {
  const text = unseal(value)
  if (text === null) return null
  try {
    return storedTaskSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
