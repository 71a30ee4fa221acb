/* Opening a file inside the fence, and replacing it whole. Between judging a path and opening it somebody may put a
   link in its way: files are opened, made and moved in a folder that is held, and what was opened is compared with what
   was judged. */
import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { lstat, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { anchorFolder, type AnchoredFolder } from './anchored-folder.ts'
import { fileFailure, placeOf, type Fence, type Place } from './folder-fence.ts'
import { ToolFailure } from './tool.ts'

export interface OpenFile {
  handle: FileHandle
  stats: Stats
}

/** Whoever opens it closes it. Rejects with `ToolFailure`. */
export async function openInside(fence: Fence, path: string): Promise<OpenFile> {
  const place = await placeOf(fence, path)
  if (!place.exists) throw new ToolFailure('NOT_FOUND', `${path} does not exist.`)
  const folder = await anchorInside(fence, place, { path, makeMode: null })
  const file = await openRegular(folder.member(basename(place.path)), path).finally(() => folder.close())
  const again = await placeOf(fence, path).catch(() => null)
  const now = again === null ? null : await stat(again.path).catch(() => null)
  if (again?.path === place.path && now?.ino === file.stats.ino && now.dev === file.stats.dev) return file
  await file.handle.close()
  throw new ToolFailure('FILE_CHANGED', `${path} was replaced while it was being opened. Try again.`)
}

/** The folder of a place that was judged. The session's folder itself is no file: nothing is in it under that name. */
async function anchorInside(
  { closed }: Fence,
  { root, path: real }: Place,
  { path, makeMode }: { path: string; makeMode: number | null },
): Promise<AnchoredFolder> {
  if (real === root) throw new ToolFailure('NOT_A_FILE', `${path} is a folder.`)
  try {
    return await anchorFolder({ root, folder: dirname(real), closed, makeMode, path })
  } catch (error) {
    throw fileFailure(path, error)
  }
}

/** `path`: as the model wrote it. A pipe or a device would block or never end. */
export async function openRegular(real: string, path: string): Promise<OpenFile> {
  let handle: FileHandle | null = null
  try {
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = await handle.stat()
    if (stats.isDirectory()) throw new ToolFailure('NOT_A_FILE', `${path} is a folder.`)
    if (!stats.isFile()) throw new ToolFailure('NOT_A_FILE', `${path} is no ordinary file.`)
    return { handle, stats }
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
  const { path, mode } = replacement
  const place = await placeOf(fence, path)
  const folder = await anchorInside(fence, place, { path, makeMode: modeOfFolders(mode) })
  try {
    return await replaceIn(folder, fence, place, replacement)
  } catch (error) {
    throw fileFailure(path, error)
  } finally {
    await folder.close()
  }
}

async function replaceIn(
  folder: AnchoredFolder,
  fence: Fence,
  place: Place,
  { path, content, mode, basis }: Replacement,
): Promise<{ created: boolean }> {
  const target = folder.member(basename(place.path))
  const before = await lstatIfThere(target)
  if (before?.isDirectory() === true) throw new ToolFailure('NOT_A_FILE', `${path} is a folder.`)
  if (before?.isFile() === false) throw new ToolFailure('NOT_A_FILE', `${path} is no ordinary file.`)
  const temporary = folder.member(`.task-surface-${randomUUID().slice(0, 8)}.tmp`)
  try {
    await writeWhole(temporary, content, before === null ? mode : before.mode & 0o7777)
    const now = await placeOf(fence, path)
    if (now.path !== place.path || (basis !== undefined && !isSame(basis, await lstatIfThere(target))))
      throw new ToolFailure('FILE_CHANGED', `${path} was changed by somebody else meanwhile. Read it again.`)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return { created: before === null }
}

async function lstatIfThere(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
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

function isSame(a: Stats, b: Stats | null): boolean {
  return b !== null && a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs
}

/** Who may read a file may enter its folder. */
function modeOfFolders(fileMode: number): number {
  return (fileMode & 0o777) | ((fileMode & 0o444) >> 2)
}
