/* What the load test looks with must see: a frame lost, a frame twice, memory that grows. */
import { expect, test } from 'vitest'
import { growth } from './figures.ts'
import { Ledger, type SoakFrame } from './ledger.ts'

const sessionId = 's'
const incarnation = 'boot.0'
const begin: SoakFrame = { type: 'session/subscribed', sessionId, incarnation, n: 4, lastSeq: 7 }
const status = (n: number): SoakFrame => ({ type: 'session/status', sessionId, incarnation, n })
const event = (n: number, seq: number): SoakFrame => ({
  ...status(n),
  type: 'session/event',
  event: { seq, type: 'turn/start', data: {} },
})

const wrong: Record<string, { frames: readonly SoakFrame[]; says: RegExp }> = {
  'a frame that is lost': { frames: [begin, status(5), status(7)], says: /^a lost frame/ },
  'a frame that comes twice': { frames: [begin, status(5), status(5)], says: /^a frame twice/ },
  'an event that is lost': { frames: [begin, event(5, 8), event(6, 10)], says: /^a lost event/ },
  'an event that comes twice': { frames: [begin, event(5, 8), event(6, 8)], says: /^an event twice/ },
  'another incarnation': { frames: [begin, { ...status(1), incarnation: 'boot.1' }], says: /^another incarnation/ },
  'a second beginning': { frames: [begin, begin], says: /^the session began anew/ },
  'a live frame without n': {
    frames: [begin, status(5), { type: 'session/queue', sessionId }],
    says: /^a live frame without n/,
  },
  'another session': { frames: [begin, { ...status(5), sessionId: 'other' }], says: /^a frame of another session/ },
}

test.for(Object.entries(wrong))('durable-first: a socket under load does not pass over %s', ([, { frames, says }]) => {
  const ledger = new Ledger(sessionId)
  const last = frames.length - 1
  for (const frame of frames.slice(0, last)) ledger.take(frame)
  expect(() => frames.slice(last).forEach((frame) => ledger.take(frame))).toThrow(says)
})

test('durable-first: a socket under load knows where it stands', () => {
  const ledger = new Ledger(sessionId)
  for (const frame of [begin, { type: 'session/projection', sessionId }, event(5, 8), status(6)]) ledger.take(frame)
  expect(() => ledger.assertAt({ incarnation, n: 6, lastSeq: 8 })).not.toThrow()
  expect(() => ledger.assertAt({ incarnation, n: 7, lastSeq: 8 })).toThrow(/^the host says/)
})

test('durable-first: growth is seen through noise, and noise is no growth', () => {
  const noise = [3, -2, 40, 1, -3, 2, -30, 0]
  const points = (perTurn: number) => noise.map((each, x) => ({ x: x * 100, y: perTurn * x * 100 + each * 100 }))
  expect(Math.abs(growth(points(0)))).toBeLessThan(5)
  expect(growth(points(20))).toBeGreaterThan(15)
})
