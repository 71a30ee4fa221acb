/* Machines as one JavaScript module that runs by itself and that the Stately editor reads: guards and actions as they stand in
   the source, each config written out, so that nothing in it has to be computed to be drawn. */
import type { AnyStateMachine } from 'xstate'

export interface MachineSource {
  machine: AnyStateMachine
  /** Its module: TypeScript, or what was compiled from it. */
  source: string
}

/** Throws where a module is not built as all of ours are: imports, `setup({…}).createMachine({…})`, then helpers. */
export function statelyModule(sources: readonly MachineSource[]): string {
  const names = new Set<string>()
  const parts = sources.map(({ machine, source }) => {
    const end = source.indexOf(beginning)
    if (end === -1) throw new Error(`${machine.id}: no ${beginning}`)
    const before = source.slice(0, end + beginning.length).replace(importPattern, (_, typed, list: string, from) => {
      if (typed === undefined && from !== 'xstate') throw new Error(`${machine.id}: imports ${from}`)
      if (typed === undefined) for (const name of valuesIn(list)) names.add(name)
      return ''
    })
    return `${before}${literal(machine.config, '')})\n`
  })
  return [`import { ${[...names].toSorted().join(', ')} } from 'xstate'\n`, ...parts].join('\n')
}

const beginning = '}).createMachine('
const importPattern = /^import (type )?\{([^}]*)\} from '([^']*)';?\n/gm

const valuesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))

/** Functions as their own text: they see the module they were written in. */
function literal(value: unknown, margin: string): string {
  const inner = `${margin}  `
  if (typeof value === 'function') return String(value)
  if (Array.isArray(value))
    return listed(
      '[',
      ']',
      value.map((member) => literal(member, inner)),
      margin,
    )
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return listed(
    '{',
    '}',
    members.map(([key, member]) => `${/^[\w$]+$/.test(key) ? key : JSON.stringify(key)}: ${literal(member, inner)}`),
    margin,
  )
}

function listed(open: string, close: string, members: readonly string[], margin: string): string {
  if (members.length === 0) return `${open}${close}`
  const inner = `${margin}  `
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${margin}${close}`
}
