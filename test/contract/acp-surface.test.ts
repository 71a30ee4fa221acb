/* A Task Surface shown by an agent program through its own door (SPEC 11): it ends the turn, and the answer is the next
   prompt. Permission requests of the agent are approvals of the session. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { SessionView } from '../harness/session-view.ts'
import { AcpScene, shown, type JournalEntry, type Step } from './acp-bench.ts'
import { smallModel } from './mcp-bench.ts'

const timeout = 60_000
let scene: AcpScene
beforeAll(async () => {
  scene = await AcpScene.open()
}, timeout)
afterAll(() => scene.close())

const show: Step = { mcp: { name: 'show_task_surface', arguments: { model: smallModel } } }
const surfaceSchema = z.object({ active: z.object({ surfaceId: z.string() }) })

async function submit(view: SessionView): Promise<void> {
  const { active } = surfaceSchema.parse(view.projections.get('taskSurface')?.value)
  const { sessionId } = view
  const { surfaceId } = active
  const request = { sessionId, surfaceId, submissionId: `sub-${surfaceId}`, values: { database: 'pg' } }
  expect(await scene.person.call('taskSurface.submit', request)).toMatchObject({ accepted: true })
}

/** What a call by the endpoint will have returned to the agent: the n-th from now on. */
function nextResult(n = 1): () => Promise<JournalEntry> {
  const count = scene.journal('mcp').length + n
  return () => scene.entry('mcp', count)
}

const answer = 'Which database?\n- Database: PostgreSQL'

describe.each([
  ['not told of as a tool call', []],
  ['told of under its own name', [{ call: { toolCallId: 't', title: 'mcp__task-surface__show_task_surface' } }]],
  [
    'told of under another name',
    [{ call: { toolCallId: 't', title: '{"model":{}}', kind: 'other', status: 'pending' } }],
  ],
  [
    'told of as running long before',
    [{ call: { toolCallId: 't', title: 'some tool', status: 'in_progress' } }, { pauseMs: 600 }],
  ],
] satisfies [string, Step[]][])('a surface %s', (_, before) => {
  test('11: ends the turn, and the answer is the next prompt', async () => {
    const view = await scene.session()
    const told = nextResult()
    expect(await scene.turn(view, [{ say: 'I ask you.' }, ...before, show, { say: 'Not to be read.' }])).toEqual({
      reason: 'completed',
    })
    expect(await told()).toMatchObject({
      isError: false,
      text: expect.stringMatching(/Your turn ends here.*Say nothing more/s),
    })
    await submit(view)
    await scene.until(() => view.eventsOf('turn/end').length === 2, 'the turn of the answer')
    expect(scene.journal('prompt').at(-1)).toMatchObject({ texts: [answer] })
    const lines = shown(view).filter((line) => !line.startsWith('call') && !line.startsWith('result'))
    expect(lines.slice(1)).toEqual(['text: I ask you.', `person: ${answer}`, 'text: Done.'])
    const calls = view.eventsOf('tool/call').map(({ data }) => data.name)
    expect(calls.filter((name) => name === 'show_task_surface')).toHaveLength(1)
    // Whether an announcement without the tool's name stands beside it is a matter of time: `prompt-run.test.ts` has that.
    const nameless = before.filter((step) => 'call' in step && !step.call.title.includes('show_task_surface'))
    expect(calls.length).toBeLessThanOrEqual(1 + nameless.length)
  })
})

test(
  'acp-answered: an agent that goes on after a surface is stopped, and one that waits for it is told to stop',
  async () => {
    const view = await scene.session()
    const waited = nextResult(2)
    const wait = { mcp: { name: 'await_task_surface', arguments: { surfaceId: 'ts-any' } } }
    expect(await scene.turn(view, [show, wait, { untilCancelled: true }])).toEqual({ reason: 'completed' })
    expect(await waited()).toMatchObject({ text: expect.stringMatching(/^TURN_OVER/) })
    await submit(view)
    await scene.until(() => view.eventsOf('turn/end').length === 2, 'the turn of the answer')
    expect(scene.journal('stopped').at(-2)).toMatchObject({ stopReason: 'cancelled' })
    expect(scene.journal('prompt').at(-1)).toMatchObject({ texts: [answer] })
  },
  timeout,
)

test('6.2: a model that does not fit is an error that the agent reads, and its turn goes on', async () => {
  const view = await scene.session()
  const [first, second] = [nextResult(1), nextResult(2)]
  const wrong = { mcp: { name: 'show_task_surface', arguments: { model: { version: 1, title: '' } } } }
  expect(await scene.turn(view, [wrong, show])).toEqual({ reason: 'completed' })
  expect(await first()).toMatchObject({ isError: true, text: expect.stringMatching(/^INVALID_MODEL/) })
  expect(await second()).toMatchObject({ isError: false })
})

test('acp-inside: other tools of the host are calls of the turn as well, under the call of the agent that runs', async () => {
  const view = await scene.session({ approval: 'auto' })
  const list = { mcp: { name: 'task_list', arguments: {} } }
  const end = await scene.turn(view, [
    list,
    { call: { toolCallId: 'c', kind: 'think', title: 'Work', status: 'in_progress' } },
    list,
    { mcp: { name: 'start_background_task', arguments: { command: 'true' } } },
    { update: { toolCallId: 'c', status: 'completed', rawOutput: 'worked' } },
    { say: 'Done.' },
  ])
  expect(end).toEqual({ reason: 'completed' })
  const calls = view.eventsOf('tool/call')
  expect(calls.map(({ data }) => data.name)).toEqual(['task_list', 'think', 'task_list', 'bash'])
  const [, outer, ...inner] = calls.map(({ data }) => data.callId)
  expect(inner).toEqual([`${outer}.1`, `${outer}.2`])
})

interface Asked {
  approvalId: string
  summary: string
  tool: string
}

async function approval(view: SessionView): Promise<Asked> {
  const { sessionId } = view
  const asked = await scene.until(
    () => scene.person.frames.findLast((frame) => frame.type === 'approval/requested' && frame.sessionId === sessionId),
    'a request for approval',
  )
  return z.object({ approvalId: z.string(), summary: z.string(), tool: z.string() }).parse(asked)
}

const push: Step = {
  permit: { toolCallId: 'p', kind: 'execute', title: 'git push', rawInput: { command: 'git push --force' } },
}
const pushed: Step = { update: { toolCallId: 'p', status: 'completed', rawOutput: 'pushed' } }

test.each([
  ['allow', 'yes', 'result pushed'],
  ['deny', 'no', 'result error DENIED: The person did not allow this call.'],
] as const)('5: what the agent asks permission for is asked of the person: %s', async (decision, optionId, result) => {
  const view = await scene.session()
  await scene.say(view, [push, pushed, { say: 'Done.' }])
  const { approvalId, summary, tool } = await approval(view)
  expect([tool, summary]).toEqual(['execute', 'git push\n{\n  "command": "git push --force"\n}'])
  await scene.person.call('approval.decide', { sessionId: view.sessionId, approvalId, decision })
  await scene.until(() => view.eventsOf('turn/end').length === 1, 'the end')
  expect(shown(view).slice(1)).toEqual(['call execute {"command":"git push --force"}', result, 'text: Done.'])
  expect(scene.journal('permission').at(-1)).toMatchObject({ outcome: { outcome: 'selected', optionId } })
  expect(view.eventsOf('approval/decided').map(({ data }) => data.callId)).toEqual(
    view.eventsOf('tool/call').map(({ data }) => data.callId),
  )
})

test('5: a session that allows everything asks nobody, nor does a kind of work that was allowed for the session', async () => {
  const auto = await scene.session({ approval: 'auto' })
  expect(await scene.turn(auto, [push, pushed])).toEqual({ reason: 'completed' })
  expect(auto.eventsOf('approval/decided')).toEqual([])
  const asking = await scene.session()
  await scene.say(asking, [push, pushed])
  const { approvalId } = await approval(asking)
  const remembered = { sessionId: asking.sessionId, approvalId, decision: 'allow', remember: true }
  await scene.person.call('approval.decide', remembered)
  await scene.until(() => asking.eventsOf('turn/end').length === 1, 'the end')
  expect(await scene.turn(asking, [push, pushed])).toEqual({ reason: 'completed' })
  expect(asking.eventsOf('approval/decided')).toHaveLength(1)
})

/** Beside the request of `push`: long enough for the person to have been asked. */
const meanwhile = (step: Step): Step => ({ together: [[push], [{ pauseMs: 400 }, step]] })

test('acp-answered: what a call still asks is answered when the person forbids it, and is not asked', async () => {
  const view = await scene.session()
  const before = scene.journal('permission').length
  await scene.say(view, [{ together: [[push], [push]] }, { say: 'Then not.' }])
  const { approvalId } = await approval(view)
  await scene.person.call('approval.decide', { sessionId: view.sessionId, approvalId, decision: 'deny' })
  await scene.until(() => view.eventsOf('turn/end').length === 1, 'the end')
  const answers = [await scene.entry('permission', before + 1), await scene.entry('permission', before + 2)]
  expect(answers.map(({ outcome }) => outcome)).toEqual([
    { outcome: 'selected', optionId: 'no' },
    { outcome: 'cancelled' },
  ])
  expect(view.eventsOf('approval/decided')).toHaveLength(1)
})

test('acp-answered: nobody is asked any longer about a call that has ended by itself', async () => {
  const view = await scene.session()
  const before = scene.journal('permission').length
  const failed = { update: { toolCallId: 'p', status: 'failed', rawOutput: 'no such remote' } }
  await scene.say(view, [meanwhile(failed), { say: 'It failed.' }])
  const { approvalId } = await approval(view)
  await scene.until(() => view.eventsOf('turn/end').length === 1, 'the end')
  expect(shown(view).slice(-2)).toEqual(['result error AGENT_TOOL_FAILED: no such remote', 'text: It failed.'])
  expect(await scene.entry('permission', before + 1)).toMatchObject({ outcome: { outcome: 'cancelled' } })
  expect(resolvedOf(approvalId)).toMatchObject({ outcome: 'cancelled' })
})

test('acp-answered: a program that ends while the person is asked takes the question along', async () => {
  const view = await scene.session()
  await scene.say(view, [meanwhile({ exit: 3 })])
  const { approvalId } = await approval(view)
  await scene.until(() => view.eventsOf('turn/end').length === 1, 'the end')
  expect(view.eventsOf('turn/end')[0]?.data).toMatchObject({ reason: 'error' })
  expect(resolvedOf(approvalId)).toMatchObject({ outcome: 'cancelled' })
})

function resolvedOf(approvalId: string) {
  return scene.person.frames.find((frame) => frame.type === 'approval/resolved' && frame.approvalId === approvalId)
}

test('acp-answered: an interrupt answers a permission request as cancelled', async () => {
  const view = await scene.session()
  const before = scene.journal('permission').length
  // The second one waits behind the first.
  await scene.say(view, [{ together: [[push], [push]] }, pushed])
  await approval(view)
  await scene.person.call('session.interrupt', { sessionId: view.sessionId })
  await scene.until(() => view.eventsOf('turn/end').length === 1, 'the end')
  const answers = [await scene.entry('permission', before + 1), await scene.entry('permission', before + 2)]
  expect(answers).toMatchObject([{ outcome: { outcome: 'cancelled' } }, { outcome: { outcome: 'cancelled' } }])
  expect(shown(view).at(-1)).toMatch(/^result error INTERRUPTED/)
})
