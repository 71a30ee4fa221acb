/* Time that stands still until a test moves it. Timers due at one moment run in the order they were set. */
export interface ManualClock {
  now: () => number
  after: (delayMs: number, work: () => void) => () => void
  /** Runs what falls due on the way, at its own time. */
  advance(ms: number): void
  pending(): number
}

export function createManualClock(start = 1_000_000): ManualClock {
  let time = start
  let timers: { at: number; work: () => void }[] = []
  return {
    now: () => time,
    after(delayMs, work) {
      const timer = { at: time + delayMs, work }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    advance(ms) {
      const end = time + ms
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).toSorted((left, right) => left.at - right.at)[0]
        if (due === undefined) break
        timers = timers.filter((one) => one !== due)
        time = due.at
        due.work()
      }
      time = end
    },
    pending: () => timers.length,
  }
}
