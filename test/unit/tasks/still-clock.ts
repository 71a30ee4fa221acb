/* Time that stands still until a test moves it. */
import type { Clock } from '../../../host/clock.ts'

interface Sleeper {
  at: number
  wake: () => void
}

export class StillClock implements Clock {
  #now = 1_000_000
  #sleepers: Sleeper[] = []

  now(): number {
    return this.#now
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    // The system's timers end at once what is longer.
    if (ms > 2 ** 31 - 1) throw new RangeError(`no timer waits ${ms} ms`)
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const sleeper = { at: this.#now + ms, wake: resolve }
      this.#sleepers.push(sleeper)
      signal.addEventListener('abort', () => this.#wake(sleeper), { once: true })
    })
  }

  get sleeping(): number {
    return this.#sleepers.length
  }

  /** Wakes whoever is due, and lets what follows from that happen. */
  async advance(ms: number): Promise<void> {
    this.#now += ms
    for (const sleeper of this.#sleepers.filter(({ at }) => at <= this.#now)) this.#wake(sleeper)
    await settled()
  }

  #wake(sleeper: Sleeper): void {
    this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
    sleeper.wake()
  }
}

/** Lets everything happen that waits for nothing but its turn, file calls aside. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}
