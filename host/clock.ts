/* Time as an argument: everything in the host that waits or stamps takes a `Clock`. */

export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // That of `node:timers/promises` makes an error with a stack for each sleep that is cut short, and most are.
  sleep(ms, signal) {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, ms).unref()
      signal.addEventListener('abort', wake, { once: true })
    })
  },
}
