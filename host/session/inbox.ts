/* The texts behind the inbox rows of one live session (SPEC 4). The session machine owns order and claim;
   this owns what the rows say, what was already said under an id, and which ids were discarded. It knows
   nothing of Task Surface beyond the correlation in a row's source. */
import type { InboxItemId, MessageId, TaskSurfaceSubmissionId } from '../../shared/ids.ts'
import {
  previewLength,
  type Message,
  type MessageSource,
  type Placement,
  type QueuedMessage,
  type TaskSurfaceCorrelation,
} from '../../shared/message.ts'
import type { InboxRow } from '../../machines/session.ts'

/** Rows that may wait in one session. Far above what a person queues; a bound for a program gone wrong. */
export const maxRows = 1000
/** Discarded ids remembered per runtime; older ones count as new again, as after a restart. */
const maxDiscarded = 10_000

export interface InboxEntry {
  messageId: MessageId
  source: MessageSource
  text: string
  /** What `session.send` answered; a retry gets the same. */
  answered: Placement
}

export class Inbox {
  readonly #entryByItem = new Map<InboxItemId, InboxEntry>()
  readonly #discarded = new Set<MessageId | TaskSurfaceSubmissionId>()

  get size(): number {
    return this.#entryByItem.size
  }

  put(itemId: InboxItemId, entry: InboxEntry): void {
    this.#entryByItem.set(itemId, entry)
  }

  edit(itemId: InboxItemId, text: string): void {
    const entry = this.#entryByItem.get(itemId)
    if (entry !== undefined) this.#entryByItem.set(itemId, { ...entry, text })
  }

  /** The entry of a row the machine names: queued, claimed or joining. Missing is a bug. */
  entry(itemId: InboxItemId): InboxEntry {
    const entry = this.#entryByItem.get(itemId)
    if (entry === undefined) throw new Error(`inbox: no entry for ${itemId}`)
    return entry
  }

  byMessage(messageId: MessageId): InboxEntry | undefined {
    for (const entry of this.#entryByItem.values()) if (entry.messageId === messageId) return entry
    return undefined
  }

  /** The row is durable: the log answers for it from now on. */
  admitted(itemId: InboxItemId): void {
    this.#entryByItem.delete(itemId)
  }

  /** The row is gone without a message: its ids are spent until the runtime ends. */
  discarded(itemId: InboxItemId): void {
    const { messageId, source } = this.entry(itemId)
    this.#entryByItem.delete(itemId)
    this.#remember(messageId)
    const answer = correlationOf(source)
    if (answer !== undefined) this.#remember(answer.submissionId)
  }

  isDiscarded(id: MessageId | TaskSurfaceSubmissionId): boolean {
    return this.#discarded.has(id)
  }

  message(itemId: InboxItemId): Message {
    const { messageId, source, text } = this.entry(itemId)
    return { id: messageId, role: 'user', source, content: [{ type: 'text', text }] }
  }

  view(rows: readonly InboxRow[]): QueuedMessage[] {
    return rows.map(({ itemId, messageId, placement }) => {
      const { source, text } = this.entry(itemId)
      return {
        id: itemId,
        messageId,
        placement,
        source,
        content: [{ type: 'text', text }],
        preview: previewOf(text),
        text: editableText(source, text),
      }
    })
  }

  #remember(id: MessageId | TaskSurfaceSubmissionId): void {
    this.#discarded.add(id)
    if (this.#discarded.size <= maxDiscarded) return
    for (const oldest of this.#discarded) {
      this.#discarded.delete(oldest)
      return
    }
  }
}

/** A submission has no text of its own: its values are in the browser's draft. */
export function editableText(source: MessageSource, text: string): string | null {
  return correlationOf(source) === undefined ? text : null
}

export function correlationOf(source: MessageSource): TaskSurfaceCorrelation | undefined {
  return source.kind === 'user' ? source.taskSurface : undefined
}

function previewOf(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  const points = Array.from(line.slice(0, previewLength * 2 + 2))
  return points.length > previewLength ? points.slice(0, previewLength).join('') : line
}
