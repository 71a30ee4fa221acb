/* Calls that can be given up: every call of the log port takes a signal (SPEC 2). */
import { LogError } from './port.ts'

/** The error of a call that was given up before it began; null where it was not. */
export function abortedError(signal: AbortSignal | undefined): LogError | null {
  if (!signal?.aborted) return null
  return new LogError('unavailable', 'the call to the log was given up', { cause: signal.reason })
}

/** Throws where the call was given up already. */
export function refuseAborted(signal: AbortSignal | undefined): void {
  const error = abortedError(signal)
  if (error !== null) throw error
}

/** The promise, or a rejection as soon as the signal aborts; the work itself goes on unseen. */
export async function abortable<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return await work
  let stop = () => {}
  const given = new Promise<never>((_resolve, reject) => {
    stop = () => reject(abortedError(signal))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, given])
  } finally {
    signal.removeEventListener('abort', stop)
    // The loser of the race may still reject; nobody waits for it any more.
    work.catch(() => {})
  }
}
