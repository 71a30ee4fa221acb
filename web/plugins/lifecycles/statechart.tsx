/* The chart of one machine with an actor's state in it. React Flow draws what ELK laid out; nothing of it can be dragged,
   connected or edited, and nothing of it scrolls or takes the focus: the box around does, as any other box, so that keys,
   touch and wheel do what they always do. To assistive technology the whole is one picture with a name that says it all. */
import '@xyflow/react/dist/base.css'
import { type Edge, type Node, Position, ReactFlow } from '@xyflow/react'
import { type PointerEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Chart } from '../../../machines/chart.ts'
import { Icon } from '../../icon.tsx'
import { ArrowView, BoxView, MarksProvider } from './chart-parts.tsx'
import type { ChartLayout, Direction, PlacedArrow, PlacedBox } from './chart-layout.ts'
import type { ChartMarks } from './chart-marks.ts'
import { directionFor, layoutOf, wholeScale } from './layouts.ts'
import { lifecycleTexts } from './lifecycle-texts.ts'
import { type Size, useSize } from './use-size.ts'

export type BoxNode = Node<{ box: PlacedBox }, 'box'>
export type ArrowEdge = Edge<{ arrow: PlacedArrow }, 'arrow'>

const nodeTypes = { box: BoxView }
const edgeTypes = { arrow: ArrowView }

/** Its texts stay legible down to here; a larger chart is scrolled. */
const smallestScale = 0.8
const largestScale = 1.4
const zoomStep = 1.25
const scaleBounds = { least: 0.2, most: 2.5 }
/** Between the picture and the edge of its box. */
const marginPx = 12

export interface StatechartProps {
  chart: Chart
  marks: ChartMarks
  /** All of it in words. */
  name: string
}

export function Statechart({ chart, marks, name }: StatechartProps) {
  const t = lifecycleTexts.use()
  const box = useRef<HTMLDivElement>(null)
  const size = useSize(box)
  /** Null: as large as the box allows. */
  const [chosenScale, setChosenScale] = useState<number | null>(null)
  const drag = useDrag(box)
  const room = size === null ? null : { width: size.width - 2 * marginPx, height: size.height - 2 * marginPx }
  const layout = useLayout(chart, room === null ? null : directionFor(room))
  const scale = layout === null || room === null ? 1 : (chosenScale ?? fitting(layout, room))
  useCentred(box, layout, scale, marks)
  const zoom = (factor: number) => {
    setChosenScale(Math.min(scaleBounds.most, Math.max(scaleBounds.least, scale * factor)))
  }
  return (
    <div className="chart-frame">
      <div ref={box} className="chart-box" tabIndex={0} role="group" aria-label={t('chart')} {...drag}>
        {layout === null ? (
          <p className="dim chart-wait" role="status">
            {t('drawing')}
          </p>
        ) : (
          <Picture layout={layout} scale={scale} marks={marks} name={name} />
        )}
      </div>
      <div className="chart-zoom">
        <ZoomButton label={t('zoomIn')} onPress={() => zoom(zoomStep)}>
          <Icon name="i-plus" />
        </ZoomButton>
        <ZoomButton label={t('zoomOut')} onPress={() => zoom(1 / zoomStep)}>
          <Icon name="m-idle" />
        </ZoomButton>
        <ZoomButton
          label={t('fit')}
          onPress={() =>
            layout !== null && room !== null && setChosenScale(Math.min(largestScale, wholeScale(layout, room)))
          }
        >
          <Icon name="m-neutral" />
        </ZoomButton>
      </div>
    </div>
  )
}

function ZoomButton({ label, onPress, children }: { label: string; onPress: () => void; children: ReactNode }) {
  return (
    <button type="button" className="icon-btn icon-btn-sm" aria-label={label} title={label} onClick={onPress}>
      {children}
    </button>
  )
}

function fitting(layout: ChartLayout, room: Size): number {
  return Math.min(largestScale, Math.max(smallestScale, wholeScale(layout, room)))
}

/** The one of the other direction stays until the new one is there. */
function useLayout(chart: Chart, direction: Direction | null): ChartLayout | null {
  const [made, setMade] = useState<{ of: Chart; layout: ChartLayout } | null>(null)
  const [failures, setFailures] = useState(0)
  useEffect(() => {
    if (direction === null) return
    let isWanted = true
    let timer: ReturnType<typeof setTimeout> | undefined
    layoutOf(chart, direction).then(
      (layout) => isWanted && setMade({ of: chart, layout }),
      () => {
        // The worker is a file of the host, which may be away.
        timer = setTimeout(() => isWanted && setFailures((times) => times + 1), 2_000)
      },
    )
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [chart, direction, failures])
  return made?.of === chart ? made.layout : null
}

function Picture({
  layout,
  scale,
  marks,
  name,
}: {
  layout: ChartLayout
  scale: number
  marks: ChartMarks
  name: string
}) {
  const { nodes, edges } = useMemo(() => flowOf(layout), [layout])
  const viewport = useMemo(() => ({ x: 0, y: 0, zoom: scale }), [scale])
  return (
    <div
      className="chart flow"
      role="img"
      aria-label={name}
      style={{ width: layout.width * scale, height: layout.height * scale }}
    >
      <MarksProvider marks={marks}>
        {/* Its parts have names of their own, which say less than that of the picture. */}
        <div aria-hidden="true" style={{ width: '100%', height: '100%' }}>
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            viewport={viewport}
            minZoom={scaleBounds.least}
            maxZoom={scaleBounds.most}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            panOnDrag={false}
            panOnScroll={false}
            zoomOnScroll={false}
            zoomOnPinch={false}
            zoomOnDoubleClick={false}
            preventScrolling={false}
            disableKeyboardA11y
            proOptions={{ hideAttribution: true }}
          />
        </div>
      </MarksProvider>
    </div>
  )
}

function flowOf({ boxes, arrows }: ChartLayout): { nodes: BoxNode[]; edges: ArrowEdge[] } {
  return {
    nodes: boxes.map((box) => ({
      id: box.id,
      type: 'box',
      position: { x: box.x, y: box.y },
      width: box.width,
      height: box.height,
      // Known beforehand, so that arrows are drawn with the first picture.
      handles: (['source', 'target'] as const).map((type) => {
        return { type, position: Position.Top, x: 0, y: 0, width: 1, height: 1 }
      }),
      zIndex: box.kind === 'region' ? 0 : 2,
      data: { box },
    })),
    edges: arrows.map((arrow) => ({
      id: arrow.id,
      type: 'arrow',
      source: arrow.from,
      target: arrow.to,
      zIndex: 1,
      data: { arrow },
    })),
  }
}

/** Where the chart is larger than its box, what is lit is brought into view. */
function useCentred(
  box: { readonly current: HTMLElement | null },
  layout: ChartLayout | null,
  scale: number,
  { current }: ChartMarks,
): void {
  const [lit] = current
  useEffect(() => {
    const at = layout?.boxes.find(({ id }) => id === lit)
    const element = box.current
    if (at === undefined || element === null) return
    const left = at.x * scale
    const top = at.y * scale
    const isSeen =
      left >= element.scrollLeft &&
      left + at.width * scale <= element.scrollLeft + element.clientWidth &&
      top >= element.scrollTop &&
      top + at.height * scale <= element.scrollTop + element.clientHeight
    if (isSeen) return
    element.scrollLeft = left + (at.width * scale - element.clientWidth) / 2
    element.scrollTop = top + (at.height * scale - element.clientHeight) / 2
  }, [box, layout, scale, lit])
}

/** A mouse drags the picture; fingers scroll it anyway. */
function useDrag(box: { readonly current: HTMLElement | null }) {
  const from = useRef<{ x: number; y: number } | null>(null)
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const element = box.current
      if (event.pointerType !== 'mouse' || event.button !== 0 || element === null) return
      from.current = { x: event.clientX + element.scrollLeft, y: event.clientY + element.scrollTop }
      element.setPointerCapture(event.pointerId)
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (from.current === null || box.current === null) return
      box.current.scrollLeft = from.current.x - event.clientX
      box.current.scrollTop = from.current.y - event.clientY
    },
    onPointerUp: () => {
      from.current = null
    },
    onPointerCancel: () => {
      from.current = null
    },
  }
}
