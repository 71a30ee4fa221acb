/* Background tasks of a real host process (SPEC 7, FIELD): what becomes of them when it is killed, stopped or asked. The
   commands are those of a scripted model; processes are found by their command lines. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSleeper, endHard, untilRunning } from './tasks-bench.ts'
import { background, calls, openScene, startedTask, tasksOf } from './tasks-scene.ts'

const timeout = 60_000

/** The host's own child that waits for its end. */
function watchdogOf(pid: number): number {
  const found = readdirSync('/proc').find((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const isChild = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(pid)
      return isChild && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('reaper.js')
    } catch {
      return false
    }
  })
  if (found === undefined) throw new Error('there is no watchdog')
  return Number(found)
}

test('live: rows come, stop and settle on the wire, and the model of a kill needs no notice', { timeout }, async () => {
  const scene = await openScene()
  const { stage, view } = scene
  const sleeper = createSleeper()
  const [started] = await calls(scene, [background(`exec ${sleeper.sleeper}`)])
  const taskId = startedTask(started)
  expect(tasksOf(view)).toMatchObject([
    { id: taskId, kind: 'bash', status: 'running', label: `exec ${sleeper.sleeper}` },
  ])
  await untilRunning(sleeper, 1)
  const [killed] = await calls(scene, [{ name: 'task_kill', arguments: { taskId } }])
  expect(killed).toMatch(/": killed$/)
  expect(view.tasks.map((tasks) => tasks.map(({ status }) => status).join())).toEqual(['running', 'stopping', 'killed'])
  expect(sleeper.running()).toEqual([])
  const wokenBy = () =>
    stage.model.calls.filter((call) => call.userTexts.some((text) => text.includes('Background task')))
  expect(wokenBy()).toEqual([])
})

test(
  'crash: within moments nothing that a killed host started goes on, without the next start too',
  { timeout },
  async () => {
    const scene = await openScene()
    const { stage, sessionId } = scene
    const { word, sleeper, running } = createSleeper()
    await calls(scene, [
      ...Array.from({ length: 6 }, () => background(`${sleeper}; true`)),
      ...Array.from({ length: 3 }, () => background(`setsid ${sleeper} & wait`)),
      background(`trap '' TERM; ${sleeper}; sleep ${word}`),
    ])
    await untilRunning({ running }, 10)
    const watchdog = watchdogOf(stage.host.ready.pid)
    await stage.host.kill('SIGKILL')
    await untilRunning({ running }, 0)
    await expect.poll(() => isAlive(watchdog), { timeout: 10_000 }).toBe(false)
    await stage.start()
    const view = await (await stage.connect()).open(sessionId)
    const rows = await stage.until(() => view.tasks[0], 'the baseline of tasks')
    expect(rows.map(({ status, detail }) => `${status}: ${detail}`)).toEqual(Array(10).fill('failed: the host stopped'))
    const said = () => stage.model.calls.flatMap(({ userTexts }) => userTexts).join('\n')
    // The notices may come in more than one step.
    await stage.until(() => {
      for (const call of stage.model.calls) if (call.isParked) call.answerText('I see.')
      return rows.every(({ id }) => said().includes(`${id} (bash)`))
    }, 'the model is told of all ten')
  },
)

test('crash: the next start ends what is left, lists it as it is, and tells the model', { timeout }, async () => {
  const scene = await openScene()
  const { stage, sessionId } = scene
  const { sleeper, running } = createSleeper()
  const other = createSleeper()
  await calls(scene, [
    background(`setsid ${sleeper} & wait`),
    background(`trap '' TERM; ${sleeper}; true`),
    background(`env -i ${other.sleeper} & wait`),
    background('exit 4'),
  ])
  await untilRunning({ running }, 2)
  await untilRunning(other, 1)
  await stage.until(() => tasksOf(scene.view).some(({ status }) => status === 'failed'), 'the end of the short one')
  // As if the whole machine had no watchdog.
  endHard(watchdogOf(stage.host.ready.pid))
  await stage.host.kill('SIGKILL')
  expect(running()).toHaveLength(2)
  await stage.start()
  expect(running()).toEqual([])
  expect(other.running()).toEqual([])
  const client = await stage.connect()
  const view = await client.open(sessionId)
  const rows = await stage.until(() => view.tasks[0], 'the baseline of tasks')
  const stopped = rows.filter(({ detail }) => detail === 'the host stopped')
  expect(stopped.map(({ status, finishedAt }) => [status, typeof finishedAt])).toEqual(
    Array(3).fill(['failed', 'number']),
  )
  const notice = await stage.until(
    () =>
      stage.model.calls.find(
        (call) => call.isParked && call.userTexts.some((text) => text.includes('the host stopped')),
      ),
    'the model is told',
  )
  for (const { id } of stopped) expect(notice.userTexts.join('\n')).toContain(id)
  notice.answerText('I see.')
  await stage.until(() => view.status?.status === 'idle', 'the end of the turn')
  // Told once: a further host has nothing to tell.
  await stage.restart()
  const again = await (await stage.connect()).open(sessionId)
  expect(again.tasks).toEqual([])
})

test('stop: ten tasks end with the host in good order and in time, and the next one says so', { timeout }, async () => {
  const scene = await openScene()
  const { stage, sessionId } = scene
  const { sleeper, running } = createSleeper()
  await calls(scene, [
    ...Array.from({ length: 6 }, () => background(sleeper)),
    ...Array.from({ length: 3 }, () => background(`setsid ${sleeper} & wait`)),
    background(`trap '' TERM; ${sleeper}; true`),
  ])
  await untilRunning({ running }, 10)
  const before = performance.now()
  expect(await stage.host.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(performance.now() - before).toBeLessThan(5_000)
  expect(running()).toEqual([])
  await stage.start()
  const view = await (await stage.connect()).open(sessionId)
  const rows = await stage.until(() => view.tasks[0], 'the baseline of tasks')
  expect(rows.map(({ status, detail }) => `${status}: ${detail}`)).toEqual(Array(10).fill('failed: the host stopped'))
})

test('stop: a foreground command and a terminal end with the host', { timeout }, async () => {
  const scene = await openScene()
  const { stage, client, sessionId } = scene
  const { sleeper, running } = createSleeper()
  await calls(scene, [{ name: 'terminal_send', arguments: { input: `setsid ${sleeper} & ${sleeper}\n`, waitMs: 100 } }])
  await client.call('session.send', { sessionId, messageId: 'blocking', text: 'blocking' })
  ;(await stage.call('blocking')).answerCalls([
    { name: 'bash', arguments: { command: `trap '' TERM; setsid ${sleeper} & ${sleeper}; true` } },
  ])
  await untilRunning({ running }, 4)
  expect(await stage.host.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(running()).toEqual([])
})

test('interrupt: a foreground command ends, a background one goes on', { timeout }, async () => {
  const scene = await openScene()
  const { stage, client, sessionId, view } = scene
  const [here, there] = [createSleeper(), createSleeper()]
  await client.call('session.send', { sessionId, messageId: 'm-i', text: 'm-i' })
  ;(await stage.call('m-i')).answerCalls([
    background(there.sleeper),
    { name: 'bash', arguments: { command: `setsid ${here.sleeper} & ${here.sleeper}` } },
  ])
  await untilRunning(here, 2)
  await untilRunning(there, 1)
  await client.call('session.interrupt', { sessionId })
  await untilRunning(here, 0)
  await stage.until(() => view.eventsOf('turn/end')[0], 'the end of the turn')
  expect(there.running()).toHaveLength(1)
  expect(tasksOf(view)).toMatchObject([{ status: 'running' }])
  await client.call('session.remove', { sessionId })
  expect(there.running()).toEqual([])
})

test('secrets-stay: keys and settings of the host reach no command', { timeout }, async () => {
  const scene = await openScene({ ANTHROPIC_API_KEY: 'key-a', TASK_SURFACE_AGENT: 'demo', GREETING: 'hi' })
  const [environment = ''] = await calls(scene, [{ name: 'bash', arguments: { command: 'env' } }])
  expect(environment).toContain('GREETING=hi')
  expect(environment).not.toMatch(/no-key|key-a|_API_KEY|_BASE_URL|TASK_SURFACE_(?!TASK=)/)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
