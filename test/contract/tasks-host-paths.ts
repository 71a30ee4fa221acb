/* What of the task machine `tasks-paths.test.ts` walks and tries on the real registry. */
import { taskPaths } from '../../machines/path-models.ts'
import { lifecyclePaths, longestOnly, refusals } from '../../machines/paths.ts'
import type { Pair } from '../model/walked-paths.ts'

export const taskHostWalks = longestOnly([
  ...lifecyclePaths(taskPaths, 'edges'),
  ...lifecyclePaths(taskPaths, 'simple'),
])

/** A process ends once: that a second end is refused is for producers to try, see the unit tests. */
export const taskHostRefusals = refusals(taskPaths).filter(({ event }) => event.type !== 'SETTLE')

/** Why a pair of state and event never comes up on a host; null where it may. */
export function cannotOfTask({ event, isRefusal }: Pair): string | null {
  return isRefusal && event === 'SETTLE' ? 'a process ends once' : null
}
