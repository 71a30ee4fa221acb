/* `task_list`, `task_output`, `task_kill` (SPEC 5, 7): what the model sees, consumes and is told. */
import { describe, expect, it } from 'vitest'
import { taskIdSchema } from '../../shared/ids.ts'
import { owner, stranger, untilRunning } from './tasks-bench.ts'
import { openToolBench, type ToolBench } from './tools-bench.ts'

async function inBackground(bench: ToolBench, command: string) {
  const end = await bench.call('bash', { command, run_in_background: true })
  if ('code' in end) throw new Error(end.message)
  const id = bench.host.registry.list(owner).at(-1)?.id
  return taskIdSchema.parse(id)
}

describe('task_list', () => {
  it('list: every task of the session with how it stands, and none is told by it', async () => {
    const bench = await openToolBench()
    expect(await bench.text('task_list', {})).toBe('There are no background tasks.')
    const failed = await inBackground(bench, 'exit 2')
    await bench.ended(failed)
    const live = await inBackground(bench, bench.sleeper)
    expect(await bench.text('task_list', {})).toBe(
      `${failed} (bash) "exit 2": failed, exit code 2\n${live} (bash) "${bench.sleeper}": running`,
    )
    expect(bench.host.registry.untold(owner).map(({ id }) => id)).toEqual([failed])
  })

  it('list: tasks of other sessions are not there', async () => {
    const bench = await openToolBench()
    await inBackground(bench, 'true')
    expect(await bench.text('task_list', {}, { owner: stranger })).toBe('There are no background tasks.')
  })
})

describe('task_output', () => {
  it('consuming: what was read is not read again', async () => {
    const bench = await openToolBench()
    const id = await inBackground(bench, 'echo one')
    await bench.ended(id)
    const head = `${id} (bash) "echo one": completed`
    expect(await bench.text('task_output', { taskId: id })).toBe(`${head}\n\none\n`)
    expect(await bench.text('task_output', { taskId: id })).toBe(`${head}\n(nothing more)`)
  })

  it('more: a page says that more waits, and the pages together are the whole in whole characters', async () => {
    const bench = await openToolBench()
    const id = await inBackground(bench, 'for i in $(seq 1 30000); do printf "界"; done')
    await bench.ended(id)
    let whole = ''
    for (let pages = 1; ; pages += 1) {
      const page = await bench.text('task_output', { taskId: id })
      const more = page.endsWith('\n[more waits: call task_output again]')
      whole += page.replace(/^.*\n\n/, '').replace(/\n\n?\[more waits.*$/, '')
      if (more) continue
      expect(pages).toBe(3)
      break
    }
    expect(whole).toBe('界'.repeat(30_000))
  })

  it('wait: until the end, and the model is told then', async () => {
    const bench = await openToolBench()
    const id = await inBackground(bench, 'echo before; sleep 0.3; echo after; exit 4')
    const text = await bench.text('task_output', { taskId: id, wait: true, timeoutMs: 20_000 })
    expect(text).toContain('failed, exit code 4\n\nbefore\nafter\n')
    expect(bench.host.registry.untold(owner)).toEqual([])
  })

  it('wait: no longer than asked, and nobody is told of an end that has not come', async () => {
    const bench = await openToolBench()
    const id = await inBackground(bench, `echo begun; ${bench.sleeper}`)
    await untilRunning(bench, 1)
    const end = await bench.call('task_output', { taskId: id, wait: true, timeoutMs: 50 })
    expect(end).toMatchObject({ text: expect.stringContaining(': running\n\nbegun\n'), meta: { status: 'running' } })
    expect(bench.host.registry.find(owner, id)?.modelTold).toBe(false)
    expect(await bench.text('task_output', { taskId: id })).toContain(': running\n(nothing new)')
  })

  it('wait: an interrupted call uses up neither output nor the news of the end', async () => {
    const bench = await openToolBench()
    const id = await inBackground(bench, `echo precious; ${bench.sleeper}`)
    await untilRunning(bench, 1)
    const abort = new AbortController()
    const call = bench.call('task_output', { taskId: id, wait: true }, { signal: abort.signal })
    abort.abort()
    expect(await call).toMatchObject({ code: 'INTERRUPTED' })
    expect(bench.host.registry.find(owner, id)?.modelTold).toBe(false)
    expect(await bench.text('task_output', { taskId: id })).toContain('precious')
  })

  it('told-when-durable: a result that never becomes durable has told nobody', async () => {
    const bench = await openToolBench()
    const id = await inBackground(bench, 'exit 4')
    await bench.ended(id)
    await bench.text('task_output', { taskId: id }, { lost: true })
    await bench.text('task_kill', { taskId: id }, { lost: true })
    expect(bench.host.registry.untold(owner).map((record) => record.id)).toEqual([id])
  })

  it('dropped: what was too much is said in bytes', async () => {
    const bench = await openToolBench()
    const id = await bench.start('head -c 5000 /dev/zero | tr "\\0" a', { outputLimitBytes: 4_000 })
    await bench.ended(id)
    expect(await bench.text('task_output', { taskId: id })).toContain('[1000 bytes were dropped')
  })

  it('own-tasks: a task of another session is none, and the answer names those there are', async () => {
    const bench = await openToolBench()
    const id = await inBackground(bench, 'echo secret')
    await bench.ended(id)
    for (const name of ['task_output', 'task_kill']) {
      expect(await bench.call(name, { taskId: id }, { owner: stranger })).toEqual({
        code: 'TASK_NOT_FOUND',
        message: `There is no task ${id}. This session has no tasks.`,
      })
      const own = await bench.call(name, { taskId: '../../etc' })
      expect(own).toMatchObject({ message: `There is no task ../../etc. Tasks of this session: ${id}.` })
    }
    expect(await bench.text('task_output', { taskId: id })).toContain('secret')
  })
})

describe('task_kill', () => {
  it('kill: the answer comes when it is true, and the model needs no notice', async () => {
    const bench = await openToolBench()
    const id = await inBackground(bench, `setsid ${bench.sleeper} & wait`)
    await untilRunning(bench, 1)
    expect(await bench.text('task_kill', { taskId: id, reason: 'wrong port' })).toMatch(/": killed$/)
    expect(bench.running()).toEqual([])
    expect(bench.host.registry.find(owner, id)).toMatchObject({ stoppedBy: 'model', modelTold: true })
  })

  it('kill: who had ended before was not killed, and says how it ended', async () => {
    const bench = await openToolBench()
    const id = await inBackground(bench, 'exit 3')
    await bench.ended(id)
    const text = await bench.text('task_kill', { taskId: id })
    expect(text).toBe(`${id} (bash) "exit 3": failed, exit code 3. It had ended before.`)
    expect(bench.host.registry.untold(owner)).toEqual([])
  })

  it('kill: no approval is needed to look at or end what was allowed to start', async () => {
    const { asks } = await openToolBench()
    expect(asks('task_kill', { taskId: 'x' })).toBeNull()
    expect(asks('task_output', { taskId: 'x' })).toBeNull()
    expect(asks('task_list', {})).toBeNull()
  })
})

it('strict: unknown and wrong members are refused by every task tool', async () => {
  const { call } = await openToolBench()
  const refused = [
    ['task_list', { all: true }],
    ['task_output', {}],
    ['task_output', { taskId: 'x', wait: 5 }],
    ['task_output', { taskId: 'x', timeoutMs: -1 }],
    ['task_kill', { taskId: 'x', force: true }],
  ] as const
  for (const [name, input] of refused) expect(await call(name, input)).toMatchObject({ code: 'INVALID_INPUT' })
})

it('no-other-reader: looking at tasks in every other way leaves the output where it is', async () => {
  const bench = await openToolBench()
  const { registry } = bench.host
  const frames: unknown[] = []
  registry.onTasksChanged(() => frames.push(registry.list(owner)))
  registry.onTaskDone((record) => frames.push(record))
  const id = await inBackground(bench, 'echo untouched')
  await bench.ended(id)
  registry.find(owner, id)
  registry.untold(owner)
  await bench.text('task_list', {})
  expect(frames.length).toBeGreaterThan(2)
  expect(JSON.stringify(frames)).not.toContain('untouched\\n')
  expect(await bench.text('task_output', { taskId: id })).toContain('untouched\n')
})
