/* A store whose groups wait for the test: what the group writer does between a write and its end can be watched without
   a clock. Passes the same contract suite as every store, as long as nobody holds it. */
import type { Append, AppendOutcome, CallOptions, LogStore } from '../../host/log/port.ts'

export interface HeldGroup {
  readonly appends: readonly Append[]
  readonly signal: AbortSignal | undefined
  /** Writes the group and lets its writer go on. */
  write(): Promise<void>
  /** Lets its writer go on with these outcomes, nothing written. */
  answer(outcome: AppendOutcome): void
}

export interface ControlledStore {
  readonly store: LogStore
  /** From now on groups wait until they are written or answered. */
  hold(): void
  /** The next group that arrives, or one that waits already. */
  nextGroup(): Promise<HeldGroup>
  /** Groups that arrived and wait. */
  waiting(): number
}

export function controlStore(inner: LogStore): ControlledStore {
  let held = false
  const groups: HeldGroup[] = []
  const readers: ((group: HeldGroup) => void)[] = []

  function holdGroup(appends: readonly Append[], options: CallOptions | undefined): Promise<AppendOutcome[]> {
    return new Promise((resolve, reject) => {
      const group: HeldGroup = {
        appends,
        signal: options?.signal,
        write: async () => {
          await inner.appendGroup(appends, options).then(resolve, reject)
        },
        answer: (outcome) => resolve(appends.map(() => outcome)),
      }
      const reader = readers.shift()
      if (reader === undefined) groups.push(group)
      else reader(group)
    })
  }

  return {
    store: {
      ...inner,
      appendGroup: (appends, options) => (held ? holdGroup(appends, options) : inner.appendGroup(appends, options)),
    },
    hold() {
      held = true
    },
    nextGroup: () =>
      new Promise((resolve) => {
        const group = groups.shift()
        if (group === undefined) readers.push(resolve)
        else resolve(group)
      }),
    waiting: () => groups.length,
  }
}
