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
import { conflict } from '../../shared/protocol/errors.ts'

/** Rows that may wait in one session. Far above what a person queues; a bound for a program gone wrong. */
const maxRows = 1000
/**
 * UTF-16 units of all texts that wait in one session. Every change of the queue is a frame that says each text twice, so
 * this bounds what a socket may have to take at once.
 */
const maxWaitingUnits = 1_000_000
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
  /** Apart, because the two kinds of id are chosen by different hands and may be the same text. */
  readonly #discardedMessages = new Set<MessageId>()
  readonly #discardedSubmissions = new Set<TaskSurfaceSubmissionId>()
  #waitingUnits = 0

  /** Throws the conflict `queue-full` where a row with this text, in place of `replaced`, has no room. */
  requireRoom(text: string, replaced?: InboxItemId): void {
    const old = replaced === undefined ? undefined : this.#entryByItem.get(replaced)
    if (old === undefined && this.#entryByItem.size >= maxRows) {
      throw conflict('queue-full', `At most ${maxRows} messages may wait in a session.`)
    }
    if (this.#waitingUnits - (old?.text.length ?? 0) + text.length > maxWaitingUnits) {
      throw conflict('queue-full', `At most ${maxWaitingUnits} characters may wait in a session.`)
    }
  }

  put(itemId: InboxItemId, entry: InboxEntry): void {
    this.#waitingUnits += entry.text.length - (this.#entryByItem.get(itemId)?.text.length ?? 0)
    this.#entryByItem.set(itemId, entry)
  }

  edit(itemId: InboxItemId, text: string): void {
    const entry = this.#entryByItem.get(itemId)
    if (entry !== undefined) this.put(itemId, { ...entry, text })
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
    this.#delete(itemId)
  }

  /** The row is gone without a message: its ids are spent until the runtime ends. */
  discarded(itemId: InboxItemId): void {
    const { messageId, source } = this.entry(itemId)
    this.#delete(itemId)
    remember(this.#discardedMessages, messageId)
    const answer = correlationOf(source)
    if (answer !== undefined) remember(this.#discardedSubmissions, answer.submissionId)
  }

  isDiscardedMessage(messageId: MessageId): boolean {
    return this.#discardedMessages.has(messageId)
  }

  isDiscardedSubmission(submissionId: TaskSurfaceSubmissionId): boolean {
    return this.#discardedSubmissions.has(submissionId)
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

  #delete(itemId: InboxItemId): void {
    this.#waitingUnits -= this.#entryByItem.get(itemId)?.text.length ?? 0
    this.#entryByItem.delete(itemId)
  }
}

function remember<Id>(discarded: Set<Id>, id: Id): void {
  discarded.add(id)
  if (discarded.size <= maxDiscarded) return
  for (const oldest of discarded) {
    discarded.delete(oldest)
    return
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
