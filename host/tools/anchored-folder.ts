/* A folder that stays the one it was, whatever its path comes to name meanwhile. On Linux it is held open, reached from the
   root of the session step by step without following a link, and its members are named through what is held: nobody can
   lead such a name elsewhere. Other systems have no such names; there a path is only a path, and whoever uses it looks
   again afterwards (`open-file.ts`). */
import { constants, existsSync } from 'node:fs'
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { ToolFailure } from './tool.ts'

export interface AnchoredFolder {
  /** A path to the member of this name. */
  member(name: string): string
  close(): Promise<void>
}

export interface AnchorOptions {
  /** Without symbolic links, as `folder`. */
  root: string
  /** `root` or below it. */
  folder: string
  /** Not to be entered, wherever it has been moved to. */
  closed: string
  /** Mode of the folders that are missing; null: none is made. */
  makeMode: number | null
  /** As the model wrote it. */
  path: string
}

const heldFolders = '/proc/self/fd'
const canHold = process.platform === 'linux' && existsSync(heldFolders)

/** Rejects with `ToolFailure`, or with the error of the system. */
export async function anchorFolder(options: AnchorOptions): Promise<AnchoredFolder> {
  return canHold ? heldFolder(options) : namedFolder(options)
}

async function heldFolder({ root, folder, closed, makeMode, path }: AnchorOptions): Promise<AnchoredFolder> {
  const forbidden = await stat(closed).catch(() => null)
  const enter = async (from: FileHandle | null, name: string): Promise<FileHandle> => {
    const handle = await openFolder(from === null ? name : memberOf(from, name), from === null ? null : makeMode, path)
    await from?.close()
    const { ino, dev } = await handle.stat()
    if (ino !== forbidden?.ino || dev !== forbidden.dev) return handle
    await handle.close()
    throw new ToolFailure('OUTSIDE_FOLDER', `${path} belongs to the host itself.`)
  }
  let held = await enter(null, root)
  const way = relative(root, folder)
  for (const name of way === '' ? [] : way.split(sep)) {
    const from = held
    held = await enter(from, name).catch(async (error: unknown) => {
      await from.close()
      throw error
    })
  }
  return { member: (name) => memberOf(held, name), close: () => held.close() }
}

function memberOf({ fd }: FileHandle, name: string): string {
  return join(heldFolders, String(fd), name)
}

async function openFolder(name: string, makeMode: number | null, path: string): Promise<FileHandle> {
  const isMade = makeMode !== null && (await makeFolder(name, makeMode))
  try {
    const handle = await open(name, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    // The host's own umask would keep everybody else out.
    if (isMade) await handle.chmod(makeMode)
    return handle
  } catch (error) {
    // Its path was followed to the end before: a link that stands here now has come since.
    if (hasCode(error, 'ENOTDIR') || hasCode(error, 'ELOOP'))
      throw new ToolFailure('FILE_CHANGED', `${path} was replaced while it was being opened. Try again.`)
    throw error
  }
}

/** False: something of this name is there. */
async function makeFolder(name: string, mode: number): Promise<boolean> {
  try {
    await mkdir(name, { mode })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function namedFolder({ folder, makeMode }: AnchorOptions): Promise<AnchoredFolder> {
  if (makeMode !== null) await makeFolders(folder, makeMode)
  return { member: (name) => join(folder, name), close: async () => {} }
}

async function makeFolders(folder: string, mode: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    const handle = await open(made, constants.O_RDONLY)
    await handle.chmod(mode).finally(() => handle.close())
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
