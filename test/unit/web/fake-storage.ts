/* One browser storage seen by several tabs: a write in one is heard by the others, as browsers do it. */
import { createBrowserStorage, type Storage } from '../../../web/storage.ts'

export interface FakeBrowser {
  /** A new tab; `asleep()` stops it from hearing the others. */
  tab(): { storage: Storage; sleep: () => void; wake: () => void }
  /** Raw values by key. */
  raw: Map<string, string>
  /** From now on every write fails. */
  fill(): void
}

class TabEvent extends Event {
  readonly key: string

  constructor(key: string) {
    super('storage')
    this.key = key
  }
}

export function createFakeBrowser(): FakeBrowser {
  // `createBrowserStorage` asks for the browser's own class of event.
  Object.assign(globalThis, { StorageEvent: TabEvent })
  const raw = new Map<string, string>()
  const tabs: { target: EventTarget; awake: boolean }[] = []
  let full = false
  return {
    raw,
    fill() {
      full = true
    },
    tab() {
      const own = { target: new EventTarget(), awake: true }
      tabs.push(own)
      const tell = (key: string) => {
        for (const tab of tabs) if (tab !== own && tab.awake) tab.target.dispatchEvent(new TabEvent(key))
      }
      const backend = {
        getItem: (key: string) => raw.get(key) ?? null,
        setItem: (key: string, value: string) => {
          if (full) throw new DOMException('full', 'QuotaExceededError')
          raw.set(key, value)
          tell(key)
        },
        removeItem: (key: string) => {
          raw.delete(key)
          tell(key)
        },
        clear: () => raw.clear(),
        key: (index: number) => [...raw.keys()][index] ?? null,
        get length() {
          return raw.size
        },
      }
      return {
        storage: createBrowserStorage(backend, own.target),
        sleep: () => {
          own.awake = false
        },
        wake: () => {
          own.awake = true
        },
      }
    },
  }
}
