/* Time as an argument: everything in the host that waits or stamps takes a `Clock`. */
import { setTimeout as delay } from 'node:timers/promises'

export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => {}),
}
