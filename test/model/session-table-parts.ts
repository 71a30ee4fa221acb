/* Rows, ways and cells that the session's transition table says more than once. */
import type { InboxRow } from '../../machines/session.ts'
import { ids } from './model-ids.ts'

export const first: InboxRow = { itemId: ids.item, messageId: ids.message, placement: 'queued', answers: null }
export const second: InboxRow = {
  itemId: ids.secondItem,
  messageId: ids.secondMessage,
  placement: 'queued',
  answers: null,
}
export const answer: InboxRow = {
  itemId: ids.thirdItem,
  messageId: ids.thirdMessage,
  placement: 'queued',
  answers: { surfaceId: ids.surface, submissionId: ids.submission },
}
export const asSteering = (row: InboxRow): InboxRow => ({ ...row, placement: 'steering' })

export const put = (row: InboxRow) => ({ type: 'ENQUEUE', row }) as const
export const edit = { type: 'EDIT', itemId: ids.secondItem } as const
export const steer = { type: 'STEER', itemId: ids.secondItem } as const
export const remove = { type: 'REMOVE', itemId: ids.secondItem } as const
export const ofAnswer = { itemId: ids.thirdItem } as const
export const ofClaimed = { itemId: ids.item } as const
export const foreign = { itemId: ids.foreignItem } as const

export const boundary = [put(first)]
export const claiming = [...boundary, { type: 'CLAIM' }] as const
export const committing = [...claiming, { type: 'ISSUE' }] as const
export const running = [...committing, { type: 'COMMIT' }] as const

/** Where rows wait: one may be edited or removed, and steered only while a turn runs. */
export const edits = [
  { rule: 'row-order', when: 'an unknown row', event: { type: 'EDIT', ...foreign }, to: null },
  {
    rule: 'locked-rows',
    when: 'a submission',
    after: [put(answer)],
    event: { type: 'EDIT', ...ofAnswer },
    to: null,
  },
] as const
export const removals = [
  { rule: 'row-order', when: 'an unknown row', event: { type: 'REMOVE', ...foreign }, to: null },
] as const
export const woken = [
  { type: 'WAKE' },
  { type: 'ISSUE' },
  { type: 'COMMIT' },
  { type: 'TURN_ENDED' },
  { type: 'CLAIM' },
] as const
export const nothingClaimed = {
  ISSUE: { rule: 'one-claim', to: null },
  COMMIT: { rule: 'one-claim', to: null },
  DISCARD: { rule: 'one-claim', to: null },
} as const
export const whileBusy = {
  CONFIGURE: { rule: 'busy', to: null },
  REWIND: { rule: 'busy', to: null },
  RESUME: { rule: 'reload', to: null },
  END: { rule: 'ended-once', to: 'ended' },
} as const
export const noSteering = { rule: 'steer-running', after: [put(second)], to: null } as const

/** One row is claimed, others wait. */
export const whileClaimed = <State extends 'live.claiming' | 'live.committing'>(to: State) =>
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
