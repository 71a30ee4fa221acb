/* The smallest observable value: what React reads through `useSelector`. Knows nothing of React's
   rendering; listeners run synchronously, in order of subscription, and see the new value. */
import { useSelector } from '@xstate/react'
import { useMemo } from 'react'

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
  const actor = useMemo(() => asActor(store), [store])
  return useSelector(actor, ({ state }) => selector(state), equal)
}

type Notify = (value: unknown) => void
type Observer = Notify | { next?: Notify }

/** A store in the shape that `useSelector` reads. Boxed, because a state may be a plain string. */
function asActor<State>(store: ReadableStore<State>) {
  let box = { state: store.getState() }
  const getSnapshot = () => {
    const state = store.getState()
    if (!Object.is(box.state, state)) box = { state }
    return box
  }
  const subscribe = (observer: Observer) => {
    const notify = typeof observer === 'function' ? observer : observer.next
    return { unsubscribe: store.subscribe(() => notify?.(getSnapshot())) }
  }
  return { getSnapshot, subscribe }
}
