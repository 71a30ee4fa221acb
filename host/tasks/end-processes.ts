/* How the processes of a task end: asked first, killed after a grace period, until none is left (SPEC 7). Ours are
   the group and the terminal session of the leader, whatever carries the mark, and whatever descends from those. A pid
   that the system has meanwhile given to somebody else is left alone. */
import type { Clock } from '../clock.ts'
import {
  liveProcesses,
  signal,
  startTimeOf,
  stillRuns,
  ticksOf,
  type Leader,
  type LiveProcess,
} from './process-table.ts'
import type { StoredTask } from './task-records.ts'

/** Long enough for a build tool to clean up, short enough for a person who waits. */
export const graceMs = 2_000
/** When the host itself goes: all of it has 5 s (SPEC 13). */
export const hostGraceMs = 1_000
const pollMs = 20
/** Between two looks at all processes, when those that are known to run do not go. */
const lookAgainMs = 200
/** After SIGKILL only a process stuck in the kernel is left; nobody waits for that one. */
const afterKillMs = 1_000

export interface Doomed {
  /** One mark, or with `:` at its end the beginning of many. */
  mark: string
  /** Null: only marks tell who is meant. */
  leader: Leader | null
}

/** Resolves when none is left. Two calls for the same processes do no harm. */
export async function endProcesses(clock: Clock, doomed: Doomed, withinMs = graceMs): Promise<void> {
  // The timers of the clock keep no process alive, and while a host comes up or goes nothing else may: it would leave
  // before the work is done.
  const alive = setInterval(() => {}, 60_000)
  try {
    await endAll(clock, doomed, withinMs)
  } finally {
    clearInterval(alive)
  }
}

async function endAll(clock: Clock, doomed: Doomed, withinMs: number): Promise<void> {
  if (process.platform !== 'linux') return await endGroup(clock, doomed.leader, withinMs)
  const asked = new Set<string>()
  const ask = (found: readonly LiveProcess[]): void => {
    for (const { pid, startTime } of found) {
      // Some programs take a second SIGTERM for impatience and leave their work undone.
      if (asked.has(`${pid}/${startTime}`)) continue
      asked.add(`${pid}/${startTime}`)
      signal(pid, 'SIGTERM')
    }
  }
  const kill = (found: readonly LiveProcess[]): void => {
    for (const { pid } of found) signal(pid, 'SIGKILL')
  }
  if (await untilGone(clock, doomed, withinMs, ask)) return
  await untilGone(clock, doomed, afterKillMs, kill)
}

/** What a crashed host left running, by mark and by record. */
export async function endLeftovers(clock: Clock, tasks: readonly StoredTask[], folderMark: string): Promise<void> {
  const leaders: Leader[] = []
  for (const { process: leader } of tasks) {
    // Without its leader a group of this number may be anybody's: the record is of another life of the system.
    if (leader === undefined || leader.startTime === null) continue
    if ((await startTimeOf(leader.pid)) === leader.startTime) leaders.push(leader)
  }
  const mark = `${folderMark}:`
  const targets = leaders.length > 0 ? leaders : [null]
  await Promise.all(targets.map((leader) => endProcesses(clock, { leader, mark }, hostGraceMs)))
}

async function untilGone(
  clock: Clock,
  doomed: Doomed,
  withinMs: number,
  act: (found: readonly LiveProcess[]) => void,
): Promise<boolean> {
  const since = doomed.leader === null || isPrefix(doomed.mark) ? 0 : ticksOf(doomed.leader)
  const deadline = clock.now() + withinMs
  for (;;) {
    const found = ours(await liveProcesses(since), doomed)
    if (found.length === 0) return true
    // Each time anew: they may have started others between two looks.
    act(found)
    const lookAgainAt = Math.min(deadline, clock.now() + lookAgainMs)
    while (found.some(stillRuns) && clock.now() < lookAgainAt) await pause(clock)
    if (clock.now() >= deadline && found.some(stillRuns)) return false
  }
}

function isPrefix(mark: string): boolean {
  return mark.endsWith(':')
}

function ours(all: readonly LiveProcess[], { mark, leader }: Doomed): LiveProcess[] {
  const group = leader === null || isTakenOver(all, leader) ? null : leader.pid
  const isMarked = (its: string | null) => its === mark || (isPrefix(mark) && its?.startsWith(mark) === true)
  const found = new Set(
    all.filter((one) => isMarked(one.mark) || (group !== null && (one.group === group || one.session === group))),
  )
  for (let before = -1; before !== found.size;) {
    before = found.size
    const parents = new Set([...found].map(({ pid }) => pid))
    for (const one of all) if (parents.has(one.parent)) found.add(one)
  }
  return [...found].filter(({ pid }) => pid !== process.pid)
}

/** A group keeps its number from being given away, so only a leader that is there can be the wrong one. */
function isTakenOver(all: readonly LiveProcess[], { pid, startTime }: Leader): boolean {
  const now = all.find((one) => one.pid === pid)
  return now !== undefined && now.startTime !== startTime
}

async function endGroup(clock: Clock, leader: Leader | null, withinMs: number): Promise<void> {
  if (leader === null) return
  for (const [name, ms] of [
    ['SIGTERM', withinMs],
    ['SIGKILL', afterKillMs],
  ] as const) {
    const deadline = clock.now() + ms
    signal(-leader.pid, name)
    while (signal(-leader.pid, 0)) {
      if (clock.now() >= deadline) break
      await pause(clock)
    }
  }
}

function pause(clock: Clock): Promise<void> {
  return clock.sleep(pollMs, new AbortController().signal)
}
