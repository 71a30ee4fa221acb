/* Where the boxes and arrows of a chart go: the graph as ELK wants it, and its answer in plain numbers, all counted from
   the upper left corner of the picture. Pure but for the layouter it is given. */
import type { ELK, ElkExtendedEdge, ElkNode, ElkPoint } from 'elkjs/lib/elk-api.js'
import { type ChartGraph, type DrawnArrow, type DrawnBox, linePx, regionTitlePx } from './chart-graph.ts'

export interface Point {
  x: number
  y: number
}
export interface PlacedBox extends DrawnBox {
  x: number
  y: number
}
export interface PlacedArrow extends DrawnArrow {
  points: readonly Point[]
  /** Upper left corner of the label; null without one. */
  label: Point | null
}
export interface ChartLayout {
  machine: string
  width: number
  height: number
  /** A region stands before what is in it. */
  boxes: readonly PlacedBox[]
  arrows: readonly PlacedArrow[]
}

const options = {
  'elk.algorithm': 'layered',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.padding': '[top=4,left=4,bottom=4,right=4]',
  'elk.spacing.nodeNode': '22',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeNodeBetweenLayers': '10',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '9',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  // From the start dot on, so that pictures read from where a life begins.
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.thoroughness': '4',
  'elk.layered.edgeLabels.sideSelection': 'SMART_DOWN',
}

function nodeOf(graph: ChartGraph, box: DrawnBox, direction: Direction): ElkNode {
  const children = graph.boxes.filter((one) => one.parent === box.id && one !== box)
  if (box.kind !== 'region') return { id: idOf(box.id), width: box.width, height: box.height }
  const top = regionTitlePx + box.within.length * linePx + 12
  return {
    id: idOf(box.id),
    children: children.map((child) => nodeOf(graph, child, direction)),
    // Regions inherit nothing.
    layoutOptions: {
      ...options,
      'elk.direction': direction,
      'elk.padding': `[top=${top},left=12,bottom=12,right=12]`,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${box.width},${box.height})`,
    },
  }
}

/** The box of the machine itself has an empty id, and ELK wants one. */
const idOf = (box: string): string => `box ${box}`

/** Which way the layers follow each other. */
export type Direction = 'RIGHT' | 'DOWN'

export function elkGraphOf(graph: ChartGraph, direction: Direction): ElkNode {
  return {
    id: 'picture',
    layoutOptions: { ...options, 'elk.direction': direction },
    children: graph.boxes.filter(({ parent }) => parent === null).map((box) => nodeOf(graph, box, direction)),
    edges: graph.arrows.map((arrow) => ({
      id: arrow.id,
      sources: [idOf(arrow.from)],
      targets: [idOf(arrow.to)],
      ...(arrow.lines.length > 0 && {
        labels: [{ text: arrow.id, width: arrow.labelWidth, height: arrow.labelHeight }],
      }),
    })),
  }
}

export async function layOut(elk: Pick<ELK, 'layout'>, graph: ChartGraph, direction: Direction): Promise<ChartLayout> {
  return placed(graph, await elk.layout(elkGraphOf(graph, direction)))
}

function placed(graph: ChartGraph, answer: ElkNode): ChartLayout {
  const nodes = new Map(allNodes(answer).map((node) => [node.id, node]))
  const edges = new Map((answer.edges ?? []).map((edge) => [edge.id, edge]))
  return {
    machine: graph.machine,
    width: answer.width ?? 0,
    height: answer.height ?? 0,
    boxes: graph.boxes.map((box) => {
      const { x = 0, y = 0, width = box.width, height = box.height } = nodes.get(idOf(box.id)) ?? {}
      return { ...box, x, y, width, height }
    }),
    arrows: graph.arrows.map((arrow) => {
      const edge = edges.get(arrow.id)
      const { x, y } = edge?.labels?.[0] ?? {}
      return {
        ...arrow,
        points: edge === undefined ? [] : pointsOf(edge),
        label: x === undefined || y === undefined ? null : { x, y },
      }
    }),
  }
}

function allNodes(node: ElkNode): ElkNode[] {
  return (node.children ?? []).flatMap((child) => [child, ...allNodes(child)])
}

function pointsOf({ sections = [] }: ElkExtendedEdge): Point[] {
  return sections.flatMap(({ startPoint, bendPoints = [], endPoint }): ElkPoint[] => [
    startPoint,
    ...bendPoints,
    endPoint,
  ])
}
