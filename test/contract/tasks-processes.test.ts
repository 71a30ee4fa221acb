/* Background commands as the system sees them: real processes, found by their command lines (SPEC 7, FIELD). */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../host/clock.ts'
import { endLeftovers, endProcesses } from '../../host/tasks/end-processes.ts'
import { folderMark, leaderOf, markVariable } from '../../host/tasks/process-table.ts'
import { runCommand } from '../../host/tasks/run-command.ts'
import { createMemoryTaskRecords } from '../../host/tasks/task-records.ts'
import { taskIdSchema } from '../../shared/ids.ts'
import { createSleeper, endHard, openTaskBench, owner, stranger, untilRunning } from './tasks-bench.ts'

describe('how a command ends', () => {
  it.each([
    ['true', { status: 'completed' }],
    ['exit 3', { status: 'failed', detail: 'exit code 3' }],
    ['kill -KILL $$', { status: 'failed', detail: 'ended by SIGKILL' }],
    ['no-such-program-at-all', { status: 'failed', detail: 'exit code 127' }],
  ])('truth: %s', async (command, expected) => {
    const { start, ended } = await openTaskBench()
    const { view } = await ended(await start(command))
    expect(view).toMatchObject(expected)
    expect(view.detail).toBe('detail' in expected ? expected.detail : undefined)
  })

  it('truth: killed from outside it is failed at once, and not running with a growing timer', async () => {
    const bench = await openTaskBench()
    const id = await bench.start(`exec ${bench.sleeper}`)
    await untilRunning(bench, 1)
    for (const pid of bench.running()) process.kill(pid, 'SIGKILL')
    expect((await bench.ended(id)).view).toMatchObject({ status: 'failed', detail: 'ended by SIGKILL' })
  })

  it('failed-start: a program that is not there leaves nothing behind', async () => {
    const { host, cwd } = await openTaskBench()
    const run = runCommand(host.processes, { file: '/no/such/program', args: [], cwd })
    await expect(host.registry.start({ kind: 'bash', label: 'x', owner, run })).rejects.toThrow('ENOENT')
    expect(host.registry.list(owner)).toEqual([])
  })

  it('early-exit: a command that is over before its registration is settles all the same', async () => {
    const memory = createMemoryTaskRecords()
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const records = { ...memory, put: async (task: Parameters<typeof memory.put>[0]) => (await held, memory.put(task)) }
    const { host, start, ended, output, cwd } = await openTaskBench({ records })
    const said: (string | undefined)[] = []
    host.registry.onTasksChanged(() => said.push(host.registry.list(owner)[0]?.status))
    const starting = start('echo quick > over; echo quick')
    await expect.poll(() => existsSync(join(cwd, 'over'))).toBe(true)
    expect(said).toEqual([])
    release()
    const id = await starting
    expect((await ended(id)).view.status).toBe('completed')
    expect(said).toEqual(['running', 'completed'])
    expect(await output(id)).toBe('quick\n')
  })

  it('timeout: a background command that may not run for ever ends as failed and says why', async () => {
    const { host, cwd, sleeper, running, ended } = await openTaskBench()
    const command = { file: 'bash', args: ['-c', `${sleeper}; true`], cwd }
    const run = runCommand(host.processes, command, { clock: systemClock, timeoutMs: 200 })
    const outcome = await host.registry.start({ kind: 'bash', label: 'x', owner, run })
    if (!outcome.started) throw new Error(outcome.reason)
    expect((await ended(outcome.id)).view).toMatchObject({ status: 'failed', detail: 'timed out' })
    expect(running()).toEqual([])
  })
})

describe('what a command has', () => {
  it('empty-input: a background command reads the end of its input at once', async () => {
    const { start, ended, output } = await openTaskBench()
    const id = await start('wc -c; readlink /proc/self/fd/0')
    await ended(id)
    expect(await output(id)).toBe('0\n/dev/null\n')
  })

  it('own-modes: files of a command get the modes of the person’s shell, not the host’s private ones', async () => {
    const before = process.umask(0o077)
    onTestFinished(() => void process.umask(before))
    const { start, ended, cwd } = await openTaskBench()
    await ended(await start('echo x > made; mkdir folder'))
    expect(statSync(join(cwd, 'made')).mode & 0o777).toBe(0o644)
    expect(statSync(join(cwd, 'folder')).mode & 0o777).toBe(0o755)
  })

  it('one-stream: errors stand between the lines they belong to', async () => {
    const { start, ended, output } = await openTaskBench()
    const id = await start('for i in 1 2 3; do echo "out $i"; echo "err $i" >&2; done')
    await ended(id)
    expect(await output(id)).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n')
  })

  it('label: ten kilobytes with line ends are one line of 500 code points', async () => {
    const { start, ended } = await openTaskBench()
    const { view } = await ended(await start('true', { label: `${'word\n'.repeat(2_048)}` }))
    expect(Array.from(view.label)).toHaveLength(500)
    expect(view.label).not.toContain('\n')
  })
})

describe('output', () => {
  it('silent: a task without output is completed with empty output', async () => {
    const { start, ended, output } = await openTaskBench()
    const id = await start('true')
    await ended(id)
    expect(await output(id)).toBe('')
  })

  it('complete: everything written before the end is there when the task has ended', async () => {
    const { start, ended, output } = await openTaskBench()
    const id = await start('seq 1 200000; printf last')
    await ended(id)
    const text = await output(id)
    expect(text).toHaveLength(1_288_895 + 4)
    expect(text.endsWith('200000\nlast')).toBe(true)
  })

  it('binary: bytes that are no text come out as the text they are not, and nothing breaks', async () => {
    const { start, ended, output } = await openTaskBench()
    const id = await start("printf '\\x00\\xff\\xfe\\xc3'; printf 'after'; printf '\\xe7\\x95'")
    await ended(id)
    expect(await output(id)).toBe('\0\uFFFD\uFFFD\uFFFDafter\uFFFD')
  })

  it(
    'bounded: a flood costs neither memory nor more disk than its limit, and is counted',
    { timeout: 120_000 },
    async () => {
      const bytes = 512 * 1024 * 1024
      const limit = 8 * 1024 * 1024
      const { host, dataDir, start, ended } = await openTaskBench()
      let most = 0
      const before = process.memoryUsage().rss
      const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss - before)), 20)
      onTestFinished(() => clearInterval(watch))
      const id = await start(`head -c ${bytes} /dev/zero`, { outputLimitBytes: limit })
      const { view } = await ended(id)
      expect(view.status).toBe('completed')
      expect(most).toBeLessThan(64 * 1024 * 1024)
      const files = readdirSync(join(dataDir, 'task-output')).map((name) =>
        statSync(join(dataDir, 'task-output', name)),
      )
      const kept = files.reduce((sum, { size }) => sum + size, 0)
      // All but what stays in memory.
      expect(limit - kept).toBeLessThan(64 * 1024)
      expect(kept).toBeLessThanOrEqual(limit)
      expect(files[0]?.mode).toBe(0o100600)
      expect((await host.registry.read(id, 10)).droppedBytes).toBe(bytes - limit)
    },
  )
})

describe('nothing outlives its task', () => {
  it('group: a kill ends every process of the group before the task is killed', async () => {
    const bench = await openTaskBench()
    const id = await bench.start(`${bench.sleeper} & ${bench.sleeper} | cat & wait`)
    await untilRunning(bench, 2)
    expect(bench.host.registry.kill(id, 'model')).toBe(true)
    expect(bench.host.registry.list(owner)[0]?.status).toBe('stopping')
    expect((await bench.ended(id)).view.status).toBe('killed')
    expect(bench.running()).toEqual([])
  })

  it('stubborn: who ignores SIGTERM is killed after the grace period, who cleans up is let', async () => {
    const bench = await openTaskBench()
    const cleans = await bench.start(`trap 'echo cleaned; exit 0' TERM; ${bench.sleeper} & wait`)
    const ignores = await bench.start(`trap '' TERM; ${bench.sleeper}; ${bench.sleeper}`)
    await untilRunning(bench, 2)
    for (const id of [cleans, ignores]) bench.host.registry.kill(id, 'model')
    expect((await bench.ended(cleans)).view.status).toBe('killed')
    expect(await bench.output(cleans)).toBe('cleaned\n')
    expect((await bench.ended(ignores)).view.status).toBe('killed')
    expect(bench.running()).toEqual([])
  })

  it('asked-once: a process gets one SIGTERM, however long it takes over its end', async () => {
    const bench = await openTaskBench()
    const id = await bench.start(`trap 'echo term' TERM; while true; do ${bench.sleeper} & wait $!; done`)
    await untilRunning(bench, 1)
    bench.host.registry.kill(id, 'model')
    await bench.ended(id)
    expect(await bench.output(id)).toBe('term\n')
  })

  it.each([
    ['a session of its own', (sleeper: string) => `setsid ${sleeper} & wait`],
    ['a session of its own, its parent gone', (sleeper: string) => `(setsid ${sleeper} &) ; sleep 1000`],
    ['a group of its own', (sleeper: string) => `set -m; env -i ${sleeper} & wait`],
    [
      'a group of its own, its mark and its parent gone',
      (sleeper: string) => `(set -m; env -i ${sleeper} &) ; sleep 1000`,
    ],
    ['its mark thrown away', (sleeper: string) => `env -i setsid ${sleeper} & wait`],
  ])('strays: a child with %s ends as well', async (_, command) => {
    const bench = await openTaskBench()
    const id = await bench.start(command(bench.sleeper))
    await untilRunning(bench, 1)
    bench.host.registry.kill(id, 'model')
    await bench.ended(id)
    expect(bench.running()).toEqual([])
  })

  it('left-behind: what a command leaves running holds up neither its end nor anything else', async () => {
    const bench = await openTaskBench()
    const id = await bench.start(`(${bench.sleeper} &) ; (setsid ${bench.sleeper} &) ; echo done`)
    expect((await bench.ended(id)).view.status).toBe('completed')
    expect(await bench.output(id)).toBe('done\n')
    expect(bench.running()).toEqual([])
  })

  it('left-behind: a process that threw away every trace and holds the pipe does not hold the task', async () => {
    const bench = await openTaskBench()
    const stray = `(env -i setsid bash -c 'env -i setsid ${bench.sleeper} & exit' &)`
    const id = await bench.start(`${stray}; while ! pgrep -f '^sleep ${bench.word}' > /dev/null; do :; done; echo done`)
    expect((await bench.ended(id)).view.status).toBe('completed')
    expect(await bench.output(id)).toBe('done\n')
  })

  it('close: ten tasks, three in sessions of their own and one deaf to SIGTERM, leave none', async () => {
    const bench = await openTaskBench()
    const commands = [
      ...Array.from({ length: 6 }, () => bench.sleeper),
      ...Array.from({ length: 3 }, () => `setsid ${bench.sleeper} & wait`),
      `trap '' TERM; ${bench.sleeper}; true`,
    ]
    for (const command of commands) await bench.start(command)
    await untilRunning(bench, 10)
    const before = performance.now()
    await bench.host.close()
    expect(bench.running()).toEqual([])
    // A stopping host has 5 s for everything (SPEC 13).
    expect(performance.now() - before).toBeLessThan(3_500)
  })

  it('close: a command in the foreground and a terminal end with the host', async () => {
    const bench = await openTaskBench()
    const { processes, terminals } = bench.host
    const stop = new AbortController().signal
    const command = { file: 'bash', args: ['-c', `setsid ${bench.sleeper} & wait`], cwd: bench.cwd }
    await processes.run(command, { write: async () => {}, stop })
    const terminal = await terminals.open(owner, bench.cwd)
    if (terminal === 'too-many') throw new Error(terminal)
    terminal.write(`setsid ${bench.sleeper} &\n`)
    await untilRunning(bench, 2)
    await bench.host.close()
    expect(bench.running()).toEqual([])
    expect(terminal.ended).not.toBeNull()
  })

  it('close: whoever closes the processes alone has none left either, deaf ones included', async () => {
    const bench = await openTaskBench()
    const { processes } = bench.host
    const stop = new AbortController().signal
    const command = { file: 'bash', args: ['-c', `trap '' TERM; ${bench.sleeper}; true`], cwd: bench.cwd }
    await processes.run(command, { write: async () => {}, stop })
    await untilRunning(bench, 1)
    await processes.close()
    expect(bench.running()).toEqual([])
    await expect(processes.run(command, { write: async () => {}, stop })).rejects.toThrow('the host is stopping')
  })

  it('owner: removing an owner ends its tasks and terminals and leaves those of others', async () => {
    const bench = await openTaskBench()
    const other = createSleeper()
    await bench.start(`setsid ${bench.sleeper} & wait`)
    await bench.start(other.sleeper, { owner: stranger })
    const terminal = await bench.host.terminals.open(owner, bench.cwd)
    if (terminal === 'too-many') throw new Error(terminal)
    terminal.write(`${bench.sleeper}\n`)
    await untilRunning(bench, 2)
    await untilRunning(other, 1)
    await bench.host.registry.disposeOwner(owner)
    expect(bench.running()).toEqual([])
    expect(other.running()).toHaveLength(1)
  })
})

describe('what a crash left', () => {
  const innocent = async () => {
    const sleeper = createSleeper()
    const child = spawn('sleep', [sleeper.word], { stdio: 'ignore', detached: true, env: {} })
    await once(child, 'spawn')
    const pid = child.pid ?? 0
    onTestFinished(() => endHard(pid))
    return { ...sleeper, pid }
  }
  const stored = (process: { pid: number; startTime: string | null }) => [
    { id: taskIdSchema.parse('bash-x'), kind: 'bash', label: 'x', startedAt: 1, process },
  ]

  it('reused-pid: a record whose pid now names another process ends nobody', async () => {
    const { pid, running } = await innocent()
    const { startTime } = await leaderOf(pid)
    for (const other of [null, 'other-boot/1', `${startTime}1`, startTime?.replace(/^./, 'x') ?? ''])
      await endLeftovers(systemClock, stored({ pid, startTime: other }), 'a-folder')
    expect(running()).toEqual([pid])
  })

  it('reused-pid: a live task whose leader is gone never ends the process that has its number now', async () => {
    const { pid, running } = await innocent()
    await endProcesses(systemClock, { mark: 'nobody', leader: { pid, startTime: 'earlier' } })
    expect(running()).toEqual([pid])
  })

  it('reused-pid: a group whose leader is gone may be anybody’s by now', async () => {
    const { word, running } = createSleeper()
    const child = spawn('sh', ['-c', `sleep ${word} & true`], { stdio: 'ignore', detached: true, env: {} })
    await once(child, 'exit')
    await untilRunning({ running }, 1)
    const [pid = 0] = running()
    onTestFinished(() => endHard(pid))
    for (const startTime of [null, 'earlier'])
      await endLeftovers(systemClock, stored({ pid: child.pid ?? 0, startTime }), 'a-folder')
    expect(running()).toEqual([pid])
  })

  it('reused-pid: a start time names the boot of the system too, for ticks begin anew with each', async () => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    expect((await leaderOf(process.pid)).startTime).toMatch(new RegExp(`^${boot}/\\d+$`))
    expect((await leaderOf(2 ** 22 + 1)).startTime).toBeNull()
  })

  it('zombie: who is dead and only waits for its parent to look keeps nobody waiting', async () => {
    const { word, running } = createSleeper()
    const { cwd } = await openTaskBench()
    const pipe = join(cwd, 'pipe')
    execFileSync('mkfifo', [pipe])
    // The parent becomes a program that never asks how its children ended, before this one ends.
    const script = `set -m; read < "$0" & echo $!; exec sleep ${word}`
    const parent = spawn('bash', ['-c', script, pipe], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => running().forEach(endHard))
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(String(line))
    await untilRunning({ running }, 1)
    writeFileSync(pipe, 'go\n')
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /)
    let looked = 0
    const clock = { now: systemClock.now, sleep: async () => void (looked += 1) }
    await endProcesses(clock, { mark: 'nobody', leader: await leaderOf(pid) })
    expect(looked).toBe(0)
  })

  it('by-record: pid and start time together name the process, its mark aside', async () => {
    const { pid, running } = await innocent()
    await endLeftovers(systemClock, stored(await leaderOf(pid)), 'a-folder')
    expect(running()).toEqual([])
  })

  it('by-mark: what carries the mark of the folder ends without any record, what carries another stays', async () => {
    const bench = await openTaskBench()
    const [ours, theirs] = [createSleeper(), createSleeper()]
    for (const [{ word }, mark] of [
      [ours, folderMark(bench.dataDir)],
      [theirs, 'another-folder'],
    ] as const) {
      const env = { [markVariable]: `${mark}:boot-1:bash-1` }
      const child = spawn('sleep', [word], { stdio: 'ignore', detached: true, env })
      await once(child, 'spawn')
      onTestFinished(() => [...ours.running(), ...theirs.running()].forEach(endHard))
    }
    await endLeftovers(systemClock, [], folderMark(bench.dataDir))
    expect(ours.running()).toEqual([])
    expect(theirs.running()).toHaveLength(1)
  })

  it('by-mark: whatever way leads to a data folder, its mark is the same', async () => {
    const { dataDir } = await openTaskBench()
    expect(folderMark(`${dataDir}/../data/`)).toBe(folderMark(dataDir))
    expect(folderMark(join(dataDir, '..'))).not.toBe(folderMark(dataDir))
  })
})
