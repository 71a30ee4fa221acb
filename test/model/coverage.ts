/* How much of each machine the path suites cover, layer by layer. An edge is a transition of the chart; a refusal is a state
   and a type of event for which no transition is without a guard. Both are counted from the configs, so that
   what no suite comes to is a hole here and not a line less. */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import { chartOf, type Chart, type ChartEdge } from '../../machines/chart.ts'
import { machineById, machineDefinitions } from '../../machines/definitions.ts'
import { lifecycleState } from '../../machines/path-cases.ts'
import { edgesTaken, refusable } from './edges-taken.ts'
import { homeOf, layers, walkedPaths, type Layer, type Pair, type WalkedPaths } from './walked-paths.ts'

export interface Covered {
  /** Null: no suite walks the machine there. */
  suite: { files: string[]; walks: number; refusals: number } | null
  /** How often each edge is taken, by its id; each refusal is tried, by `state × EVENT`. */
  edges: ReadonlyMap<string, number>
  refusals: ReadonlyMap<string, number>
  cannot: (pair: Pair) => string | null
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
  const reasons = suites.flatMap(({ cannot }) => cannot ?? [])
  const cannot = (pair: Pair) => reasons.map((reason) => reason(pair)).find((why) => why !== null) ?? null
  return { suite, edges, refusals: refused, cannot }
}

/** Every pair by its key in the counts. */
function pairsOf({ chart, refusals }: MachineCoverage): (Pair & { key: string })[] {
  return [
    ...chart.edges.map(({ id, from, event }) => ({ key: id, state: from, event, isRefusal: false })),
    ...refusals.map((key) => {
      const [state = '', event = null] = key.split(' × ')
      return { key, state, event, isRefusal: true }
    }),
  ]
}

const isWalked = ({ edges, refusals }: Covered, key: string): boolean => edges.has(key) || refusals.has(key)

/** Neither walked nor known never to come up. */
export function holes(of: MachineCoverage, layer: Layer): string[] {
  const covered = of.byLayer[layer]
  return pairsOf(of).flatMap((pair) => (isWalked(covered, pair.key) || covered.cannot(pair) !== null ? [] : [pair.key]))
}

/** Walked, although a suite says that they never come up. */
export function mistaken(of: MachineCoverage, layer: Layer): string[] {
  const covered = of.byLayer[layer]
  return pairsOf(of).flatMap((pair) => (isWalked(covered, pair.key) && covered.cannot(pair) !== null ? [pair.key] : []))
}

/**
 * For people; ends with the sums. A dot: the actor lives elsewhere, and no suite walks it there. `out`: it cannot be come to
 * there, for a reason that stands below its lines.
 */
export function coverageText(all: readonly MachineCoverage[] = coverage()): string {
  return [...all.map(machineText), sums(all)].join('\n')
}

function machineText({ chart, refusals, byLayer }: MachineCoverage): string {
  const reasons = new Set<string>()
  const line = (name: string, kind: 'edges' | 'refusals', key: string, pair: Pair) => {
    const cells = layers.map((layer) => cell(chart.id, layer, byLayer[layer], kind, key, pair))
    for (const layer of layers) {
      const why = byLayer[layer][kind].has(key) ? null : byLayer[layer].cannot(pair)
      if (why !== null) reasons.add(`  out of ${layer}: ${why}`)
    }
    return `  ${name.padEnd(70)}${cells.join('')}`
  }
  return [
    `${chart.id.padEnd(72)}${layers.map((layer) => layer.padStart(6)).join('')}`,
    ...chart.edges.map((edge) =>
      line(edgeText(edge), 'edges', edge.id, { state: edge.from, event: edge.event, isRefusal: false }),
    ),
    ...refusals.map((key) => {
      const [state = '', event = null] = key.split(' × ')
      return line(`${key} refused`, 'refusals', key, { state, event, isRefusal: true })
    }),
    ...reasons,
    '',
  ].join('\n')
}

function cell(machine: string, layer: Layer, covered: Covered, kind: 'edges' | 'refusals', key: string, pair: Pair) {
  if (isElsewhere(machine, layer, covered)) return '·'.padStart(6)
  const hole = covered.cannot(pair) === null ? 'HOLE' : 'out'
  return String(covered[kind].get(key) ?? hole).padStart(6)
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
