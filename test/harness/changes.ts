/* One place where everything a test observes (frames, answers, model calls, admissions) reports that something
   changed. A wait is a condition that is looked at again after each report, with a deadline; nothing ever sleeps. */

/** Waits fail after this long. Far above what a healthy host needs, even on a busy machine. */
const defaultDeadlineMs = 10_000

/** What a condition answers while it is not met. */
type Unmet = undefined | null | false

export interface Observer {
  notify(): void
  fail(cause: Error): void
}

interface Waiter {
  look(): void
  fail(cause: Error): void
}

export class Changes implements Observer {
  readonly #waiters = new Set<Waiter>()
  readonly #deadlineMs: number
  #broken: Error | null = null

  constructor(deadlineMs = defaultDeadlineMs) {
    this.#deadlineMs = deadlineMs
  }

  /** Something was observed. */
  notify(): void {
    for (const waiter of [...this.#waiters]) waiter.look()
  }

  /** Nothing more can be trusted: ends every wait, now and later. The first cause stands. */
  fail(cause: Error): void {
    this.#broken ??= cause
    for (const waiter of [...this.#waiters]) waiter.fail(this.#broken)
  }

  /** Throws what `fail` was told. */
  assertSound(): void {
    if (this.#broken !== null) throw this.#broken
  }

  /** The first answer of `condition` that is neither undefined, null nor false. `describe` is called only on failure. */
  until<Value>(condition: () => Value | Unmet, describe: string | (() => string)): Promise<Value> {
    return new Promise((resolve, reject) => {
      const describing = () => (typeof describe === 'string' ? describe : describe())
      const settle = (then: () => void) => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        then()
      }
      const waiter: Waiter = {
        look: () => {
          try {
            const value = condition()
            if (value !== undefined && value !== null && value !== false) settle(() => resolve(value))
          } catch (cause) {
            settle(() => reject(cause))
          }
        },
        fail: (cause) =>
          settle(() => reject(new Error(`${cause.message}\nwhile waiting for ${describing()}`, { cause }))),
      }
      const timer = setTimeout(() => {
        settle(() => reject(new Error(`not within ${this.#deadlineMs} ms: ${describing()}`)))
      }, this.#deadlineMs)
      this.#waiters.add(waiter)
      if (this.#broken === null) waiter.look()
      else waiter.fail(this.#broken)
    })
  }
}

/** One observed thing and everyone who looks at it: concurrent tests share a model server. */
export class Watchers implements Observer {
  readonly #observers = new Set<Observer>()

  /** Answers how to stop watching. */
  add(observer: Observer): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  notify(): void {
    for (const observer of this.#observers) observer.notify()
  }

  fail(cause: Error): void {
    for (const observer of this.#observers) observer.fail(cause)
  }
}
