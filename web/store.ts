/* The smallest observable value: what React reads through `useSyncExternalStore`. Knows nothing of React's
   rendering; listeners run synchronously, in order of subscription, and see the new value. */
import { useRef, useSyncExternalStore } from 'react'

export interface ReadableStore<State> {
  getState(): State
  /** Returns its disposer; disposing twice is safe. */
  subscribe(listener: () => void): () => void
}

export interface Store<State> extends ReadableStore<State> {
  /** The same reference means no change: nobody is told. */
  setState(next: State): void
}

export function createStore<State>(initial: State): Store<State> {
  let state = initial
  const listeners = new Set<() => void>()
  return {
    getState: () => state,
    setState(next) {
      if (Object.is(state, next)) return
      state = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      // Wrapped, so that one function subscribed twice is two subscriptions.
      const own = () => listener()
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
  }
}

/** What a component needs of a store. It renders again only when the selected value changes under `equal`. */
export function useStore<State, Value>(
  store: ReadableStore<State>,
  selector: (state: State) => Value,
  equal: (left: Value, right: Value) => boolean = Object.is,
): Value {
  const last = useRef<{ state: State; selector: (state: State) => Value; value: Value } | null>(null)
  const select = (): Value => {
    const state = store.getState()
    const known = last.current
    if (known !== null && Object.is(known.state, state) && known.selector === selector) return known.value
    const next = selector(state)
    const value = known !== null && equal(known.value, next) ? known.value : next
    last.current = { state, selector, value }
    return value
  }
  return useSyncExternalStore(store.subscribe, select)
}
