/* Which sessions there are, and which of them this page follows. The list is a baseline (`session.list`) and
   the host frames around it; followed sessions are a few mirrors, most recently used first. Rules: L-RACE a
   frame that comes while the list is asked for is not lost to the answer; L-KEEP a drop empties nothing. */
import type { SessionId } from '../../shared/ids.ts'
import type { HostFrame } from '../../shared/protocol/frames.ts'
import type { Session } from '../../shared/session.ts'
import type { Connection } from '../connection/connection.ts'
import type { AnyFrame } from '../connection/incoming.ts'
import { createStore, type ReadableStore } from '../store.ts'
import { createSessionStore, type SessionStore, type SessionStoreDeps } from './session-store.ts'

export interface SessionList {
  /** False until the first answer; later answers replace the list without emptying it. */
  readonly ready: boolean
  /** Newest activity first. */
  readonly sessions: readonly Session[]
}

export interface SessionRegistry {
  readonly list: ReadableStore<SessionList>
  /** The mirrors this page follows. */
  readonly followed: ReadableStore<ReadonlyMap<SessionId, SessionStore>>
  /** The mirror of a session, made and opened at need. The least recently used one beyond the bound is let go. */
  follow(sessionId: SessionId): SessionStore
  /** A session this page made: known before its frame arrives. */
  add(session: Session): void
  dispose(): void
}

export interface SessionRegistryDeps extends Omit<SessionStoreDeps, 'requester'> {
  connection: Connection
  /** A mirror is let go; `removed` says whether the host removed the session. */
  onRelease: (sessionId: SessionId, removed: boolean) => void
}

/** Enough to switch back without waiting, few enough to cost the host nothing. */
const followedAtMost = 6

type ListFrame = Exclude<HostFrame, { type: 'host/hello' }>

/** Pure: one host frame folded into the list. An older description never replaces a newer one. */
export function foldListFrame(sessions: readonly Session[], frame: ListFrame): readonly Session[] {
  if (frame.type === 'host/session-removed') return sessions.filter((one) => one.id !== frame.sessionId)
  return [frame.session, ...sessions.filter((one) => one.id !== frame.session.id)].toSorted(
    (left, right) => right.updatedAt - left.updatedAt,
  )
}

export function createSessionRegistry(deps: SessionRegistryDeps): SessionRegistry {
  const { connection } = deps
  const list = createStore<SessionList>({ ready: false, sessions: [] })
  const followed = createStore<ReadonlyMap<SessionId, SessionStore>>(new Map())
  /** Frames since the list was asked for; null while no answer is awaited. */
  let since: ListFrame[] | null = null
  let wasUp = false

  function loadList(): void {
    const own: ListFrame[] = []
    since = own
    connection.requester.request('session.list', {}, (outcome) => {
      if (since !== own) return
      since = null
      if (!outcome.ok) return
      const sorted = outcome.value.sessions.toSorted((left, right) => right.updatedAt - left.updatedAt)
      list.setState({ ready: true, sessions: own.reduce<readonly Session[]>(foldListFrame, sorted) })
    })
  }

  function release(sessionId: SessionId, removed: boolean): void {
    const store = followed.getState().get(sessionId)
    if (store === undefined) return
    if (!removed) {
      const rest = new Map(followed.getState())
      rest.delete(sessionId)
      followed.setState(rest)
      connection.requester.request('session.close', { sessionId }, () => {})
      store.dispose()
    } else store.removed()
    deps.onRelease(sessionId, removed)
  }

  function receive(frame: AnyFrame): void {
    switch (frame.type) {
      case 'host/hello':
      case 'actor/inspect':
        return
      case 'host/session-added':
      case 'host/session-updated':
      case 'host/session-removed':
        since?.push(frame)
        list.setState({ ...list.getState(), sessions: foldListFrame(list.getState().sessions, frame) })
        if (frame.type === 'host/session-removed') release(frame.sessionId, true)
        else followed.getState().get(frame.session.id)?.described(frame.session)
        return
      default:
        followed.getState().get(frame.sessionId)?.receive(frame)
    }
  }

  function connectionChanged(): void {
    const up = connection.state.getState().phase === 'up'
    if (up === wasUp) return
    wasUp = up
    if (up) loadList()
    for (const store of followed.getState().values()) {
      if (up) store.open()
      else store.lost()
    }
  }

  const disposers = [connection.onFrame(receive), connection.state.subscribe(connectionChanged)]

  return {
    list,
    followed,
    follow(sessionId) {
      const known = followed.getState().get(sessionId)
      const store = known ?? createSessionStore(sessionId, { ...deps, requester: connection.requester })
      const rest = [...followed.getState()].filter(([id]) => id !== sessionId)
      followed.setState(new Map([[sessionId, store], ...rest]))
      for (const [id] of rest.slice(followedAtMost - 1)) release(id, false)
      if (known === undefined && wasUp) store.open()
      return store
    },
    add(session) {
      list.setState({
        ...list.getState(),
        sessions: foldListFrame(list.getState().sessions, { type: 'host/session-added', session }),
      })
    },
    dispose() {
      for (const work of disposers) work()
      for (const store of followed.getState().values()) store.dispose()
    },
  }
}
