/* The unsent text of one session, kept in this browser and the same in every tab. Rules: D-OWN a draft
   belongs to its session alone; D-SENT what was sent in one tab is never written back by another; D-NEWER a
   tab that missed a change takes it over before it writes, unless the person is typing in that very tab. */
import { z } from 'zod'
import type { SessionId } from '../../shared/ids.ts'
import type { Storage } from '../storage.ts'
import { createStore, type ReadableStore } from '../store.ts'

export interface DraftState {
  readonly text: string
  /** False: the browser's storage did not take it. */
  readonly saved: boolean
}

export interface DraftStore extends ReadableStore<DraftState> {
  type(text: string): void
  /** Replaces or empties the text now, in every tab. */
  replace(text: string): void
  /** Looks at the storage again: another tab may have written while this one slept. */
  refresh(): void
  /** Writes what waits to be written. */
  flush(): void
  dispose(): void
}

const draftSchema = z.object({ text: z.string(), revision: z.int().nonnegative() })

export const draftKey = (sessionId: SessionId): string => `draft:${sessionId}`

/** A pause in typing; short enough that a crash costs a word. */
const writeDelayMs = 250

export function createDraftStore(
  sessionId: SessionId,
  storage: Storage,
  after: (delayMs: number, work: () => void) => () => void,
): DraftStore {
  const key = draftKey(sessionId)
  const first = read()
  const state = createStore<DraftState>({ text: first.text, saved: true })
  /** The last revision this tab has seen. */
  let { revision } = first
  let cancelWrite: (() => void) | null = null

  function read(): z.infer<typeof draftSchema> {
    return storage.read(key, draftSchema) ?? { text: '', revision: 0 }
  }

  function write(): void {
    cancelWrite?.()
    cancelWrite = null
    const { text } = state.getState()
    revision = Math.max(revision, read().revision) + 1
    // An emptied draft is kept as an empty one: its revision tells the other tabs that it was sent.
    state.setState({ text, saved: storage.write(key, { text, revision }) || text === '' })
  }

  function refresh(): void {
    if (cancelWrite !== null) return
    const stored = read()
    if (stored.revision <= revision) return
    ;({ revision } = stored)
    if (stored.text !== state.getState().text) state.setState({ text: stored.text, saved: true })
  }

  const stopListening = storage.onChange(key, refresh)
  return {
    ...state,
    type(text) {
      if (text === state.getState().text) return
      state.setState({ ...state.getState(), text })
      cancelWrite ??= after(writeDelayMs, write)
    },
    replace(text) {
      state.setState({ ...state.getState(), text })
      write()
    },
    refresh,
    flush() {
      if (cancelWrite !== null) write()
    },
    dispose() {
      if (cancelWrite !== null) write()
      stopListening()
    },
  }
}
