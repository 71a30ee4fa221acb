/* The browser's storage with two tabs on it: writes of one tab are heard by the other, never by itself. */
import { createBrowserStorage, type Storage } from '../../../../web/storage.ts'

export interface SharedStorage {
  tab(): Storage
  /** Writes fail from here on, as in a full storage. */
  fill(): void
  keys(): string[]
}

export function sharedStorage(): SharedStorage {
  const values = new Map<string, string>()
  const targets: EventTarget[] = []
  let full = false
  const tell = (own: EventTarget, key: string) => {
    for (const target of targets) {
      if (target !== own) target.dispatchEvent(new StorageEvent('storage', { key }))
    }
  }
  return {
    tab() {
      const own = new EventTarget()
      targets.push(own)
      const backend = {
        get length() {
          return values.size
        },
        clear: () => values.clear(),
        key: (index: number) => [...values.keys()][index] ?? null,
        getItem: (key: string) => values.get(key) ?? null,
        setItem(key: string, value: string) {
          if (full) throw new DOMException('full', 'QuotaExceededError')
          values.set(key, value)
          Object.defineProperty(backend, key, { value, enumerable: true, configurable: true })
          tell(own, key)
        },
        removeItem(key: string) {
          values.delete(key)
          tell(own, key)
        },
      }
      // `Object.keys` of a real storage names its entries.
      const proxy = new Proxy(backend, {
        ownKeys: () => [...values.keys()],
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      })
      return createBrowserStorage(proxy, own)
    },
    fill() {
      full = true
    },
    keys: () => [...values.keys()],
  }
}
