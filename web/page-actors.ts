/* The lifecycles of this page, for who looks at them: every actor says here that it lives and when it is over. Nothing is
   recorded and nothing is built; XState's own inspection is switched on by who watches (`plugins/lifecycles`). */
import type { AnyActorRef } from 'xstate'
import type { SessionId } from '../shared/ids.ts'
import { createStore, type ReadableStore } from './store.ts'

export interface PageActor {
  machine: string
  /** Null: it serves the whole page. */
  sessionId: SessionId | null
  actor: AnyActorRef
}

/** Says that an actor lives; the answer says that it is over. */
export type NoteActor = (noted: PageActor) => () => void

export interface PageActors {
  readonly list: ReadableStore<readonly PageActor[]>
  readonly note: NoteActor
}

export function createPageActors(): PageActors {
  const list = createStore<readonly PageActor[]>([])
  return {
    list,
    note(noted) {
      list.setState([...list.getState(), noted])
      return () => list.setState(list.getState().filter((other) => other !== noted))
    },
  }
}
