/* How processes of a task end: asked first, killed after a grace period, until none is left (SPEC 7). A child
   that left the process group is found by its mark. */
import type { Clock } from '../clock.ts'
import { groupMembers, markedProcesses, signal, startTimeOf } from './process-table.ts'
import type { StoredTask } from './task-records.ts'

/** Long enough for a build tool to clean up, short enough for a person who waits. */
export const graceMs = 2_000
const pollMs = 50
/** After SIGKILL only a process stuck in the kernel is left; nobody waits for that one. */
const afterKillMs = 1_000

const never = new AbortController().signal

/** Ends the group led by `pid` (null: none is known) and everything marked `mark`. Resolves when none answers. */
export async function endProcesses(clock: Clock, { pid, mark }: { pid: number | null; mark: string }): Promise<void> {
  send({ pid, mark }, 'SIGTERM')
  if (await gone(clock, { pid, mark }, graceMs)) return
  send({ pid, mark }, 'SIGKILL')
  await gone(clock, { pid, mark }, afterKillMs)
}

/** What a crashed host left running, by record and by mark. A pid that the system has given to another is left alone. */
export async function endLeftovers(clock: Clock, tasks: readonly StoredTask[], folderMark: string): Promise<void> {
  const leaders = tasks.flatMap(({ process: leader }) =>
    leader !== undefined && leader.startTime !== null && startTimeOf(leader.pid) === leader.startTime
      ? [leader.pid]
      : [],
  )
  const targets = leaders.length > 0 ? leaders : [null]
  await Promise.all(targets.map((pid) => endProcesses(clock, { pid, mark: `${folderMark}:` })))
}

interface Target {
  pid: number | null
  mark: string
}

function send({ pid, mark }: Target, name: 'SIGTERM' | 'SIGKILL'): void {
  if (pid !== null) signal(-pid, name)
  for (const marked of markedProcesses(mark)) signal(marked, name)
}

async function gone(clock: Clock, target: Target, withinMs: number): Promise<boolean> {
  const deadline = clock.now() + withinMs
  for (;;) {
    if (!alive(target)) return true
    if (clock.now() >= deadline) return false
    await clock.sleep(pollMs, never)
  }
}

function alive({ pid, mark }: Target): boolean {
  if (process.platform !== 'linux') return pid !== null && signal(-pid, 0)
  return (pid !== null && groupMembers(pid).length > 0) || markedProcesses(mark).length > 0
}
