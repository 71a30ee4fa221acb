/* The texts of one session that were sent and have no message yet, and those that came back (SPEC 2, 4). The
   host's inbox lives in its memory, so this browser is the second place where such a text exists. Kept over
   reloads, shared by tabs. Rules: S-KEEP a text leaves only when its message or its discard was seen; S-LOST
   a host that was restarted and shows neither gives it back; S-BOUND the oldest go first. Next: `outbox.ts`. */
import { z } from 'zod'
import { type MessageId, messageIdSchema, type SessionId } from '../../shared/ids.ts'
import { discardReasonSchema, placementSchema } from '../../shared/message.ts'
import type { SessionState } from '../session/session-state.ts'
import type { Storage } from '../storage.ts'
import { createStore, type ReadableStore } from '../store.ts'

const sentSchema = z.object({
  messageId: messageIdSchema,
  text: z.string(),
  placement: placementSchema,
  /** The newest event when it was sent: its message can only stand behind. */
  afterSeq: z.int(),
  incarnation: z.string().nullable(),
  /** False until the host answered for it. */
  accepted: z.boolean(),
})
export type Sent = z.infer<typeof sentSchema>

/** `lost`: the host was restarted and knows nothing of it. `refused`: it was never taken. `rewound`: taken back by a rewind. */
const givenBackSchema = z.object({
  messageId: messageIdSchema,
  text: z.string(),
  reason: z.union([discardReasonSchema, z.enum(['lost', 'refused', 'rewound'])]),
  why: z.string().nullable(),
})
export type GivenBack = z.infer<typeof givenBackSchema>

const recordSchema = z.object({ sent: z.array(sentSchema), givenBack: z.array(givenBackSchema) })
export type SentRecord = z.infer<typeof recordSchema>

export const sentKey = (sessionId: SessionId): string => `sent:${sessionId}`

const keptAtMost = 24

export interface SentStore extends ReadableStore<SentRecord> {
  add(sent: Sent): void
  accepted(messageId: MessageId): void
  /** Its message was seen, or its text went elsewhere. */
  drop(messageId: MessageId): void
  /** Moves the text of `messageId` to those given back; without a kept text, `text` is what comes back. */
  giveBack(
    messageId: MessageId,
    reason: GivenBack['reason'],
    options?: { text?: string | null; why?: string | null },
  ): void
  /** The person took a text back or threw it away. */
  take(messageId: MessageId): void
  /** The host's rows carry the texts as they stand after an edit. */
  edited(textById: ReadonlyMap<MessageId, string>): void
  dispose(): void
}

export function createSentStore(sessionId: SessionId, storage: Storage): SentStore {
  const key = sentKey(sessionId)
  const read = (): SentRecord => storage.read(key, recordSchema) ?? { sent: [], givenBack: [] }
  const state = createStore(read())

  function change(work: (record: SentRecord) => SentRecord): void {
    // Another tab may have written since; without storage the own copy is all there is.
    const base = storage.read(key, recordSchema) ?? state.getState()
    const next = work(base)
    if (next === base) return
    const bounded = { sent: next.sent.slice(-keptAtMost), givenBack: next.givenBack.slice(-keptAtMost) }
    if (bounded.sent.length === 0 && bounded.givenBack.length === 0) storage.remove(key)
    else storage.write(key, bounded)
    state.setState(bounded)
  }

  function without(record: SentRecord, messageId: MessageId): SentRecord {
    const sent = record.sent.filter((one) => one.messageId !== messageId)
    return sent.length === record.sent.length ? record : { ...record, sent }
  }

  const stopListening = storage.onChange(key, () => state.setState(read()))
  return {
    ...state,
    add: (sent) => change((record) => ({ ...record, sent: [...without(record, sent.messageId).sent, sent] })),
    accepted: (messageId) =>
      change((record) => {
        if (!record.sent.some((one) => one.messageId === messageId && !one.accepted)) return record
        return {
          ...record,
          sent: record.sent.map((one) => (one.messageId === messageId ? { ...one, accepted: true } : one)),
        }
      }),
    drop: (messageId) => change((record) => without(record, messageId)),
    giveBack: (messageId, reason, options) =>
      change((record) => {
        const text = record.sent.find((one) => one.messageId === messageId)?.text ?? options?.text ?? null
        const rest = without(record, messageId)
        if (text === null || text.trim() === '' || record.givenBack.some((one) => one.messageId === messageId))
          return rest
        return { ...rest, givenBack: [...rest.givenBack, { messageId, text, reason, why: options?.why ?? null }] }
      }),
    take: (messageId) =>
      change((record) => ({ ...record, givenBack: record.givenBack.filter((one) => one.messageId !== messageId) })),
    edited: (textById) =>
      change((record) => {
        const stale = record.sent.some((one) => (textById.get(one.messageId) ?? one.text) !== one.text)
        if (!stale) return record
        return {
          ...record,
          sent: record.sent.map((one) => ({ ...one, text: textById.get(one.messageId) ?? one.text })),
        }
      }),
    dispose: stopListening,
  }
}

/** What a view of the session says about one sent text. `unknown`: more of the history has to be read first. */
export function fateOf(sent: Sent, state: SessionState): 'waiting' | 'committed' | 'lost' | 'unknown' {
  if (state.queue.some((row) => row.messageId === sent.messageId)) return 'waiting'
  const isIt = state.events.some(
    (event) =>
      event.seq > sent.afterSeq &&
      (event.type === 'user/message' || event.type === 'steering/message') &&
      event.data.message.id === sent.messageId,
  )
  if (isIt) return 'committed'
  // In the same incarnation it may be between queue and log right now; an unanswered one is sent again instead.
  if (!sent.accepted || sent.incarnation === state.incarnation) return 'waiting'
  const first = state.events[0]
  return first === undefined || first.seq <= sent.afterSeq + 1 || !state.hasMore ? 'lost' : 'unknown'
}
