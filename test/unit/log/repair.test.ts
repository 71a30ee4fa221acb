import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../host/log/memory-store.ts'
import { interruptedCallCode, repairDrafts } from '../../../host/log/repair.ts'
import { createSessionLog } from '../../../host/log/session-log.ts'
import { session } from '../../contract/log-backends.ts'
import { play, type Act } from './random-session.ts'

const a = session('a')
const turn = (more: Partial<Extract<Act, { kind: 'turn' }>>): Act => ({
  kind: 'turn',
  tools: 0,
  steps: 1,
  open: true,
  surface: false,
  text: 'go',
  ...more,
})

describe('log/repair', () => {
  it('log/repair: an open turn gets an error result for each call without one, and its end', async () => {
    const log = createSessionLog({ store: createMemoryStore() })
    const { state, ownership } = await play(log, a, [turn({ tools: 2, steps: 2 })])
    const drafts = repairDrafts(state)
    expect(drafts).toMatchObject([
      {
        type: 'tool/result',
        data: { turn: 1, step: 0, callId: 'c0.0.0', isError: true, error: { code: interruptedCallCode } },
      },
      { type: 'tool/result', data: { turn: 1, step: 1, callId: 'c0.1.0', isError: true } },
      { type: 'turn/end', data: { turn: 1, reason: 'interrupted' } },
    ])
    const outcome = await log.append(ownership, state, drafts, 9)
    if (outcome.kind !== 'durable') throw new Error(outcome.kind)
    expect(repairDrafts(outcome.state)).toEqual([])
    expect(repairDrafts(await log.readState(a))).toEqual([])
  })

  it('log/repair: a call that was asked for and never logged as one gets its result too', async () => {
    const store = createMemoryStore()
    const log = createSessionLog({ store })
    const { state, ownership } = await play(log, a, [turn({ steps: 0 })])
    const message = {
      id: 'x',
      role: 'assistant',
      content: [{ type: 'tool-call', callId: 'c', name: 'bash', arguments: '' }],
    }
    const body = JSON.stringify({
      type: 'assistant/message',
      seq: state.lastSeq + 1,
      time: 1,
      data: { turn: 1, step: 0, message },
    })
    const header = JSON.stringify({ ...state.header, lastSeq: state.lastSeq + 1 })
    await store.appendGroup([{ ownership, firstSeq: state.lastSeq + 1, bodies: [body], header, index: [] }])
    expect(repairDrafts(await log.readState(a))).toMatchObject([
      { type: 'tool/result', data: { callId: 'c' } },
      { type: 'turn/end' },
    ])
  })

  it('log/repair: between turns there is nothing to repair', async () => {
    const log = createSessionLog({ store: createMemoryStore() })
    const { state } = await play(log, a, [turn({ open: false })])
    expect(repairDrafts(state)).toEqual([])
  })
})
