/* A Task Surface shown by an agent elsewhere (SPEC 11): shown over MCP, answered on the ordinary wire. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { McpScene, revisions, smallModel, surfaceIdOf, type Agent, type Said } from './mcp-bench.ts'

const timeout = 60_000

async function show(agent: Agent, args: Record<string, unknown> = {}): Promise<Said & { surfaceId: string }> {
  const shown = await agent.call('show_task_surface', { model: smallModel, ...args })
  expect(shown.isError).toBe(false)
  return { ...shown, surfaceId: surfaceIdOf(shown) }
}

/** The person submits what is open. */
async function submit(scene: McpScene, { sessionId, surfaceId }: { sessionId: string; surfaceId: string }) {
  const request = { sessionId, surfaceId, submissionId: `sub-${surfaceId}`, values: { database: 'pg' } }
  expect(await scene.person.call('taskSurface.submit', request)).toMatchObject({ accepted: true })
}

const answer = 'The person submitted the surface. Their answer:\n\nWhich database?\n- Database: PostgreSQL'
const callTurn = ['turn/start', 'assistant/message', 'tool/call', 'tool/result', 'turn/end']
const personTurn = ['turn/start', 'user/message', 'turn/end']

describe.each(revisions)('MCP %s', (revision) => {
  let scene: McpScene
  beforeAll(async () => {
    scene = await McpScene.open()
  }, timeout)
  afterAll(() => scene.close())

  test('mcp-turns: each call is a turn, the answer is one without a model call, and all of it is the ordinary log', async () => {
    const agent = await scene.agent(revision, { name: 'Claude Code' })
    const shown = await show(agent)
    const view = await scene.view(shown.sessionId)
    const waiting = agent.call('await_task_surface', { surfaceId: shown.surfaceId, session: shown.sessionId })
    await submit(scene, shown)
    expect((await waiting).texts).toEqual([answer])
    await scene.until(() => view.eventsOf('turn/end').length === 3, 'three turns')
    expect(view.events.map(({ type }) => type)).toEqual(['session/created', ...callTurn, ...personTurn, ...callTurn])
    expect(view.events[0]).toMatchObject({ data: { agent: 'mcp/Claude-Code', title: 'Which database?' } })
    expect(view.eventsOf('turn/end').map(({ data }) => data.reason)).toEqual(['completed', 'completed', 'completed'])
    expect(view.eventsOf('tool/call').map(({ data }) => data.name)).toEqual(['show_task_surface', 'await_task_surface'])
  })

  test('mcp-surface: the result says at once where the person sees it and what to do next', async () => {
    const { text, surfaceId, sessionId } = await show(await scene.agent(revision))
    expect(text).toContain(`{"surfaceId": "${surfaceId}", "session": "${sessionId}"}`)
    expect(text).toContain(`${scene.host.ready.url}/s/${sessionId}`)
    expect(text).not.toMatch(/turn ends/)
  })

  test('mcp-await: a dismissed surface says so, and that it is no consent', async () => {
    const agent = await scene.agent(revision)
    const { surfaceId, sessionId } = await show(agent)
    const waiting = agent.call('await_task_surface', { surfaceId, session: sessionId })
    await scene.person.call('taskSurface.dismiss', { sessionId, surfaceId, dismissalId: 'd-1' })
    expect((await waiting).text).toMatch(/^The person dismissed the surface/)
    expect((await agent.call('await_task_surface', { surfaceId, session: sessionId })).text).toMatch(/dismissed/)
  })

  test('mcp-await: a bypassed surface gives what the person wrote, once', async () => {
    const agent = await scene.agent(revision)
    const { surfaceId, sessionId } = await show(agent)
    const waiting = agent.call('await_task_surface', { surfaceId, session: sessionId })
    await scene.person.call('session.send', { sessionId, messageId: 'm-1', text: 'Neither. Ask Ada.' })
    const read = await waiting
    expect(read.texts).toHaveLength(1)
    expect(read.text).toMatch(/wrote this instead.*\n\nNeither\. Ask Ada\.$/)
  })

  test('mcp-await: nothing yet is "still open, call again", and the answer of a later call is the same as of an earlier', async () => {
    const agent = await scene.agent(revision)
    const { surfaceId, sessionId } = await show(agent)
    const none = await agent.call('await_task_surface', { surfaceId, session: sessionId, timeoutMs: 0 })
    expect(none).toMatchObject({ isError: false, text: expect.stringMatching(/still open.*again/) })
    await submit(scene, { surfaceId, sessionId })
    const args = { surfaceId, session: sessionId }
    expect((await agent.call('await_task_surface', args)).texts).toEqual([answer])
    expect((await agent.call('await_task_surface', args)).texts).toEqual([answer])
  })

  test('mcp-news: what the person writes while nobody waits reaches the agent with its next call, set apart and once', async () => {
    const agent = await scene.agent(revision)
    const { surfaceId, sessionId } = await show(agent)
    const view = await scene.view(sessionId)
    await submit(scene, { surfaceId, sessionId })
    await scene.person.call('session.send', { sessionId, messageId: 'm-1', text: 'And be quick.' })
    await scene.until(() => view.eventsOf('user/message').length === 2, 'both messages')
    const listed = await agent.call('task_list', { session: sessionId })
    expect(listed.text).toBe('There are no background tasks.')
    expect(listed.texts).toHaveLength(2)
    expect(listed.texts[1]).toMatch(
      /^\[The person answered the surface ts-\w+ meanwhile; .*\]\n\nWhich database\?\n- Database: PostgreSQL\n\n\[The person wrote meanwhile; .*\]\n\nAnd be quick\.$/,
    )
    expect((await agent.call('task_list', { session: sessionId })).texts).toHaveLength(1)
  })

  test('mcp-errors: a model that is not one, a second surface and an unknown one are results the agent can read', async () => {
    const agent = await scene.agent(revision)
    const invalid = await agent.call('show_task_surface', { model: { ...smallModel, title: '', extra: 1 } })
    expect(invalid).toMatchObject({ isError: true, text: expect.stringMatching(/^INVALID_MODEL: .*2 problems/) })
    const { sessionId } = await show(agent, { session: invalid.sessionId })
    const second = await agent.call('show_task_surface', { model: smallModel, session: sessionId })
    expect(second).toMatchObject({ isError: true, text: expect.stringMatching(/^TASK_SURFACE_OPEN: /) })
    const unknown = await agent.call('await_task_surface', { surfaceId: 'ts-nowhere', session: sessionId })
    expect(unknown).toMatchObject({ isError: true, text: expect.stringMatching(/^SURFACE_NOT_FOUND: /) })
    const misspelt = await agent.call('await_task_surface', { surface: 'x', session: sessionId })
    expect(misspelt).toMatchObject({ isError: true, text: expect.stringMatching(/^INVALID_INPUT: /) })
  })

  test('mcp-restart: the host is killed while the agent is away; the surface is found again and its answer read', async () => {
    const { surfaceId, sessionId } = await show(await scene.agent(revision))
    await scene.restart()
    const agent = await scene.agent(revision)
    const waiting = agent.call('await_task_surface', { surfaceId, session: sessionId })
    await submit(scene, { surfaceId, sessionId })
    expect((await waiting).texts).toEqual([answer])
    // A surface is known by its id alone: a model may forget the session.
    expect(await (await scene.agent(revision)).call('await_task_surface', { surfaceId })).toMatchObject({
      texts: [answer],
      sessionId,
    })
  })

  test('mcp-sessions: two agents at once have a session and a surface each', async () => {
    const agents = await Promise.all([scene.agent(revision, { name: 'one' }), scene.agent(revision, { name: 'two' })])
    const shown = await Promise.all(agents.map((agent) => show(agent)))
    expect(new Set(shown.map(({ sessionId }) => sessionId)).size).toBe(2)
    const { sessions } = await scene.person.call('session.list', {})
    const own = sessions.filter(({ id }) => shown.some(({ sessionId }) => sessionId === id))
    expect(own.map(({ agent }) => agent).toSorted()).toEqual(['mcp/one', 'mcp/two'])
    const waiting = agents.map((agent, index) => {
      const { surfaceId, sessionId } = shown[index] ?? { surfaceId: '', sessionId: '' }
      return agent.call('await_task_surface', { surfaceId, session: sessionId })
    })
    for (const each of shown) await submit(scene, each)
    for (const read of await Promise.all(waiting)) expect(read.texts).toEqual([answer])
  })

  test('mcp-sessions: the session of an agent elsewhere cannot be forked or rewound, and its agent is not offered', async () => {
    const { sessionId } = await show(await scene.agent(revision))
    const forked = await scene.person.ask('session.fork', { sessionId })
    expect(forked).toMatchObject({ ok: false, error: { code: -32009, data: { code: 'fork-unavailable' } } })
    const rewound = await scene.person.ask('session.rewind', { sessionId, toSeq: 0 })
    expect(rewound).toMatchObject({ ok: false, error: { code: -32009, data: { code: 'rewind-unavailable' } } })
    const { agents } = await scene.person.call('agents.list', {})
    expect(agents.filter(({ name }) => name.startsWith('mcp/'))).toEqual([])
  })

  test('mcp-await: an agent that goes away while it waits leaves nothing behind, and the person is not disturbed', async () => {
    const agent = await scene.agent(revision)
    const { surfaceId, sessionId } = await show(agent)
    const view = await scene.view(sessionId)
    const gone = new AbortController()
    const waiting = agent.call('await_task_surface', { surfaceId, session: sessionId }, { signal: gone.signal })
    gone.abort()
    await expect(waiting).rejects.toThrow()
    await submit(scene, { surfaceId, sessionId })
    const again = await agent.call('await_task_surface', { surfaceId, session: sessionId })
    expect(again.texts).toEqual([answer])
    await scene.until(() => view.eventsOf('turn/end').length === 3, 'three turns')
    expect(view.eventsOf('tool/call').map(({ data }) => data.name)).toEqual(['show_task_surface', 'await_task_surface'])
  })
})
