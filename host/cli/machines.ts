/* `task-surface machines`: the lifecycles as data, for people, programs, documents and the Stately editor. Needs no host and no
   data folder. */
import type { AnyStateMachine } from 'xstate'
import { chartOf, type Chart } from '../../machines/chart.ts'
import { machineById, machineDefinitions } from '../../machines/definitions.ts'
import { diagramsPage, mermaidOf } from '../../machines/diagram.ts'
import { statelyModule } from '../../machines/stately.ts'
import type { Json } from '../../shared/json.ts'
import { CommandError } from './command-error.ts'

export const machineFormats = ['text', 'json', 'mermaid', 'stately'] as const
export type MachineFormat = (typeof machineFormats)[number]

/** Ends with a line feed. All machines, or the one named. `sourceOf`: the module of a machine, for the Stately editor. */
export function machinesText(format: MachineFormat, sourceOf: (id: string) => string, name?: string): string {
  const chosen = definitionsOf(name)
  const charts = chosen.map(chartOf)
  switch (format) {
    case 'text':
      return charts.map(summary).join('\n')
    case 'json':
      return `${JSON.stringify(name === undefined ? chosen : chosen[0], null, 2)}\n`
    case 'mermaid':
      return name === undefined ? diagramsPage('Lifecycles', about, charts) : charts.map(mermaidOf).join('\n')
    case 'stately':
      return statelyModule(charts.map(({ id }) => ({ machine: machineNamed(id), source: sourceOf(id) })))
  }
}

/** Throws what the person reads. */
export function machineNamed(name: string): AnyStateMachine {
  const machine = Object.hasOwn(machineById, name) ? machineById[name] : undefined
  if (machine !== undefined) return machine
  throw new CommandError(`there is no machine ${name}; there are ${Object.keys(machineById).join(', ')}`)
}

/** In front of the diagrams; the page is checked to be what this command prints. */
const about =
  'Every machine of the product, as `npm run diagrams` draws it. What counts in every state of a box starts at `any state`.'

function definitionsOf(name: string | undefined): Json[] {
  const all = machineDefinitions()
  if (name === undefined) return all
  const { id } = machineNamed(name)
  return all.filter((definition) => chartOf(definition).id === id)
}

function summary({ id, states, edges }: Chart): string {
  const lines = states.map(({ id: state, type, isTransient }) => {
    const kind = isTransient ? 'passed through' : type === 'atomic' ? '' : type
    const events = [...new Set(edges.flatMap(({ from, event }) => (from === state && event !== null ? [event] : [])))]
    return `  ${state.padEnd(22)}${kind.padEnd(16)}${events.join(' ')}`.trimEnd()
  })
  return `${id}: ${states.length} states, ${edges.length} transitions\n${lines.join('\n')}\n`
}
