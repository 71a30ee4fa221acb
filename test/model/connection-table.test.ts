import { expect, it } from 'vitest'
import { connectionMachine, retryDelayMs } from '../../machines/connection.ts'
import { describeTable, type Definition, type StateOf } from './transition-table.ts'

const rules = ['hello-first', 'backoff', 'doubt', 'one-socket', 'refused-stays', 'last-up'] as const

const hello = { type: 'HELLO', bootId: 'boot-1', version: '1.0.0' } as const
const otherHello = { type: 'HELLO', bootId: 'boot-2', version: '1.0.1' } as const
const closed = { type: 'CLOSED', at: 10_000, random: 1 } as const
const closedLater = { type: 'CLOSED', at: 20_000, random: 0 } as const
const silent = { type: 'SILENT', at: 12_000, random: 0.5 } as const
const doubt = { type: 'DOUBT' } as const
const retryDue = { type: 'RETRY_DUE' } as const
const refused = { type: 'REFUSED' } as const

const up = { failures: 0, retryAt: null, downSince: null, everUp: true, bootId: 'boot-1', version: '1.0.0' }
const waits = ['dropSocket', 'scheduleRetry']
const goesOn = ['cancelRetry', 'openSocket']
/** What `CLOSED` at 10,000 with the longest jitter makes of a first failure. */
const firstFailure = { failures: 1, retryDelayMs: 500, retryAt: 10_500 }
const firstSilence = { failures: 1, retryDelayMs: 375, retryAt: 12_375 }

const definition = {
  file: 'connection.ts',
  rules,
  reach: {
    connecting: [],
    'up.steady': [hello],
    'up.probing': [hello, doubt],
    waiting: [closed],
    refused: [closed, refused],
  },
  samples: {
    HELLO: hello,
    CLOSED: closed,
    SILENT: silent,
    REFUSED: refused,
    RETRY_DUE: retryDue,
    TRY_NOW: { type: 'TRY_NOW' },
    WOKEN: { type: 'WOKEN' },
    DOUBT: doubt,
    ANSWERED: { type: 'ANSWERED' },
  },
  table: {
    connecting: {
      HELLO: [
        { rule: 'hello-first', to: 'up.steady', context: up },
        {
          rule: 'backoff',
          when: 'after failures',
          after: [closed, retryDue, closedLater, retryDue],
          to: 'up.steady',
          context: up,
        },
        {
          rule: 'last-up',
          when: 'another boot',
          after: [hello, closed, retryDue],
          event: otherHello,
          to: 'up.steady',
          context: { ...up, bootId: 'boot-2', version: '1.0.1' },
        },
      ],
      CLOSED: [
        { rule: 'backoff', to: 'waiting', context: firstFailure, does: waits },
        {
          rule: 'backoff',
          when: 'again',
          after: [closed, retryDue],
          event: closedLater,
          to: 'waiting',
          context: { failures: 2, retryDelayMs: 500, retryAt: 20_500 },
          does: waits,
        },
        {
          rule: 'last-up',
          when: 'again after a connection: the first loss counts',
          after: [hello, closed, retryDue],
          event: closedLater,
          to: 'waiting',
          context: { failures: 2, retryDelayMs: 500, retryAt: 20_500 },
          does: waits,
        },
      ],
      SILENT: { rule: 'hello-first', to: 'waiting', context: firstSilence, does: waits },
      REFUSED: { rule: 'refused-stays', to: null },
      RETRY_DUE: { rule: 'one-socket', to: null },
      TRY_NOW: { rule: 'one-socket', to: null },
      WOKEN: { rule: 'one-socket', to: null },
      DOUBT: { rule: 'doubt', to: null },
      ANSWERED: { rule: 'doubt', to: null },
    },
    'up.steady': {
      HELLO: { rule: 'one-socket', event: otherHello, to: null },
      CLOSED: { rule: 'last-up', to: 'waiting', context: { ...firstFailure, downSince: 10_000 }, does: waits },
      SILENT: { rule: 'doubt', to: null },
      REFUSED: { rule: 'refused-stays', to: null },
      RETRY_DUE: { rule: 'one-socket', to: null },
      TRY_NOW: { rule: 'one-socket', to: null },
      WOKEN: { rule: 'doubt', to: 'up.probing', does: ['probe'] },
      DOUBT: { rule: 'doubt', to: 'up.probing', does: ['probe'] },
      ANSWERED: { rule: 'doubt', to: null },
    },
    'up.probing': {
      HELLO: { rule: 'one-socket', event: otherHello, to: null },
      CLOSED: { rule: 'last-up', to: 'waiting', context: { ...firstFailure, downSince: 10_000 }, does: waits },
      SILENT: { rule: 'doubt', to: 'waiting', context: { ...firstSilence, downSince: 12_000 }, does: waits },
      REFUSED: { rule: 'refused-stays', to: null },
      RETRY_DUE: { rule: 'one-socket', to: null },
      TRY_NOW: { rule: 'one-socket', to: null },
      WOKEN: { rule: 'doubt', to: null },
      DOUBT: { rule: 'doubt', to: null },
      ANSWERED: { rule: 'doubt', to: 'up.steady' },
    },
    waiting: {
      HELLO: { rule: 'one-socket', to: null },
      CLOSED: { rule: 'one-socket', to: null },
      SILENT: { rule: 'one-socket', to: null },
      REFUSED: { rule: 'refused-stays', to: 'refused', context: { retryAt: null }, does: ['cancelRetry'] },
      RETRY_DUE: { rule: 'backoff', to: 'connecting', context: { retryAt: null }, does: goesOn },
      TRY_NOW: { rule: 'backoff', to: 'connecting', context: { retryAt: null }, does: goesOn },
      WOKEN: { rule: 'backoff', to: 'connecting', context: { retryAt: null }, does: goesOn },
      DOUBT: { rule: 'doubt', to: null },
      ANSWERED: { rule: 'one-socket', to: null },
    },
    refused: {
      HELLO: { rule: 'one-socket', to: null },
      CLOSED: { rule: 'one-socket', to: null },
      SILENT: { rule: 'one-socket', to: null },
      REFUSED: { rule: 'refused-stays', to: null },
      RETRY_DUE: { rule: 'refused-stays', to: null },
      TRY_NOW: { rule: 'refused-stays', to: 'connecting', does: ['openSocket'] },
      WOKEN: { rule: 'refused-stays', to: null },
      DOUBT: { rule: 'doubt', to: null },
      ANSWERED: { rule: 'one-socket', to: null },
    },
  },
} satisfies Definition<typeof connectionMachine, StateOf<typeof connectionMachine>, (typeof rules)[number]>

describeTable(connectionMachine, definition)

it('backoff: the wait doubles up to a limit and keeps its jitter in the upper half', () => {
  const shortest = Array.from({ length: 40 }, (_, failures) => retryDelayMs(failures, 0))
  expect(shortest.slice(0, 6)).toEqual([250, 500, 1000, 2000, 4000, 7500])
  expect(Math.max(...shortest)).toBe(7500)
  expect(retryDelayMs(0, 1)).toBe(500)
  expect(retryDelayMs(1e6, 1)).toBe(15_000)
})
