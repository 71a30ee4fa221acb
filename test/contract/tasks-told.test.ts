/* When a model counts as told of the end of a task (SPEC 7): once that is on disk, and not before. A host is killed between
   the moment in which the end was seen and the write of what the model would have read. */
import { expect, test } from 'vitest'
import type { ModelCall } from '../harness/scripted-model.ts'
import { createSleeper, untilRunning } from './tasks-bench.ts'
import { background, callTools, openAgain, openScene, say, startedTask, tasksOf, type Scene } from './tasks-scene.ts'

const timeout = 60_000

/** The scene on a host that ends in its seventh append: turn, answer, call, result, and then answer, call, result. */
async function openCutOff(): Promise<Scene> {
  const scene = await openScene()
  await scene.stage.host.kill('SIGTERM')
  await scene.stage.start({ TASK_SURFACE_TEST_CRASH: 'before-write:7' })
  return openAgain(scene)
}

async function afterTheCrash(scene: Scene): Promise<Scene> {
  expect(await scene.stage.host.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await scene.stage.start()
  return openAgain(scene)
}

const noticesIn = ({ userTexts }: ModelCall) => userTexts.filter((text) => text.startsWith('Background task'))

const rowsOf = ({ stage, view }: Scene) => stage.until(() => view.tasks[0], 'the baseline of tasks')

/** The notice of the task in the log. */
async function noticeOf({ stage, view }: Scene, taskId: string): Promise<string> {
  const texts = () =>
    [...view.eventsOf('user/message'), ...view.eventsOf('steering/message')].flatMap(({ data: { message } }) =>
      message.source.kind === 'notice' ? message.content.map(({ text }) => text) : [],
    )
  return stage.until(() => texts().find((text) => text.includes(taskId)), `a notice about ${taskId}`)
}

test('told-when-durable: an end that task_output saw in vain is told by the next host', { timeout }, async () => {
  const scene = await openCutOff()
  const { next, results } = await callTools(scene, await say(scene), [background('exit 4')])
  const taskId = startedTask(results[0])
  next.answerCalls([{ name: 'task_output', arguments: { taskId, wait: true } }])
  const after = await afterTheCrash(scene)
  // Nothing of what the call saw is there: at most that it was cut off, once the next host has repaired the turn.
  const seen = after.view.eventsOf('tool/result').filter(({ data }) => data.name === 'task_output')
  expect(seen.filter(({ data }) => data.error?.code !== 'INTERRUPTED')).toEqual([])
  expect(await rowsOf(after)).toMatchObject([{ id: taskId, status: 'failed', detail: 'exit code 4' }])
  expect(await noticeOf(after, taskId)).toContain('failed (exit code 4)')
})

test(
  'told-when-durable: an end that task_kill brought about in vain is told by the next host',
  { timeout },
  async () => {
    const scene = await openCutOff()
    const { sleeper, running } = createSleeper()
    const { next, results } = await callTools(scene, await say(scene), [background(`exec ${sleeper}`)])
    const taskId = startedTask(results[0])
    await untilRunning({ running }, 1)
    next.answerCalls([{ name: 'task_kill', arguments: { taskId } }])
    const after = await afterTheCrash(scene)
    expect(await rowsOf(after)).toMatchObject([{ id: taskId, status: 'killed' }])
    expect(await noticeOf(after, taskId)).toContain('killed')
  },
)

test('told-when-durable: a notice that did not become durable is sent by the next host', { timeout }, async () => {
  const scene = await openCutOff()
  const { next, results } = await callTools(scene, await say(scene), [background('exit 4')])
  const taskId = startedTask(results[0])
  await scene.stage.until(() => tasksOf(scene.view)[0]?.finishedAt, 'the end of the task')
  next.answerText('Done.')
  const after = await afterTheCrash(scene)
  expect(after.view.eventsOf('turn/end')).toHaveLength(1)
  expect(await noticeOf(after, taskId)).toContain('failed (exit code 4)')
})

test(
  'told-when-durable: what the model has read is told once, also by the hosts after this one',
  { timeout },
  async () => {
    const scene = await openScene()
    const { stage } = scene
    const { sleeper } = createSleeper()
    const first = await callTools(scene, await say(scene), [background('exit 4'), background(`exec ${sleeper}`)])
    const [seen, killed] = first.results.map(startedTask)
    const second = await callTools(scene, first.next, [
      { name: 'task_output', arguments: { taskId: seen, wait: true } },
      { name: 'task_kill', arguments: { taskId: killed } },
    ])
    expect(second.results.map((text) => /": (\w+)/.exec(text)?.[1])).toEqual(['failed', 'killed'])
    second.next.answerText('Done.')
    await stage.until(() => scene.view.status?.status === 'idle', 'the end of the turn')
    await stage.restart()
    const after = await openAgain(scene)
    expect(after.view.tasks).toEqual([])
    // The first one may have ended before the call looked: then a notice had told it.
    expect(noticesIn(await say(after))).toEqual(noticesIn(second.next))
  },
)

test('told-when-durable: a notice is sent once, also by the hosts after this one', { timeout }, async () => {
  const scene = await openScene()
  const { stage, view } = scene
  const { next } = await callTools(scene, await say(scene), [background('exit 4')])
  await stage.until(() => tasksOf(view)[0]?.finishedAt, 'the end of the task')
  next.answerText('Done.')
  const woken = await stage.until(
    () => stage.model.calls.find((call) => call.isParked && noticesIn(call).length === 1),
    'the turn of the notice',
  )
  woken.answerText('Good to know.')
  await stage.until(() => view.eventsOf('turn/end').length === 2, 'the end of that turn')
  await stage.restart()
  const after = await openAgain(scene)
  expect(after.view.tasks).toEqual([])
  expect(noticesIn(await say(after))).toHaveLength(1)
})

test('told-when-durable: a kill whose call was interrupted needs no notice all the same', { timeout }, async () => {
  const scene = await openScene()
  const { stage, client, sessionId, view } = scene
  const { sleeper, running } = createSleeper()
  const command = `trap '' TERM; ${sleeper}; ${sleeper}`
  const { next, results } = await callTools(scene, await say(scene), [background(command)])
  const taskId = startedTask(results[0])
  await untilRunning({ running }, 1)
  next.answerCalls([{ name: 'task_kill', arguments: { taskId } }])
  await stage.until(() => tasksOf(view)[0]?.status === 'stopping', 'the request to end')
  await client.call('session.interrupt', { sessionId })
  await stage.until(() => tasksOf(view)[0]?.status === 'killed', 'the end of the task')
  await stage.until(() => view.status?.status === 'idle', 'the end of the turn')
  expect(noticesIn(await say(scene))).toEqual([])
})

test.each([
  ['fails', 'throw new Error("after it has looked")', 1],
  ['succeeds', 'return seen', 0],
] as const)(
  'told-when-durable: what a call of code has seen counts as the code’s own result does: it %s',
  { timeout },
  async (_, rest, notices) => {
    const scene = await openScene()
    const { stage, client, sessionId, view } = scene
    await client.call('session.configure', { sessionId, toolMode: 'both' })
    const flag = `go-${sessionId}`
    const command = `until [ -e ${flag} ]; do sleep 0.02; done; rm ${flag}; exit 4`
    const { next, results } = await callTools(scene, await say(scene), [background(command)])
    const taskId = startedTask(results[0])
    const code = `
      await tools.bash({ command: 'touch ${flag}' })
      const seen = await tools.task_output({ taskId: '${taskId}', wait: true })
      ${rest}`
    const after = await callTools(scene, next, [{ name: 'run_code', arguments: { code } }])
    expect(tasksOf(view)).toMatchObject([{ status: 'failed', detail: 'exit code 4' }])
    expect(noticesIn(after.next)).toHaveLength(notices)
    after.next.answerText('Done.')
    await stage.until(() => view.status?.status === 'idle', 'the end of the turn')
  },
)
