/* `terminal_send` (SPEC 5): shells on a real pty. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { owner, stranger, untilRunning } from './tasks-bench.ts'
import { openToolBench, type ToolBench } from './tools-bench.ts'

async function send(bench: ToolBench, input: { input: string; terminalId?: string; waitMs?: number }) {
  const text = await bench.text('terminal_send', input)
  const [, terminalId = '', standing = ''] = /\[(terminal-[0-9a-z]+): (.*)\]$/.exec(text) ?? []
  return { text, terminalId, standing }
}

describe('in the foreground', () => {
  it('real-terminal: programs see a terminal, and the shell keeps its state between calls', async () => {
    const bench = await openToolBench()
    const first = await send(bench, { input: 'cd /tmp; X=kept; tty; test -t 0 && echo "is a terminal"\n' })
    expect(first.text).toMatch(/\/dev\/pts\/\d+\nis a terminal\n/)
    expect(first.standing).toBe('the shell is ready')
    const second = await send(bench, { input: 'echo "$PWD $X"\n', terminalId: first.terminalId })
    expect(second.text).toContain('\n/tmp kept\n')
    expect(second.terminalId).toBe(first.terminalId)
  })

  it('real-terminal: it begins in the folder of the session with the person’s modes', async () => {
    const bench = await openToolBench()
    const { text } = await send(bench, { input: 'pwd; umask\n' })
    expect(text).toContain(`${bench.cwd}\n0022\n`)
  })

  it('input: a program that asks gets its answer, and Ctrl+C ends one', async () => {
    const bench = await openToolBench()
    const asked = await send(bench, { input: 'read -p "Name? " name\n', waitMs: 1_000 })
    expect(asked.text).toContain('Name? ')
    expect(asked.standing).toBe('the shell is ready')
    const { text } = await send(bench, { input: 'Ada\necho "hello $name"\n', terminalId: asked.terminalId })
    expect(text).toContain('hello Ada\n')
    const busy = await send(bench, { input: `${bench.sleeper}\n`, terminalId: asked.terminalId, waitMs: 500 })
    expect(busy.standing).toBe('something still runs, or waits for input')
    await untilRunning(bench, 1)
    const stopped = await send(bench, { input: '\u0003', terminalId: asked.terminalId })
    expect(stopped.standing).toBe('the shell is ready')
    expect(bench.running()).toEqual([])
  })

  it('input: a long line arrives whole', async () => {
    const bench = await openToolBench()
    const long = 'x'.repeat(6_000)
    const { terminalId } = await send(bench, { input: `Y=${long}\n` })
    expect((await send(bench, { input: 'echo "length ${#Y}"\n', terminalId })).text).toContain('length 6000\n')
  })

  it('look: an empty input only waits and shows what came', async () => {
    const bench = await openToolBench()
    const { terminalId } = await send(bench, { input: '(sleep 0.5; echo late) &\n' })
    await vi.waitFor(async () => expect((await send(bench, { input: '', terminalId })).text).toContain('late'), 10_000)
    expect(bench.asks('terminal_send', { input: '', terminalId })).toBeNull()
    expect(bench.asks('terminal_send', { input: 'rm x\n\u0003' })).toBe('rm x\n^C')
  })

  it('end: a shell that exits says how, and its terminal is gone after that', async () => {
    const bench = await openToolBench()
    const { terminalId } = await send(bench, { input: 'true\n' })
    const { standing } = await send(bench, { input: 'exit 3\n', terminalId })
    expect(standing).toBe('the terminal has ended, exit code 3')
    expect(await bench.call('terminal_send', { input: 'x\n', terminalId })).toMatchObject({
      code: 'TERMINAL_NOT_FOUND',
      message: `There is no terminal ${terminalId}. Open terminals: none.`,
    })
  })

  it('end: what was started in a terminal does not outlive its shell', async () => {
    const bench = await openToolBench()
    const { terminalId } = await send(bench, { input: `setsid ${bench.sleeper} &\n` })
    await untilRunning(bench, 1)
    await send(bench, { input: 'exit\n', terminalId })
    await untilRunning(bench, 0)
  })

  it('interrupt: the call ends, the terminal stays', async () => {
    const bench = await openToolBench()
    const { terminalId } = await send(bench, { input: 'true\n' })
    const abort = new AbortController()
    const call = bench.call('terminal_send', { input: `${bench.sleeper}\n`, terminalId }, { signal: abort.signal })
    await untilRunning(bench, 1)
    abort.abort()
    expect(await call).toMatchObject({ code: 'INTERRUPTED' })
    expect((await send(bench, { input: '\u0003', terminalId })).standing).toBe('the shell is ready')
  })

  it('own-terminals: another session neither finds it nor uses up its slots', async () => {
    const bench = await openToolBench()
    const { terminalId } = await send(bench, { input: 'true\n' })
    const end = await bench.call('terminal_send', { input: 'x\n', terminalId }, { owner: stranger })
    const message = `There is no terminal ${terminalId}. Open terminals: none.`
    expect(end).toEqual({ code: 'TERMINAL_NOT_FOUND', message })
  })

  it('enter: a line feed is the Enter key, for programs that read single keys too', async () => {
    const bench = await openToolBench()
    const keys = 'stty raw -echo; dd bs=1 count=1 2> /dev/null | od -An -tu1; stty sane'
    const { terminalId } = await send(bench, { input: `${keys}\n`, waitMs: 300 })
    const { text } = await send(bench, { input: '\n', terminalId })
    expect(text).toMatch(/^ +13\n/)
  })

  it('bounded: five terminals a session, and a flood nobody reads keeps its newest part', async () => {
    const bench = await openToolBench()
    const { terminalId } = await send(bench, { input: 'true\n' })
    await Promise.all([1, 2, 3, 4].map(() => send(bench, { input: 'true\n' })))
    expect(await bench.call('terminal_send', { input: 'x\n' })).toMatchObject({ code: 'TOO_MANY_TERMINALS' })
    const { text } = await send(bench, { input: 'seq 1 60000; echo the end\n', terminalId, waitMs: 20_000 })
    expect(text).toMatch(/^\[\d+ bytes before this were dropped\]/)
    expect(text).toContain('60000\nthe end\n')
    expect(text.length).toBeLessThan(80 * 1024)
  })
})

describe('in the background', () => {
  it('pty-send: a task of that kind, whose output is what the terminal prints, done when the shell is ready', async () => {
    const bench = await openToolBench()
    const { terminalId } = await send(bench, { input: 'true\n' })
    const flag = join(bench.cwd, 'go')
    const input = `until test -e ${flag}; do sleep 0.05; done; echo went\n`
    const end = await bench.call('terminal_send', { input, terminalId, run_in_background: true })
    const [task] = bench.host.registry.list(owner)
    expect(task).toMatchObject({ kind: 'pty-send', status: 'running', label: input.trim() })
    expect(end).toMatchObject({ meta: { terminalId, taskId: task?.id } })
    if (task === undefined) throw new Error('no task')
    expect(await bench.call('terminal_send', { input: 'x\n', terminalId, run_in_background: true })).toMatchObject({
      code: 'TERMINAL_BUSY',
    })
    writeFileSync(flag, '')
    expect((await bench.ended(task.id)).view.status).toBe('completed')
    expect(await bench.output(task.id)).toContain('went\r\n')
    expect((await send(bench, { input: 'echo still here\n', terminalId })).text).toContain('still here\n')
  })

  it('pty-send: killing the task ends its terminal with everything in it', async () => {
    const bench = await openToolBench()
    await bench.call('terminal_send', {
      input: `setsid ${bench.sleeper} & ${bench.sleeper}\n`,
      run_in_background: true,
    })
    const [task] = bench.host.registry.list(owner)
    if (task === undefined) throw new Error('no task')
    await untilRunning(bench, 2)
    expect(await bench.text('task_kill', { taskId: task.id })).toMatch(/killed$/)
    expect(bench.running()).toEqual([])
    expect(bench.host.terminals.list(owner)).toEqual([])
  })

  it('pty-send: a shell that ends with an error makes the task fail', async () => {
    const bench = await openToolBench()
    await bench.call('terminal_send', { input: 'exit 9\n', run_in_background: true })
    const [task] = bench.host.registry.list(owner)
    if (task === undefined) throw new Error('no task')
    expect((await bench.ended(task.id)).view).toMatchObject({ status: 'failed', detail: 'exit code 9' })
  })
})
