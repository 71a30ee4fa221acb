/* Code mode against a real host (SPEC 5): what the model is told, how nested calls are logged and asked about, and what
   the next model call reads. */
import { expect, test } from 'vitest'
import { parentCallId } from '../../shared/nested-call.ts'
import { HostStage } from '../harness/host-stage.ts'
import { scriptedAgent } from '../harness/scripted-model.ts'
import { surfaceModels } from '../harness/sequence-cases.ts'

async function open(toolMode: 'native' | 'code' | 'both', approval: 'ask' | 'auto' = 'auto') {
  const stage = await HostStage.open()
  const client = await stage.connect()
  const { session } = await client.call('session.create', { agent: scriptedAgent, approval, toolMode })
  const view = await client.open(session.id)
  await client.call('session.send', { sessionId: session.id, messageId: 'm1', text: 'begin' })
  return { stage, client, view, sessionId: session.id, call: await stage.call('begin') }
}

const code = (text: string) => ({ name: 'run_code', arguments: { code: text } })

test.each([
  ['native', false, true],
  ['code', true, false],
  ['both', true, true],
] as const)('tool-modes: %s', { timeout: 120_000 }, async (mode, hasCode, hasOthers) => {
  const { call, stage, view } = await open(mode)
  expect(call.toolNames.includes('run_code')).toBe(hasCode)
  expect(call.toolNames.includes('bash')).toBe(hasOthers)
  expect(call.toolNames.includes('show_task_surface')).toBe(hasOthers)
  // What is not offered is not there, although its name is known.
  call.answerCalls([code('return 1'), { name: 'task_list', arguments: {} }])
  ;(await stage.call('begin')).answerText('done')
  await stage.until(() => view.eventsOf('turn/end')[0], 'the end')
  expect(view.eventsOf('tool/result').map(({ data }) => data.error?.code)).toEqual([
    hasCode ? undefined : 'UNKNOWN_TOOL',
    hasOthers ? undefined : 'UNKNOWN_TOOL',
  ])
})

test('nested: calls of code stand under it in the log, have no meta, cannot conclude, and the model reads the code’s result alone', async () => {
  const { call, stage, view } = await open('code')
  const model = JSON.stringify(surfaceModels()['host:S1'])
  call.answerCalls([
    code(`
      const ends = await Promise.allSettled([
        tools.task_list(), tools.bash({ command: 'echo one' }), tools.bash({ command: 'exit 3' }), tools.bash({}),
        tools.show_task_surface({ model: ${model} }),
      ])
      return ends.map((end) => end.status === 'fulfilled' ? end.value.split('\\n')[0] : end.reason.message.split(':')[0])`),
  ])
  const next = await stage.call('begin')
  const [parent] = view.eventsOf('assistant/message').flatMap(({ data }) => data.message.content)
  if (parent?.type !== 'tool-call') throw new Error('no call')
  const results = view.eventsOf('tool/result')
  const nested = results.filter(({ data }) => parentCallId(data.callId) === parent.callId)
  expect(nested.map(({ data }) => data.name)).toEqual(['task_list', 'bash', 'bash', 'bash', 'show_task_surface'])
  expect(nested.every(({ data }) => data.meta === undefined)).toBe(true)
  expect(nested.at(-1)?.data.isError).toBe(true)
  expect(results.at(-1)?.data.callId).toBe(parent.callId)
  expect(view.projections.get('taskSurface')?.value).toMatchObject({ active: null })
  const text = results.at(-1)?.data.content[0]?.text ?? ''
  expect(JSON.parse(text)).toEqual([
    'There are no background tasks.',
    'one',
    '(no output)',
    'INVALID_INPUT',
    expect.any(String),
  ])
  expect(next.toolTexts).toEqual([text])
  next.answerText('done')
  await stage.until(() => view.eventsOf('turn/end')[0], 'the end')
})

test('nested: a call that needs permission asks for it, and a refusal is thrown', { timeout: 120_000 }, async () => {
  const { call, stage, client, view, sessionId } = await open('code', 'ask')
  call.answerCalls([
    code('try { return await tools.bash({ command: "echo one" }) } catch (error) { return error.message }'),
  ])
  const asked = await stage.until(() => client.frames.find((frame) => frame.type === 'approval/requested'), 'a request')
  if (asked.type !== 'approval/requested') throw new Error('no request')
  expect(asked).toMatchObject({ tool: 'bash', summary: 'echo one' })
  await client.call('approval.decide', { sessionId, approvalId: asked.approvalId, decision: 'deny' })
  const next = await stage.call('begin')
  expect(next.toolTexts.at(-1)).toMatch(/DENIED/)
  next.answerText('done')
  await stage.until(() => view.eventsOf('turn/end')[0], 'the end')
})

test('nested: an interrupt ends code and calls, and every call has its result', { timeout: 120_000 }, async () => {
  const { call, stage, client, view, sessionId } = await open('code')
  call.answerCalls([code('await tools.bash({ command: "sleep 600" })')])
  await stage.until(() => view.eventsOf('tool/call').some(({ data }) => data.name === 'bash'), 'the nested call')
  await client.call('session.interrupt', { sessionId })
  await stage.until(() => view.eventsOf('turn/end')[0], 'the end')
  expect(view.eventsOf('turn/end')[0]?.data.reason).toBe('aborted')
  const calls = view.eventsOf('tool/call').map(({ data }) => data.callId)
  expect(new Set(view.eventsOf('tool/result').map(({ data }) => data.callId))).toEqual(new Set(calls))
  expect(calls).toHaveLength(2)
})

test(
  'nested: a session that goes while code waits for a call takes the code along, and the host goes on',
  { timeout: 120_000 },
  async () => {
    const { call, stage, client, view, sessionId } = await open('code')
    call.answerCalls([
      code('await Promise.allSettled([tools.bash({ command: "sleep 600" }), tools.bash({ command: "sleep 601" })])'),
    ])
    await stage.until(() => view.eventsOf('tool/call').some(({ data }) => data.name === 'bash'), 'the nested call')
    await client.call('session.remove', { sessionId })
    expect((await client.call('session.list', {})).sessions).toEqual([])
    // What a lost write leaves behind shows a moment later: another session works to its end.
    const { id } = await stage.createSession(client)
    const other = await client.open(id)
    await client.call('session.send', { sessionId: id, messageId: 'm2', text: 'and now' })
    ;(await stage.call('and now')).answerText('here')
    await stage.until(() => other.eventsOf('turn/end')[0], 'the end of another turn')
    expect(stage.host.isRunning).toBe(true)
  },
)
