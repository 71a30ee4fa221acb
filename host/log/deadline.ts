/* Every call to a store has its time (SPEC 2): a disk that hangs must become an answer. */
import { setMaxListeners } from 'node:events'
import { LogError, type CallOptions, type LogStore } from './port.ts'

export interface Deadline {
  signal: AbortSignal
  /** Ends the clock. Idempotent. */
  dispose: () => void
}

/** Starts a clock; called once per call or group. */
export type StartDeadline = () => Deadline

/** Reads and flushes take milliseconds; a disk that needs this long is as good as gone. */
export const storeDeadlineMs = 10_000

/**
 * Calls that begin within a tenth of `ms` share one clock, so a call has between `ms` and a tenth more. A clock of its
 * own would cost more than most calls it watches.
 */
export function timerDeadline(ms: number = storeDeadlineMs): StartDeadline {
  const sharedMs = ms / 10
  let current: { signal: AbortSignal; until: number } | null = null
  return () => {
    const now = performance.now()
    if (current === null || now >= current.until) {
      const controller = new AbortController()
      // Every call that is under way listens; that is no leak, and Node must not warn of one.
      setMaxListeners(0, controller.signal)
      const late = () => controller.abort(new LogError('unavailable', `the store did not answer within ${ms} ms`))
      // A process that wants to end does not wait for it: what it watches keeps the process alive by itself.
      setTimeout(late, ms + sharedMs).unref()
      current = { signal: controller.signal, until: now + sharedMs }
    }
    return { signal: current.signal, dispose: () => {} }
  }
}

/** The store with a deadline on every call but `appendGroup`, whose time belongs to the group writer. */
export function withDeadlines(store: LogStore, start: StartDeadline): LogStore {
  async function timed<Value>(options: CallOptions | undefined, call: (options: CallOptions) => Promise<Value>) {
    const { signal, dispose } = start()
    try {
      return await call({ signal: options?.signal === undefined ? signal : AbortSignal.any([signal, options.signal]) })
    } finally {
      dispose()
    }
  }
  return {
    acquire: (sessionId, options) => timed(options, (timedOptions) => store.acquire(sessionId, timedOptions)),
    release: (ownership) => store.release(ownership),
    appendGroup: (appends, options) => store.appendGroup(appends, options),
    read: (sessionId, range, options) => timed(options, (timedOptions) => store.read(sessionId, range, timedOptions)),
    lookup: (sessionId, kind, id, options) =>
      timed(options, (timedOptions) => store.lookup(sessionId, kind, id, timedOptions)),
    checkpoint: (sessionId, options) => timed(options, (timedOptions) => store.checkpoint(sessionId, timedOptions)),
    header: (sessionId, options) => timed(options, (timedOptions) => store.header(sessionId, timedOptions)),
    headers: (page, options) => timed(options, (timedOptions) => store.headers(page, timedOptions)),
    // A long log takes its time to delete; the header is gone at once.
    remove: (ownership, options) => store.remove(ownership, options),
    close: () => store.close(),
  }
}
