/* Walks for a machine whose actor lives in the page. Nobody sends it an event there: somebody does something outside (the
   host answers, a timer runs out, a person presses a key), and the page sends what follows from it, sometimes several events,
   some of them refused. A model says what can be done where; a walk is found from there to the nearest arrow or refusal that
   no walk has come to, again and again, so that few pages walk all that can be walked. */
import { initialTransition, transition, type AnyStateMachine, type EventFrom, type SnapshotFrom } from 'xstate'
import { chartOf, type Chart } from '../../machines/chart.ts'
import { machineDefinitions } from '../../machines/definitions.ts'
import { lifecycleState } from '../../machines/path-cases.ts'
import type { LifecyclePath, Refusal } from '../../machines/paths.ts'
import { edgesTaken, refusable } from './edges-taken.ts'
import type { Pair } from './walked-paths.ts'

/** Something done outside; `World` is what the page and those around it wait for meanwhile. */
export interface Move<Machine extends AnyStateMachine, World> {
  name: string
  /** What the machine hears of it, in this order. */
  events: readonly EventFrom<Machine>[]
  world: World
}

export interface PageModel<Machine extends AnyStateMachine, World> {
  machine: Machine
  start: World
  moves(snapshot: SnapshotFrom<Machine>, world: World): readonly Move<Machine, World>[]
  /** Configurations with the same key are one for the search: what only counts on and on is left out of it. */
  keyOf(snapshot: SnapshotFrom<Machine>, world: World): string
  /** Moves of one walk at most. */
  maxMoves: number
  /** Configurations that one search looks at; left out: all. */
  maxSearch?: number
  /** Ways to go first, by the names of their moves: what lies too deep for a search. */
  scripts?: readonly (readonly string[])[]
  /** What is not looked for. */
  leftOut?: readonly LeftOut[]
}

export interface Heard<Machine extends AnyStateMachine> {
  event: EventFrom<Machine>
  before: SnapshotFrom<Machine>
  snapshot: SnapshotFrom<Machine>
  accepted: boolean
}

export interface WalkedMove<Machine extends AnyStateMachine, World> extends Move<Machine, World> {
  heard: readonly Heard<Machine>[]
}

export interface PageWalk<Machine extends AnyStateMachine, World> {
  start: SnapshotFrom<Machine>
  moves: readonly WalkedMove<Machine, World>[]
}

/** Arrows by their id, refusals as `state × EVENT`: what the coverage table has a line for. */
export interface Targets {
  walked: ReadonlySet<string>
  /** What no walk of `maxMoves` comes to. */
  left: readonly string[]
}

function chartOfMachine(machine: AnyStateMachine): Chart {
  const chart = machineDefinitions()
    .map(chartOf)
    .find(({ id }) => id === machine.id)
  if (chart === undefined) throw new Error(`no chart of ${machine.id}`)
  return chart
}

interface Node {
  snapshot: SnapshotFrom<AnyStateMachine>
  world: unknown
  way: readonly WalkedMove<AnyStateMachine, unknown>[]
}

export function pageWalks<Machine extends AnyStateMachine, World>(
  model: PageModel<Machine, World>,
): { walks: PageWalk<Machine, World>[]; targets: Targets }
export function pageWalks(model: PageModel<AnyStateMachine, unknown>): {
  walks: PageWalk<AnyStateMachine, unknown>[]
  targets: Targets
} {
  const { machine } = model
  const chart = chartOfMachine(machine)
  const all = [...chart.edges.map(({ id }) => id), ...refusable(machine, chart)]
  const walked = new Set<string>()
  const wanted = new Set(all.filter((target) => !isExplained(target, model.leftOut ?? [])))
  const targetsOf = (heard: readonly Heard<AnyStateMachine>[]) =>
    heard.flatMap(({ event, before, accepted }) => [
      ...edgesTaken(machine, chart, before, event),
      ...(accepted ? [] : [`${lifecycleState(before).state} × ${event.type}`]),
    ])

  function noteWalked(targets: readonly string[]): void {
    for (const target of targets) {
      walked.add(target)
      wanted.delete(target)
    }
  }

  function perform({ snapshot }: Node, move: Move<AnyStateMachine, unknown>): WalkedMove<AnyStateMachine, unknown> {
    let before = snapshot
    const heard = move.events.map((event): Heard<AnyStateMachine> => {
      const accepted = before.status === 'active' && before.can(event)
      const after = accepted ? transition(machine, before, event)[0] : before
      const one = { event, before, snapshot: after, accepted }
      before = after
      return one
    })
    return { ...move, heard }
  }

  /** The shortest way from here to something new. */
  function nextNew(from: Node, maxMoves: number): Node | null {
    const seen = new Set([model.keyOf(from.snapshot, from.world)])
    let ring: Node[] = [{ ...from, way: [] }]
    for (let length = 1; length <= maxMoves && ring.length > 0 && wanted.size > 0; length += 1) {
      const next: Node[] = []
      for (const node of ring) {
        for (const move of model.moves(node.snapshot, node.world)) {
          const made = perform(node, move)
          const snapshot = made.heard.at(-1)?.snapshot ?? node.snapshot
          const reached = { snapshot, world: move.world, way: [...node.way, made] }
          if (targetsOf(made.heard).some((target) => wanted.has(target))) return reached
          const key = model.keyOf(snapshot, move.world)
          if (seen.has(key) || seen.size >= (model.maxSearch ?? Number.POSITIVE_INFINITY)) continue
          seen.add(key)
          next.push(reached)
        }
      }
      ring = next
    }
    return null
  }

  const start = initialTransition(machine)[0]
  const walks: PageWalk<AnyStateMachine, unknown>[] = []
  const scripts = [...(model.scripts ?? [])]
  for (;;) {
    const moves: WalkedMove<AnyStateMachine, unknown>[] = []
    let at: Node = { snapshot: start, world: model.start, way: [] }
    for (const name of scripts.shift() ?? []) {
      const move = model.moves(at.snapshot, at.world).find((one) => one.name === name)
      if (move === undefined) throw new Error(`${titleOfWalk({ moves })}: cannot go on with: ${name}`)
      const made = perform(at, move)
      at = { snapshot: made.heard.at(-1)?.snapshot ?? at.snapshot, world: made.world, way: [] }
      noteWalked(targetsOf(made.heard))
      moves.push(made)
    }
    while (model.maxSearch !== 0) {
      const next = nextNew(at, model.maxMoves - moves.length)
      if (next === null) break
      for (const { heard } of next.way) noteWalked(targetsOf(heard))
      moves.push(...next.way)
      at = next
    }
    if (moves.length === 0) break
    walks.push({ start, moves })
  }
  return { walks, targets: { walked, left: all.filter((target) => !walked.has(target)) } }
}

/** For the coverage table: the steps that were taken. */
export function pathOfWalk<Machine extends AnyStateMachine, World>(
  walk: PageWalk<Machine, World>,
): LifecyclePath<Machine> {
  const heard = walk.moves.flatMap((move) => move.heard)
  return { start: walk.start, steps: heard.filter(({ accepted }) => accepted) }
}

/** For the coverage table: the events that changed nothing, where they came. */
export function refusalsOfWalk<Machine extends AnyStateMachine, World>(
  walk: PageWalk<Machine, World>,
): Refusal<Machine>[] {
  const heard = walk.moves.flatMap((move) => move.heard)
  return heard.flatMap(({ event, accepted }, index) => {
    const steps = heard.slice(0, index).filter((one) => one.accepted)
    return accepted ? [] : [{ path: { start: walk.start, steps }, event }]
  })
}

/** Where it ends and what it takes to get there; the whole way stands in the difference when it goes astray. */
export function titleOfWalk({ moves }: { moves: readonly { name: string }[] }): string {
  return `${moves[0]?.name ?? 'nothing'} … ${moves.at(-1)?.name ?? 'nothing'} (${moves.length} moves)`
}

/** Why a page never comes to some refusals, or arrows: events of these types in these states. */
export interface LeftOut {
  states: readonly string[]
  events: readonly string[]
  isArrow?: true
  why: string
}

export const cannotBy =
  (reasons: readonly LeftOut[]) =>
  ({ state, event, isRefusal }: Pair): string | null => {
    const fitting = reasons.filter(({ isArrow = false }) => isArrow !== isRefusal)
    return fitting.find(({ states, events }) => states.includes(state) && events.includes(event ?? ''))?.why ?? null
  }

function isExplained(target: string, reasons: readonly LeftOut[]): boolean {
  const isRefusal = target.includes(' × ')
  const [state = '', event = ''] = target.split(isRefusal ? ' × ' : ':')
  return cannotBy(reasons)({ state, event, isRefusal }) !== null
}

/** What is wrong with the reasons: targets that nothing comes to and nothing explains, and reasons for what is walked. */
export function unexplained({ walked, left }: Targets, reasons: readonly LeftOut[]): string[] {
  return [
    ...left.filter((target) => !isExplained(target, reasons)),
    ...[...walked].filter((target) => isExplained(target, reasons)),
  ]
}
