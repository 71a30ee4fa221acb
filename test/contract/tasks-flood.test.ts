/* Commands that misbehave, on a real host (SPEC 7, 8): a gibibyte of output, no text, no output, an end before the
   beginning, a label that is a book. The host's memory is looked at from outside; every frame is checked by the client that
   receives it. */
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { background, callTools, openScene, say, startedTask, tasksOf } from './tasks-scene.ts'

const timeout = 120_000
const mebibyte = 1024 * 1024
const gibibyte = 1024 * mebibyte

/** Pages of a process that are in memory, by the system's own account. */
function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kibibytes === undefined) throw new Error(`no memory is known of ${pid}`)
  return Number(kibibytes) * 1024
}

/** The most that was in memory since, beyond what is now. */
function watchMemory(pid: number): () => number {
  const before = residentBytes(pid)
  let most = 0
  const look = () => (most = Math.max(most, residentBytes(pid) - before))
  const watch = setInterval(look, 10)
  onTestFinished(() => clearInterval(watch))
  return () => look()
}

test(
  'flood: a gibibyte in the background and one in the foreground cost the host less than 64 MiB',
  { timeout },
  async () => {
    const scene = await openScene()
    const { stage, view } = scene
    const flood = `head -c ${gibibyte} /dev/zero`
    // What every first command costs is none of the flood's.
    const warm = await callTools(scene, await say(scene), [
      background('seq 1 100000'),
      { name: 'bash', arguments: { command: 'seq 1 100000' } },
    ])
    const grown = watchMemory(stage.host.ready.pid)
    warm.next.answerCalls([background(flood), { name: 'bash', arguments: { command: flood } }])
    const behind = await vi.waitFor(
      () => {
        const call = stage.model.calls.find(({ isParked, callNo }) => isParked && callNo > warm.next.callNo)
        if (call === undefined) throw new Error('the command in the foreground still floods')
        return call
      },
      { timeout: 100_000, interval: 50 },
    )
    const [started, shown = ''] = behind.messages
      .filter(({ role }) => role === 'tool')
      .slice(-2)
      .map(({ text }) => text)
    expect(shown).toContain(`${gibibyte} bytes`)
    expect(shown).toMatch(/\[exit code 0\]$/)
    await vi.waitFor(() => expect(tasksOf(view).map(({ status }) => status)).toEqual(['completed', 'completed']), {
      timeout: 100_000,
      interval: 50,
    })
    const read = { name: 'task_output', arguments: { taskId: startedTask(started) } }
    const ended = await callTools(scene, behind, [read])
    expect(ended.results[0]).toContain(': completed')
    expect(ended.results[0]).toContain(`[${gibibyte - 64 * mebibyte} bytes were dropped`)
    expect(Buffer.byteLength(ended.results[0] ?? '')).toBeLessThan(64 * 1024)
    ended.next.answerText('Done.')
    await stage.until(() => view.status?.status === 'idle', 'the end of the turn')
    expect(grown()).toBeLessThan(64 * mebibyte)
  },
)

test(
  'flood: no text, no output, no time and a label like a book: every frame is legal and nothing hangs',
  { timeout },
  async () => {
    const scene = await openScene()
    const { stage, client, view } = scene
    const long = `: ${'label\n: '.repeat(1_500)}`
    expect(long.length).toBeGreaterThan(10 * 1024)
    const commands = [
      'head -c 300000 /dev/urandom; printf "\\xff\\xfe\\x00\\xc3"',
      'true',
      'exit 3',
      long,
      'printf "\\x1b]0;title\\x07\\u202e\\xe7\\x95"',
    ]
    const started = await callTools(scene, await say(scene), commands.map(background))
    const ids = started.results.map(startedTask)
    await stage.until(
      () => tasksOf(view).length === 5 && tasksOf(view).every(({ finishedAt }) => finishedAt),
      'all five ends',
    )
    expect(tasksOf(view).map(({ status, detail }) => [status, detail])).toEqual([
      ['completed', undefined],
      ['completed', undefined],
      ['failed', 'exit code 3'],
      ['completed', undefined],
      ['completed', undefined],
    ])
    // One row a start and one an end: each task twice, each frame read with the schema of the wire.
    const rows = client.frames.flatMap((frame) => (frame.type === 'session/tasks' ? frame.tasks : []))
    for (const { label } of rows) {
      expect(Array.from(label).length).toBeLessThanOrEqual(500)
      expect(label).not.toMatch(/[\r\n]/)
    }
    const outputs = await callTools(
      scene,
      started.next,
      ids.map((taskId) => ({ name: 'task_output', arguments: { taskId } })),
    )
    expect(outputs.results[1]).toMatch(/": completed\n\(nothing more\)$/)
    expect(outputs.results[4]).toContain('\uFFFD')
    // A text that went through JSON twice and came out whole has no half characters in it.
    for (const text of outputs.results) expect(text).not.toMatch(/\p{Surrogate}/u)
    outputs.next.answerText('Done.')
    await stage.until(() => view.status?.status === 'idle', 'the end of the turn')
  },
)
