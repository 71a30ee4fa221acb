/* A Task Surface shown by an agent elsewhere (SPEC 11): shown over MCP, answered on the ordinary wire. */
import { describe, expect, test } from 'vitest'
import { McpScene, revisions, smallModel, surfaceIdOf } from './mcp-bench.ts'

describe.each(revisions)('MCP %s', (revision) => {
  test('mcp-surface: shown at once, answered by the person, read by the agent', async () => {
    const scene = await McpScene.open()
    const agent = await scene.agent(revision, { name: 'Claude Code' })
    const shown = await agent.call('show_task_surface', { model: smallModel })
    expect(shown.isError).toBe(false)
    const surfaceId = surfaceIdOf(shown)
    const view = await scene.view(shown.sessionId)
    const waiting = agent.call('await_task_surface', { surfaceId, session: shown.sessionId })
    const answer = await scene.person.call('taskSurface.submit', {
      sessionId: shown.sessionId,
      surfaceId,
      submissionId: 'sub-1',
      values: { database: 'pg' },
    })
    expect(answer).toMatchObject({ accepted: true })
    const read = await waiting
    expect(read.texts).toEqual([
      'The person submitted the surface. Their answer:\n\nWhich database?\n- Database: PostgreSQL',
    ])
    await scene.stage.until(() => view.eventsOf('turn/end').length === 3, 'three turns')
    expect(view.events.map(({ type }) => type)).toEqual([
      'session/created',
      ...['turn/start', 'assistant/message', 'tool/call', 'tool/result', 'turn/end'],
      ...['turn/start', 'user/message', 'turn/end'],
      ...['turn/start', 'assistant/message', 'tool/call', 'tool/result', 'turn/end'],
    ])
  })
})
