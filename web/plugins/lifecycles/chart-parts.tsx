/* Boxes and arrows of a chart as they are drawn. What is lit comes through a context, so that a step of the scrubber draws
   those again and nothing is laid out. */
import { BaseEdge, type EdgeProps, Handle, type NodeProps, Position } from '@xyflow/react'
import { createContext, memo, type ReactNode, use } from 'react'
import { linePx } from './chart-graph.ts'
import type { PlacedArrow, Point } from './chart-layout.ts'
import { type ChartMarks, noMarks } from './chart-marks.ts'
import type { ArrowEdge, BoxNode } from './statechart.tsx'

const MarksContext = createContext<ChartMarks>(noMarks)

export function MarksProvider({ marks, children }: { marks: ChartMarks; children: ReactNode }) {
  return <MarksContext value={marks}>{children}</MarksContext>
}

export const BoxView = memo(function BoxView({ data: { box } }: NodeProps<BoxNode>) {
  const { current, around, previous, passed, edges, starts, event } = use(MarksContext)
  const isInside = event !== null && [...edges].some((edge) => edge.startsWith(`${box.id}:${event}:`))
  const lit = [
    `st st-${box.kind}`,
    current.has(box.id) ? 'on' : '',
    around.has(box.id) ? 'in' : '',
    previous.has(box.id) || passed.includes(box.id) ? 'was' : '',
    starts.has(box.id) ? 'hot' : '',
  ]
  return (
    <div className={lit.filter((name) => name !== '').join(' ')} style={{ width: box.width, height: box.height }}>
      <Handle type="source" position={Position.Top} isConnectable={false} />
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {box.kind !== 'start' && <span className="st-name">{box.name}</span>}
      {box.within.map((line) => (
        <span key={line.join()} className="st-within">
          {line.map((one, index) => (
            <span key={one} className={isInside && one === event ? 'hot' : undefined}>
              {index > 0 && ' · '}
              {one}
            </span>
          ))}
        </span>
      ))}
    </div>
  )
})

const cornerPx = 8
const tipPx = 9

/** Pure: through all points, with rounded corners; it ends where the tip begins. */
export function pathOf(points: readonly Point[], shortenPx: number): string {
  const corners = points.map((point, index) => {
    const before = points[index - 1]
    const next = points[index + 1]
    if (before === undefined) return `M${point.x} ${point.y}`
    if (next === undefined) {
      const end = towards(point, before, shortenPx)
      return `L${end.x} ${end.y}`
    }
    const into = towards(point, before, Math.min(cornerPx, distance(point, before) / 2))
    const out = towards(point, next, Math.min(cornerPx, distance(point, next) / 2))
    return `L${into.x} ${into.y}Q${point.x} ${point.y} ${out.x} ${out.y}`
  })
  return corners.join('')
}

const distance = (left: Point, right: Point): number => Math.hypot(left.x - right.x, left.y - right.y)

function towards(from: Point, to: Point, px: number): Point {
  const length = distance(from, to)
  const part = length === 0 ? 0 : px / length
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
}

function tipOf(points: readonly Point[], px: number): string {
  const end = points.at(-1)
  const before = points.at(-2)
  if (end === undefined || before === undefined) return ''
  const base = towards(end, before, px)
  const acrossX = ((end.y - base.y) / px) * px * 0.45
  const acrossY = ((base.x - end.x) / px) * px * 0.45
  return `M${end.x} ${end.y}L${base.x + acrossX} ${base.y + acrossY}L${base.x - acrossX} ${base.y - acrossY}Z`
}

export const ArrowView = memo(function ArrowView({ id, data }: EdgeProps<ArrowEdge>) {
  const { edges, starts, event } = use(MarksContext)
  const arrow = data?.arrow
  if (arrow === undefined) return null
  const isHot = arrow.edgeIds.some((edge) => edges.has(edge)) || starts.has(arrow.from)
  const tip = isHot ? tipPx * 1.35 : tipPx
  return (
    <g className={[isHot ? 'hot' : '', arrow.isAlways ? 'always' : ''].join(' ')}>
      <BaseEdge id={id} path={pathOf(arrow.points, tip * 0.8)} className="wire" interactionWidth={0} />
      <path className="tip" d={tipOf(arrow.points, tip)} />
      <Label arrow={arrow} hotEvent={isHot ? event : null} />
    </g>
  )
})

function Label({ arrow, hotEvent }: { arrow: PlacedArrow; hotEvent: string | null }) {
  const { label, lines, labelWidth } = arrow
  if (label === null) return null
  return lines.map((line, row) => (
    <text key={line.join()} className="ev" x={label.x + labelWidth / 2} y={label.y + row * linePx + linePx * 0.72}>
      {line.map((one, index) => (
        <tspan key={one} className={one === hotEvent ? 'ev-hot' : hotEvent === null ? undefined : 'ev-cool'}>
          {index > 0 ? ` · ${one}` : one}
        </tspan>
      ))}
    </text>
  ))
}
