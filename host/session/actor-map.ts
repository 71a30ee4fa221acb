/* The actors of one live session, by name (SPEC 10). Whoever starts an actor here may forget about stopping
   it: a finished one leaves by itself, the rest stop with the session. */
import type { AnyActorRef } from 'xstate'

export class ActorMap {
  readonly #actorByName = new Map<string, AnyActorRef>()

  /** Starts `actor` under `name`. Names are unique among running actors. */
  start<Actor extends AnyActorRef>(name: string, actor: Actor): Actor {
    this.#actorByName.set(name, actor)
    actor.subscribe({ complete: () => this.#actorByName.delete(name) })
    actor.start()
    return actor
  }

  names(): string[] {
    return [...this.#actorByName.keys()]
  }

  stopAll(): void {
    for (const actor of this.#actorByName.values()) actor.stop()
    this.#actorByName.clear()
  }
}
