/* What agents say while they work, as far as we read it: borders that forgive. A kind of update or content that is not
   known here is passed over; agents are newer than hosts. */
import { z } from 'zod'

const contentBlockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  name: z.string().optional(),
  uri: z.string().optional(),
  resource: z.looseObject({ uri: z.string().optional(), text: z.string().optional() }).optional(),
})
type ContentBlock = z.infer<typeof contentBlockSchema>

const toolContentSchema = z.looseObject({
  type: z.string(),
  content: contentBlockSchema.optional(),
  path: z.string().optional(),
  oldText: z.string().nullish(),
  newText: z.string().optional(),
})
export type ToolContent = z.infer<typeof toolContentSchema>

export const toolCallSchema = z.looseObject({
  toolCallId: z.string(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  content: z.array(toolContentSchema).nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
})
export type ToolCallFields = z.infer<typeof toolCallSchema>

const chunk = { content: contentBlockSchema }
const updateSchema = z.discriminatedUnion('sessionUpdate', [
  z.looseObject({ sessionUpdate: z.literal('agent_message_chunk'), ...chunk }),
  z.looseObject({ sessionUpdate: z.literal('agent_thought_chunk'), ...chunk }),
  toolCallSchema.extend({ sessionUpdate: z.literal('tool_call') }),
  toolCallSchema.extend({ sessionUpdate: z.literal('tool_call_update') }),
  z.looseObject({
    sessionUpdate: z.literal('plan'),
    entries: z.array(z.looseObject({ content: z.string(), status: z.string().optional() })),
  }),
])
export type AcpUpdate = z.infer<typeof updateSchema>

const notificationSchema = z.looseObject({ sessionId: z.string(), update: z.unknown() })

/** Null: nothing that concerns us. */
export function readUpdate(params: unknown): { sessionId: string; update: AcpUpdate } | null {
  const notification = notificationSchema.safeParse(params)
  if (!notification.success) return null
  const update = updateSchema.safeParse(notification.data.update)
  return update.success ? { sessionId: notification.data.sessionId, update: update.data } : null
}

export const permissionRequestSchema = z.looseObject({
  sessionId: z.string(),
  toolCall: toolCallSchema,
  options: z.array(z.looseObject({ optionId: z.string(), name: z.string().optional(), kind: z.string() })),
})
export type PermissionRequest = z.infer<typeof permissionRequestSchema>

/** Of one prompt. Some agents count what came out of a cache apart from the rest of the input, all count it in the total. */
export const promptUsageSchema = z
  .looseObject({
    inputTokens: z.number().nonnegative(),
    outputTokens: z.number().nonnegative(),
    totalTokens: z.number().nonnegative().nullish(),
    thoughtTokens: z.number().nonnegative().nullish(),
  })
  .transform(({ inputTokens, outputTokens, totalTokens, thoughtTokens }) => ({
    inputTokens: Math.max(inputTokens, (totalTokens ?? 0) - outputTokens - (thoughtTokens ?? 0)),
    outputTokens,
  }))

export type PermissionOutcome = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string }

const wantedKinds = { allow: ['allow_once', 'allow_always'], deny: ['reject_once', 'reject_always'] } as const

/** The option that says what was decided, for this once where the agent offers that. */
export function chosenOption(
  { options }: PermissionRequest,
  decision: 'allow' | 'deny' | 'cancelled',
): PermissionOutcome {
  if (decision === 'cancelled') return { outcome: 'cancelled' }
  for (const wanted of wantedKinds[decision]) {
    const option = options.find(({ kind }) => kind === wanted)
    if (option !== undefined) return { outcome: 'selected', optionId: option.optionId }
  }
  return { outcome: 'cancelled' }
}

/** Markdown. */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text ?? ''
    case 'resource_link':
      return block.uri ?? block.name ?? ''
    case 'resource':
      return block.resource?.text ?? block.resource?.uri ?? ''
    default:
      return `(${block.type})`
  }
}

export function toolContentText(content: ToolContent): string {
  switch (content.type) {
    case 'content':
      return content.content === undefined ? '' : blockText(content.content)
    case 'diff':
      return diffText(content.path ?? 'a file', content.oldText ?? '', content.newText ?? '')
    default:
      return ''
  }
}

/** The lines that are gone and those that have come, without what stands before and behind unchanged. */
function diffText(path: string, before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)]
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const gone = old.slice(head, old.length - tail).map((line) => `- ${line}`)
  const come = now.slice(head, now.length - tail).map((line) => `+ ${line}`)
  return [path, ...gone, ...come].join('\n')
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

const boxes: Readonly<Record<string, string>> = { completed: '[x]', in_progress: '[~]' }

export function planText(entries: readonly { content: string; status?: string | undefined }[]): string {
  const rows = entries.map(({ content, status }) => `- ${boxes[status ?? ''] ?? '[ ]'} ${content.replace(/\s+/g, ' ')}`)
  return rows.length === 0 ? '' : `\n\n${rows.join('\n')}\n\n`
}
