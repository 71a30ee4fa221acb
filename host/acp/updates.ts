/* What agents say while they work, as far as we read it: borders that forgive. A kind of update or content that is not
   known here is passed over; agents are newer than hosts. */
import { z } from 'zod'
import type { Usage } from '../../shared/message.ts'

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

const tokens = z.number().nonnegative()
const usageSchema = z.looseObject({
  inputTokens: tokens,
  outputTokens: tokens,
  totalTokens: tokens.nullish(),
  thoughtTokens: tokens.nullish(),
})
const quotaSchema = z.looseObject({
  quota: z.looseObject({ token_count: z.looseObject({ input_tokens: tokens, output_tokens: tokens }) }),
})

/** How a prompt ended. */
export const promptedSchema = z.looseObject({
  stopReason: z.string(),
  usage: usageSchema.nullish().catch(null),
  /** Where the protocol had no place for it, Gemini CLI put it here. */
  _meta: quotaSchema.nullish().catch(null),
})

/** What it cost; null: the agent does not say. Some count what came out of a cache apart, all count it in the total. */
export function costOf({ usage, _meta }: z.infer<typeof promptedSchema>): Usage | null {
  const { input_tokens = 0, output_tokens = 0 } = _meta?.quota.token_count ?? {}
  const { inputTokens, outputTokens, totalTokens, thoughtTokens } = usage ?? {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
  }
  const read = Math.max(inputTokens, (totalTokens ?? 0) - outputTokens - (thoughtTokens ?? 0))
  return read + outputTokens === 0 ? null : { inputTokens: read, outputTokens }
}

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
