/* The chart is drawn from a config alone; here it is held to what XState made of the same config. */
import { describe, expect, it } from 'vitest'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { chartOf } from '../../../machines/chart.ts'
import { machineById, machineDefinitions } from '../../../machines/definitions.ts'
import type { Json } from '../../../shared/json.ts'

const charts = machineDefinitions().map(chartOf)

function nodesBelow(node: AnyStateNode): AnyStateNode[] {
  return Object.values(node.states).flatMap((child) => [child, ...nodesBelow(child)])
}

const idOf = (node: AnyStateNode): string => node.path.join('.')
const nameOf = (named: unknown): string =>
  typeof named === 'object' && named !== null && 'type' in named ? String(named.type) : String(named)

function edgesOf(node: AnyStateNode) {
  return [...node.transitions.values(), node.always ?? []].flat().map((transition) => {
    const [target = node] = transition.target ?? []
    return {
      from: idOf(node),
      to: idOf(target),
      event: transition.eventType === '' ? null : transition.eventType,
      guard: transition.guard === undefined ? null : nameOf(transition.guard),
      actions: transition.actions.map(nameOf),
      isInternal: transition.target === undefined || (target === node && !transition.reenter),
    }
  })
}

function statesOf({ root }: AnyStateMachine) {
  return nodesBelow(root).map((node) => ({
    id: idOf(node),
    name: node.key,
    parent: node.parent === undefined || node.parent === root ? null : idOf(node.parent),
    type: node.type,
    isInitial: node.parent?.initial.target.includes(node) === true,
    isTransient: node.always !== undefined && node.ownEvents.length === 0,
    entry: node.entry.map(nameOf),
    exit: node.exit.map(nameOf),
  }))
}

describe.each(Object.values(machineById))('$id', (machine) => {
  const chart = charts.find(({ id }) => id === machine.id)

  it('machines/chart: its states are those XState made', () => {
    expect(chart?.states).toEqual(statesOf(machine))
  })

  it('machines/chart: its arrows are the transitions XState made', () => {
    const expected = [machine.root, ...nodesBelow(machine.root)].flatMap(edgesOf)
    expect(chart?.edges.map(({ id: _, ...edge }) => edge)).toEqual(expected)
    expect(new Set(chart?.edges.map(({ id }) => id)).size).toBe(expected.length)
  })
})

it('machines/chart: a state that is only passed through is told apart', () => {
  const transient = charts.flatMap(({ id, states }) =>
    states.filter((state) => state.isTransient).map((s) => [id, s.id]),
  )
  expect(transient).toEqual([['surface', 'live.discarded']])
})

it('machines/chart: what counts in every state starts at the machine', () => {
  const dock = charts.find(({ id }) => id === 'dock')
  expect(dock?.edges.filter(({ from }) => from === '').map(({ id }) => id)).toEqual([':UP:0', ':DOWN:0'])
})

it.each<[string, Json]>([
  ['no object', 'surface'],
  ['no id', { initial: 'a', states: { a: {} } }],
  ['a target that is not there', { id: 'm', initial: 'a', states: { a: { on: { GO: 'b' } } } }],
])('machines/chart: %s is no machine', (_, config) => {
  expect(() => chartOf(config)).toThrow()
})
