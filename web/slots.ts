/* Where plugins put things into a conversation (SPEC 9). A plugin registers through a scope; disposing the
   scope takes its entries out again and disposes the per-session stores it made. Stored drafts and the
   transcript are not the scope's to touch. Knows no plugin. */
import type { ComponentType } from 'react'
import type { SessionId } from '../shared/ids.ts'
import type { IconName } from './icon.tsx'
import type { ToolCall, ToolResult } from './session/session-state.ts'
import type { SessionHandle } from './session/session-store.ts'
import { createStore, type ReadableStore } from './store.ts'

export interface ToolviewProps {
  session: SessionHandle
  call: ToolCall
  result: ToolResult | null
}
export interface SessionProps {
  session: SessionHandle
}

/** Draws the body of its own transcript entry instead of a row in the tool strip. One entry a tool; the newest wins. */
export interface ToolviewEntry {
  tool: string
  /** False: this occurrence keeps the plain row (an error, a result of another version). Pure; left out: every occurrence. */
  claims?: (call: ToolCall, result: ToolResult | null) => boolean
  /** The name in the gutter beside the entry, already in the language of the page. */
  speaker: () => string
  component: ComponentType<ToolviewProps>
}
/** Lists are drawn by `order`, lowest first, then in order of registration. */
export interface ListEntry {
  id: string
  order: number
  component: ComponentType<SessionProps>
}
/**
 * The first entry by `order` that selects itself takes the console over. `select` reads `session.getState()`
 * and is asked again after every change of it; the stack behind stays mounted and hidden.
 */
export interface ComposerEntry extends ListEntry {
  select: (session: SessionHandle) => boolean
}

/** `title` is in the language of the page; the session menu leads there, too. */
export interface PaneEntry extends ListEntry {
  title: () => string
  icon: IconName
}

export interface SlotEntries {
  'conversation.chat.toolview': ToolviewEntry
  'conversation.input.dock': ListEntry
  'conversation.composer': ComposerEntry
  'conversation.session.header.actions': ListEntry
  /** A view of a session in place of its conversation, at `/s/<session>/<id>`. Ids are lower case words. */
  'session.pane': PaneEntry
}
export type SlotName = keyof SlotEntries

export interface Scope {
  register<Name extends SlotName>(slot: Name, entry: SlotEntries[Name]): void
  /**
   * One value a session, made at the first use. `dispose` runs when the session is let go or the scope
   * ends, whichever comes first. Using it after the scope ended throws.
   */
  perSession<Value>(
    create: (session: SessionHandle) => Value,
    dispose?: (value: Value) => void,
  ): (session: SessionHandle) => Value
  /** Runs when the scope ends, last registered first. */
  onDispose(work: () => void): void
  dispose(): void
}

export interface Slots {
  scope(): Scope
  entries<Name extends SlotName>(slot: Name): ReadableStore<readonly SlotEntries[Name][]>
  /** The page lets a session go: its per-session values are disposed. */
  release(sessionId: SessionId): void
}

type Lists = { [Name in SlotName]: ReturnType<typeof createStore<readonly SlotEntries[Name][]>> }

/** A newer toolview of the same tool stands first; lists go by order, and a sort is stable. */
function placed<Entry extends ToolviewEntry | ListEntry>(entries: readonly Entry[], entry: Entry): readonly Entry[] {
  if (!('order' in entry)) return [entry, ...entries]
  return [...entries, entry].toSorted((left, right) =>
    'order' in left && 'order' in right ? left.order - right.order : 0,
  )
}

export function createSlots(): Slots {
  const lists: Lists = {
    'conversation.chat.toolview': createStore<readonly ToolviewEntry[]>([]),
    'conversation.input.dock': createStore<readonly ListEntry[]>([]),
    'conversation.composer': createStore<readonly ComposerEntry[]>([]),
    'conversation.session.header.actions': createStore<readonly ListEntry[]>([]),
    'session.pane': createStore<readonly PaneEntry[]>([]),
  }
  const releases = new Set<(sessionId: SessionId) => void>()

  function createScope(): Scope {
    const disposers: (() => void)[] = []
    let ended = false
    return {
      register(slot, entry) {
        if (ended) throw new Error('this scope has ended')
        const list = lists[slot]
        list.setState(placed(list.getState(), entry))
        disposers.push(() => list.setState(list.getState().filter((other) => other !== entry)))
      },
      perSession(create, dispose) {
        const values = new Map<SessionId, { value: ReturnType<typeof create> }>()
        const release = (sessionId: SessionId) => {
          const held = values.get(sessionId)
          if (held === undefined) return
          values.delete(sessionId)
          dispose?.(held.value)
        }
        releases.add(release)
        disposers.push(() => {
          releases.delete(release)
          for (const sessionId of [...values.keys()]) release(sessionId)
        })
        return (session) => {
          if (ended) throw new Error('this scope has ended')
          const held = values.get(session.id) ?? { value: create(session) }
          values.set(session.id, held)
          return held.value
        }
      },
      onDispose(work) {
        disposers.push(work)
      },
      dispose() {
        if (ended) return
        ended = true
        for (const work of disposers.toReversed()) work()
      },
    }
  }

  return {
    scope: createScope,
    entries: (slot) => lists[slot],
    release(sessionId) {
      for (const release of [...releases]) release(sessionId)
    },
  }
}
