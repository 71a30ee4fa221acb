/* Places where a test may kill the host (SPEC 14): around the write of a group, around every batch of the database, who
   ever writes it, and around the publication of what became durable. Outside tests nothing happens there. */
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const faultPointNames = [
  'before-write',
  'after-write',
  'before-batch',
  'after-batch',
  'before-publish',
  'after-publish',
] as const
export type FaultPoint = (typeof faultPointNames)[number]

export interface FaultPoints {
  /** Called in passing; may not return. `subjects`: sessions that it is about, or what else is written. */
  passed(point: FaultPoint, subjects?: () => readonly string[]): void
}

export const noFaultPoints: FaultPoints = { passed: () => {} }

/**
 * `spec` is `<point>:<n>`, the value of `TASK_SURFACE_TEST_CRASH`: `kill` is called at the n-th passage of that point,
 * counted from 1. Throws for anything else, so that a misspelt test does not pass by never crashing.
 */
export function killingFaultPoints(spec: string, kill: () => void): FaultPoints {
  const [name, count, ...rest] = spec.split(':')
  const point = faultPointNames.find((known) => known === name)
  const passages = Number(count)
  if (point === undefined || rest.length > 0 || !Number.isInteger(passages) || passages < 1) {
    throw new Error(`a crash point is one of ${faultPointNames.join(', ')} and a count from 1, such as after-write:3`)
  }
  let passed = 0
  return {
    passed(reached) {
      if (reached !== point) return
      passed += 1
      if (passed === passages) kill()
    },
  }
}

/** Files of a folder by which a test follows a host and says when it dies. */
export const passagesFile = 'passed'
export const planFile = 'plan'

/**
 * `TASK_SURFACE_TEST_CRASH` as the path of a folder, for tests that decide while the host runs. Each passage becomes a line
 * `<stretch> <point> <subjects>` of `passed`: two passages of one stretch have nothing but synchronous work between them.
 * `plan` holds `<point>:<n> <subjects>`: `kill` is called at the n-th passage that is about one of them since that stood
 * there. An empty one kills nobody.
 */
export function followedFaultPoints(folder: string, kill: () => void): FaultPoints {
  const [passages, planning] = [join(folder, passagesFile), join(folder, planFile)]
  let stretch = 0
  let isWithin = false
  let plan = ''
  let killer = noFaultPoints
  let whose: string[] = []
  return {
    passed(point, subjects = () => []) {
      const about = subjects()
      appendFileSync(passages, `${stretch} ${point} ${about.join(',')}\n`)
      if (!isWithin) {
        isWithin = true
        queueMicrotask(() => {
          isWithin = false
          stretch += 1
        })
      }
      const now = readFileSync(planning, 'utf8')
      if (now !== plan) {
        plan = now
        const [spec = '', planned = ''] = now.trim().split(' ')
        whose = planned.split(',')
        killer = spec === '' ? noFaultPoints : killingFaultPoints(spec, kill)
      }
      if (about.some((one) => whose.includes(one))) killer.passed(point)
    },
  }
}

/** Ends this process at once, like a power cut: no exit handler, no flush. */
export function killSelf(): void {
  process.kill(process.pid, 'SIGKILL')
}
