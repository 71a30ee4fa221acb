/* What the page is made of, and how components reach it. Everything here outlives React: components only
   read stores and call functions, so StrictMode may mount them twice. Next: `main.tsx` puts it together. */
import { createContext, type ReactNode, use } from 'react'
import type { SessionId } from '../shared/ids.ts'
import { createDraftStore, draftKey, type DraftStore } from './composer/draft-store.ts'
import { createOutbox, type Outbox } from './composer/outbox.ts'
import { createSentStore, sentKey, type SentStore } from './composer/sent-store.ts'
import type { Connection } from './connection/connection.ts'
import { createPageActors, type PageActors } from './page-actors.ts'
import type { Preferences } from './preferences.ts'
import type { Router } from './router.ts'
import type { SessionHandle } from './session/session-store.ts'
import { createSessionRegistry, type SessionRegistry } from './session/session-registry.ts'
import type { Slots } from './slots.ts'
import type { Storage } from './storage.ts'
import { createStore, type ReadableStore } from './store.ts'

export interface Announcements {
  /** The last one, and how many there were. */
  readonly text: string
  readonly count: number
  /** The last few with their numbers: one that comes while another is spoken must not take its place. */
  readonly recent: readonly { text: string; count: number }[]
}

/** Screen readers queue what is added; they need it on the page no longer than until they took notice. */
const recentAnnouncements = 4

/** What a person is writing in one session. */
export interface Desk {
  readonly draft: DraftStore
  readonly sent: SentStore
  readonly outbox: Outbox
}

export interface Client {
  readonly connection: Connection
  readonly sessions: SessionRegistry
  readonly slots: Slots
  readonly router: Router
  readonly preferences: Preferences
  readonly storage: Storage
  readonly pageActors: PageActors
  /** The desk of a followed session; the same one as long as the session is followed. */
  deskOf(session: SessionHandle): Desk
  /** A sentence for assistive technology, spoken when it has time; after those that wait, and instead of none. */
  announce(text: string): void
  readonly announcement: ReadableStore<Announcements>
  /** An id that no other client makes. */
  mintId(): string
  now(): number
  /** The page may go any moment: what waits to be stored is stored now. */
  flush(): void
  dispose(): void
}

export interface ClientDeps {
  connection: Connection
  slots: Slots
  router: Router
  preferences: Preferences
  storage: Storage
  /** Left out: the actors of this client alone. */
  pageActors?: PageActors
  mintId: () => string
  now: () => number
  after: (delayMs: number, work: () => void) => () => void
  soon: (work: () => void) => () => void
}

export function createClient(deps: ClientDeps): Client {
  const { connection, slots, router, storage, after, soon } = deps
  const { pageActors = createPageActors() } = deps
  const desks = new Map<SessionId, Desk>()
  const announcement = createStore<Announcements>({ text: '', count: 0, recent: [] })

  function closeDesk(sessionId: SessionId, removed: boolean): void {
    const desk = desks.get(sessionId)
    desks.delete(sessionId)
    desk?.outbox.dispose()
    desk?.sent.dispose()
    desk?.draft.dispose()
    slots.release(sessionId)
    if (!removed) return
    storage.remove(draftKey(sessionId))
    storage.remove(sentKey(sessionId))
  }

  const sessions = createSessionRegistry({ connection, after, soon, onRelease: closeDesk })

  function deskOf(session: SessionHandle): Desk {
    const known = desks.get(session.id)
    if (known !== undefined) return known
    const draft = createDraftStore(session.id, storage, after)
    const sent = createSentStore(session.id, storage)
    const { mintId } = deps
    const outbox = createOutbox({ session, draft, sent, mintId, after, noteActor: pageActors.note })
    const desk = { draft, sent, outbox }
    desks.set(session.id, desk)
    return desk
  }

  /** Before React hears of the new address: what it draws is followed already. */
  function followRoute(): void {
    const route = router.getState()
    if (route.view === 'session') deskOf(sessions.follow(route.sessionId))
  }
  const stopRouting = router.subscribe(followRoute)
  followRoute()

  return {
    connection,
    sessions,
    slots,
    router,
    preferences: deps.preferences,
    storage,
    pageActors,
    deskOf,
    announce(text) {
      const before = announcement.getState()
      const count = before.count + 1
      const recent = [...before.recent.slice(1 - recentAnnouncements), { text, count }]
      announcement.setState({ text, count, recent })
    },
    announcement,
    mintId: deps.mintId,
    now: deps.now,
    flush() {
      for (const { draft } of desks.values()) draft.flush()
    },
    dispose() {
      for (const sessionId of [...desks.keys()]) closeDesk(sessionId, false)
      sessions.dispose()
      connection.dispose()
      stopRouting()
      router.dispose()
    },
  }
}

const ClientContext = createContext<Client | null>(null)

export function ClientProvider({ client, children }: { client: Client; children: ReactNode }) {
  return <ClientContext value={client}>{children}</ClientContext>
}

export function useClient(): Client {
  const client = use(ClientContext)
  if (client === null) throw new Error('useClient needs a ClientProvider')
  return client
}
