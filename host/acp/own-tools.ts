/* Which calls an agent tells of are calls of our own tools, that reach us by the MCP endpoint as well. Agents name them in
   their own ways: `mcp__task-surface__show_task_surface`, `task-surface_show_task_surface`, `Tool: task-surface/…`,
   `show_task_surface (task-surface MCP Server)`. */
import type { ToolCallFields } from './updates.ts'

const names = 'show_task_surface|await_task_surface|start_background_task|task_list|task_output|task_kill'
const before = new RegExp(`^(?:Tool: ?)?(?:mcp[_.:/-]+)?task[-_]surface[_.:/-]+(?:${names})$`)
const behind = new RegExp(`^(?:${names}) \\(task[-_]surface MCP Server\\)$`)

/** The whole name must fit: what only begins like it may be anything. */
export function isOwnTool({ kind, name, title }: Partial<ToolCallFields>): boolean {
  if (kind !== undefined && kind !== null && kind !== 'other') return false
  return [name, title].some((word) => typeof word === 'string' && (before.test(word) || behind.test(word)))
}
