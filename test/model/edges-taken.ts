/* Which arrows of a chart an event takes, and which pairs of state and event a machine can refuse. Counted from the configs:
   what `coverage.ts` sums up, and what `page-walks.ts` looks for. */
import { getMicrosteps, type AnyMachineSnapshot, type AnyStateMachine, type EventObject } from 'xstate'
import type { Chart, ChartEdge } from '../../machines/chart.ts'
import { lifecycleState } from '../../machines/path-cases.ts'

/** The transitions of one event, and those without event that follow. */
export function edgesTaken(machine: AnyStateMachine, chart: Chart, at: AnyMachineSnapshot, event: EventObject) {
  const taken = machine.getTransitionData(at, event).map((transition) => {
    const index = transition.source.transitions.get(transition.eventType)?.indexOf(transition) ?? -1
    return `${transition.source.path.join('.')}:${transition.eventType}:${index}`
  })
  const passed = getMicrosteps(machine, at, event)
    .slice(0, -1)
    .map(([snapshot]) => lifecycleState(snapshot).state)
  const followed = chart.edges.filter((edge) => edge.event === null && passed.includes(edge.from))
  return [...taken, ...followed.map(({ id }) => id)]
}

/** `state × EVENT` of every state without states inside, where no transition is without a guard. */
export function refusable(machine: AnyStateMachine, { states, edges }: Chart): string[] {
  const isBox = (id: string) => states.some(({ parent }) => parent === id)
  const innermost = states.filter(({ id, isTransient }) => !isTransient && !isBox(id))
  return innermost.flatMap(({ id, type }) =>
    machine.events
      .filter((event) => type === 'final' || !edges.some((edge) => isCertain(edge, id, event)))
      .map((event) => `${id} × ${event}`),
  )
}

const isCertain = ({ from, event, guard }: ChartEdge, at: string, type: string): boolean =>
  event === type && guard === null && (from === '' || from === at || at.startsWith(`${from}.`))
