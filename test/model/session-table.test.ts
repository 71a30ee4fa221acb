import { sessionMachine, type InboxRow } from '../../machines/session.ts'
import { ids } from './model-ids.ts'
import { describeTable, type Definition, type StateOf } from './transition-table.ts'

const rules = [
  'row-order',
  'claim-order',
  'steer-running',
  'locked-rows',
  'one-claim',
  'one-turn',
  'interrupt-claim',
  'wake',
  'call',
  'left-steering',
  'busy',
  'reload',
  'ended-once',
] as const

const first: InboxRow = { itemId: ids.item, messageId: ids.message, placement: 'queued', answers: null }
const second: InboxRow = { itemId: ids.secondItem, messageId: ids.secondMessage, placement: 'queued', answers: null }
const answer: InboxRow = {
  itemId: ids.thirdItem,
  messageId: ids.thirdMessage,
  placement: 'queued',
  answers: { surfaceId: ids.surface, submissionId: ids.submission },
}
const asSteering = (row: InboxRow): InboxRow => ({ ...row, placement: 'steering' })

const put = (row: InboxRow) => ({ type: 'ENQUEUE', row }) as const
const edit = { type: 'EDIT', itemId: ids.secondItem } as const
const steer = { type: 'STEER', itemId: ids.secondItem } as const
const remove = { type: 'REMOVE', itemId: ids.secondItem } as const
const ofAnswer = { itemId: ids.thirdItem } as const
const ofClaimed = { itemId: ids.item } as const
const foreign = { itemId: ids.foreignItem } as const

const boundary = [put(first)]
const claiming = [...boundary, { type: 'CLAIM' }] as const
const committing = [...claiming, { type: 'ISSUE' }] as const
const running = [...committing, { type: 'COMMIT' }] as const

/** Where rows wait: one may be edited or removed, and steered only while a turn runs. */
const edits = [
  { rule: 'row-order', when: 'an unknown row', event: { type: 'EDIT', ...foreign }, to: null },
  {
    rule: 'locked-rows',
    when: 'a submission',
    after: [put(answer)],
    event: { type: 'EDIT', ...ofAnswer },
    to: null,
  },
] as const
const removals = [
  { rule: 'row-order', when: 'an unknown row', event: { type: 'REMOVE', ...foreign }, to: null },
] as const
const woken = [
  { type: 'WAKE' },
  { type: 'ISSUE' },
  { type: 'COMMIT' },
  { type: 'TURN_ENDED' },
  { type: 'CLAIM' },
] as const
const nothingClaimed = {
  ISSUE: { rule: 'one-claim', to: null },
  COMMIT: { rule: 'one-claim', to: null },
  DISCARD: { rule: 'one-claim', to: null },
} as const
const whileBusy = {
  CONFIGURE: { rule: 'busy', to: null },
  REWIND: { rule: 'busy', to: null },
  RESUME: { rule: 'reload', to: null },
  END: { rule: 'ended-once', to: 'ended' },
} as const
const noSteering = { rule: 'steer-running', after: [put(second)], to: null } as const

/** One row is claimed, others wait. */
const whileClaimed = <State extends 'live.claiming' | 'live.committing'>(to: State) =>
  ({
    ENQUEUE: [
      { rule: 'row-order', to, context: { rows: [second] } },
      {
        rule: 'steer-running',
        when: 'steering',
        event: put(asSteering(second)),
        to,
        context: { rows: [second] },
      },
    ],
    EDIT: [
      { rule: 'locked-rows', after: [put(second)], to, does: ['permit'] },
      { rule: 'one-claim', when: 'the claimed row', event: { type: 'EDIT', ...ofClaimed }, to: null },
      ...edits,
    ],
    STEER: noSteering,
    REMOVE: [
      { rule: 'row-order', after: [put(second)], to, context: { rows: [] } },
      { rule: 'one-claim', when: 'the claimed row', event: { type: 'REMOVE', ...ofClaimed }, to: null },
      ...removals,
    ],
  }) as const

const definition = {
  file: 'session.ts',
  rules,
  reach: {
    'live.idle': [],
    'live.boundary': boundary,
    'live.claiming': claiming,
    'live.committing': committing,
    'live.calling': [{ type: 'CALL' }],
    'live.running': running,
    'live.reloading': [{ type: 'REWIND' }],
    ended: [{ type: 'END' }],
  },
  samples: {
    ENQUEUE: put(second),
    EDIT: edit,
    STEER: steer,
    REMOVE: remove,
    WAKE: { type: 'WAKE' },
    CALL: { type: 'CALL' },
    CLAIM: { type: 'CLAIM' },
    ISSUE: { type: 'ISSUE' },
    COMMIT: { type: 'COMMIT' },
    DISCARD: { type: 'DISCARD' },
    JOIN: { type: 'JOIN' },
    INTERRUPT: { type: 'INTERRUPT' },
    TURN_ENDED: { type: 'TURN_ENDED' },
    CONFIGURE: { type: 'CONFIGURE' },
    REWIND: { type: 'REWIND' },
    RESUME: { type: 'RESUME' },
    END: { type: 'END' },
  },
  table: {
    'live.idle': {
      ENQUEUE: [
        { rule: 'row-order', event: put(first), to: 'live.boundary', context: { rows: [first] } },
        {
          rule: 'steer-running',
          when: 'steering',
          event: put(asSteering(first)),
          to: 'live.boundary',
          context: { rows: [first] },
        },
      ],
      EDIT: { rule: 'row-order', to: null },
      STEER: { rule: 'steer-running', to: null },
      REMOVE: { rule: 'row-order', to: null },
      WAKE: [
        { rule: 'wake', to: 'live.claiming', context: { claimed: null } },
        { rule: 'wake', when: 'woken twice', after: [...woken, ...woken], to: 'live.claiming' },
        { rule: 'wake', when: 'woken three times', after: [...woken, ...woken, ...woken], to: null },
        {
          rule: 'wake',
          when: 'the person said something since',
          after: [...woken, ...woken, ...woken, ...running, { type: 'TURN_ENDED' }, { type: 'CLAIM' }],
          to: 'live.claiming',
        },
      ],
      CALL: [
        { rule: 'call', to: 'live.calling' },
        { rule: 'call', when: 'woken three times', after: [...woken, ...woken, ...woken], to: 'live.calling' },
      ],
      CLAIM: { rule: 'claim-order', to: null },
      ...nothingClaimed,
      JOIN: { rule: 'steer-running', to: null },
      INTERRUPT: { rule: 'interrupt-claim', to: null },
      TURN_ENDED: { rule: 'one-turn', to: null },
      CONFIGURE: { rule: 'busy', to: 'live.idle', does: ['permit'] },
      REWIND: { rule: 'reload', to: 'live.reloading' },
      RESUME: { rule: 'reload', to: null },
      END: { rule: 'ended-once', to: 'ended' },
    },
    'live.boundary': {
      ENQUEUE: [
        { rule: 'row-order', to: 'live.boundary', context: { rows: [first, second] } },
        {
          rule: 'steer-running',
          when: 'steering',
          event: put(asSteering(second)),
          to: 'live.boundary',
          context: { rows: [first, second] },
        },
      ],
      EDIT: [{ rule: 'locked-rows', after: [put(second)], to: 'live.boundary', does: ['permit'] }, ...edits],
      STEER: noSteering,
      REMOVE: [
        { rule: 'row-order', after: [put(second)], to: 'live.boundary', context: { rows: [first] } },
        {
          rule: 'locked-rows',
          when: 'a submission',
          after: [put(answer)],
          event: { type: 'REMOVE', ...ofAnswer },
          to: 'live.boundary',
          context: { rows: [first] },
        },
        ...removals,
      ],
      WAKE: { rule: 'wake', to: null },
      CALL: { rule: 'call', when: 'rows wait', to: null },
      CLAIM: [
        {
          rule: 'claim-order',
          after: [put(second), put(answer)],
          to: 'live.claiming',
          context: { rows: [second, answer], claimed: first },
        },
        {
          rule: 'claim-order',
          when: 'the only row was removed',
          after: [{ type: 'REMOVE', itemId: ids.item }],
          to: 'live.idle',
        },
      ],
      ...nothingClaimed,
      JOIN: { rule: 'steer-running', to: null },
      INTERRUPT: { rule: 'interrupt-claim', to: null },
      TURN_ENDED: { rule: 'one-turn', to: null },
      CONFIGURE: { rule: 'busy', to: 'live.boundary', does: ['permit'] },
      REWIND: { rule: 'reload', when: 'rows wait', to: 'live.reloading' },
      RESUME: { rule: 'reload', to: null },
      END: { rule: 'ended-once', to: 'ended' },
    },
    'live.claiming': {
      ...whileClaimed('live.claiming'),
      WAKE: { rule: 'wake', to: null },
      CALL: { rule: 'call', to: null },
      CLAIM: { rule: 'one-claim', after: [put(second)], to: null },
      ISSUE: { rule: 'one-claim', to: 'live.committing' },
      COMMIT: { rule: 'one-claim', when: 'nothing was issued', to: null },
      DISCARD: { rule: 'one-claim', to: 'live.boundary', context: { claimed: null } },
      JOIN: { rule: 'steer-running', to: null },
      INTERRUPT: { rule: 'interrupt-claim', to: 'live.boundary', context: { claimed: null } },
      TURN_ENDED: { rule: 'one-turn', to: null },
      ...whileBusy,
    },
    'live.committing': {
      ...whileClaimed('live.committing'),
      WAKE: { rule: 'wake', to: null },
      CALL: { rule: 'call', to: null },
      CLAIM: { rule: 'one-claim', after: [put(second)], to: null },
      ISSUE: { rule: 'one-claim', to: null },
      COMMIT: [
        { rule: 'one-claim', to: 'live.running', context: { claimed: null } },
        {
          rule: 'wake',
          when: 'for a notice',
          after: [{ type: 'DISCARD' }, { type: 'REMOVE', itemId: ids.item }, { type: 'CLAIM' }, ...woken.slice(0, 2)],
          to: 'live.running',
          context: { wakes: 1 },
        },
        {
          rule: 'interrupt-claim',
          when: 'after an interrupt',
          after: [{ type: 'INTERRUPT' }],
          to: 'live.running',
          context: { claimed: null, interruptTurn: true },
        },
      ],
      DISCARD: [
        { rule: 'one-claim', to: 'live.boundary', context: { claimed: null } },
        {
          rule: 'interrupt-claim',
          when: 'after an interrupt: no turn is left that it could cut',
          after: [{ type: 'INTERRUPT' }],
          to: 'live.boundary',
          context: { claimed: null, interruptTurn: false },
        },
      ],
      JOIN: { rule: 'steer-running', to: null },
      INTERRUPT: { rule: 'interrupt-claim', to: 'live.committing', context: { interruptTurn: true } },
      TURN_ENDED: { rule: 'one-turn', to: null },
      ...whileBusy,
    },
    'live.calling': {
      ENQUEUE: [
        { rule: 'row-order', to: 'live.calling', context: { rows: [second] } },
        {
          rule: 'steer-running',
          when: 'steering',
          event: put(asSteering(second)),
          to: 'live.calling',
          context: { rows: [second] },
        },
      ],
      EDIT: [{ rule: 'locked-rows', after: [put(second)], to: 'live.calling', does: ['permit'] }, ...edits],
      STEER: noSteering,
      REMOVE: [{ rule: 'row-order', after: [put(second)], to: 'live.calling', context: { rows: [] } }, ...removals],
      WAKE: { rule: 'wake', to: null },
      CALL: { rule: 'call', to: null },
      CLAIM: { rule: 'one-claim', after: [put(second)], to: null },
      ISSUE: { rule: 'one-claim', to: null },
      COMMIT: [
        { rule: 'call', to: 'live.running' },
        { rule: 'call', when: 'a row came meanwhile: it waits', after: [put(second)], to: 'live.running' },
        { rule: 'interrupt-claim', when: 'after an interrupt', after: [{ type: 'INTERRUPT' }], to: 'live.running' },
      ],
      DISCARD: { rule: 'call', when: 'there is no claim to give back', to: null },
      JOIN: { rule: 'steer-running', to: null },
      INTERRUPT: { rule: 'interrupt-claim', to: 'live.calling', context: { interruptTurn: true } },
      TURN_ENDED: { rule: 'one-turn', to: null },
      ...whileBusy,
    },
    'live.running': {
      ENQUEUE: [
        { rule: 'row-order', to: 'live.running', context: { rows: [second] } },
        {
          rule: 'steer-running',
          when: 'steering',
          event: put(asSteering(second)),
          to: 'live.running',
          context: { rows: [asSteering(second)] },
        },
      ],
      EDIT: [
        { rule: 'locked-rows', after: [put(second)], to: 'live.running', does: ['permit'] },
        { rule: 'one-claim', when: 'the committed row', event: { type: 'EDIT', ...ofClaimed }, to: null },
        ...edits,
      ],
      STEER: [
        { rule: 'steer-running', after: [put(second)], to: 'live.running', context: { rows: [asSteering(second)] } },
        { rule: 'row-order', when: 'an unknown row', event: { type: 'STEER', ...foreign }, to: null },
        {
          rule: 'locked-rows',
          when: 'a submission',
          after: [put(answer)],
          event: { type: 'STEER', ...ofAnswer },
          to: null,
        },
      ],
      REMOVE: [
        { rule: 'row-order', after: [put(second)], to: 'live.running', context: { rows: [] } },
        {
          rule: 'locked-rows',
          when: 'a submission',
          after: [put(answer)],
          event: { type: 'REMOVE', ...ofAnswer },
          to: 'live.running',
          context: { rows: [] },
        },
        {
          rule: 'row-order',
          when: 'a steering row',
          after: [put(second), steer],
          to: 'live.running',
          context: { rows: [] },
        },
        ...removals,
      ],
      WAKE: { rule: 'wake', to: null },
      CALL: { rule: 'call', to: null },
      CLAIM: { rule: 'one-turn', after: [put(second)], to: null },
      ...nothingClaimed,
      JOIN: [
        { rule: 'claim-order', when: 'nothing to take', after: [put(second)], to: null },
        {
          rule: 'wake',
          when: 'steering is said by the person',
          after: [{ type: 'TURN_ENDED' }, { type: 'CLAIM' }, ...woken.slice(0, 3), put(asSteering(second))],
          to: 'live.running',
          context: { rows: [], wakes: 0 },
        },
        {
          rule: 'claim-order',
          when: 'all steering rows at once',
          after: [put(asSteering(first)), put(answer), put(asSteering(second))],
          to: 'live.running',
          context: { rows: [answer] },
        },
      ],
      INTERRUPT: { rule: 'interrupt-claim', to: 'live.running', context: { interruptTurn: true } },
      TURN_ENDED: [
        { rule: 'one-turn', to: 'live.boundary' },
        {
          rule: 'interrupt-claim',
          when: 'after an interrupt: the next turn is not cut',
          after: [{ type: 'INTERRUPT' }],
          to: 'live.boundary',
          context: { interruptTurn: false },
        },
        {
          rule: 'left-steering',
          when: 'steering is left',
          after: [put(answer), put(asSteering(first)), put(asSteering(second))],
          to: 'live.boundary',
          context: { rows: [first, second, answer] },
        },
      ],
      ...whileBusy,
    },
    'live.reloading': {
      ENQUEUE: [
        { rule: 'row-order', to: 'live.reloading', context: { rows: [second] } },
        {
          rule: 'steer-running',
          when: 'steering',
          event: put(asSteering(second)),
          to: 'live.reloading',
          context: { rows: [second] },
        },
      ],
      EDIT: [{ rule: 'locked-rows', after: [put(second)], to: 'live.reloading', does: ['permit'] }, ...edits],
      STEER: noSteering,
      REMOVE: [{ rule: 'row-order', after: [put(second)], to: 'live.reloading', context: { rows: [] } }, ...removals],
      WAKE: { rule: 'wake', to: null },
      CALL: { rule: 'reload', to: null },
      CLAIM: { rule: 'reload', after: [put(second)], to: null },
      ...nothingClaimed,
      JOIN: { rule: 'steer-running', to: null },
      INTERRUPT: { rule: 'interrupt-claim', to: null },
      TURN_ENDED: { rule: 'one-turn', to: null },
      CONFIGURE: { rule: 'busy', to: null },
      REWIND: { rule: 'busy', to: null },
      RESUME: { rule: 'reload', to: 'live.boundary' },
      END: { rule: 'ended-once', to: 'ended' },
    },
    ended: {
      ENQUEUE: { rule: 'ended-once', to: null },
      EDIT: { rule: 'ended-once', to: null },
      STEER: { rule: 'ended-once', to: null },
      REMOVE: { rule: 'ended-once', to: null },
      WAKE: { rule: 'ended-once', to: null },
      CALL: { rule: 'ended-once', to: null },
      CLAIM: { rule: 'ended-once', to: null },
      ISSUE: { rule: 'ended-once', to: null },
      COMMIT: { rule: 'ended-once', to: null },
      DISCARD: { rule: 'ended-once', to: null },
      JOIN: { rule: 'ended-once', to: null },
      INTERRUPT: { rule: 'ended-once', to: null },
      TURN_ENDED: { rule: 'ended-once', to: null },
      CONFIGURE: { rule: 'ended-once', to: null },
      REWIND: { rule: 'ended-once', to: null },
      RESUME: { rule: 'ended-once', to: null },
      END: { rule: 'ended-once', to: null },
    },
  },
} satisfies Definition<typeof sessionMachine, StateOf<typeof sessionMachine>, (typeof rules)[number]>

describeTable(sessionMachine, definition)
