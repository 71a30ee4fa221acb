/* A chart as a Mermaid state diagram. Mermaid draws no arrow from a box to something inside it, so what counts in every
   state of a box starts at an `any state` within. An arrow that leaves no state is a loop. */
import type { Chart, ChartEdge, ChartState } from './chart.ts'

/** Lines of `stateDiagram-v2`, without a fence around them. */
export function mermaidOf(chart: Chart): string {
  return ['stateDiagram-v2', ...linesIn(chart, '').map(indented), ''].join('\n')
}

/** Every chart under a heading, for people to read. `title` and `about` open the page. */
export function diagramsPage(title: string, about: string, charts: readonly Chart[]): string {
  const parts = charts.map((chart) => `## ${chart.id}\n\n\`\`\`mermaid\n${mermaidOf(chart)}\`\`\`\n`)
  return [`# ${title}\n\n${about}\n`, ...parts].join('\n')
}

/** Arrows stand before the boxes: Mermaid puts a state where it was named last. */
function linesIn(chart: Chart, box: string): string[] {
  const inside = chart.states.filter(({ parent }) => (parent ?? '') === box)
  const arrows = mergedOf(chart.edges.map((edge) => arrowOf(chart, edge)).filter((arrow) => boxAround(arrow) === box))
  const any = idOf(anyIn(box))
  return [
    ...inside.flatMap((state) => (state.isInitial ? [`[*] --> ${idOf(state.id)}`] : [])),
    ...(arrows.some(({ from }) => idOf(from) === any) ? [`state "any state" as ${any}`] : []),
    ...arrows.map(({ from, to, label }) => `${idOf(from)} --> ${idOf(to)}: ${label}`),
    ...inside.flatMap((state) => stateLines(chart, state)),
    ...inside.flatMap(({ id, type }) => (type === 'final' ? [`${idOf(id)} --> [*]`] : [])),
  ]
}

function stateLines(chart: Chart, { id, name, type, entry, exit }: ChartState): string[] {
  const effects = [...entry.map((action) => `entry / ${action}`), ...exit.map((action) => `exit / ${action}`)]
  if (type === 'atomic' || type === 'final') {
    return [`state "${name}" as ${idOf(id)}`, ...effects.map((effect) => `${idOf(id)}: ${effect}`)]
  }
  const title = effects.length === 0 ? name : `${name} (${effects.join(', ')})`
  return [`state "${title}" as ${idOf(id)} {`, ...linesIn(chart, id).map(indented), '}']
}

interface Arrow {
  from: string
  to: string
  label: string
}

function arrowOf(chart: Chart, edge: ChartEdge): Arrow {
  const { from, to, isInternal } = edge
  const label = labelOf(edge)
  const isBox = from === '' || chart.states.some(({ parent }) => parent === from)
  if (isBox && isInternal) return { from: anyIn(from), to: anyIn(from), label }
  // To enter a box again is to enter where it begins.
  const end = isWithin(from, to) && (isBox || from !== to) ? initialIn(chart, to) : to
  return { from: isBox && isWithin(end, from) ? anyIn(from) : from, to: end, label }
}

/** One line between two states, however many arrows: Mermaid would draw each of them. */
function mergedOf(arrows: readonly Arrow[]): Arrow[] {
  const byEnds = new Map<string, Arrow>()
  for (const arrow of arrows) {
    const ends = `${arrow.from} ${arrow.to}`
    const before = byEnds.get(ends)
    byEnds.set(ends, before === undefined ? arrow : { ...arrow, label: `${before.label}<br>${arrow.label}` })
  }
  return [...byEnds.values()]
}

function labelOf({ event, guard, actions }: ChartEdge): string {
  const when = guard === null ? '' : ` [${guard}]`
  const effects = actions.length === 0 ? '' : ` / ${actions.join(', ')}`
  return `${event ?? 'always'}${when}${effects}`
}

/** The innermost box that holds both ends. */
function boxAround({ from, to }: Arrow): string {
  const outer = from.split('.').slice(0, -1)
  const other = to.split('.').slice(0, -1)
  const parting = outer.findIndex((name, depth) => name !== other[depth])
  return outer.slice(0, parting === -1 ? outer.length : parting).join('.')
}

function initialIn(chart: Chart, box: string): string {
  const first = chart.states.find(({ parent, isInitial }) => (parent ?? '') === box && isInitial)
  return first === undefined ? box : initialIn(chart, first.id)
}

const isWithin = (id: string, box: string): boolean => box === '' || id === box || id.startsWith(`${box}.`)
const anyIn = (box: string): string => (box === '' ? 'any' : `${box}.any`)
const idOf = (path: string): string => path.replaceAll('.', '_')
const indented = (line: string): string => `  ${line}`
