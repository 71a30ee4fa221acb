/* What a person sent and nobody has answered for yet. Knows no text, no socket and no clock: texts are kept
   by the page under their message id, answers and losses arrive as events.

     idle ──SEND/FOUND──▶ delivering ──ACCEPTED/REFUSED/SETTLED of the last──▶ idle
                           ▲    │ LOST
                    RESEND │    ▼
                          held ──ACCEPTED/REFUSED/SETTLED of the last──▶ idle

   | rule | |
   | --- | --- |
   | one-id | a text keeps its message id through every retry, so that it can become one message only |
   | in-order | what is sent again goes in the order it was first sent |
   | settled-once | an answer for an id that is not on the way changes nothing |
   | held-waits | while something is held nothing new is sent ahead of it: SEND is refused */
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate'
import type { MessageId } from '../shared/ids.ts'

export type ComposerMachineEvent =
  | { type: 'SEND'; messageId: MessageId }
  /** Texts of an earlier page whose answer never came, in the order they were sent. */
  | { type: 'FOUND'; messageIds: readonly MessageId[] }
  | { type: 'ACCEPTED'; messageId: MessageId }
  | { type: 'REFUSED'; messageId: MessageId }
  /** Its message or its discard was seen: no answer is needed any more. */
  | { type: 'SETTLED'; messageId: MessageId }
  | { type: 'LOST'; messageId: MessageId }
  /** The session is live again, or the wait after a timeout is over. */
  | { type: 'RESEND' }

export interface ComposerContext {
  onTheWay: MessageId[]
}

function idOf(event: ComposerMachineEvent): MessageId | null {
  return 'messageId' in event ? event.messageId : null
}

const isKnown = ({ context, event }: { context: ComposerContext; event: ComposerMachineEvent }): boolean =>
  context.onTheWay.some((id) => id === idOf(event))

const settled = [
  { guard: 'isLast', target: 'idle', actions: 'drop' },
  { guard: 'isKnown', actions: 'drop' },
] as const

export const composerMachine = setup({
  types: { context: {} as ComposerContext, events: {} as ComposerMachineEvent },
  guards: {
    isKnown,
    isLast: (args) => isKnown(args) && args.context.onTheWay.length === 1,
    isNew: (args) => !isKnown(args),
    hasNew: ({ context, event }) =>
      event.type === 'FOUND' && event.messageIds.some((id) => !context.onTheWay.includes(id)),
  },
  actions: {
    /** Calls `session.send` for each id, in order; answers with ACCEPTED, REFUSED or LOST. */
    deliver: (_, _params: { messageIds: readonly MessageId[] }) => {},
    add: assign(({ context, event }) => {
      const added = event.type === 'SEND' ? [event.messageId] : event.type === 'FOUND' ? event.messageIds : []
      return { onTheWay: [...context.onTheWay, ...added.filter((id) => !context.onTheWay.includes(id))] }
    }),
    drop: assign(({ context, event }) => ({ onTheWay: context.onTheWay.filter((id) => id !== idOf(event)) })),
  },
}).createMachine({
  id: 'composer',
  context: { onTheWay: [] },
  initial: 'idle',
  states: {
    idle: {
      on: {
        SEND: {
          target: 'delivering',
          actions: ['add', { type: 'deliver', params: ({ event }) => ({ messageIds: [event.messageId] }) }],
        },
        FOUND: {
          guard: 'hasNew',
          target: 'delivering',
          actions: ['add', { type: 'deliver', params: ({ event }) => ({ messageIds: event.messageIds }) }],
        },
      },
    },
    delivering: {
      on: {
        SEND: {
          guard: 'isNew',
          actions: ['add', { type: 'deliver', params: ({ event }) => ({ messageIds: [event.messageId] }) }],
        },
        ACCEPTED: [...settled],
        REFUSED: [...settled],
        SETTLED: [...settled],
        LOST: { guard: 'isKnown', target: 'held' },
      },
    },
    held: {
      on: {
        ACCEPTED: [...settled],
        REFUSED: [...settled],
        SETTLED: [...settled],
        RESEND: {
          target: 'delivering',
          actions: { type: 'deliver', params: ({ context }) => ({ messageIds: context.onTheWay }) },
        },
      },
    },
  },
})

export type ComposerActor = ActorRefFrom<typeof composerMachine>
export type ComposerSnapshot = SnapshotFrom<typeof composerMachine>

/** What a key in the message field means. `null`: the field's own business. */
export type ComposerIntent = 'send' | 'steer' | null

/**
 * Enter sends (or queues while a turn runs), Shift+Enter is a new line, Ctrl/Cmd+Enter steers a running
 * turn. The Enter that confirms an input method's text does nothing: browsers say so by `isComposing` or
 * by key code 229, each of them not always.
 */
export function composerIntent(
  key: { key: string; shift: boolean; control: boolean; alt: boolean; isComposing: boolean; keyCode: number },
  running: boolean,
): ComposerIntent {
  if (key.key !== 'Enter' || key.isComposing || key.keyCode === 229 || key.shift || key.alt) return null
  return key.control && running ? 'steer' : 'send'
}
