/* What of a chart is drawn, before anybody knows where: boxes with their texts, arrows with their labels, and how large
   each of them is. Pure; sizes are counted in characters, so that a layout is the same on every machine. Events that
   leave no state stand inside their box; arrows between the same two boxes are one arrow with several events.
   Next: `chart-layout.ts` (where they go), `chart-marks.ts` (which of them are lit). */
import type { Chart, ChartEdge } from '../../../machines/chart.ts'

export interface DrawnBox {
  id: string
  /** The region around it; null at the outermost level. */
  parent: string | null
  kind: 'state' | 'final' | 'transient' | 'region' | 'start'
  name: string
  /** Events that are taken here and lead nowhere else, in lines. */
  within: readonly (readonly string[])[]
  width: number
  height: number
}
export interface DrawnArrow {
  id: string
  from: string
  to: string
  /** Arrows of the chart that are drawn as this one. */
  edgeIds: readonly string[]
  /** Lines of its label. */
  lines: readonly (readonly string[])[]
  isAlways: boolean
  labelWidth: number
  labelHeight: number
}
export interface ChartGraph {
  machine: string
  boxes: readonly DrawnBox[]
  arrows: readonly DrawnArrow[]
}

/** Room above the boxes of a region for its name, and for a line of events. */
export const regionTitlePx = 24
export const linePx = 17
const nameCharPx = 8.4
const monoCharPx = 7.3
const boxPaddingPx = 24
const smallestBoxPx = 76
const boxPx = 40
export const startPx = 10
/** Characters after which events go on in the next line. */
const lineChars = { box: 26, arrow: 12 }
const separator = ' · '

/** The box of the machine itself, where something counts in every state. */
export const rootBox = ''
export const startOf = (parent: string): string => `start:${parent}`

function linesOf(events: readonly string[], most: number): string[][] {
  const lines: string[][] = []
  let room = 0
  for (const event of events) {
    const line = lines.at(-1)
    if (line === undefined || room < event.length + separator.length) {
      lines.push([event])
      room = most - event.length
    } else {
      line.push(event)
      room -= event.length + separator.length
    }
  }
  return lines
}

function widthOf(lines: readonly (readonly string[])[]): number {
  return Math.ceil(Math.max(0, ...lines.map((line) => line.join(separator).length)) * monoCharPx)
}

const eventsOf = (edges: readonly ChartEdge[]): string[] => [
  ...new Set(edges.flatMap(({ event }) => (event === null ? [] : [event]))),
]

export function graphOf(chart: Chart): ChartGraph {
  const hasRoot = chart.edges.some(({ from, to }) => from === rootBox || to === rootBox)
  const outermost = hasRoot ? rootBox : null
  const boxes: DrawnBox[] = []
  const withinOf = (id: string) =>
    linesOf(eventsOf(chart.edges.filter((edge) => edge.from === id && edge.isInternal)), lineChars.box)
  if (hasRoot) boxes.push(regionBox(rootBox, null, chart.id, withinOf(rootBox)))
  for (const { id, name, parent, type, isTransient } of chart.states) {
    const within = withinOf(id)
    const around = parent ?? outermost
    if (type === 'compound' || type === 'parallel') boxes.push(regionBox(id, around, name, within))
    else
      boxes.push(stateBox(id, around, name, within, type === 'final' ? 'final' : isTransient ? 'transient' : 'state'))
  }
  const starts = chart.states.filter(({ id, isInitial, type, parent }) => {
    const isRegion = type === 'compound' || type === 'parallel'
    // The dot inside of a region that everything begins with says enough.
    return isInitial && !(parent === null && isRegion && chart.states.some((one) => one.parent === id && one.isInitial))
  })
  for (const { parent } of starts) {
    const around = parent ?? outermost
    const size = { width: startPx, height: startPx }
    boxes.push({ id: startOf(parent ?? ''), parent: around, kind: 'start', name: '', within: [], ...size })
  }
  const arrows = [
    ...starts.map(({ id, parent }) => arrowOf(startOf(parent ?? ''), id, [])),
    ...grouped(chart.edges.filter((edge) => !edge.isInternal)),
  ]
  // ELK keeps the order it is given where it can: what begins stands first.
  const ordered = [...boxes.filter(({ kind }) => kind === 'start'), ...boxes.filter(({ kind }) => kind !== 'start')]
  return { machine: chart.id, boxes: ordered, arrows }
}

function regionBox(id: string, parent: string | null, name: string, within: string[][]): DrawnBox {
  const width = Math.max(name.length * nameCharPx, widthOf(within)) + boxPaddingPx
  return { id, parent, kind: 'region', name, within, width, height: regionTitlePx + within.length * linePx }
}

function stateBox(
  id: string,
  parent: string | null,
  name: string,
  within: string[][],
  kind: 'state' | 'final' | 'transient',
): DrawnBox {
  const width = Math.max(smallestBoxPx, name.length * nameCharPx + boxPaddingPx, widthOf(within) + boxPaddingPx - 8)
  return { id, parent, kind, name, within, width: Math.ceil(width), height: boxPx + within.length * linePx }
}

function grouped(edges: readonly ChartEdge[]): DrawnArrow[] {
  const groups = new Map<string, ChartEdge[]>()
  for (const edge of edges) {
    const key = `${edge.from} ${edge.to} ${edge.event === null}`
    groups.set(key, [...(groups.get(key) ?? []), edge])
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [arrowOf(first.from, first.to, group)]
  })
}

function arrowOf(from: string, to: string, edges: readonly ChartEdge[]): DrawnArrow {
  const lines = linesOf(eventsOf(edges), lineChars.arrow)
  return {
    id: `${from}>${to}${edges[0]?.event === null ? '!' : ''}`,
    from,
    to,
    edgeIds: edges.map(({ id }) => id),
    lines,
    isAlways: edges[0]?.event === null,
    labelWidth: lines.length === 0 ? 0 : widthOf(lines) + 6,
    labelHeight: lines.length * linePx,
  }
}
