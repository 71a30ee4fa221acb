/* `show_task_surface`: hands the person one bounded form and ends the turn (SPEC 6.2). The model is checked
   before the open surface; an error opens nothing and does not conclude. */
import { z } from 'zod'
import type { TaskSurfaceId } from '../../shared/ids.ts'
import { jsonObjectSchema, jsonSchema } from '../../shared/json.ts'
import { showTaskSurfaceSchema } from '../../shared/surface/input-schema.ts'
import { rawModelBytes, type TaskSurfaceLimits } from '../../shared/surface/limits.ts'
import { presentationMeta, showTaskSurfaceTool } from '../../shared/surface/meta.ts'
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'
import type { Issue } from '../../shared/surface/operations.ts'
import { parseModel } from '../../shared/surface/parse.ts'
import { defineTool, ToolFailure, type Tool } from './tool.ts'

const description =
  'Show the person one form in place of more prose, and end your turn. Use it to compare options, put a plan in order, ' +
  'review a table or a diff, or fill related fields. The person edits and submits it; the answers come back as their ' +
  'next message. One surface can be open at a time.'

interface Shown {
  surfaceId: TaskSurfaceId
  model: TaskSurfaceModelV1
}

export function createShowTaskSurface(deps: { limits: TaskSurfaceLimits; mintSurfaceId: () => TaskSurfaceId }): Tool {
  return defineTool<{ model?: unknown }, Shown>({
    name: showTaskSurfaceTool,
    description,
    input: z.strictObject({ model: z.unknown() }),
    inputSchema: jsonObjectSchema.parse(showTaskSurfaceSchema(deps.limits)),
    maxArgumentBytes: rawModelBytes(deps.limits),
    invalidCode: 'INVALID_MODEL',
    execute({ model }, { session, nested, concludeTurn }) {
      if (nested)
        throw new ToolFailure('TASK_SURFACE_NESTED', 'show_task_surface cannot be called from inside run_code.')
      if (session.delegated)
        throw new ToolFailure('TASK_SURFACE_DELEGATED', 'A subagent cannot show a surface. Report back instead.')
      const parsed = parseModel(model, deps.limits)
      if (!parsed.ok) throw new ToolFailure('INVALID_MODEL', problemsText(parsed.issues))
      const open = session.activeSurface()
      if (open !== null) {
        throw new ToolFailure(
          'TASK_SURFACE_OPEN',
          `The surface ${open} is still open. It closes when the person answers, dismisses or bypasses it.`,
        )
      }
      concludeTurn()
      return { surfaceId: deps.mintSurfaceId(), model: parsed.model }
    },
    render: (_, { surfaceId, model }) =>
      `The person now sees "${model.title}" (surface ${surfaceId}). Your turn ends here. Their answers arrive as their next ` +
      'message; an ordinary message instead bypasses the surface.',
    presentationMeta: (_, { surfaceId, model }) => jsonSchema.parse(presentationMeta(surfaceId, model)),
  })
}

/** Problems written out. A longer list helps no model to correct itself, and the count says that there are more. */
const maxProblems = 1000

function problemsText(issues: readonly Issue[]): string {
  const shown = issues
    .slice(0, maxProblems)
    .map(({ path, message }) => `- ${path === '' ? '(model)' : path}: ${message}`)
  const rest = issues.length > maxProblems ? [`- and ${issues.length - maxProblems} more`] : []
  const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`
  return [`The model has ${count}; nothing was shown. Paths are JSON Pointers into model.`, ...shown, ...rest].join(
    '\n',
  )
}
