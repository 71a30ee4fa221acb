/* What is lit in a chart, held against the transitions XState itself took, on every edge of every machine; and the layouts
   of all charts. */
import Elk from 'elkjs/lib/main.js'
import { describe, expect, it } from 'vitest'
import { type AnyStateMachine, createActor, type InspectionEvent, type SnapshotFrom } from 'xstate'
import { type Chart, chartOf } from '../../../../machines/chart.ts'
import { machineDefinitions } from '../../../../machines/definitions.ts'
import { pathModels } from '../../../../machines/path-models.ts'
import { lifecyclePaths } from '../../../../machines/paths.ts'
import { graphOf } from '../../../../web/plugins/lifecycles/chart-graph.ts'
import { type ChartLayout, layOut } from '../../../../web/plugins/lifecycles/chart-layout.ts'
import { ancestorsOf, isEndOf, leavesOf, marksOf, stateWord } from '../../../../web/plugins/lifecycles/chart-marks.ts'
import { markOf } from '../../../../web/plugins/lifecycles/actor-facts.ts'
import { begin, entriesOf } from './journals.ts'

const charts = new Map(
  machineDefinitions()
    .map(chartOf)
    .map((chart) => [chart.id, chart]),
)

function chartNamed(name: string): Chart {
  const chart = charts.get(name)
  if (chart === undefined) throw new Error(`no machine ${name}`)
  return chart
}

type Snapshot = SnapshotFrom<AnyStateMachine>

/** The arrows XState takes for one event, `from>to EVENT`, in order. */
function takenBy(machine: AnyStateMachine, before: Snapshot, event: { type: string }): string[] {
  const taken: string[] = []
  const inspect = (seen: InspectionEvent) => {
    if (seen.type !== '@xstate.microstep' || seen.event.type === 'xstate.init') return
    for (const { source, target, eventType } of seen._transitions) {
      const [to = source] = target ?? []
      taken.push(`${source.path.join('.')}>${to.path.join('.')} ${eventType === '' ? 'always' : eventType}`)
    }
  }
  const actor = createActor(machine, { snapshot: before, inspect }).start()
  actor.send(event)
  return taken
}

describe.each(Object.entries(pathModels))('%s', (name, { all }) => {
  const chart = chartNamed(name)
  const edgeById = new Map(chart.edges.map((edge) => [edge.id, edge]))

  it('LIFE-LIT: the arrows lit for an entry are those the machine took, what it passed through included', () => {
    const wrong: unknown[] = []
    /** Payloads do not matter here: one of each pair of states and event is enough. */
    const seen = new Set<string>()
    for (const { start, steps } of lifecyclePaths(all, 'edges')) {
      const last = steps.at(-1)
      if (last === undefined) continue
      const before = steps.at(-2)?.snapshot ?? start
      const step = { actorId: `${name}:1`, event: { ...last.event }, from: before.value, to: last.snapshot.value }
      const key = JSON.stringify([step.from, last.event.type, step.to])
      if (seen.has(key)) continue
      seen.add(key)
      const [entry] = entriesOf([{ ...step, type: last.event.type }])
      if (entry === undefined) continue
      const lit = [...marksOf(chart, entry).edges].map((id) => {
        const edge = edgeById.get(id)
        return `${edge?.from}>${edge?.to} ${edge?.event ?? 'always'}`
      })
      const taken = takenBy(all.machine, before, last.event)
      // Where nothing changed, the journal does not say which of several arrows it was.
      const stays = JSON.stringify(before.value) === JSON.stringify(last.snapshot.value)
      const plain = (arrows: string[]) =>
        JSON.stringify(stays ? arrows.map((arrow) => arrow.replace(/>.* /, ' ')) : arrows)
      if (plain(lit) !== plain(taken)) wrong.push({ from: before.value, lit, taken })
    }
    expect(wrong).toEqual([])
  }, 60_000)

  it('LIFE-MARK: every innermost state has a mark of its own, in shape', () => {
    const leaves = chart.states.filter(
      ({ type, isTransient }) => (type === 'atomic' || type === 'final') && !isTransient,
    )
    const closing = entriesOf([{ actorId: `${name}:1`, type: 'COMMIT', to: 'closed' }])[0]
    const marks = leaves.map(({ id }) => [id, markOf(name, id, 'live', closing)])
    expect(marks.filter(([, mark]) => mark === 'neutral')).toEqual([])
    expect(leaves.every(({ id }) => markOf(name, id, 'gone', closing) === 'known')).toBe(true)
  })
})

describe('marks', () => {
  const surface = chartNamed('surface')

  it('LIFE-THROUGH: a discarded submission lights both arrows and names the state between', () => {
    const step = { actorId: 'surface:1', type: 'DISCARD', from: { live: 'queued' }, to: { live: 'open' } }
    const [entry] = entriesOf([step])
    if (entry === undefined) throw new Error('no entry')
    const marks = marksOf(surface, entry)
    expect([[...marks.edges], marks.passed]).toEqual([
      ['live.queued:DISCARD:0', 'live.discarded:always:0'],
      ['live.discarded'],
    ])
    expect([[...marks.current], [...marks.previous], [...marks.around]]).toEqual([
      ['live.open'],
      ['live.queued'],
      ['live'],
    ])
  })

  it('LIFE-BEGIN: a beginning lights the start dot and no arrow of the machine', () => {
    const [entry] = entriesOf([begin('surface:1', { live: 'open' })])
    if (entry === undefined) throw new Error('no entry')
    const marks = marksOf(surface, entry)
    expect([marks.starts.has('start:live'), marks.edges.size, marks.previous.size]).toEqual([true, 0, 0])
  })

  it.each([
    ['surface', 'closed', true],
    ['surface', { live: 'open' }, false],
    ['task', { settled: 'failed' }, true],
    ['task', { live: 'stopping' }, false],
    ['turn', 'ending', false],
    ['question', 'answered', true],
    ['connection', 'refused', false],
  ] as const)('LIFE-END: %s in %j: nothing leads on from there is %s', (machine, value, isEnd) => {
    expect(isEndOf(chartNamed(machine), value)).toBe(isEnd)
  })

  it('LIFE-WORD: states are written without the word that every living actor has', () => {
    expect([stateWord({ live: { pending: 'queued' } }), stateWord('closed'), stateWord(null)]).toEqual([
      'pending.queued',
      'closed',
      '–',
    ])
    expect([leavesOf({ a: { b: 'c', d: 'e' } }), ancestorsOf('a.b.c')]).toEqual([
      ['a.b.c', 'a.d.e'],
      ['a.b', 'a', ''],
    ])
  })
})

describe('layouts', () => {
  const elk = new Elk()
  const isInside = (inner: { x: number; y: number; width: number; height: number }, outer: typeof inner) =>
    inner.x >= outer.x - 1 &&
    inner.y >= outer.y - 1 &&
    inner.x + inner.width <= outer.x + outer.width + 1 &&
    inner.y + inner.height <= outer.y + outer.height + 1

  function misplaced({ boxes, arrows, width, height }: ChartLayout): string[] {
    const boxById = new Map(boxes.map((box) => [box.id, box]))
    const outside = boxes.filter((box) => {
      const around = box.parent === null ? undefined : boxById.get(box.parent)
      return !isInside(box, around ?? { x: 0, y: 0, width, height })
    })
    const over = boxes.flatMap((box, index) =>
      boxes.slice(index + 1).filter((other) => other.parent === box.parent && touches(box, other)),
    )
    const loose = arrows.filter(({ from, to, points }) => {
      const [first] = points
      const last = points.at(-1)
      const [start, end] = [boxById.get(from), boxById.get(to)]
      if (first === undefined || last === undefined || start === undefined || end === undefined) return true
      return !isInside({ ...first, width: 0, height: 0 }, start) || !isInside({ ...last, width: 0, height: 0 }, end)
    })
    return [
      ...outside.map(({ id }) => `outside ${id}`),
      ...over.map(({ id }) => `over ${id}`),
      ...loose.map((one) => one.id),
    ]
  }
  const touches = (a: { x: number; y: number; width: number; height: number }, b: typeof a) =>
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

  it.each([...charts.keys()])(
    'LIFE-LAYOUT: %s: boxes lie in their regions, apart, and arrows reach them',
    async (name) => {
      const chart = chartNamed(name)
      const graph = graphOf(chart)
      for (const direction of ['RIGHT', 'DOWN'] as const) {
        expect(misplaced(await layOut(elk, graph, direction))).toEqual([])
      }
      // Every state is a box, and every arrow that leads somewhere is drawn once.
      expect(graph.boxes.filter(({ kind }) => kind !== 'start').map(({ id }) => id)).toEqual(
        expect.arrayContaining(chart.states.map(({ id }) => id)),
      )
      expect(graph.arrows.flatMap(({ edgeIds }) => edgeIds).toSorted()).toEqual(
        chart.edges.flatMap(({ id, isInternal }) => (isInternal ? [] : [id])).toSorted(),
      )
    },
    60_000,
  )
})
