/* What a model is told about tools is byte-stable for a composition (SPEC 5): providers cache it, and a change is a
   change of the contract that somebody must have meant. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openToolBench } from './tools-bench.ts'

const models = z
  .record(z.string(), z.json())
  .parse(JSON.parse(readFileSync(new URL('../fixtures/surfaces.json', import.meta.url), 'utf8')))

const schemaSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
  additionalProperties: z.literal(false),
})

/** SPEC 5, table of tool inputs. */
const table: Record<string, string> = {
  show_task_surface: 'model',
  ask_user_question: 'questions',
  bash: 'command, description?, timeoutMs?, run_in_background?',
  terminal_send: 'input, terminalId?, waitMs?, run_in_background?',
  subagent: 'prompt, description, run_in_background?',
  task_list: '',
  task_output: 'taskId, wait?, timeoutMs?',
  task_kill: 'taskId, reason?',
  read_file: 'path, offset?, limit?',
  write_file: 'path, content',
  edit_file: 'path, oldText, newText, replaceAll?',
}

describe('tool definitions', () => {
  it('byte-stable: the definitions are those of the snapshot', async () => {
    const { tools } = await openToolBench()
    await expect(`${JSON.stringify(tools.specs('native'), null, 2)}\n`).toMatchFileSnapshot('./tool-definitions.snap')
    await expect(`${JSON.stringify(tools.specs('code'), null, 2)}\n`).toMatchFileSnapshot(
      './tool-definitions-code.snap',
    )
  })

  it('byte-stable: nothing that was called changes them, and two compositions agree', async () => {
    const bench = await openToolBench()
    const before = JSON.stringify(bench.tools.specs('native'))
    const ends = []
    for (const model of Object.values(models)) ends.push(await bench.call('show_task_surface', { model }))
    expect(ends.filter((end) => 'text' in end).length).toBeGreaterThan(1)
    expect(ends.filter((end) => 'code' in end).length).toBeGreaterThan(0)
    await bench.call('bash', { command: 'true', run_in_background: true })
    await bench.call('read_file', { path: 'none' })
    expect(JSON.stringify(bench.tools.specs('native'))).toBe(before)
    expect(JSON.stringify((await openToolBench()).tools.specs('native'))).toBe(before)
  })

  it('table: names, order and inputs are those of the contract, and unknown keys are refused', async () => {
    const { tools } = await openToolBench()
    const told = tools.specs('native').map(({ name, inputSchema }) => {
      const { properties, required } = schemaSchema.parse(inputSchema)
      return [
        name,
        Object.keys(properties)
          .map((key) => (required.includes(key) ? key : `${key}?`))
          .join(', '),
      ]
    })
    expect(told).toEqual(Object.entries(table))
  })

  it('tool-modes: code mode has one tool, which tells of the others but not of surfaces; both has all', async () => {
    const { tools } = await openToolBench()
    const [only, ...more] = tools.specs('code')
    expect(more).toEqual([])
    expect(only?.name).toBe('run_code')
    expect(Object.keys(schemaSchema.parse(only?.inputSchema).properties)).toEqual(['code'])
    for (const name of Object.keys(table)) {
      expect(only?.description.includes(`tools.${name}(`)).toBe(name !== 'show_task_surface')
    }
    expect(tools.specs('both')).toEqual([...tools.specs('native'), ...tools.specs('code')])
  })

  it('pwsh: where PowerShell exists it stands behind bash with the same inputs', async () => {
    const { tools } = await openToolBench({ pwshFile: '/opt/pwsh' })
    const specs = tools.specs('native')
    expect(specs.map(({ name }) => name).slice(2, 4)).toEqual(['bash', 'pwsh'])
    expect(specs[3]?.inputSchema).toEqual(specs[2]?.inputSchema)
  })

  it('plain: every definition says in words what it is for, and every text is one line', async () => {
    const { tools } = await openToolBench({ pwshFile: '/opt/pwsh' })
    for (const { description } of tools.specs('native')) {
      expect(description.length).toBeGreaterThan(30)
      expect(description).not.toMatch(/\n|undefined|\[object/)
    }
  })

  it('safe-together: only tools that change nothing may run beside others', async () => {
    const { tools } = await openToolBench()
    const safe = Object.keys(table).filter((name) => tools.find(name, 'both')?.concurrencySafe === true)
    expect(safe).toEqual(['subagent', 'task_list', 'read_file'])
  })

  it('asks: whatever touches the machine asks first', async () => {
    const { asks } = await openToolBench()
    const touching = {
      bash: { command: 'ls' },
      terminal_send: { input: 'ls\n' },
      write_file: { path: 'a', content: 'b' },
      edit_file: { path: 'a', oldText: 'b', newText: 'c' },
    }
    for (const [name, input] of Object.entries(touching)) expect(asks(name, input)).toMatch(/\S/)
  })
})
