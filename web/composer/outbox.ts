/* Carries `composerMachine` for one session: sends texts, sends them again under the same id after a loss,
   and watches the session for what became of each. Rules: S-KEEP, S-LOST, one-id, in-order. */
import { createActor } from 'xstate'
import { composerMachine } from '../../machines/composer.ts'
import { type MessageId, messageIdSchema } from '../../shared/ids.ts'
import type { Placement } from '../../shared/message.ts'
import { CallError, isUnsettled } from '../connection/rpc.ts'
import type { Discarded, SessionState } from '../session/session-state.ts'
import type { SessionHandle } from '../session/session-store.ts'
import type { NoteActor } from '../page-actors.ts'
import { createStore, type ReadableStore } from '../store.ts'
import type { DraftStore } from './draft-store.ts'
import { fateOf, type SentStore } from './sent-store.ts'

export interface Outbox {
  /** Ids on their way, and whether they wait for the connection. */
  readonly state: ReadableStore<{ onTheWay: readonly MessageId[]; held: boolean }>
  /**
   * Sends the draft, empties it, and keeps the text until its fate is known. A blank draft is not sent. Before
   * the session is live the draft stays one and is sent once it is: only then is it known whose host took it.
   */
  send(placement: Placement): void
  dispose(): void
}

export interface OutboxDeps {
  session: SessionHandle
  draft: DraftStore
  sent: SentStore
  mintId: () => string
  after: (delayMs: number, work: () => void) => () => void
  noteActor?: NoteActor
}

/** Long enough for the probe that a timeout starts to come to its end. */
const resendDelayMs = 6_000

export function createOutbox({ session, draft, sent, mintId, after, noteActor }: OutboxDeps): Outbox {
  let cancelResend = () => {}
  let epoch = -1
  let seenEvents = 0
  let lastDiscard: Discarded | null = null
  let ended = false
  let readingBack = false
  let wanted: Placement | null = null

  const actor = createActor(
    composerMachine.provide({
      actions: {
        deliver: (_, { messageIds }) => {
          for (const messageId of messageIds) void deliver(messageId)
        },
      },
    }),
  )
  const forgetActor = noteActor?.({ machine: 'composer', sessionId: session.id, actor })
  const state = createStore(view())
  actor.subscribe(() => state.setState(view()))

  function view() {
    const { value, context } = actor.getSnapshot()
    return { onTheWay: context.onTheWay, held: value === 'held' }
  }

  async function deliver(messageId: MessageId): Promise<void> {
    const kept = sent.getState().sent.find((one) => one.messageId === messageId)
    if (kept === undefined) return actor.send({ type: 'SETTLED', messageId })
    const { text, placement } = kept
    try {
      await session.rpc.call('session.send', { sessionId: session.id, messageId, text, placement })
      sent.accepted(messageId)
      if (!ended) actor.send({ type: 'ACCEPTED', messageId })
    } catch (error) {
      // Left unanswered in the storage, it is found again by the next page.
      if (ended) return
      if (isUnsettled(error)) return heldBack(messageId, error)
      refused(messageId, text, error instanceof CallError ? error.message : String(error))
    }
  }

  function heldBack(messageId: MessageId, error: unknown): void {
    actor.send({ type: 'LOST', messageId })
    const lost = error instanceof CallError && error.failure.reason === 'connection-lost'
    cancelResend()
    // After a loss the next view of the session starts it; after a timeout nothing else would.
    if (!lost) cancelResend = after(resendDelayMs, () => actor.send({ type: 'RESEND' }))
  }

  function refused(messageId: MessageId, text: string, why: string): void {
    if (draft.getState().text === '') {
      sent.drop(messageId)
      draft.replace(text)
    } else sent.giveBack(messageId, 'refused', { why })
    actor.send({ type: 'REFUSED', messageId })
  }

  function settle(messageId: MessageId): void {
    sent.drop(messageId)
    actor.send({ type: 'SETTLED', messageId })
  }

  function watchDiscards(now: SessionState): void {
    // The list is bounded, so its length says nothing; a last one that fell off means that all are new.
    const from = lastDiscard === null ? 0 : now.discarded.indexOf(lastDiscard) + 1
    lastDiscard = now.discarded.at(-1) ?? lastDiscard
    for (const { messageId, reason, text, why } of now.discarded.slice(from)) {
      sent.giveBack(messageId, reason, { text, why })
      actor.send({ type: 'SETTLED', messageId })
    }
  }

  function watch(): void {
    const now = session.getState()
    watchDiscards(now)
    if (now.phase !== 'live') return
    const isNewView = now.epoch !== epoch
    if ((isNewView || now.events.length !== seenEvents) && weigh(now)) void readBack()
    seenEvents = now.events.length
    sent.edited(new Map(now.queue.flatMap((row) => (row.text === null ? [] : [[row.messageId, row.text] as const]))))
    if (!isNewView) return
    ;({ epoch } = now)
    const unanswered = sent
      .getState()
      .sent.filter((one) => !one.accepted)
      .map((one) => one.messageId)
    if (unanswered.length > 0) actor.send({ type: 'FOUND', messageIds: unanswered })
    actor.send({ type: 'RESEND' })
    if (wanted !== null) send(wanted)
  }

  function send(placement: Placement): void {
    const { phase, lastSeq: afterSeq, incarnation } = session.getState()
    wanted = phase === 'live' ? null : placement
    const { text } = draft.getState()
    if (wanted !== null || text.trim() === '' || actor.getSnapshot().value === 'held') return
    const messageId = messageIdSchema.parse(mintId())
    sent.add({ messageId, text, placement, afterSeq, incarnation, accepted: false })
    // What the person took out of the queue could be undone until now.
    for (const one of sent.getState().givenBack) if (one.reason === 'removed') sent.take(one.messageId)
    draft.replace('')
    actor.send({ type: 'SEND', messageId })
  }

  /** True where more of the history has to be read before all fates are known. */
  function weigh(now: SessionState): boolean {
    let mustReadOn = false
    for (const one of sent.getState().sent) {
      const fate = fateOf(one, now)
      if (fate === 'committed') settle(one.messageId)
      else if (fate === 'lost') sent.giveBack(one.messageId, 'lost')
      else if (fate === 'unknown') mustReadOn = true
    }
    return mustReadOn
  }

  /** Page by page, as far back as a text may stand. A failure, or no earlier page, waits for the next view. */
  async function readBack(): Promise<void> {
    if (readingBack) return
    readingBack = true
    try {
      for (;;) {
        const first = session.getState().events[0]
        await session.loadEarlier()
        const now = session.getState()
        if (ended || now.phase !== 'live' || now.events[0] === first || !weigh(now)) return
      }
    } catch {
      // Said by nobody: what is not known to be lost is not offered.
    } finally {
      readingBack = false
    }
  }

  actor.start()
  const stopWatching = session.subscribe(watch)
  watch()

  return {
    state,
    send,
    dispose() {
      ended = true
      stopWatching()
      cancelResend()
      actor.stop()
      forgetActor?.()
    },
  }
}
