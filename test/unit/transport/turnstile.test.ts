/* The turnstile on an event loop and a watch of the test's own: each message takes as long as it says. */
import { expect, it } from 'vitest'
import {
  createTurnstile,
  keptAfterClose,
  maxWaiting,
  maxWaitingSize,
  turnMs,
} from '../../../host/transport/turnstile.ts'

function stage() {
  let now = 0
  let turns: (() => void)[] = []
  const effects: (() => void)[] = []
  const taken: string[] = []
  const lost: string[] = []
  const turnstile = createTurnstile({
    now: () => now,
    afterTurn: (work) => void turns.push(work),
    afterEffects: (work) => void effects.push(work),
  })
  return {
    taken,
    lost,
    /** `send` takes a name for the message and the milliseconds that it costs. */
    open(name: string) {
      const line = turnstile.open(() => lost.push(name))
      return {
        line,
        owe(message: string, { ms = 0 } = {}) {
          line.owe(() => {
            now += ms
            taken.push(`${name}${message}`)
          })
        },
        send(message: string, { ms = 0, size = 1 } = {}) {
          line.receive(size, () => {
            now += ms
            taken.push(`${name}${message}`)
          })
        },
      }
    },
    /** The event loop goes round once. False: nothing waits. */
    turn(): boolean {
      const work = turns
      turns = []
      for (const each of work) each()
      for (let next = effects.shift(); next !== undefined; next = effects.shift()) next()
      return work.length > 0
    },
  }
}

it('first-at-once: a message of a quiet socket is taken in its tick, whatever others have spent', () => {
  const { open, taken } = stage()
  const [loud, quiet] = [open('loud'), open('quiet')]
  loud.send('1', { ms: turnMs })
  loud.send('2')
  expect(taken).toEqual(['loud1'])
  quiet.send('1')
  expect(taken).toEqual(['loud1', 'quiet1'])
})

it('bounded-turn: while the turn has time left messages are taken at once, then the loop goes round first', () => {
  const { open, taken, turn } = stage()
  const { send } = open('')
  for (const name of 'abcdefghij') send(name, { ms: turnMs / 2 })
  expect(taken.join('')).toBe('ab')
  turn()
  expect(taken.join('')).toBe('abcd')
  turn()
  expect(taken.join('')).toBe('abcdef')
  while (turn());
  expect(taken.join('')).toBe('abcdefghij')
})

it('in-turn: who waits is served each in turn, and every socket in its own order', () => {
  const { open, taken, turn } = stage()
  const [first, second] = [open('a'), open('b')]
  for (const socket of [first, second]) for (const name of ['1', '2', '3', '4']) socket.send(name, { ms: turnMs })
  turn()
  expect(taken).toEqual(['a1', 'b1', 'a2'])
  turn()
  expect(taken).toEqual(['a1', 'b1', 'a2', 'b2'])
  while (turn());
  expect(taken.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4'])
  expect(taken.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2', 'b3', 'b4'])
})

it('in-turn: a message behind waiting ones waits as well, even where the turn has time again', () => {
  const { open, taken, turn } = stage()
  const { send } = open('')
  send('a', { ms: turnMs })
  send('b', { ms: turnMs })
  send('c', { ms: turnMs })
  turn()
  send('d')
  expect(taken.join('')).toBe('ab')
  while (turn());
  expect(taken.join('')).toBe('abcd')
})

it('bounded-queue: one message too many gives the socket up, once, and nothing of it is taken any more', () => {
  const { open, taken, lost, turn } = stage()
  const [loud, quiet] = [open('loud'), open('quiet')]
  loud.send('', { ms: turnMs })
  for (let sent = 0; sent < maxWaiting; sent += 1) loud.send('')
  expect(lost).toEqual([])
  loud.send('')
  loud.send('')
  quiet.send('')
  while (turn());
  expect(lost).toEqual(['loud'])
  expect(taken).toEqual(['loud', 'quiet'])
})

it('bounded-queue: what was taken no longer counts, so that a steady stream may go on for ever', () => {
  const { open, taken, lost, turn } = stage()
  const { send } = open('')
  for (let round = 0; round < 5; round += 1) {
    send('', { ms: turnMs })
    for (let sent = 0; sent < maxWaiting - 1; sent += 1) send('', { size: maxWaitingSize / maxWaiting })
    while (turn());
  }
  expect(lost).toEqual([])
  expect(taken).toHaveLength(5 * maxWaiting)
})

it('bounded-queue: few messages that are too large together give the socket up', () => {
  const { open, lost } = stage()
  const { send } = open('a')
  send('', { ms: turnMs })
  send('', { size: maxWaitingSize })
  expect(lost).toEqual([])
  send('', { size: 1 })
  expect(lost).toEqual(['a'])
})

it('bounded-queue: what a socket asked for before it closed is done, as far as a client may ask, and nothing after', () => {
  const { open, taken, turn } = stage()
  const { line, send } = open('')
  send('a', { ms: turnMs })
  for (let sent = 0; sent < keptAfterClose + 10; sent += 1) send(`${sent} `)
  line.close()
  line.close()
  send('never')
  while (turn());
  expect(taken).toEqual(['a', ...Array.from({ length: keptAfterClose }, (_, sent) => `${sent} `)])
})

it('owed-answers: they take turns like messages, and come before those of their socket, which wait for them', () => {
  const { open, taken, turn } = stage()
  const { send, owe } = open('')
  send('a', { ms: turnMs })
  owe('B', { ms: turnMs })
  send('c', { ms: turnMs })
  owe('D')
  expect(taken.join('')).toBe('a')
  turn()
  expect(taken.join('')).toBe('aB')
  while (turn());
  expect(taken.join('')).toBe('aBDc')
})

it('owed-answers: they are done when the socket has gone, also when it was given up', () => {
  const { open, taken, lost, turn } = stage()
  const { line, send, owe } = open('')
  send('a', { ms: turnMs })
  owe('B')
  send('c', { size: maxWaitingSize + 1 })
  owe('D')
  line.close()
  owe('E')
  expect([taken, lost]).toEqual([['a'], ['']])
  while (turn());
  expect(taken.join('')).toBe('aBDE')
})

it('bounded-turn: what follows from one message has run before the next is taken', async () => {
  const order: string[] = []
  const turnstile = createTurnstile({
    now: () => order.filter((name) => name.startsWith('taken')).length * (turnMs / 8),
    afterTurn: (work) => void setImmediate(work),
    afterEffects: (work) => queueMicrotask(() => process.nextTick(work)),
  })
  const line = turnstile.open(() => {})
  const all = Array.from({ length: 40 }, (_, index) => {
    return new Promise<void>((resolve) =>
      line.receive(1, () => {
        order.push(`taken ${index}`)
        void Promise.resolve()
          .then(() => null)
          .then(() => null)
          .then(() => order.push(`done ${index}`))
          .then(() => resolve())
      }),
    )
  })
  await Promise.all(all)
  // Those of the first turn were taken in one tick, by the test.
  const later = order.slice(order.indexOf('taken 10'))
  expect(later).toEqual(Array.from({ length: 30 }, (_, index) => [`taken ${index + 10}`, `done ${index + 10}`]).flat())
})
