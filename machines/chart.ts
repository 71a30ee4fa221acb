/* A machine as a picture has it: boxes and arrows. Made from the JSON of its config (`definitions.ts`), so a page that was
   sent the configs draws what the host runs; knows no machine, no snapshot and no layout.

   A state's id is its path below the machine, `live.open`; the machine itself is `''`, never a state of the chart, but
   the start of arrows that count in every state. States and arrows stand in the order of the config, a state before
   those inside it, and the arrows of one state × event in the order in which their guards are asked. */
import type { Json, JsonObject } from '../shared/json.ts'

export interface ChartState {
  id: string
  name: string
  parent: string | null
  type: 'atomic' | 'compound' | 'parallel' | 'final'
  /** Where its parent begins. */
  isInitial: boolean
  /** It has only `always`: passed through within one event. */
  isTransient: boolean
  entry: string[]
  exit: string[]
}

export interface ChartEdge {
  /** `live.open:SUBMIT:0`; the number counts the arrows of this state × event. */
  id: string
  from: string
  /** The state named, which may hold others; `from` again where none is. */
  to: string
  /** Null: `always`. */
  event: string | null
  guard: string | null
  actions: string[]
  /** It leaves no state: there is no target, or the target is its own state and is not entered again. */
  isInternal: boolean
}

export interface Chart {
  id: string
  states: ChartState[]
  edges: ChartEdge[]
}

/** Throws for what is not the config of a machine: it comes from a machine, never from a person. */
export function chartOf(config: Json): Chart {
  const root = objectOf(config)
  if (typeof root['id'] !== 'string') throw new Error('a machine has an id')
  const chart: Chart = { id: root['id'], states: [], edges: [] }
  addNode(chart, '', root)
  for (const edge of chart.edges) {
    if (edge.to !== '' && !chart.states.some(({ id }) => id === edge.to)) throw new Error(`${edge.id}: no ${edge.to}`)
  }
  return chart
}

function addNode(chart: Chart, at: string, node: JsonObject): void {
  for (const [event, transitions] of Object.entries(objectOf(node['on']))) addEdges(chart, at, event, transitions)
  addEdges(chart, at, null, node['always'])
  for (const [name, child] of Object.entries(objectOf(node['states']))) {
    const inner = objectOf(child)
    const id = joined(at, name)
    chart.states.push({
      id,
      name,
      parent: at === '' ? null : at,
      type: typeOf(inner),
      isInitial: node['initial'] === name || node['type'] === 'parallel',
      isTransient: inner['always'] !== undefined && inner['on'] === undefined,
      entry: namesIn(inner['entry']),
      exit: namesIn(inner['exit']),
    })
    addNode(chart, id, inner)
  }
}

function addEdges(chart: Chart, from: string, event: string | null, transitions: Json | undefined): void {
  for (const [index, transition] of listOf(transitions).entries()) {
    const { target, guard, actions, reenter } =
      typeof transition === 'string' ? objectOf({ target: transition }) : objectOf(transition)
    const [named] = listOf(target)
    const to = typeof named === 'string' ? targetOf(chart.id, from, named) : from
    chart.edges.push({
      id: `${from}:${event ?? 'always'}:${index}`,
      from,
      to,
      event,
      guard: namesIn(guard)[0] ?? null,
      actions: namesIn(actions),
      isInternal: named === undefined || (to === from && reenter !== true),
    })
  }
}

/** `#machine.path` counts from the machine, `.path` from this state, `path` from its parent. */
function targetOf(machine: string, from: string, target: string): string {
  if (target === `#${machine}`) return ''
  if (target.startsWith(`#${machine}.`)) return target.slice(machine.length + 2)
  if (target.startsWith('.')) return joined(from, target.slice(1))
  return joined(from.split('.').slice(0, -1).join('.'), target)
}

function typeOf(node: JsonObject): ChartState['type'] {
  if (node['type'] === 'final' || node['type'] === 'parallel') return node['type']
  return node['states'] === undefined ? 'atomic' : 'compound'
}

/** Guards and actions are named, alone or with params. */
function namesIn(value: Json | undefined): string[] {
  return listOf(value).map((each) => {
    const name = typeof each === 'string' ? each : objectOf(each)['type']
    if (typeof name !== 'string') throw new Error('guards and actions are named')
    return name
  })
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function listOf(value: Json | undefined): Json[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

function objectOf(value: Json | undefined): JsonObject {
  if (value === undefined) return {}
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('no config of a machine')
  return value
}
