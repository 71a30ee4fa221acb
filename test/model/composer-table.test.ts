import { composerMachine } from '../../machines/composer.ts'
import { ids } from './model-ids.ts'
import { describeTable, type Definition, type StateOf } from './transition-table.ts'

const rules = ['one-id', 'in-order', 'settled-once', 'held-waits'] as const

const { message, secondMessage, thirdMessage, foreignMessage } = ids
const send = { type: 'SEND', messageId: message } as const
const sendSecond = { type: 'SEND', messageId: secondMessage } as const
const lost = { type: 'LOST', messageId: message } as const

/** An answer of one of the three kinds: for the last text, for one of two, and for one that is not on the way. */
const answers = <Type extends 'ACCEPTED' | 'REFUSED' | 'SETTLED', State extends 'delivering' | 'held'>(
  type: Type,
  state: State,
) =>
  [
    {
      rule: 'settled-once',
      when: 'the only one',
      event: { type, messageId: message },
      to: 'idle',
      context: { onTheWay: [] },
    },
    { rule: 'settled-once', when: 'not on the way', event: { type, messageId: foreignMessage }, to: null },
    {
      rule: 'in-order',
      when: 'another one is on the way',
      after: state === 'held' ? [{ type: 'RESEND' } as const, sendSecond, lost] : [sendSecond],
      event: { type, messageId: message },
      to: state,
      context: { onTheWay: [secondMessage] },
    },
  ] as const

const nothingOnTheWay = { rule: 'settled-once', to: null } as const

const definition = {
  file: 'composer.ts',
  rules,
  reach: { idle: [], delivering: [send], held: [send, lost] },
  samples: {
    SEND: send,
    FOUND: { type: 'FOUND', messageIds: [message, secondMessage] },
    ACCEPTED: { type: 'ACCEPTED', messageId: message },
    REFUSED: { type: 'REFUSED', messageId: message },
    SETTLED: { type: 'SETTLED', messageId: message },
    LOST: lost,
    RESEND: { type: 'RESEND' },
  },
  table: {
    idle: {
      SEND: { rule: 'one-id', to: 'delivering', context: { onTheWay: [message] }, does: ['deliver'] },
      FOUND: [
        { rule: 'in-order', to: 'delivering', context: { onTheWay: [message, secondMessage] }, does: ['deliver'] },
        { rule: 'in-order', when: 'nothing was found', event: { type: 'FOUND', messageIds: [] }, to: null },
      ],
      ACCEPTED: nothingOnTheWay,
      REFUSED: nothingOnTheWay,
      SETTLED: nothingOnTheWay,
      LOST: nothingOnTheWay,
      RESEND: { rule: 'held-waits', to: null },
    },
    delivering: {
      SEND: [
        { rule: 'one-id', when: 'the same again', to: null },
        {
          rule: 'in-order',
          when: 'another one',
          event: sendSecond,
          to: 'delivering',
          context: { onTheWay: [message, secondMessage] },
          does: ['deliver'],
        },
      ],
      FOUND: { rule: 'in-order', to: null },
      ACCEPTED: answers('ACCEPTED', 'delivering'),
      REFUSED: answers('REFUSED', 'delivering'),
      SETTLED: answers('SETTLED', 'delivering'),
      LOST: [
        { rule: 'held-waits', to: 'held' },
        {
          rule: 'settled-once',
          when: 'not on the way',
          event: { type: 'LOST', messageId: foreignMessage },
          to: null,
        },
      ],
      RESEND: { rule: 'held-waits', to: null },
    },
    held: {
      SEND: [
        { rule: 'held-waits', event: { type: 'SEND', messageId: thirdMessage }, to: null },
        { rule: 'one-id', when: 'the same again', to: null },
      ],
      FOUND: { rule: 'held-waits', to: null },
      ACCEPTED: answers('ACCEPTED', 'held'),
      REFUSED: answers('REFUSED', 'held'),
      SETTLED: answers('SETTLED', 'held'),
      LOST: { rule: 'held-waits', when: 'lost twice', to: null },
      RESEND: { rule: 'in-order', to: 'delivering', does: ['deliver'] },
    },
  },
} satisfies Definition<typeof composerMachine, StateOf<typeof composerMachine>, (typeof rules)[number]>

describeTable(composerMachine, definition)
