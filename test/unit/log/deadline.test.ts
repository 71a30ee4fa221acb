/* The clocks that watch calls to a store (SPEC 2): shared by calls that begin together, and never too early. */
import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { timerDeadline } from '../../../host/log/deadline.ts'
import { LogError } from '../../../host/log/port.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('deadline-time: a call has its time, and at most a tenth more', () => {
  const start = timerDeadline(1000)
  const first = start()
  vi.advanceTimersByTime(99)
  // Begun late on the same clock: it must not be cut by what the first one used up.
  const second = start()
  expect(second.signal).toBe(first.signal)
  vi.advanceTimersByTime(1000)
  expect(second.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(second.signal.aborted).toBe(true)
  expect(second.signal.reason).toBeInstanceOf(LogError)
})

test('deadline-time: a later call has a clock of its own', () => {
  const start = timerDeadline(1000)
  const first = start()
  vi.advanceTimersByTime(100)
  const second = start()
  expect(second.signal).not.toBe(first.signal)
  vi.advanceTimersByTime(1000)
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false])
})

test('deadline-many: as many calls as there are may listen, and nobody speaks of a leak', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const { signal } = timerDeadline(1000)()
  for (let call = 0; call < 100; call += 1) signal.addEventListener('abort', () => {})
  expect(getEventListeners(signal, 'abort')).toHaveLength(100)
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})
