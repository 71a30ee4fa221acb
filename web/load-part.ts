/* Parts of the page that are loaded when they are needed. The host may be away just then, or newer than this
   page and without the part. Rules: PART-AGAIN a part is asked for until it comes, so a place that waits for it
   is never left empty for good; PART-OLD one that stays away is said, because then only a reload helps. */
import { createStore, type ReadableStore } from './store.ts'

/** Failures in a row after which the page is taken for outdated. */
const patience = 3
const firstDelayMs = 1_000
const longestDelayMs = 15_000

const missing = createStore(false)

/** A part could not be loaded several times in a row. */
export const partsMissing: ReadableStore<boolean> = missing

/** Never rejects. Calls share one loading. Nothing is loaded before the first call. */
export function loadPart<Part>(
  load: () => Promise<Part>,
  after: (delayMs: number, work: () => void) => void = (delayMs, work) => void setTimeout(work, delayMs),
): () => Promise<Part> {
  let loading: Promise<Part> | null = null
  const attempt = (failures: number): Promise<Part> =>
    load().then(
      (part) => {
        if (failures >= patience) missing.setState(false)
        return part
      },
      () => {
        if (failures + 1 === patience) missing.setState(true)
        return new Promise((resolve) => {
          after(Math.min(longestDelayMs, firstDelayMs * 2 ** failures), () => resolve(attempt(failures + 1)))
        })
      },
    )
  return () => (loading ??= attempt(0))
}
