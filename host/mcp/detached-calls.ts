/* Calls whose client was told to call again: the work goes on, and the same call made again takes it up instead of doing
   it twice. */

/** Kept at once. A client that never comes back must not fill the memory; the oldest is forgotten, its work stands in the log. */
const maxKept = 256

export class DetachedCalls<Answer> {
  readonly #workByKey = new Map<string, Promise<Answer>>()

  /** `key`: of session, tool and arguments. */
  keep(key: string, work: Promise<Answer>): void {
    work.catch(() => {})
    this.#workByKey.set(key, work)
    for (const oldest of this.#workByKey.keys()) {
      if (this.#workByKey.size <= maxKept) return
      this.#workByKey.delete(oldest)
    }
  }

  take(key: string): Promise<Answer> | undefined {
    const work = this.#workByKey.get(key)
    this.#workByKey.delete(key)
    return work
  }
}
