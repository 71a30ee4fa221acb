/* What the session machine says about a queue action it refuses; the wire answers it as a conflict. */
import { describe, expect, it } from 'vitest'
import { initialTransition, transition } from 'xstate'
import { queueRefusal, sessionMachine, type InboxRow, type SessionMachineEvent } from '../../machines/session.ts'
import { ids } from './model-ids.ts'

const first: InboxRow = { itemId: ids.item, messageId: ids.message, placement: 'queued', answers: null }
const second: InboxRow = { itemId: ids.secondItem, messageId: ids.secondMessage, placement: 'queued', answers: null }
const answer: InboxRow = {
  itemId: ids.thirdItem,
  messageId: ids.thirdMessage,
  placement: 'queued',
  answers: { surfaceId: ids.surface, submissionId: ids.submission },
}

const put = (row: InboxRow) => ({ type: 'ENQUEUE', row }) as const
const steer = { type: 'STEER', itemId: ids.secondItem } as const
const ofAnswer = { itemId: ids.thirdItem } as const
const ofClaimed = { itemId: ids.item } as const
const foreign = { itemId: ids.foreignItem } as const

const claiming = [put(first), { type: 'CLAIM' }] as const
const committing = [...claiming, { type: 'ISSUE' }] as const
const running = [...committing, { type: 'COMMIT' }] as const

function after(...events: readonly SessionMachineEvent[]) {
  let [snapshot] = initialTransition(sessionMachine)
  for (const event of events) [snapshot] = transition(sessionMachine, snapshot, event)
  return snapshot
}

describe('what a refused queue action is told (SPEC 4: gone or claimed, then locked, then no turn)', () => {
  it('row-order: a row that is gone, claimed or foreign is not found, whatever the action', () => {
    for (const type of ['EDIT', 'STEER', 'REMOVE'] as const) {
      expect(queueRefusal(after(), { type, ...foreign })).toBe('queue-item-not-found')
      expect(queueRefusal(after(...claiming), { type, ...ofClaimed })).toBe('queue-item-not-found')
      expect(queueRefusal(after(...running), { type, ...ofClaimed })).toBe('queue-item-not-found')
    }
  })

  it('locked-rows: a submission is locked before it is asked whether a turn runs', () => {
    const waits = after(put(answer))
    expect(queueRefusal(waits, { type: 'EDIT', ...ofAnswer })).toBe('queue-item-locked')
    expect(queueRefusal(waits, { type: 'STEER', ...ofAnswer })).toBe('queue-item-locked')
    expect(queueRefusal(after(...running, put(answer)), { type: 'STEER', ...ofAnswer })).toBe('queue-item-locked')
    expect(queueRefusal(waits, { type: 'REMOVE', ...ofAnswer })).toBeNull()
  })

  it('steer-running: an ordinary row can be steered only while a turn runs', () => {
    for (const events of [[put(second)], [...claiming, put(second)], [...committing, put(second)]] as const) {
      expect(queueRefusal(after(...events), steer)).toBe('steer-unavailable')
    }
    expect(queueRefusal(after(...running, put(second)), steer)).toBeNull()
  })
})
