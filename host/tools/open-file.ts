/* Opening a file inside the fence, and replacing it whole. Between judging a path and opening it somebody may put a
   link in its way: what was opened is compared with what was judged. */
import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { chmod, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileFailure, placeOf, type Fence } from './folder-fence.ts'
import { ToolFailure } from './tool.ts'

export interface OpenFile {
  handle: FileHandle
  stats: Stats
  /** Without symbolic links. */
  real: string
}

/** Whoever opens it closes it. Rejects with `ToolFailure`. */
export async function openInside(fence: Fence, path: string): Promise<OpenFile> {
  const place = await placeOf(fence, path)
  if (!place.exists) throw new ToolFailure('NOT_FOUND', `${path} does not exist.`)
  const file = await openRegular(place.path, path)
  const again = await placeOf(fence, path).catch(() => null)
  const now = again === null ? null : await stat(again.path).catch(() => null)
  if (again?.path === place.path && now?.ino === file.stats.ino && now.dev === file.stats.dev) return file
  await file.handle.close()
  throw new ToolFailure('FILE_CHANGED', `${path} was replaced while it was being opened. Try again.`)
}

/** `path`: as the model wrote it. A pipe or a device would block or never end. */
export async function openRegular(real: string, path: string): Promise<OpenFile> {
  let handle: FileHandle | null = null
  try {
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = await handle.stat()
    if (stats.isDirectory()) throw new ToolFailure('NOT_A_FILE', `${path} is a folder.`)
    if (!stats.isFile()) throw new ToolFailure('NOT_A_FILE', `${path} is no ordinary file.`)
    return { handle, stats, real }
  } catch (error) {
    await handle?.close()
    throw fileFailure(path, error)
  }
}

export interface Replacement {
  path: string
  content: Uint8Array
  /** Of a file that is new. */
  mode: number
  /** The file must still be the one that was read; left out, it may be any or none. */
  basis?: Stats
}

/** Writes a file beside it and puts that in its place: nobody ever sees half of it. Rejects with `ToolFailure`. */
export async function replaceInside(fence: Fence, replacement: Replacement): Promise<{ created: boolean }> {
  const { path, content, basis } = replacement
  try {
    const place = await placeOf(fence, path)
    const folder = dirname(place.path)
    await makeFolders(folder, modeOfFolders(replacement.mode))
    const before = place.exists ? await stat(place.path) : null
    if (before?.isDirectory() === true) throw new ToolFailure('NOT_A_FILE', `${path} is a folder.`)
    if (before?.isFile() === false) throw new ToolFailure('NOT_A_FILE', `${path} is no ordinary file.`)
    const temporary = join(folder, `.task-surface-${randomUUID().slice(0, 8)}.tmp`)
    try {
      await writeWhole(temporary, content, before === null ? replacement.mode : before.mode & 0o7777)
      const now = await placeOf(fence, path)
      if (now.path !== place.path || (basis !== undefined && !isSame(basis, await stat(now.path))))
        throw new ToolFailure('FILE_CHANGED', `${path} was changed by somebody else meanwhile. Read it again.`)
      await rename(temporary, place.path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    return { created: before === null }
  } catch (error) {
    throw fileFailure(path, error)
  }
}

/** The host's own umask would keep everybody else out of new folders. */
async function makeFolders(folder: string, mode: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await chmod(made, mode)
}

async function writeWhole(path: string, content: Uint8Array, mode: number): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.chmod(mode)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs
}

/** Who may read a file may enter its folder. */
function modeOfFolders(fileMode: number): number {
  return (fileMode & 0o777) | ((fileMode & 0o444) >> 2)
}
