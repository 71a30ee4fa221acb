/* What Mermaid can draw, and that nothing of a chart is left out. */
import { expect, it } from 'vitest'
import { chartOf } from '../../../machines/chart.ts'
import { machineDefinitions } from '../../../machines/definitions.ts'
import { mermaidOf } from '../../../machines/diagram.ts'

const charts = machineDefinitions().map(chartOf)
const inOrder = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
const arrowPattern = /^ *(\S+) --> (\S+): (.*)$/gm

it.each(charts)('machines/diagram: $id has every state and every transition', (chart) => {
  const text = mermaidOf(chart)
  for (const { id, name } of chart.states) expect(text).toContain(`state "${name}" as ${id.replaceAll('.', '_')}`)
  const labels = [...text.matchAll(arrowPattern)].flatMap(([, , , label = '']) => label.split('<br>'))
  const events = labels.map((label) => label.split(' ')[0] ?? '')
  expect(events.toSorted(inOrder)).toEqual(chart.edges.map(({ event }) => event ?? 'always').toSorted(inOrder))
})

it.each(charts)(
  'machines/diagram: $id has no arrow between a box and what is in it, which Mermaid cannot draw',
  (chart) => {
    const boxes = chart.states.flatMap(({ parent }) => (parent === null ? [] : [parent.replaceAll('.', '_')]))
    for (const [, from = '', to = ''] of mermaidOf(chart).matchAll(arrowPattern)) {
      if (boxes.includes(from)) expect(to === from || to.startsWith(`${from}_`), `${from} --> ${to}`).toBe(false)
      if (boxes.includes(to)) expect(from.startsWith(`${to}_`), `${from} --> ${to}`).toBe(false)
    }
  },
)

it('machines/diagram: what counts in every state of a box starts at any of them, and guards and effects are named', () => {
  const config = {
    id: 'lamp',
    initial: 'on',
    states: {
      on: {
        initial: 'low',
        entry: 'light',
        on: { TURN: [{ guard: 'isFar', target: '.high', actions: ['click', 'hum'] }, { target: 'off' }] },
        states: { low: {}, high: { always: 'low', exit: 'cool' } },
      },
      off: { type: 'final' },
    },
  }
  expect(mermaidOf(chartOf(config))).toBe(`stateDiagram-v2
  [*] --> on
  on --> off: TURN
  state "on (entry / light)" as on {
    [*] --> on_low
    state "any state" as on_any
    on_any --> on_high: TURN [isFar] / click, hum
    on_high --> on_low: always
    state "low" as on_low
    state "high" as on_high
    on_high: exit / cool
  }
  state "off" as off
  off --> [*]
`)
})
