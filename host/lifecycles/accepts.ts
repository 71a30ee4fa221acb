/* Whether an actor takes an event, for whoever has to answer a request before he sends it. */
import type { EventObject } from 'xstate'

interface Deciding<Event extends EventObject> {
  getSnapshot(): { status: string; can(event: Event): boolean }
  send(event: Event): void
}

/** A refused event is sent all the same: it changes nothing, and the journal then knows that somebody asked. */
export function accepts<Event extends EventObject>(actor: Deciding<Event>, event: Event): boolean {
  const snapshot = actor.getSnapshot()
  if (snapshot.can(event)) return true
  if (snapshot.status === 'active') actor.send(event)
  return false
}
