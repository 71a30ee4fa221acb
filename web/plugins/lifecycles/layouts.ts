/* Layouts of charts: made in a worker, so that the page stays quick, and made once. Which way a chart
   runs depends on the room there is. Knows nothing of what is lit. */
import ELK, { type ELK as Elk } from 'elkjs/lib/elk-api.js'
import workerUrl from 'elkjs/lib/elk-worker.min.js?url'
import type { Chart } from '../../../machines/chart.ts'
import { graphOf } from './chart-graph.ts'
import { type ChartLayout, type Direction, layOut } from './chart-layout.ts'

interface Engine {
  elk: Elk
  /** Rejects when the worker cannot be loaded, or dies. */
  broken: Promise<never>
}

let engine: Engine | null = null
const layoutByChart = new Map<string, Promise<ChartLayout>>()

function startEngine(): Engine {
  let fail = (_why: Error): void => {}
  const broken = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Those who wait for a layout hear of it.
  broken.catch(() => {})
  const workerFactory = (url?: string) => {
    const worker = new Worker(url ?? workerUrl)
    worker.addEventListener('error', () => {
      engine = null
      fail(new Error('the worker that lays charts out has ended'))
    })
    return worker
  }
  return { elk: new ELK({ workerUrl, workerFactory }), broken }
}

/** Loads the worker while it is not known yet what to lay out. */
export function warmUp(): void {
  engine ??= startEngine()
}

/** Rejects where the worker cannot be loaded; asked again, it tries again. */
export function layoutOf(chart: Chart, direction: Direction): Promise<ChartLayout> {
  // Two versions of a machine differ in their chart, never in their id alone.
  const key = `${direction} ${JSON.stringify(chart)}`
  const known = layoutByChart.get(key)
  if (known !== undefined) return known
  engine ??= startEngine()
  const { elk, broken } = engine
  const made = Promise.race([layOut(elk, graphOf(chart), direction), broken])
  layoutByChart.set(key, made)
  made.catch(() => layoutByChart.delete(key))
  return made
}

/** How much a layout is scaled to be seen whole in this room. */
export function wholeScale(layout: ChartLayout, room: { width: number; height: number }): number {
  return Math.min(room.width / layout.width, room.height / layout.height)
}

/** From here on our charts are seen larger when they run across. */
const wideRatio = 1.5

export function directionFor(room: { width: number; height: number }): Direction {
  return room.width >= wideRatio * room.height ? 'RIGHT' : 'DOWN'
}
