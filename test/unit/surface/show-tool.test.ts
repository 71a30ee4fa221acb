/* `show_task_surface` as the session calls it (SPEC 6.2): what is refused, in which order, and what a success says,
   stores and ends. */
import { describe, expect, it } from 'vitest'
import { createShowTaskSurface } from '../../../host/tools/show-task-surface.ts'
import { ToolRegistry } from '../../../host/tools/registry.ts'
import { ToolFailure } from '../../../host/tools/tool.ts'
import { callIdSchema, sessionIdSchema, taskSurfaceIdSchema } from '../../../shared/ids.ts'
import { textOf } from '../../../shared/message.ts'
import { defaultTaskSurfaceLimits } from '../../../shared/surface/limits.ts'

const open = taskSurfaceIdSchema.parse('surface-open')
const model = {
  version: 1,
  title: '  Pick a   plan ',
  sections: [{ id: 's', blocks: [{ kind: 'markdown', text: 'Only the model holds this sentence.' }] }],
  fields: [{ kind: 'toggle', id: 'f', label: 'Only the model holds this label' }],
  submit: { label: 'Go' },
}
const normalised = { ...model, title: 'Pick a plan' }
const broken = { ...model, title: ' ', colour: 'red', fields: [{ kind: 'slider', id: 'f', label: 'L' }] }

interface Where {
  nested?: boolean
  delegated?: boolean
  active?: typeof open
}

let minted = 0
const tool = createShowTaskSurface({
  limits: defaultTaskSurfaceLimits,
  mintSurfaceId: () => taskSurfaceIdSchema.parse(`surface-${(minted += 1)}`),
})

async function show(input: unknown, { nested = false, delegated = false, active }: Where = {}) {
  const before = minted
  let concluded = false
  const ready = tool.prepare(JSON.stringify(input))
  const session = {
    sessionId: sessionIdSchema.parse('session'),
    cwd: '/',
    delegated,
    activeSurface: () => active ?? null,
    ask: () => Promise.reject(new Error('it asks nobody')),
  }
  const concludeTurn = () => {
    concluded = true
  }
  const callId = callIdSchema.parse('call')
  try {
    if ('failure' in ready) throw ready.failure
    expect(ready.asks).toBeNull()
    const { content, meta } = await ready.run({
      session,
      callId,
      nested,
      signal: new AbortController().signal,
      nest: () => Promise.reject(new Error('no nested calls here')),
      permit: () => Promise.resolve('allow'),
      concludeTurn,
      onLogged: () => {},
    })
    return { text: textOf(content), meta, concluded, minted: minted - before }
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    return { code: error.code, message: error.message, concluded, minted: minted - before }
  }
}

const refused = (code: string) => ({ code, concluded: false, minted: 0 })

describe('6.2 tool', () => {
  it('a success stores tag, version, a new id and the normalised model, and concludes the turn', async () => {
    const first = await show({ model })
    expect(first).toMatchObject({ concluded: true, minted: 1 })
    expect(first.meta).toStrictEqual({
      kind: 'dsh/task-surface',
      version: 1,
      surfaceId: `surface-${minted}`,
      model: normalised,
    })
    expect((await show({ model })).meta).not.toStrictEqual(first.meta)
  })

  it('a success names title and surface, the end of the turn and the bypass, and never repeats the model', async () => {
    const { text = '' } = await show({ model })
    for (const said of ['"Pick a plan"', `surface-${minted}`, 'turn ends', 'ordinary message', 'bypass']) {
      expect(text).toContain(said)
    }
    expect(text).not.toMatch(/Only the model|markdown|toggle|\{/)
    expect(text.length).toBeLessThan(300)
  })

  it('an invalid model is refused with every problem and its path', async () => {
    const { message = '', ...end } = await show({ model: broken })
    expect(end).toStrictEqual(refused('INVALID_MODEL'))
    expect(message).toContain('3 problems')
    for (const path of ['- /title: ', '- /colour: ', '- /fields/0/kind: ']) expect(message).toContain(path)
  })

  it.each([
    ['no model', {}],
    ['another key beside it', { model, extra: 1 }],
    ['no object', [model]],
    ['arguments over four times the limit', { model: ' '.repeat(4 * 64 * 1024) }],
  ])('%s is an invalid model', async (_, input) => {
    expect(await show(input)).toMatchObject(refused('INVALID_MODEL'))
  })

  it('a second surface is refused with the id of the open one', async () => {
    const end = await show({ model }, { active: open })
    expect(end).toMatchObject(refused('TASK_SURFACE_OPEN'))
    expect(end.message).toContain(open)
  })

  it('the model is judged before the open surface', async () => {
    expect(await show({ model: broken }, { active: open })).toMatchObject(refused('INVALID_MODEL'))
  })

  it('a nested call is refused', async () => {
    expect(await show({ model }, { nested: true })).toMatchObject(refused('TASK_SURFACE_NESTED'))
  })

  it('a subagent is refused', async () => {
    expect(await show({ model }, { delegated: true })).toMatchObject(refused('TASK_SURFACE_DELEGATED'))
  })

  it('it runs alone, and is told of in every mode but code', () => {
    const names = (mode: 'native' | 'both' | 'code') => new ToolRegistry([tool]).specs(mode).map(({ name }) => name)
    expect(tool.concurrencySafe).toBe(false)
    expect(names('native')).toEqual(['show_task_surface'])
    expect(names('both')).toEqual(['show_task_surface'])
    expect(names('code')).toEqual([])
  })
})
