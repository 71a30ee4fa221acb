/* Layouts of charts: made in a worker, so that the page stays quick, and made once. A chart is laid out in both
   directions, because which one suits depends on the room there is. Knows nothing of what is lit. */
import ELK, { type ELK as Elk } from 'elkjs/lib/elk-api.js'
import workerUrl from 'elkjs/lib/elk-worker.min.js?url'
import type { Chart } from '../../../machines/chart.ts'
import { graphOf } from './chart-graph.ts'
import { type ChartLayout, layOut } from './chart-layout.ts'

export interface Layouts {
  across: ChartLayout
  down: ChartLayout
}

let elk: Elk | null = null
const layoutsByChart = new Map<string, Promise<Layouts>>()

/** Rejects where the worker cannot be loaded; asked again, it tries again. */
export function layoutsOf(chart: Chart): Promise<Layouts> {
  // Two versions of a machine differ in their chart, never in their id alone.
  const key = JSON.stringify(chart)
  const known = layoutsByChart.get(key)
  if (known !== undefined) return known
  const made = makeLayouts(chart)
  layoutsByChart.set(key, made)
  made.catch(() => layoutsByChart.delete(key))
  return made
}

async function makeLayouts(chart: Chart): Promise<Layouts> {
  elk ??= new ELK({ workerUrl, workerFactory: (url) => new Worker(url ?? workerUrl) })
  const graph = graphOf(chart)
  const [across, down] = await Promise.all([layOut(elk, graph, 'RIGHT'), layOut(elk, graph, 'DOWN')])
  return { across, down }
}

/** How much a layout is scaled to be seen whole in this room. */
export function wholeScale(layout: ChartLayout, room: { width: number; height: number }): number {
  return Math.min(room.width / layout.width, room.height / layout.height)
}

/** The one that is seen larger. */
export function suited({ across, down }: Layouts, room: { width: number; height: number }): ChartLayout {
  return wholeScale(across, room) >= wholeScale(down, room) ? across : down
}
