/* What the system says of running processes: enough to end exactly those that a task started (SPEC 7). On Linux
   through /proc: a process is ours when its environment carries our mark, or when pid and start time match a
   record. Elsewhere only the process group is known. Never throws: a process that is gone is gone. */
import { readdirSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'

/** The variable every process of a task inherits; its value is `<data folder>:<task>`. */
export const markVariable = 'TASK_SURFACE_TASK'

/** The part of a mark that says which host's data folder a process belongs to. */
export function folderMark(dataDir: string): string {
  return createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
}

/** Start time of a process in the system's own unit; null where it is gone or the system does not say. */
export function startTimeOf(pid: number): string | null {
  return statOf(pid)?.[19] ?? null
}

/** Pids of living members of a process group. Zombies do not count: they still take signals. */
export function groupMembers(group: number): number[] {
  return pids().filter((pid) => {
    const stat = statOf(pid)
    return stat !== null && stat[0] !== 'Z' && stat[2] === String(group)
  })
}

/** Pids of living processes whose mark begins with `mark`. Zombies carry no environment and do not count. */
export function markedProcesses(mark: string): number[] {
  return pids().filter((pid) => {
    const environment = readProc(pid, 'environ')
    return environment?.split('\0').some((entry) => entry.startsWith(`${markVariable}=${mark}`)) ?? false
  })
}

/** False once a signal could not be delivered. `target` below zero is a process group. */
export function signal(target: number, name: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    process.kill(target, name)
    return true
  } catch {
    return false
  }
}

/** The fields of a process behind its name, which stands in parentheses and may hold anything: state, parent, group, … */
function statOf(pid: number): string[] | null {
  const stat = readProc(pid, 'stat')
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function pids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return []
  }
}

function readProc(pid: number, file: 'stat' | 'environ'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return null
  }
}
