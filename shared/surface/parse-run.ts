/* What one run of the parser keeps while it reads: problems found, ids taken, things counted. */
import type { TaskSurfaceLimits } from './limits.ts'
import type { Issue } from './operations.ts'
import type { Node, Report } from './reader.ts'
import { problemAt } from './reader.ts'

export interface ParseRun {
  /** Null reads a stored model: structure and normal form alone. */
  readonly limits: TaskSurfaceLimits | null
  readonly issues: Issue[]
  readonly report: Report
  /** Sections and fields share one namespace. */
  readonly ids: Set<string>
  blocks: number
  rows: number
  cells: number
}

export function startRun(limits: TaskSurfaceLimits | null): ParseRun {
  const issues: Issue[] = []
  const report: Report = (path, message) => {
    issues.push({ path, message })
  }
  return { limits, issues, report, ids: new Set(), blocks: 0, rows: 0, cells: 0 }
}

/** Of two equal ids the later one is the problem. An id that could not be read (`''`) is no twin of another. */
export function claimId(taken: Set<string>, id: string, node: Node): void {
  if (id !== '' && taken.has(id)) problemAt(node, 'id', 'is taken by an earlier one')
  taken.add(id)
}

type CountLimit = Exclude<keyof TaskSurfaceLimits, 'modelBytes' | 'submissionBytes'>

export function checkLength(run: ParseRun, limit: CountLimit, length: number, path: string): void {
  const most = run.limits?.[limit]
  if (most !== undefined && length > most) run.report(path, `there are ${length} ${limit}, at most ${most} are allowed`)
}
