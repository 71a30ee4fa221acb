/* A program on standard input and output as the agent of a session (SPEC 11): what it says and does is the ordinary log. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { AcpScene, shown } from './acp-bench.ts'
import { smallModel } from './mcp-bench.ts'

const timeout = 60_000
let scene: AcpScene
beforeAll(async () => {
  scene = await AcpScene.open()
}, timeout)
afterAll(() => scene.close())

test('11: an agent program is begun in the folder of the session and handed its own door to it', async () => {
  const view = await scene.session()
  expect(await scene.turn(view, 'Hello.')).toEqual({ reason: 'completed' })
  expect(shown(view)).toEqual(['person: Hello.', 'text: Done.'])
  const greeted = scene.journal('initialize').at(-1)
  expect(greeted).toMatchObject({ params: { protocolVersion: 1, clientInfo: { name: 'task-surface' } } })
  const begun = scene.journal('session').at(-1)
  const url = `${scene.host.ready.url}/mcp?session=${view.sessionId}`
  const { cwd } = (await scene.person.call('session.list', {})).sessions.find(({ id }) => id === view.sessionId) ?? {}
  expect(begun).toMatchObject({ params: { cwd, mcpServers: [{ type: 'http', name: 'task-surface', url }] } })
  expect(JSON.stringify(begun)).not.toContain(scene.folder.token)
})

test('11: text, thoughts, a plan and tool calls stand in the order in which the agent makes them', async () => {
  const view = await scene.session()
  const diff = { type: 'diff', path: '/src/a.ts', oldText: 'one\ntwo\nthree\n', newText: 'one\nTWO\nthree\n' }
  const end = await scene.turn(view, [
    { think: 'They want ' },
    { think: 'a change.' },
    { say: 'I look first.' },
    {
      plan: [
        { content: 'Look', status: 'completed', priority: 'high' },
        { content: 'Edit', priority: 'low' },
      ],
    },
    { call: { toolCallId: 'c1', kind: 'read', title: 'Read a.ts', status: 'pending' } },
    { update: { toolCallId: 'c1', rawInput: { path: '/src/a.ts' }, status: 'in_progress' } },
    { update: { toolCallId: 'c1', status: 'completed', rawOutput: { output: 'one two three' } } },
    { say: 'Now I edit.' },
    {
      call: { toolCallId: 'c2', kind: 'edit', title: 'Edit a.ts', rawInput: { path: '/src/a.ts' }, status: 'pending' },
    },
    { update: { toolCallId: 'c2', status: 'completed', content: [diff] } },
    { call: { toolCallId: 'c3', title: 'tools.example: look up', status: 'in_progress' } },
    { update: { toolCallId: 'c3', status: 'failed' } },
    { say: 'Done.' },
  ])
  expect(end).toEqual({ reason: 'completed' })
  expect(shown(view).slice(1)).toEqual([
    'reasoning: They want a change.',
    'text: I look first.\n\n- [x] Look\n- [ ] Edit\n\n',
    'call read {"path":"/src/a.ts"}',
    'result one two three',
    'text: Now I edit.',
    'call edit {"path":"/src/a.ts"}',
    'result /src/a.ts\n- two\n+ TWO',
    'call tools_example_look_up {"title":"tools.example: look up"}',
    'result error AGENT_TOOL_FAILED: The agent says that it failed.',
    'text: Done.',
  ])
})

test('acp-inside: calls that the agent makes at the same time, or one inside another, hold up nobody', async () => {
  const auto = await scene.session({ approval: 'auto' })
  const end = await scene.turn(auto, [
    { call: { toolCallId: 'outer', kind: 'think', title: 'A piece of work', status: 'in_progress' } },
    { permit: { toolCallId: 'inner', kind: 'execute', title: 'make', rawInput: { command: 'make' } } },
    { update: { toolCallId: 'inner', status: 'completed', rawOutput: 'made' } },
    { update: { toolCallId: 'outer', status: 'completed', rawOutput: 'all of it' } },
    { say: 'Done.' },
  ])
  expect(end).toEqual({ reason: 'completed' })
  expect(shown(auto).slice(1)).toEqual([
    'call think {"title":"A piece of work"}',
    'call execute {"command":"make"}',
    'result made',
    'result all of it',
    'text: Done.',
  ])
})

test('acp-inside: whenever the inner call comes, it is not left behind', async () => {
  const view = await scene.session({ approval: 'auto' })
  // Around the moment at which the outer one begins to run.
  const pauses = [0, 1, 2, 4, 8, 12, 16, 24, 32, 48]
  const steps = pauses.flatMap((pauseMs, n) => [
    { call: { toolCallId: `outer-${n}`, kind: 'think', title: 'Work', status: 'in_progress' } },
    { pauseMs },
    { permit: { toolCallId: `inner-${n}`, kind: 'execute', title: 'make', rawInput: { command: 'make' } } },
    { update: { toolCallId: `inner-${n}`, status: 'completed', rawOutput: 'made' } },
    { update: { toolCallId: `outer-${n}`, status: 'completed', rawOutput: 'worked' } },
    { say: 'Next.' },
  ])
  expect(await scene.turn(view, steps)).toEqual({ reason: 'completed' })
  expect(view.eventsOf('tool/result').filter(({ data }) => data.isError === true)).toEqual([])
  expect(view.eventsOf('tool/result')).toHaveLength(2 * pauses.length)
})

test('11: the next prompt is what the person says next, and the agent remembers the rest by itself', async () => {
  const view = await scene.session()
  await scene.turn(view, 'First.')
  await scene.turn(view, 'Second.')
  const prompts = scene.journal('prompt').slice(-2)
  expect(prompts[0]).toMatchObject({ texts: [expect.stringContaining('show_task_surface'), 'First.'] })
  expect(prompts[1]).toMatchObject({ texts: ['Second.'] })
})

test('4: what the person says into a running turn is a prompt of the same turn', async () => {
  const view = await scene.session()
  await scene.say(view, [
    { permit: { toolCallId: 'c1', kind: 'execute', title: 'ls', rawInput: { command: 'ls' } } },
    { say: 'A.' },
  ])
  const asked = await approval(view.sessionId)
  await scene.say(view, 'And B.', 'steering')
  await scene.person.call('approval.decide', {
    sessionId: view.sessionId,
    approvalId: asked.approvalId,
    decision: 'deny',
  })
  await scene.until(() => view.eventsOf('turn/end').length === 1, 'the end')
  expect(shown(view).slice(-2)).toEqual(['person: And B.', 'text: A.\n\nDone.'])
})

test('11: what the agent says its prompts cost is counted like that of any model', async () => {
  const view = await scene.session()
  const usageOf = () => view.projections.get('usage')?.value
  const cached = { inputTokens: 10, cachedReadTokens: 90, outputTokens: 5, totalTokens: 105 }
  await scene.turn(view, [{ say: 'First.' }, { usage: cached }])
  expect(usageOf()).toEqual({ inputTokens: 100, outputTokens: 5 })
  await scene.turn(view, [{ say: 'Second.' }, { usage: { inputTokens: 7, outputTokens: 1 } }])
  expect(usageOf()).toEqual({ inputTokens: 107, outputTokens: 6 })
  await scene.turn(view, [{ say: 'Third.' }, { usage: { inputTokens: 'many' } }])
  await scene.turn(view, 'Fourth.')
  expect(usageOf()).toEqual({ inputTokens: 107, outputTokens: 6 })
})

test('11: what a prompt cost that ends after its turn, because it showed a surface, is counted with the next', async () => {
  const view = await scene.session()
  const show = { mcp: { name: 'show_task_surface', arguments: { model: smallModel } } }
  await scene.turn(view, [show, { usage: { inputTokens: 50, outputTokens: 2 } }])
  await scene.entry('stopped', scene.journal('prompt').length)
  await scene.turn(view, [{ usage: { inputTokens: 30, outputTokens: 1 } }, { say: 'Done.' }])
  expect(view.projections.get('usage')?.value).toEqual({ inputTokens: 80, outputTokens: 3 })
})

test.each([
  ['max_tokens', { reason: 'max-tokens' }],
  ['refusal', { reason: 'blocked' }],
  ['max_turn_requests', { reason: 'error', error: expect.stringMatching(/as many requests/) }],
  ['cancelled', { reason: 'error', error: expect.stringMatching(/stopped by itself/) }],
])('11: an agent that stops with %s says so', async (stop, expected) => {
  const view = await scene.session()
  expect(await scene.turn(view, [{ say: 'Well.' }, { stop }])).toEqual(expected)
})

test('5: an interrupt asks the agent to stop, and the next turn goes on with it', async () => {
  const view = await scene.session()
  await scene.say(view, [{ say: 'I begin.' }, { untilCancelled: true }])
  await scene.until(() => [...view.streams.values()].some(({ text }) => text === 'I begin.'), 'the words')
  await scene.person.call('session.interrupt', { sessionId: view.sessionId })
  await scene.until(() => view.eventsOf('turn/end').length === 1, 'the end')
  expect(view.eventsOf('turn/end')[0]?.data.reason).toBe('aborted')
  const started = scene.journal('started').length
  expect(await scene.turn(view, 'Go on.')).toEqual({ reason: 'completed' })
  expect(scene.journal('prompt').at(-1)).toMatchObject({ texts: ['Go on.'] })
  expect(scene.journal('started')).toHaveLength(started)
  expect(scene.journal('stopped').at(-2)).toMatchObject({ stopReason: 'cancelled' })
})

test('2: after a rewind and in a fork the agent begins anew with the counted transcript', async () => {
  const view = await scene.session({ approval: 'auto' })
  await scene.turn(view, [{ say: 'The first answer.' }])
  const toSeq = view.lastSeq
  await scene.turn(view, [{ say: 'The second answer.' }])
  const { session } = await scene.person.call('session.fork', { sessionId: view.sessionId })
  await scene.person.call('session.rewind', { sessionId: view.sessionId, toSeq })
  await scene.until(() => view.renewals === 1, 'the session began anew')
  await scene.turn(view, 'What now?')
  const { texts: [, rewound = '', last] = [] } = textsOf(scene.journal('prompt').at(-1))
  expect(rewound).toContain('Agent: The first answer.')
  expect(rewound).not.toContain('The second answer.')
  expect(last).toBe('What now?')

  const child = await scene.person.open(session.id)
  await scene.turn(child, 'And here?')
  const { texts: [, forked = ''] = [] } = textsOf(scene.journal('prompt').at(-1))
  expect(forked).toMatch(/Agent: The first answer\.[^]*Agent: The second answer\./)
})

function textsOf(entry: object | undefined): { texts?: string[] | undefined } {
  return z.object({ texts: z.array(z.string()).optional() }).parse(entry ?? {})
}

async function approval(sessionId: string) {
  return scene
    .until(
      () =>
        scene.person.frames.findLast((frame) => frame.type === 'approval/requested' && frame.sessionId === sessionId),
      'a request for approval',
    )
    .then((frame) => z.object({ approvalId: z.string(), summary: z.string(), tool: z.string() }).parse(frame))
}
