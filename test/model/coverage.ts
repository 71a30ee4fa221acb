/* How much of each machine the path suites cover, layer by layer. An edge is a transition of the chart; a refusal is a state
   and a type of event for which no transition is without a guard. Both are counted from the configs, so that
   what no suite comes to is a hole here and not a line less. */
import { getMicrosteps, type AnyMachineSnapshot, type AnyStateMachine, type EventObject } from 'xstate'
import { chartOf, type Chart, type ChartEdge } from '../../machines/chart.ts'
import { machineById, machineDefinitions } from '../../machines/definitions.ts'
import { lifecycleState } from '../../machines/path-cases.ts'
import { homeOf, layers, walkedPaths, type Layer, type WalkedPaths } from './walked-paths.ts'

export interface Covered {
  /** Null: no suite walks the machine there. */
  suite: { files: string[]; walks: number; refusals: number } | null
  /** How often each edge is taken, by its id; each refusal is tried, by `state × EVENT`. */
  edges: ReadonlyMap<string, number>
  refusals: ReadonlyMap<string, number>
}

export interface MachineCoverage {
  chart: Chart
  /** All that can be refused. */
  refusals: string[]
  byLayer: Readonly<Record<Layer, Covered>>
}

export function coverage(): MachineCoverage[] {
  const suites = walkedPaths()
  return machineDefinitions().map((definition) => {
    const chart = chartOf(definition)
    const machine = machineById[chart.id]
    if (machine === undefined) throw new Error(`no machine ${chart.id}`)
    const of = (layer: Layer) =>
      coveredBy(
        machine,
        chart,
        suites.filter((suite) => suite.machine === chart.id && suite.layer === layer),
      )
    return {
      chart,
      refusals: refusable(machine, chart),
      byLayer: { pure: of('pure'), host: of('host'), page: of('page') },
    }
  })
}

function coveredBy(machine: AnyStateMachine, chart: Chart, suites: readonly WalkedPaths[]): Covered {
  const edges = new Map<string, number>()
  const refused = new Map<string, number>()
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const { walks, refusals } of suites) {
    for (const { start, steps } of walks) {
      let at: AnyMachineSnapshot = start
      for (const { event, snapshot } of steps) {
        for (const id of edgesTaken(machine, chart, at, event)) count(edges, id)
        at = snapshot
      }
    }
    for (const { path, event } of refusals) {
      const at: AnyMachineSnapshot = path.steps.at(-1)?.snapshot ?? path.start
      count(refused, `${lifecycleState(at).state} × ${event.type}`)
      // A transition that does nothing refuses, ahead of one further out.
      if (at.status === 'active') for (const id of edgesTaken(machine, chart, at, event)) count(edges, id)
    }
  }
  const sum = (key: 'walks' | 'refusals') => suites.reduce((total, suite) => total + suite[key].length, 0)
  const files = suites.map(({ file }) => file)
  const suite = suites.length === 0 ? null : { files, walks: sum('walks'), refusals: sum('refusals') }
  return { suite, edges, refusals: refused }
}

/** The transitions of one event, and those without event that follow. */
function edgesTaken(machine: AnyStateMachine, chart: Chart, at: AnyMachineSnapshot, event: EventObject): string[] {
  const taken = machine.getTransitionData(at, event).map((transition) => {
    const index = transition.source.transitions.get(transition.eventType)?.indexOf(transition) ?? -1
    return `${transition.source.path.join('.')}:${transition.eventType}:${index}`
  })
  const passed = getMicrosteps(machine, at, event)
    .slice(0, -1)
    .map(([snapshot]) => lifecycleState(snapshot).state)
  const followed = chart.edges.filter((edge) => edge.event === null && passed.includes(edge.from))
  return [...taken, ...followed.map(({ id }) => id)]
}

function refusable(machine: AnyStateMachine, { states, edges }: Chart): string[] {
  const isBox = (id: string) => states.some(({ parent }) => parent === id)
  const innermost = states.filter(({ id, isTransient }) => !isTransient && !isBox(id))
  return innermost.flatMap(({ id, type }) =>
    machine.events
      .filter((event) => type === 'final' || !edges.some((edge) => isCertain(edge, id, event)))
      .map((event) => `${id} × ${event}`),
  )
}

const isCertain = ({ from, event, guard }: ChartEdge, at: string, type: string): boolean =>
  event === type && guard === null && (from === '' || from === at || at.startsWith(`${from}.`))

/** For people; ends with the sums. A dot: the actor lives elsewhere, and no suite walks it there. */
export function coverageText(all: readonly MachineCoverage[] = coverage()): string {
  return [...all.map(machineText), sums(all)].join('\n')
}

function machineText({ chart, refusals, byLayer }: MachineCoverage): string {
  const line = (name: string, kind: 'edges' | 'refusals', key: string) =>
    `  ${name.padEnd(70)}${layers.map((layer) => cell(chart.id, layer, byLayer[layer], kind, key)).join('')}`
  return [
    `${chart.id.padEnd(72)}${layers.map((layer) => layer.padStart(6)).join('')}`,
    ...chart.edges.map((edge) => line(edgeText(edge), 'edges', edge.id)),
    ...refusals.map((pair) => line(`${pair} refused`, 'refusals', pair)),
    '',
  ].join('\n')
}

function cell(machine: string, layer: Layer, covered: Covered, kind: 'edges' | 'refusals', key: string): string {
  if (isElsewhere(machine, layer, covered)) return '·'.padStart(6)
  return String(covered[kind].get(key) ?? 'HOLE').padStart(6)
}

const isElsewhere = (machine: string, layer: Layer, { suite }: Covered): boolean =>
  suite === null && layer !== 'pure' && homeOf[machine] !== layer

function edgeText({ from, to, event, guard, isInternal }: ChartEdge): string {
  const when = guard === null ? '' : ` [${guard}]`
  return `${from === '' ? 'anywhere' : from} × ${event ?? 'always'}${when} → ${isInternal ? 'stays' : to}`
}

function sums(all: readonly MachineCoverage[]): string {
  const head = ['machine', 'layer', 'walks', 'tries', 'edges', 'refusals', 'by']
  const rows = all.flatMap(({ chart, refusals, byLayer }) =>
    layers.flatMap((layer) => {
      const covered = byLayer[layer]
      if (isElsewhere(chart.id, layer, covered)) return []
      const { suite } = covered
      return [
        [
          chart.id,
          layer,
          String(suite?.walks ?? 0),
          String(suite?.refusals ?? 0),
          `${chart.edges.filter(({ id }) => covered.edges.has(id)).length} of ${chart.edges.length}`,
          `${refusals.filter((pair) => covered.refusals.has(pair)).length} of ${refusals.length}`,
          suite?.files.join(', ') ?? 'no suite',
        ],
      ]
    }),
  )
  const table = [head, ...rows].map((row) =>
    row
      .map((text, index) => text.padEnd(index > 3 ? 12 : 11))
      .join('')
      .trimEnd(),
  )
  return `${table.join('\n')}\n`
}
