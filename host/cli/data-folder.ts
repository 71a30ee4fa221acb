/* The folder that holds everything a host keeps (SPEC 12): private to its owner, 0700, with files of 0600. This
   module owns two small files in it: the token, made once so that open pages survive a restart of the host, and
   the note by which other commands find the running host. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { databaseFolder } from '../log/level-database.ts'
import { CommandError } from './command-error.ts'
import type { Environment } from './serve-options.ts'

const tokenFile = 'token'
const runningFile = 'running.json'

const runningHostSchema = z.object({
  pid: z.int().positive(),
  port: z.int().positive(),
  token: z.string(),
  url: z.string(),
})
export type RunningHost = z.infer<typeof runningHostSchema>

/** Where a person's data goes unless told otherwise: the XDG data folder. */
export function defaultDataFolder(environment: Environment): string {
  const base = environment['XDG_DATA_HOME']
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), '.local', 'share'), 'task-surface')
}

/** Makes the folder private, also one that exists. Returns its absolute path. */
export function prepareDataFolder(folder: string): string {
  const path = resolve(folder)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
  } catch (cause) {
    throw new CommandError(`the data folder ${path} cannot be used: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    })
  }
  return path
}

/** The folder of a command that only looks: one that holds sessions. A mistyped one is not made, and not called whole. */
export function existingDataFolder(folder: string): string {
  const path = resolve(folder)
  if (!existsSync(databaseFolder(path))) throw new CommandError(`there are no sessions in ${path}`)
  return path
}

/** The token of this folder; made by `newToken` the first time. Deleting the file makes every old link invalid. */
export function keptToken(folder: string, newToken: () => string): string {
  const path = join(folder, tokenFile)
  const kept = readIfPresent(path)?.trim()
  if (kept !== undefined && /^[\x21-\x7e]{16,256}$/.test(kept)) {
    // It may have come with a copy of the folder, whose modes are anybody's.
    chmodSync(path, 0o600)
    return kept
  }
  const token = newToken()
  writePrivate(path, `${token}\n`)
  return token
}

/** Tells other commands where this host listens. The returned function takes it back, unless a later host has replaced it. */
export function announceHost(folder: string, host: RunningHost): () => void {
  const path = join(folder, runningFile)
  writePrivate(path, `${JSON.stringify(host)}\n`)
  return () => {
    if (readNote(path)?.pid === host.pid) rmSync(path, { force: true })
  }
}

/** The host that runs on this folder, or null. A note left by one that was killed does not count. */
export function findRunningHost(
  folder: string,
  isAlive: (pid: number) => boolean = processIsAlive,
): RunningHost | null {
  const note = readNote(join(folder, runningFile))
  return note !== null && isAlive(note.pid) ? note : null
}

function readNote(path: string): RunningHost | null {
  const text = readIfPresent(path)
  if (text === undefined) return null
  try {
    return runningHostSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

function processIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return codeOf(cause) === 'EPERM'
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  }
}

/** Whole or not at all: a reader never sees half a file, and the mode is right from the first byte. */
function writePrivate(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, path)
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined
}
