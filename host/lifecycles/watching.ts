/* Who watches lifecycles: sockets that asked, for one session or for all (SPEC 8 `actor/inspect`). Frames go out by native
   publish on one topic per session and one for everything; a socket that watches everything is on that one alone, so it
   gets each entry once. Knows no actor. */
import type { SessionId } from '../../shared/ids.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import type { Json } from '../../shared/json.ts'
import type { InspectFrame } from '../../shared/protocol/frames.ts'
import type { Fanout, Peer } from '../rpc/port.ts'

const everything = 'inspect'
const topicOf = (sessionId: SessionId) => `${everything}:${sessionId}`

export class Watching {
  readonly #fanout: Fanout
  readonly #wishesOf = new WeakMap<Peer, { all: boolean; sessions: Set<SessionId> }>()

  constructor(fanout: Fanout) {
    this.#fanout = fanout
  }

  isWatched(sessionId: SessionId | undefined): boolean {
    return (
      this.#fanout.subscribers(everything) > 0 ||
      (sessionId !== undefined && this.#fanout.subscribers(topicOf(sessionId)) > 0)
    )
  }

  show(entry: JournalEntry, snapshot: Json): void {
    const text = JSON.stringify({ type: 'actor/inspect', entry, snapshot } satisfies InspectFrame)
    this.#fanout.publish(everything, text)
    if (entry.sessionId !== undefined) this.#fanout.publish(topicOf(entry.sessionId), text)
  }

  /** Without a session: everything. */
  subscribe(peer: Peer, sessionId: SessionId | undefined): void {
    const wishes = this.#wishes(peer)
    if (sessionId === undefined) wishes.all = true
    else wishes.sessions.add(sessionId)
    this.#apply(peer, wishes)
  }

  /** Ends one subscription; the other kind stays. */
  unsubscribe(peer: Peer, sessionId: SessionId | undefined): void {
    const wishes = this.#wishes(peer)
    if (sessionId === undefined) wishes.all = false
    else {
      wishes.sessions.delete(sessionId)
      peer.unsubscribe(topicOf(sessionId))
    }
    this.#apply(peer, wishes)
  }

  #apply(peer: Peer, { all, sessions }: { all: boolean; sessions: ReadonlySet<SessionId> }): void {
    if (all) peer.subscribe(everything)
    else peer.unsubscribe(everything)
    for (const sessionId of sessions) {
      if (all) peer.unsubscribe(topicOf(sessionId))
      else peer.subscribe(topicOf(sessionId))
    }
  }

  #wishes(peer: Peer): { all: boolean; sessions: Set<SessionId> } {
    const known = this.#wishesOf.get(peer)
    if (known !== undefined) return known
    const wishes = { all: false, sessions: new Set<SessionId>() }
    this.#wishesOf.set(peer, wishes)
    return wishes
  }
}
