/* The module for the Stately editor is run, and each of its machines goes where ours goes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  initialTransition,
  transition,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate'
import { machinesText } from '../../../host/cli/machines.ts'
import { machineById } from '../../../machines/definitions.ts'
import { pathModels } from '../../../machines/path-models.ts'
import { lifecyclePaths, type PathModel } from '../../../machines/paths.ts'
import { lifecycleState } from '../../../machines/path-cases.ts'
import { statelyModule } from '../../../machines/stately.ts'

const output = fileURLToPath(new URL('../../output/', import.meta.url))
let folder: string

beforeAll(() => {
  mkdirSync(output, { recursive: true })
  folder = mkdtempSync(join(output, 'stately-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function machinesIn(name: string, text: string): Promise<Map<string, AnyStateMachine>> {
  const file = join(folder, `${name}.ts`)
  writeFileSync(file, text)
  const module: Record<string, unknown> = await import(file)
  const machines = Object.values(module).filter(isMachine)
  return new Map(machines.map((machine) => [machine.id, machine]))
}

const isMachine = (value: unknown): value is AnyStateMachine =>
  typeof value === 'object' && value !== null && 'root' in value && 'config' in value

function expectSame(id: string, ours: AnyStateMachine, theirs: AnyStateMachine | undefined): void {
  const model = pathModels[id]
  if (model === undefined || theirs === undefined) throw new Error(`no ${id}`)
  expect(theirs).not.toBe(ours)
  const { all } = model
  const said = (machine: AnyStateMachine, { value, context }: AnyMachineSnapshot, event: AnyEventObject) => {
    const at = machine.resolveState({ value, context })
    const [next, effects] = transition(machine, at, event)
    return JSON.stringify([at.can(event), lifecycleState(next), effects.map(({ type }) => type)])
  }
  const differences = configurations(all).flatMap((at) =>
    all.events(at).filter((event) => said(theirs, at, event) !== said(ours, at, event)),
  )
  expect(differences).toEqual([])
  expect(lifecycleState(initialTransition(theirs, all.input)[0])).toEqual(
    lifecycleState(initialTransition(ours, all.input)[0]),
  )
}

const sourceOf = (id: string) => readFileSync(new URL(`../../../machines/${id}.ts`, import.meta.url), 'utf8')

const configurations = (model: PathModel): AnyMachineSnapshot[] =>
  lifecyclePaths(model, 'shortest').map(({ start, steps }) => steps.at(-1)?.snapshot ?? start)

describe('machines/stately: all machines in one module', () => {
  let machines: Map<string, AnyStateMachine>
  beforeAll(async () => {
    machines = await machinesIn('all', machinesText('stately', sourceOf))
  })

  it.each(Object.entries(machineById))(
    'machines/stately: %s goes where ours goes',
    { timeout: 60_000 },
    (id, machine) => {
      expectSame(id, machine, machines.get(id))
    },
  )
})

it.each(Object.keys(machineById))('machines/stately: %s alone is a module as well', async (id) => {
  const machines = await machinesIn(id, machinesText('stately', sourceOf, id))
  expect([...machines.keys()]).toEqual([id])
})

it('machines/stately: configs are written out, without anything that must be computed', () => {
  const text = machinesText('stately', sourceOf, 'composer')
  expect(text.slice(text.indexOf('.createMachine('))).not.toContain('...settled')
})

it.each([
  ['is not built by createMachine', 'export const none = 1'],
  ['needs more than xstate', "import { helper } from './helper.ts'\nexport const m = setup({}).createMachine({})"],
])('machines/stately: a module that %s cannot be given away', (_, source) => {
  const [machine] = Object.values(machineById)
  if (machine === undefined) throw new Error('no machine')
  expect(() => statelyModule([{ machine, source }])).toThrow()
})
