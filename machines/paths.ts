/* Lifecycle paths: what can happen to an actor, enumerated. `xstate/graph` walks a machine with the payloads of
   a model; this names the three ways to read that walk.

   - `shortest`: one shortest way to every configuration (state and context).
   - `simple`: every way that comes to no configuration twice. Exponential: only for a model with few payloads.
   - `edges`: for every accepted pair of configuration and event, the shortest way there and that event; loops and
     events that lead nowhere new are included, which the other two never walk.

   `refusals` is the rest: every pair that the machine does not accept. Edges and refusals are the whole model. */
import {
  transition,
  type AnyStateMachine,
  type EventFrom,
  type EventObject,
  type InputFrom,
  type SnapshotFrom,
} from 'xstate'
import { getShortestPaths, getSimplePaths } from 'xstate/graph'

export interface PathModel<Machine extends AnyStateMachine = AnyStateMachine> {
  machine: Machine
  input?: InputFrom<Machine>
  /** What is worth sending to a configuration: legal payloads, repeated, stale and foreign ones. Every type of event. */
  events(snapshot: SnapshotFrom<Machine>): readonly EventFrom<Machine>[]
  /** True: nothing beyond this configuration is explored. A finished one ends by itself. */
  stopsAt?(snapshot: SnapshotFrom<Machine>): boolean
}

export interface LifecyclePath<Machine extends AnyStateMachine = AnyStateMachine> {
  start: SnapshotFrom<Machine>
  /** Each event and the configuration after it. */
  steps: { event: EventFrom<Machine>; snapshot: SnapshotFrom<Machine> }[]
}

export interface Refusal<Machine extends AnyStateMachine = AnyStateMachine> {
  /** The shortest way to the configuration that refuses. */
  path: LifecyclePath<Machine>
  event: EventFrom<Machine>
}

export type PathStrategy = 'shortest' | 'simple' | 'edges'

/** Steps of the walk. Our largest model needs a tenth of it; beyond, a payload makes the context grow for ever. */
const maxWalk = 100_000

export function lifecyclePaths<Machine extends AnyStateMachine>(
  model: PathModel<Machine>,
  strategy: PathStrategy,
): LifecyclePath<Machine>[]
export function lifecyclePaths(model: PathModel, strategy: PathStrategy): LifecyclePath[] {
  switch (strategy) {
    case 'shortest':
      return getShortestPaths(model.machine, walkOf(model)).map(toPath)
    case 'simple':
      return getSimplePaths(model.machine, walkOf(model)).map(toPath)
    case 'edges':
      return pairsOf(model).flatMap(({ path, event, next }) =>
        next === null ? [] : [{ start: path.start, steps: [...path.steps, { event, snapshot: next }] }],
      )
  }
}

export function refusals<Machine extends AnyStateMachine>(model: PathModel<Machine>): Refusal<Machine>[]
export function refusals(model: PathModel): Refusal[] {
  return pairsOf(model).flatMap(({ path, event, next }) => (next === null ? [{ path, event }] : []))
}

/** Without those that another path begins with: running the rest walks them as well. */
export function longestOnly<Path extends { steps: readonly { event: EventObject }[] }>(paths: readonly Path[]): Path[] {
  /** Every beginning has a number: it is known by the one a step shorter, and the event. */
  const numbers = new Map<string, number>()
  const goneBeyond = new Set<number>()
  const ends = paths.map(({ steps }) => {
    let at = 0
    for (const { event } of steps) {
      goneBeyond.add(at)
      const key = `${at} ${JSON.stringify(event)}`
      at = numbers.get(key) ?? numbers.size + 1
      numbers.set(key, at)
    }
    return at
  })
  return paths.filter((_, index) => {
    const end = ends[index] ?? 0
    return end !== 0 && !goneBeyond.has(end)
  })
}

interface Pair {
  path: LifecyclePath
  event: EventFrom<AnyStateMachine>
  /** Null: refused. */
  next: SnapshotFrom<AnyStateMachine> | null
}

/** Every configuration within the bound × every event of the model. */
function pairsOf(model: PathModel): Pair[] {
  const pairs: Pair[] = []
  for (const path of getShortestPaths(model.machine, walkOf(model)).map(toPath)) {
    const at = path.steps.at(-1)?.snapshot ?? path.start
    if (model.stopsAt?.(at) === true) continue
    for (const event of model.events(at)) {
      const next = isAccepted(at, event) ? transition(model.machine, at, event)[0] : null
      pairs.push({ path, event, next })
    }
  }
  return pairs
}

/** Pure `transition` goes on with a finished snapshot; an actor does not. */
function isAccepted(snapshot: SnapshotFrom<AnyStateMachine>, event: EventFrom<AnyStateMachine>): boolean {
  return snapshot.status === 'active' && snapshot.can(event)
}

function walkOf({ input, events, stopsAt }: PathModel): TraversalOptions {
  return {
    input,
    events,
    filterEvents: isAccepted,
    stopWhen: (snapshot) => snapshot.status !== 'active' || stopsAt?.(snapshot) === true,
    limit: maxWalk,
  }
}

type TraversalOptions = NonNullable<Parameters<typeof getShortestPaths<AnyStateMachine>>[1]>
type GraphPath = ReturnType<typeof getShortestPaths<AnyStateMachine>>[number]

/** The graph begins every path with a step `xstate.init`, whose configuration is the start. */
function toPath({ steps: [first, ...steps], state }: GraphPath): LifecyclePath {
  return { start: first?.state ?? state, steps: steps.map(({ event, state: snapshot }) => ({ event, snapshot })) }
}
