/* `bash` and `pwsh` (SPEC 5): foreground, background, limits, interruption. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { owner, untilRunning } from './tasks-bench.ts'
import { openToolBench } from './tools-bench.ts'

describe('in the foreground', () => {
  it.each([
    ['echo hello', 'hello\n\n[exit code 0]', { exitCode: 0 }],
    ['echo oops >&2; exit 3', 'oops\n\n[exit code 3]', { exitCode: 3 }],
    ['true', '(no output)\n\n[exit code 0]', { exitCode: 0 }],
    ['kill -KILL $$', '(no output)\n\n[ended by SIGKILL]', { signal: 'SIGKILL' }],
    ['printf "\\xff\\x00x"', '\uFFFD\0x\n\n[exit code 0]', { exitCode: 0 }],
  ])('output-and-end: %s', async (command, text, meta) => {
    const { call } = await openToolBench()
    expect(await call('bash', { command })).toEqual({ text, meta })
  })

  it('session-folder: a command runs in the folder of the session, with an empty input', async () => {
    const { text, cwd } = await openToolBench()
    expect(await text('bash', { command: 'pwd; cat | wc -c' })).toBe(`${cwd}\n0\n\n[exit code 0]`)
  })

  it('session-folder: a folder that is gone is said, and nothing runs', async () => {
    const { call } = await openToolBench()
    const end = await call('bash', { command: 'touch ran' }, { cwd: '/no/such/folder' })
    expect(end).toMatchObject({ code: 'FOLDER_MISSING' })
  })

  it('not-a-task: a command in the foreground is in no list of tasks', async () => {
    const { call, host, running, sleeper } = await openToolBench()
    const abort = new AbortController()
    const end = call('bash', { command: sleeper }, { signal: abort.signal })
    await untilRunning({ running }, 1)
    expect(host.registry.list(owner)).toEqual([])
    abort.abort()
    await end
  })

  it('timeout: ends the command with everything it started and says so', async () => {
    const { call, sleeper, running } = await openToolBench()
    const end = await call('bash', { command: `echo begun; setsid ${sleeper} & ${sleeper}; true`, timeoutMs: 300 })
    expect(end).toMatchObject({
      text: 'begun\n\n[timed out after 300 ms; the command and what it started were ended]',
      meta: { timedOut: true },
    })
    expect(running()).toEqual([])
  })

  it('interrupt: ends the whole group before the call is over', async () => {
    const { call, sleeper, running } = await openToolBench()
    const abort = new AbortController()
    const end = call('bash', { command: `${sleeper} & setsid ${sleeper}; true` }, { signal: abort.signal })
    await untilRunning({ running }, 2)
    abort.abort()
    expect(await end).toMatchObject({ code: 'INTERRUPTED' })
    expect(running()).toEqual([])
  })

  it('left-behind: a server left in the background ends with the command that started it', async () => {
    const { text, sleeper, running } = await openToolBench()
    expect(await text('bash', { command: `${sleeper} & echo started` })).toBe('started\n\n[exit code 0]')
    expect(running()).toEqual([])
  })

  it('strict: what the table does not have is refused', async () => {
    const { call } = await openToolBench()
    for (const input of [
      {},
      { command: '' },
      { command: 'a\0b' },
      { command: 'x'.repeat(101 * 1024) },
      { command: 'true', timeoutMs: 0 },
      { command: 'true', timeoutMs: 600_001 },
      { command: 'true', timeout: 5 },
      { command: 'true', run_in_background: 'yes' },
    ])
      expect(await call('bash', input)).toMatchObject({ code: 'INVALID_INPUT' })
    expect(await call('bash', { command: 'true', timeoutMs: 600_000 })).toHaveProperty('text')
  })
})

describe('large output', () => {
  it('spilled: head, tail and a locator, and the whole lies in a private file that read_file reads', async () => {
    const { call, text, dataDir } = await openToolBench()
    const end = await call('bash', { command: 'seq 1 100000' })
    if ('code' in end) throw new Error(end.message)
    expect(Buffer.byteLength(end.text)).toBeLessThan(26 * 1024)
    expect(end.text.startsWith('1\n2\n3\n')).toBe(true)
    expect(end.text.endsWith('99999\n100000\n\n[exit code 0]')).toBe(true)
    expect(end.meta).toEqual({ exitCode: 0, bytes: 588_895, locator: expect.stringMatching(/^result:/) })
    const locator = /path "(result:[^"]+)"/.exec(end.text)?.[1] ?? ''
    expect(await text('read_file', { path: locator, offset: 54_321, limit: 2 })).toMatch(/^54321\n54322\n/)
    const [folder = ''] = readdirSync(join(dataDir, 'results'))
    const [file = ''] = readdirSync(join(dataDir, 'results', folder))
    const path = join(dataDir, 'results', folder, file)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(path).size).toBe(588_895)
  })

  it('spilled: every byte is in the head, in what is counted as left out, or in the tail', async () => {
    const { text } = await openToolBench()
    for (const command of ['head -c 32768 /dev/zero | tr "\\0" a', 'head -c 32769 /dev/zero | tr "\\0" a']) {
      const output = (await text('bash', { command })).replace(/\n\n\[exit code 0\]$/, '')
      const left = Number(/\[(\d+) bytes left out/.exec(output)?.[1] ?? 0)
      const shown = output.replace(/\n\n\[\d+ bytes left out[^\]]*\]\n\n/, '')
      expect(shown.length + left).toBe(command.includes('32769') ? 32_769 : 32_768)
      expect(left > 0).toBe(command.includes('32769'))
    }
  })

  it('spilled: characters are never cut in two', async () => {
    const { text } = await openToolBench()
    const shown = await text('bash', { command: 'for i in $(seq 1 40000); do printf "界"; done' })
    expect(shown).not.toContain('\uFFFD')
  })

  it('spilled: the results of a session go with it, and a locator of nothing is an error', async () => {
    const { text, call, host, dataDir } = await openToolBench()
    const shown = await text('bash', { command: 'seq 1 100000' })
    const path = /path "(result:[^"]+)"/.exec(shown)?.[1] ?? ''
    await host.registry.disposeOwner(owner)
    expect(readdirSync(join(dataDir, 'results'))).toEqual([])
    expect(await call('read_file', { path })).toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('in the background', () => {
  it('at-once: the call hands back the id of a task that runs on', async () => {
    const bench = await openToolBench()
    const end = await bench.call('bash', { command: bench.sleeper, description: 'A long nap', run_in_background: true })
    const [task] = bench.host.registry.list(owner)
    expect(task).toMatchObject({ kind: 'bash', label: 'A long nap', status: 'running' })
    expect(end).toMatchObject({ text: expect.stringContaining(String(task?.id)), meta: { taskId: task?.id } })
    await untilRunning(bench, 1)
  })

  it('at-once: an interrupt of the call leaves the task alone', async () => {
    const bench = await openToolBench()
    const abort = new AbortController()
    await bench.call('bash', { command: bench.sleeper, run_in_background: true }, { signal: abort.signal })
    abort.abort()
    await untilRunning(bench, 1)
    expect(bench.host.registry.list(owner)[0]?.status).toBe('running')
  })

  it('label: without a description, and with a blank one, the label is the command', async () => {
    const { call, host } = await openToolBench()
    await call('bash', { command: 'echo one', run_in_background: true })
    await call('bash', { command: 'echo two', description: '  ', run_in_background: true })
    expect(host.registry.list(owner).map(({ label }) => label)).toEqual(['echo one', 'echo two'])
  })

  it('ten-live: the eleventh is refused with what to do about it', async () => {
    const { call, sleeper } = await openToolBench()
    const input = { command: sleeper, run_in_background: true }
    for (let count = 0; count < 10; count += 1) expect(await call('bash', input)).toHaveProperty('text')
    expect(await call('bash', input)).toEqual({
      code: 'TOO_MANY_TASKS',
      message: '10 tasks run already. Wait for one, or end one with task_kill.',
    })
  })
})

describe('what a person is asked', () => {
  it('asks: the whole command, and a long one is not cut', async () => {
    const { asks } = await openToolBench()
    const command = `${'echo harmless; '.repeat(500)}rm -rf x`
    expect(asks('bash', { command, run_in_background: true })).toBe(command)
  })

  it('asks: nothing hides in what is shown: controls, directions and zero widths are written out', async () => {
    const { asks } = await openToolBench()
    const command = 'echo \u202Esafe\u2066\u0007 \u200Bx\u001B[2K\r\tkept\nkept\u00AD\u{E0041}'
    expect(asks('bash', { command })).toBe('echo <U+202E>safe<U+2066>^G <U+200B>x^[[2K^M\tkept\nkept<U+00AD><U+E0041>')
  })
})

describe('pwsh', () => {
  it('composed: only where PowerShell exists, and the command is one argument of it', async () => {
    const without = await openToolBench()
    expect(without.tools.find('pwsh', 'both')).toBeUndefined()
    const file = join(without.cwd, 'pwsh')
    writeFileSync(file, '#!/bin/sh\nprintf "%s|" "$@"\n')
    chmodSync(file, 0o755)
    const { text, asks, call, host } = await openToolBench({ pwshFile: file })
    const command = 'Write-Output "a b"; $x'
    expect(await text('pwsh', { command })).toBe(
      `-NoLogo|-NoProfile|-NonInteractive|-Command|${command}|\n\n[exit code 0]`,
    )
    expect(asks('pwsh', { command })).toBe(command)
    await call('pwsh', { command, run_in_background: true })
    expect(host.registry.list(owner)).toMatchObject([{ kind: 'pwsh', label: command }])
  })
})

it('secrets-stay: what the host keeps from commands is in none of their environments', async () => {
  const { text, cwd } = await openToolBench({ environment: { PATH: '/usr/bin:/bin', GREETING: 'hi' } })
  await text('bash', { command: 'env > seen' })
  const names = readFileSync(join(cwd, 'seen'), 'utf8')
    .split('\n')
    .map((line) => line.split('=')[0])
  expect(names).toEqual(expect.arrayContaining(['PATH', 'GREETING', 'TASK_SURFACE_TASK']))
  expect(names.filter((name) => name?.startsWith('TASK_SURFACE_'))).toEqual(['TASK_SURFACE_TASK'])
})
