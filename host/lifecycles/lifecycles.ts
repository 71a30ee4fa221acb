/* Lifecycles: looks at every actor of the host and changes nothing (SPEC 10). Each transition becomes an entry of the
   journal; who asked for it (`watching.ts`) gets it as a frame, and nothing is built for anybody else.

   | rule | |
   | --- | --- |
   | looks-only | a failure in here is logged and never reaches an actor: XState would end it |
   | own-look | an actor is seen through the logic it runs, not by XState's `inspect`, which makes several events of each |
   | after-the-fact | an entry is made when the transition is over; refused events are entries too, marked as such |
   | told-in-order | entries of one actor come in the order of its transitions, each `from` the `to` of the one before |
   | resting | a transition that rests on a durable event names its seq |
   | unwatched-free | without a watcher no snapshot is copied and no frame is made |
   | reduced | events and contexts pass `reduced`: ids, words and sizes | */
import { isMachineSnapshot, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate'
import type { SessionId } from '../../shared/ids.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { ActorView } from '../../shared/protocol/methods.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { Journal } from './journal.ts'
import { reduced } from '../../shared/reduced.ts'
import type { Watching } from './watching.ts'

/** One actor as it is named everywhere. */
export interface Subject {
  /** Unique in the host, and the same after a restart for what is the same. */
  actorId: string
  /** The id of its machine. */
  machine: string
  sessionId: SessionId | undefined
}

interface Live extends Subject {
  snapshot: unknown
}

export interface LifecyclesDeps {
  journal: Journal
  watching: Watching
  clock: Clock
  logger: Logger
}

export class Lifecycles {
  readonly journal: Journal
  readonly watching: Watching
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #liveById = new Map<string, Live>()
  /** Numbers entries of actors without a session; those are shown and not kept. */
  #sessionless = 0
  #cause: { seq: number } | undefined

  constructor(deps: LifecyclesDeps) {
    this.journal = deps.journal
    this.watching = deps.watching
    this.#clock = deps.clock
    this.#logger = deps.logger
  }

  /** The machine, for `createActor`: it goes where it went, and its one actor is seen from its start on. */
  observed<Machine extends AnyStateMachine>(machine: Machine, subject: Subject): Machine {
    const { actorId } = subject
    let from: Json = null
    const seen = (event: { type: string }, snapshot: AnyMachineSnapshot, accepted: boolean) => {
      try {
        if (snapshot.status !== 'active') this.#liveById.delete(actorId)
        if (event.type === 'xstate.stop') return
        const left = from
        const to = accepted ? stateJson(snapshot.value) : left
        // Ahead of what may fail: the next entry goes on from here, whether this one was noted or not.
        from = to
        this.#note(subject, { event: this.#eventJson(event), from: left, to, accepted, snapshot })
      } catch (error) {
        this.#logger.error({ actor: actorId, err: error }, 'a transition was not noted')
      }
    }
    const live: Live = { ...subject, snapshot: null }
    const start: AnyStateMachine['start'] = (snapshot) => {
      machine.start(snapshot)
      live.snapshot = snapshot
      this.#liveById.set(actorId, live)
      seen({ type: 'xstate.init' }, snapshot, true)
    }
    const transition: AnyStateMachine['transition'] = (before, event, scope) => {
      let after: AnyMachineSnapshot
      try {
        after = machine.transition(before, event, scope)
      } catch (error) {
        this.#liveById.delete(actorId)
        throw error
      }
      live.snapshot = after
      // What a machine refuses leaves its snapshot as it is; so does what it merely permits, and that it can take.
      seen(event, after, after !== before || before.can(event))
      return after
    }
    return new Proxy(machine, {
      get(target, name) {
        if (name === 'start') return start
        if (name === 'transition') return transition
        const part: unknown = Reflect.get(target, name)
        // Snapshots hold the machine itself, so nothing else goes this way twice.
        return typeof part === 'function' ? part.bind(target) : part
      },
    })
  }

  /** What happens inside `work`, which is synchronous, rests on the durable event `seq`. */
  resting(seq: number, work: () => void): void {
    this.#cause = { seq }
    try {
      work()
    } finally {
      this.#cause = undefined
    }
  }

  /** The live actors of one session, or all of the host. */
  actors(sessionId: SessionId | undefined): ActorView[] {
    return [...this.#liveById.values()]
      .filter((live) => sessionId === undefined || live.sessionId === sessionId)
      .map(({ actorId, machine, sessionId: of, snapshot }) => ({
        actorId,
        machine,
        ...(of !== undefined && { sessionId: of }),
        snapshot: snapshotJson(snapshot),
      }))
  }

  #eventJson(event: { type: string }): Json {
    return reduced(this.#cause === undefined ? event : { ...event, cause: this.#cause })
  }

  #note(
    subject: Subject,
    { snapshot, ...moved }: Pick<JournalEntry, 'event' | 'from' | 'to' | 'accepted'> & { snapshot: AnyMachineSnapshot },
  ): void {
    const { sessionId } = subject
    const draft = {
      at: this.#clock.now(),
      actorId: subject.actorId,
      machine: subject.machine,
      ...(sessionId !== undefined && { sessionId }),
      ...moved,
    }
    const isWatched = this.watching.isWatched(sessionId)
    const shown = isWatched ? snapshotJson(snapshot) : null
    const show = isWatched ? (entry: JournalEntry) => this.watching.show(entry, shown) : undefined
    if (sessionId !== undefined) return this.journal.record(sessionId, draft, show)
    this.#sessionless += 1
    show?.({ id: String(this.#sessionless), ...draft })
  }
}

function snapshotJson(snapshot: unknown): Json {
  if (!isMachineSnapshot(snapshot)) return null
  const { status, value, context } = snapshot
  return { status, value: stateJson(value), context: reduced(context) }
}

/** A state value as XState writes it: the names of a machine's own states, so nothing is reduced. */
function stateJson(value: unknown): Json {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return null
  const states: JsonObject = {}
  for (const [name, below] of Object.entries(value)) states[name] = stateJson(below)
  return states
}
