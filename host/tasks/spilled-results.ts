/* Results that are too large for a transcript (SPEC 5): each in a private file, named by a locator that only reading
   tools understand. They live as long as the session that made them. */
import { createHash } from 'node:crypto'
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionId } from '../../shared/ids.ts'

export interface SpilledResults {
  /** A new empty file. Whoever asked writes and closes it. */
  create(owner: SessionId): Promise<{ locator: string; file: FileHandle }>
  /** Where a result lies; null where the text is no locator. The file may be gone. */
  pathOf(locator: string): string | null
  disposeOwner(owner: SessionId): Promise<void>
}

const locatorPattern = /^result:([0-9a-f]{16})-([0-9a-z]{1,32})$/

export function createSpilledResults(deps: { folder: string; random: () => string }): SpilledResults {
  // A session id may be any text of its alphabet, `..` among them: no name for a folder.
  const folderOf = (owner: SessionId) => createHash('sha256').update(owner).digest('hex').slice(0, 16)
  return {
    async create(owner) {
      const folder = folderOf(owner)
      const name = deps.random()
      await mkdir(join(deps.folder, folder), { recursive: true, mode: 0o700 })
      const file = await open(join(deps.folder, folder, `${name}.txt`), 'wx', 0o600)
      return { locator: `result:${folder}-${name}`, file }
    },
    pathOf(locator) {
      const parts = locatorPattern.exec(locator)
      const [, folder, name] = parts ?? []
      return folder === undefined || name === undefined ? null : join(deps.folder, folder, `${name}.txt`)
    },
    disposeOwner: (owner) => rm(join(deps.folder, folderOf(owner)), { recursive: true, force: true }),
  }
}
