/* Where file tools may go: the folder of the session and nowhere else (SPEC 12). A path is followed through every
   symbolic link before it is judged, so neither `..` nor a link leads out. The host's own data folder stays closed even
   inside: it holds keys. */
import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ToolFailure } from './tool.ts'

export interface Fence {
  /** The session's folder. */
  folder: string
  /** Closed, wherever it lies. */
  closed: string
}

export interface Place {
  /** Without symbolic links, but for the part that does not exist yet. */
  path: string
  exists: boolean
  /** The session's folder itself, without symbolic links. */
  root: string
}

/** Rejects with `ToolFailure`; `path` is as the model wrote it. */
export async function placeOf({ folder, closed }: Fence, path: string): Promise<Place> {
  const root = await realOf(folder)
  if (root === null) throw new ToolFailure('FOLDER_MISSING', `The session's folder ${folder} is not there.`)
  const place = await follow(resolve(folder, path), path)
  if (!isInside(root, place.path))
    throw new ToolFailure('OUTSIDE_FOLDER', `${path} lies outside the session's folder ${folder}.`)
  const closedRoot = (await realOf(closed)) ?? closed
  if (isInside(closedRoot, place.path)) throw new ToolFailure('OUTSIDE_FOLDER', `${path} belongs to the host itself.`)
  return { ...place, root }
}

/** What the error of a file operation means to the model. */
export function fileFailure(path: string, error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ENOENT':
      return new ToolFailure('NOT_FOUND', `${path} does not exist.`)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ToolFailure('NO_ACCESS', `${path} may not be used that way (${code}).`)
    case 'EISDIR':
      return new ToolFailure('NOT_A_FILE', `${path} is a folder.`)
    case 'ENOTDIR':
      return new ToolFailure('NOT_FOUND', `A part of ${path} is a file, not a folder.`)
    case 'ELOOP':
      return new ToolFailure('OUTSIDE_FOLDER', `${path} is a symbolic link that leads nowhere.`)
    case 'ENOSPC':
    case 'EDQUOT':
      return new ToolFailure('DISK_FULL', `There is no space left for ${path}.`)
    default:
      return new ToolFailure('FILE_FAILED', `${path} could not be used${code === '' ? '' : ` (${code})`}.`)
  }
}

async function follow(absolute: string, path: string): Promise<Omit<Place, 'root'>> {
  try {
    const real = await realOf(absolute)
    if (real !== null) return { path: real, exists: true }
    // A link whose target is missing would be followed by whoever writes to it.
    if (await isThere(absolute))
      throw new ToolFailure('OUTSIDE_FOLDER', `${path} is a symbolic link that leads nowhere.`)
    const above = dirname(absolute)
    if (above === absolute) return { path: absolute, exists: false }
    return { path: join((await follow(above, path)).path, basename(absolute)), exists: false }
  } catch (error) {
    throw fileFailure(path, error)
  }
}

async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
