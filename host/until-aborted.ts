/* Waiting that a signal can end: what is awaited may go on, but nobody waits for it any more. */

/** The value, or 'aborted' as soon as the signal says so; a late value or failure is ignored. */
export function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | 'aborted'> {
  if (signal.aborted) {
    value.catch(() => {})
    return Promise.resolve('aborted')
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
