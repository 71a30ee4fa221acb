/* A reader that meets a removal (SPEC 2): whatever it had read by then, the session is unknown. It is never taken for
   damaged, and nothing half is passed on: no page that ends early, no fork of what was left. */
import { describe, expect, it } from 'vitest'
import { createSessionLog, type SessionLog } from '../../../host/log/session-log.ts'
import type { LogStore } from '../../../host/log/port.ts'
import type { SessionState } from '../../../host/log/session-state.ts'
import { session } from '../../contract/log-backends.ts'
import { collect, opened, play, type Act } from './random-session.ts'

const a = session('a')
const child = session('child')

const turn: Act = { kind: 'turn', tools: 1, steps: 1, open: false, surface: false, text: 'words' }
/** Several pages of records, and a rewind, which makes a cold fold read twice. */
const script: Act[] = [...Array.from({ length: 90 }, () => turn), { kind: 'rewind', at: 20 }, turn]

type Reader = (log: SessionLog, state: SessionState) => Promise<unknown>

const readers: Record<string, Reader> = {
  state: (log) => log.readState(a),
  'first page': (log, { skipped }) => log.page(a, { skipped, limit: 50 }),
  'whole history': (log, { skipped }) => log.page(a, { skipped, limit: 500 }),
  fork: async (log, state) => {
    const outcome = await log.fork(state, { child, time: 1 })
    return outcome.kind === 'forked' ? { whole: outcome.state.lastSeq } : outcome
  },
  'early fork': async (log, state) => {
    const outcome = await log.fork(state, { child, time: 1, atSeq: 5 })
    return outcome.kind === 'forked' ? { whole: outcome.state.lastSeq } : outcome
  },
}

/** Removes the session right before its n-th record or page is read; answers whether it came to that. */
function removing(store: LogStore, before: number, remove: () => Promise<void>) {
  let reads = 0
  const counted = async () => {
    reads += 1
    if (reads === before) await remove()
  }
  const watched: LogStore = {
    ...store,
    read: async (sessionId, ...rest) => {
      if (sessionId === a) await counted()
      return await store.read(sessionId, ...rest)
    },
    checkpoint: async (sessionId, ...rest) => {
      if (sessionId === a) await counted()
      return await store.checkpoint(sessionId, ...rest)
    },
  }
  return { watched, wasRemoved: () => reads >= before }
}

describe('log/remove', () => {
  it.each(Object.entries(readers))(
    'log/remove: a reader that the removal overtakes finds the session unknown, at every read: %s',
    async (_, reader) => {
      let refused = 0
      for (let before = 1; ; before += 1) {
        const { store, log } = opened()
        const { state, ownership } = await play(log, a, script)
        const whole = await reader(createSessionLog({ store }), state)
        for (const { sessionId } of (await collect(log.list())).filter(({ sessionId }) => sessionId === child)) {
          const acquired = await log.acquire(sessionId)
          if (acquired.kind === 'owned') await log.remove(acquired.ownership)
        }
        const { watched, wasRemoved } = removing(store, before, () => log.remove(ownership))
        const result = await reader(createSessionLog({ store: watched }), state).catch((error: unknown) => error)
        if (!wasRemoved()) {
          expect(result).toEqual(whole)
          break
        }
        refused += 1
        expect(result).toMatchObject({ code: 'unknown-session' })
        expect(await collect(log.list())).toEqual([])
      }
      expect(refused).toBeGreaterThan(0)
    },
  )
})
