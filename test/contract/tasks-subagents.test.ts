/* What a subagent leaves behind (SPEC 5, 7): its one turn is its work. Tasks and terminals that it started end with it,
   its list shows them as killed, and nothing wakes it. */
import { expect, test } from 'vitest'
import type { ModelCall, ScriptedToolCall } from '../harness/scripted-model.ts'
import { createSleeper, untilRunning } from './tasks-bench.ts'
import { background, callTools, openAgain, openScene, say, tasksOf, type Scene } from './tasks-scene.ts'

const timeout = 60_000

const delegation = (inBackground: boolean): ScriptedToolCall => ({
  name: 'subagent',
  arguments: { prompt: 'the work', description: 'A piece of work', run_in_background: inBackground },
})

/** A person's message leads to a subagent that has been handed its work. */
async function delegate(scene: Scene, inBackground: boolean): Promise<{ child: Scene; call: ModelCall }> {
  const parentCall = await say(scene)
  parentCall.answerCalls([delegation(inBackground)])
  const call = await scene.stage.call('the work')
  const { sessions } = await scene.client.call('session.list', {})
  const childId = sessions.find(({ parent }) => parent?.relation === 'subagent')?.id
  if (childId === undefined) throw new Error('there is no child session')
  return { child: { ...scene, sessionId: childId, view: await scene.client.open(childId) }, call }
}

const lastResult = (call: ModelCall) => call.messages.findLast(({ role }) => role === 'tool')?.text

test.each([{ inBackground: false }, { inBackground: true }])(
  'subagent-ends-its-tasks: what it left running is killed and shown so (in the background: $inBackground)',
  { timeout },
  async ({ inBackground }) => {
    const scene = await openScene()
    const { stage } = scene
    const { sleeper, running } = createSleeper()
    const { child, call } = await delegate(scene, inBackground)
    const started = await callTools(child, call, [
      background(`setsid ${sleeper} & wait`),
      background(`trap '' TERM; ${sleeper}; true`),
      { name: 'terminal_send', arguments: { input: `${sleeper} &\n`, waitMs: 1_000 } },
    ])
    await untilRunning({ running }, 3)
    started.next.answerText('The result.')
    await stage.until(() => scene.view.eventsOf('subagent/ended')[0], 'the end of the subagent')
    expect(running()).toEqual([])
    expect(tasksOf(child.view).map(({ status }) => status)).toEqual(['killed', 'killed'])
    const told = await stage.until(
      () => stage.model.calls.find((other) => other.isParked && other.userTexts[0] !== 'the work'),
      'the parent goes on',
    )
    if (!inBackground) expect(lastResult(told)).toBe('The result.')
    // The model of the child was called for its one turn and for nothing else.
    expect(stage.model.calls.filter(({ userTexts }) => userTexts[0] === 'the work')).toHaveLength(2)
    expect(child.view.eventsOf('turn/start')).toHaveLength(1)
    // Nothing is left to tell: a further host lists none of them.
    await stage.restart()
    expect((await openAgain(child)).view.tasks).toEqual([])
  },
)

test(
  'subagent-ends-its-tasks: a task that ends in its last step does not give it a second turn',
  { timeout },
  async () => {
    const scene = await openScene()
    const { stage } = scene
    const { child, call } = await delegate(scene, false)
    const { next } = await callTools(child, call, [background('exit 4')])
    await stage.until(() => tasksOf(child.view)[0]?.finishedAt, 'the end of the task')
    next.answerText('The result.')
    const result = await stage.until(() => scene.view.eventsOf('tool/result')[0], 'what the parent gets')
    expect(result.data.content).toEqual([{ type: 'text', text: 'The result.' }])
    expect(tasksOf(child.view)).toMatchObject([{ status: 'failed', detail: 'exit code 4' }])
    expect(child.view.eventsOf('turn/start')).toHaveLength(1)
  },
)

test('subagent-ends-its-tasks: an interrupted subagent leaves nothing either', { timeout }, async () => {
  const scene = await openScene()
  const { stage, client, sessionId } = scene
  const { sleeper, running } = createSleeper()
  const { child, call } = await delegate(scene, false)
  await callTools(child, call, [background(sleeper)])
  await untilRunning({ running }, 1)
  await client.call('session.interrupt', { sessionId })
  await stage.until(() => scene.view.eventsOf('subagent/ended')[0], 'the end of the subagent')
  expect(running()).toEqual([])
  expect(tasksOf(child.view)).toMatchObject([{ status: 'killed' }])
})

test(
  'subagent-ends-its-tasks: after a crash the next host shows them, and wakes no subagent',
  { timeout },
  async () => {
    const scene = await openScene()
    const { stage, sessionId } = scene
    const { sleeper, running } = createSleeper()
    const { child, call } = await delegate(scene, true)
    await callTools(child, call, [background(sleeper)])
    await untilRunning({ running }, 1)
    await stage.restart()
    expect(running()).toEqual([])
    const after = await openAgain(child)
    const rows = await stage.until(() => after.view.tasks[0], 'the baseline of tasks')
    expect(rows).toMatchObject([{ status: 'failed', detail: 'the host stopped' }])
    // The parent is told of its own task; the child stays as it was cut off.
    const notice = () => stage.model.calls.find(({ isParked, userTexts }) => isParked && userTexts[0] !== 'the work')
    const told = await stage.until(notice, 'the parent is told')
    expect(told.userTexts.filter((text) => text.startsWith('Background task'))).toHaveLength(1)
    told.answerText('I see.')
    await stage.until(() => scene.client.isClosed, 'the end of the old socket')
    await stage.restart()
    expect((await openAgain(child)).view.tasks).toEqual([])
    expect(after.view.eventsOf('turn/start')).toHaveLength(1)
    expect(sessionId).not.toBe(child.sessionId)
  },
)
