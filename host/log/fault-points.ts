/* Four places where a test may kill the host (SPEC 14): around the write of a group and around the publication of what
   became durable. Outside tests nothing happens there. */

export const faultPointNames = ['before-write', 'after-write', 'before-publish', 'after-publish'] as const
export type FaultPoint = (typeof faultPointNames)[number]

export interface FaultPoints {
  /** Called in passing; may not return. */
  passed(point: FaultPoint): void
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

/** Ends this process at once, like a power cut: no exit handler, no flush. */
export function killSelf(): void {
  process.kill(process.pid, 'SIGKILL')
}
