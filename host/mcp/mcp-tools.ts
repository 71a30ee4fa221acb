/* The six tools that an agent elsewhere is offered (SPEC 11), in a fixed order, byte-stable for a composition. Clients may
   show a model nothing but names and the first words of the descriptions, so those say what a tool is for. Four are
   tools of this host under the same name; `start_background_task` is `bash` in the background. */
import { z } from 'zod'
import { jsonObjectSchema, type JsonObject } from '../../shared/json.ts'
import { sessionIdSchema, taskSurfaceIdSchema } from '../../shared/ids.ts'
import { showTaskSurfaceSchema } from '../../shared/surface/input-schema.ts'
import type { TaskSurfaceLimits } from '../../shared/surface/limits.ts'

/** A client that gives up on a call after 60 s must have its answer before that. */
export const answerWithinMs = 45_000

export interface McpTool {
  name: McpToolName
  title: string
  description: string
  inputSchema: JsonObject
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

const session = sessionIdSchema
  .optional()
  .describe('The session that an earlier result named. Leave it out on the first call.')
/** Programs stop a model that makes the very same call a few times in a row, which is what waiting is. */
const round = z
  .int()
  .min(1)
  .max(1_000_000)
  .optional()
  .describe('Counts the calls that wait for the same thing: 2 in the second, 3 in the third.')
const waitMs = z.int().min(0).max(answerWithinMs)

/** What each tool takes. The model of a surface is judged by its own parser, and a command by the tool that runs it. */
export const mcpInputs = {
  show_task_surface: z.strictObject({ model: z.unknown(), session }),
  await_task_surface: z.strictObject({
    surfaceId: taskSurfaceIdSchema.describe('The id that show_task_surface returned.'),
    timeoutMs: waitMs
      .optional()
      .describe('How long to wait for the person; 45 seconds if left out, which is the most.'),
    round,
    session,
  }),
  start_background_task: z.strictObject({
    command: z.string().describe('The bash command. It runs in the folder of the session, without input.'),
    description: z.string().max(200).optional().describe('What it does, in a few words for the person.'),
    timeoutMs: z.int().min(1).max(600_000).optional().describe('Ends the command after so long; no limit if left out.'),
    round,
    session,
  }),
  task_list: z.strictObject({ session }),
  task_output: z.strictObject({
    taskId: z.string(),
    wait: z.boolean().optional().describe('Wait until the task has ended, or until timeoutMs has passed.'),
    timeoutMs: waitMs.optional().describe('How long to wait; 30 seconds if left out.'),
    session,
  }),
  task_kill: z.strictObject({
    taskId: z.string(),
    reason: z.string().max(500).optional().describe('Why, in a few words for the person.'),
    session,
  }),
} as const
export type McpToolName = keyof typeof mcpInputs

export function isMcpToolName(name: string): name is McpToolName {
  return Object.hasOwn(mcpInputs, name)
}

export function mcpTools(limits: TaskSurfaceLimits): McpTool[] {
  const schemaOf = (name: McpToolName) => {
    const schema = Object.entries(z.toJSONSchema(mcpInputs[name], { io: 'input' }))
    return jsonObjectSchema.parse(Object.fromEntries(schema.filter(([key]) => key !== '$schema')))
  }
  const changesNothing = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }
  return [
    {
      name: 'show_task_surface',
      title: 'Show the person a form',
      description:
        'Show the person a form in their browser and get its surfaceId at once: choices, multi-choices, toggles, text, ' +
        'things to put in order, with tables, diffs and Markdown to read. Use it in place of more prose when something is ' +
        'easier to compare, order, review or fill in than to discuss. Then call await_task_surface for the answer. One form ' +
        'can be open at a time.',
      inputSchema: showSchema(limits),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    {
      name: 'await_task_surface',
      title: "Wait for the person's answer",
      description:
        "Wait for the person's answer to a form of show_task_surface. Returns the answer as text, or that the person " +
        'dismissed the form or wrote something else instead, or that it is still open after 45 seconds: then call it again ' +
        'with the next round.',
      inputSchema: schemaOf('await_task_surface'),
      annotations: { ...changesNothing, idempotentHint: true },
    },
    {
      name: 'start_background_task',
      title: 'Start a background command',
      description:
        'Start a bash command in the background and get its taskId at once. The person sees it live and may be asked to ' +
        'allow it. For servers, watchers, builds and whatever takes long.',
      inputSchema: schemaOf('start_background_task'),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    {
      name: 'task_list',
      title: 'List background tasks',
      description: 'List the background tasks of this session, with id, label and status.',
      inputSchema: schemaOf('task_list'),
      annotations: { ...changesNothing, idempotentHint: true },
    },
    {
      name: 'task_output',
      title: 'Read the output of a background task',
      description:
        'Read what a background task has written since you last read it, and how it stands. Output is handed out once. ' +
        'Use wait to wait for its end.',
      inputSchema: schemaOf('task_output'),
      annotations: { ...changesNothing, idempotentHint: false },
    },
    {
      name: 'task_kill',
      title: 'End a background task',
      description: 'End a background task of this session, with every process it started.',
      inputSchema: schemaOf('task_kill'),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
  ]
}

/** The schema every agent of this host sees, and beside the model the session. */
function showSchema(limits: TaskSurfaceLimits): JsonObject {
  const schema = showTaskSurfaceSchema(limits)
  const properties = jsonObjectSchema.parse(schema['properties'])
  const withSession = z.object({ session })
  const { properties: more } = z.object({ properties: jsonObjectSchema }).parse(z.toJSONSchema(withSession))
  return { ...schema, properties: { ...properties, ...more } }
}
