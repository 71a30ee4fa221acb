/* A small seeded generator: the same seed gives the same choices on every machine. What a host makes of them still hangs
   on its timing, so a seed replays the moves of a case and not the instant at which each arrived. */

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0, below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Undefined for none. */
  pick<Value>(from: readonly Value[]): Value | undefined {
    return from[this.below(from.length)]
  }

  one<Value>(first: Value, ...others: readonly Value[]): Value {
    return others[this.below(others.length + 1) - 1] ?? first
  }

  /** By weight. */
  weighted<Value>(from: readonly (readonly [weight: number, value: Value])[]): Value | undefined {
    let left = this.next() * from.reduce((sum, [weight]) => sum + weight, 0)
    return from.find(([weight]) => (left -= weight) < 0)?.[1]
  }

  /** A generator of its own, so that what one part draws does not move the other. */
  fork(): Random {
    return new Random(this.below(2 ** 32))
  }
}
