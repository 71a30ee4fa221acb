/* The browser's storage, checked on the way in. A full or forbidden storage never throws here: a write
   answers false, a read answers null. Knows no feature; every feature names its own keys. */
import type { z } from 'zod'

const prefix = 'task-surface:'

export interface Storage {
  read<Value>(key: string, schema: z.ZodType<Value>): Value | null
  /** False: not saved (no storage, or full). */
  write(key: string, value: unknown): boolean
  remove(key: string): void
  keys(): string[]
  /** Another tab changed the key. */
  onChange(key: string, listener: () => void): () => void
}

export function createBrowserStorage(backend: globalThis.Storage | null, target: EventTarget): Storage {
  function guarded<Value>(work: (storage: globalThis.Storage) => Value, otherwise: Value): Value {
    if (backend === null) return otherwise
    try {
      return work(backend)
    } catch {
      return otherwise
    }
  }
  return {
    read(key, schema) {
      const text = guarded((storage) => storage.getItem(prefix + key), null)
      if (text === null) return null
      try {
        const parsed = schema.safeParse(JSON.parse(text))
        return parsed.success ? parsed.data : null
      } catch {
        return null
      }
    },
    write: (key, value) =>
      guarded((storage) => {
        storage.setItem(prefix + key, JSON.stringify(value))
        return true
      }, false),
    remove: (key) => guarded((storage) => storage.removeItem(prefix + key), undefined),
    keys: () =>
      guarded(
        (storage) =>
          Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '').flatMap((key) =>
            key.startsWith(prefix) ? [key.slice(prefix.length)] : [],
          ),
        [],
      ),
    onChange(key, listener) {
      const own = (event: Event) => {
        // A null key: the whole storage was cleared.
        if (event instanceof StorageEvent && (event.key === prefix + key || event.key === null)) listener()
      }
      target.addEventListener('storage', own)
      return () => target.removeEventListener('storage', own)
    },
  }
}

/** Reading `localStorage` itself throws where cookies are blocked. */
export function browserStorage(): Storage {
  try {
    return createBrowserStorage(window.localStorage, window)
  } catch {
    return createBrowserStorage(null, window)
  }
}
