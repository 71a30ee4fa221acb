/* What the system says of running processes: enough to end exactly those that a task started (SPEC 7). On Linux
   through /proc, where a process is ours when its environment carries our mark or when it descends from one that
   is. Elsewhere only the leader of a process group can be recognised. Never throws: a process that is gone is gone. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

/** The variable every process of a task inherits; its value is `<data folder>:<boot of the host>:<task>`. */
export const markVariable = 'TASK_SURFACE_TASK'

/** The part of a mark that says which data folder a process belongs to, whatever way led to the folder. */
export function folderMark(dataDir: string): string {
  return createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16)
}

/** A process that leads a group of its own. With its start time the pid names one process for ever. */
export interface Leader {
  pid: number
  /** In the system's own unit; null where it was gone before anybody could look. */
  startTime: string | null
}

export interface LiveProcess {
  pid: number
  parent: number
  group: number
  session: number
  startTime: string
  /** The value of its mark variable. */
  mark: string | null
}

export async function leaderOf(pid: number): Promise<Leader> {
  return { pid, startTime: await startTimeOf(pid) }
}

/** Null where the process is gone, or the system does not say. */
export async function startTimeOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = statOf(pid)
    return stat === null ? null : startTimeIn(stat)
  }
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], (error, output) => {
      const text = output.trim()
      resolve(error !== null || text === '' ? null : text)
    })
  })
}

/** Processes read between two turns of the event loop: a long table must not hold up the sockets. */
const readAtOnce = 32

let reading: Promise<unknown> = Promise.resolve()
let next: { since: number; table: Promise<LiveProcess[]> } | null = null

/**
 * Everything that runs at some moment after the call, on Linux. `since`: nobody needs what started before that, in ticks
 * as `ticksOf` gives them. A zombie does not run: it only waits for its parent to look. Calls that come while the table
 * is being read share the next reading: ten tasks that end at once cost two.
 */
export function liveProcesses(since = 0): Promise<LiveProcess[]> {
  if (next !== null) {
    next.since = Math.min(next.since, since)
    return next.table
  }
  const mine = { since, table: reading.then(() => read()) }
  async function read(): Promise<LiveProcess[]> {
    next = null
    return await readTable(mine.since)
  }
  next = mine
  reading = mine.table
  return mine.table
}

async function readTable(since: number): Promise<LiveProcess[]> {
  const found: LiveProcess[] = []
  for (const [index, pid] of pids().entries()) {
    if (index % readAtOnce === readAtOnce - 1) await setImmediate()
    const stat = statOf(pid)
    if (stat === null || isOver(stat) || Number(stat[19]) < since) continue
    found.push({
      pid,
      parent: Number(stat[1]),
      group: Number(stat[2]),
      session: Number(stat[3]),
      startTime: startTimeIn(stat),
      mark: markOf(pid),
    })
  }
  return found
}

/** When a process started, in ticks since the system did; 0 where that is not known. Nothing it starts is older. */
export function ticksOf({ startTime }: Leader): number {
  return Number(startTime?.split('/')[1] ?? 0) || 0
}

export function stillRuns({ pid, startTime }: LiveProcess): boolean {
  const stat = statOf(pid)
  return stat !== null && !isOver(stat) && startTimeIn(stat) === startTime
}

/** The process group that reads from the terminal of a process; null where there is none or the system does not say. */
export function foregroundGroup(pid: number): number | null {
  const group = Number(statOf(pid)?.[5] ?? -1)
  return group > 0 ? group : null
}

/**
 * False where nothing took the signal. `target` below zero is a process group; signal 0 only asks. 0, 1 and -1 mean
 * everybody to the system and never one of ours.
 */
export function signal(target: number, name: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  if (Math.abs(target) <= 1) return false
  try {
    process.kill(target, name)
    return true
  } catch {
    return false
  }
}

function isOver([state]: readonly string[]): boolean {
  return state === 'Z' || state === 'X'
}

function markOf(pid: number): string | null {
  const entry = readProc(`${pid}/environ`)
    ?.split('\0')
    .find((line) => line.startsWith(`${markVariable}=`))
  return entry === undefined ? null : entry.slice(markVariable.length + 1)
}

/** The fields of a process behind its name, which stands in parentheses and may hold anything: state, parent, group, … */
function statOf(pid: number): string[] | null {
  const stat = readProc(`${pid}/stat`)
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

let bootOfSystem: string | null = null

/** Ticks since the system started say nothing after its next start, so its boot comes along. */
function startTimeIn(stat: readonly string[]): string {
  bootOfSystem ??= readProc('sys/kernel/random/boot_id')?.trim() ?? ''
  return `${bootOfSystem}/${stat[19] ?? ''}`
}

function pids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return []
  }
}

function readProc(file: string): string | null {
  try {
    return readFileSync(`/proc/${file}`, 'latin1')
  } catch {
    return null
  }
}
