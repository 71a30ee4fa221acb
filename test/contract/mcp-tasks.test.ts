/* Background tasks of an agent elsewhere (SPEC 7, 11): the same registry, approvals and list as of any session. */
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SessionView } from '../harness/session-view.ts'
import { McpScene, revisions, smallModel, type Agent } from './mcp-bench.ts'

let scene: McpScene
beforeAll(async () => {
  scene = await McpScene.open()
}, 60_000)
afterAll(() => scene.close())

/** A session of this agent in which nobody is asked. */
async function trusted(agent: Agent): Promise<{ sessionId: string; view: SessionView }> {
  const { sessionId } = await agent.call('show_task_surface', { model: smallModel })
  await scene.person.call('session.configure', { sessionId, approval: 'auto' })
  return { sessionId, view: await scene.view(sessionId) }
}

function taskIdOf(text: string): string {
  const [taskId] = /bash-\w+/.exec(text) ?? []
  if (taskId === undefined) throw new Error(`no task in ${text}`)
  return taskId
}

describe.each(revisions)('MCP %s', (revision) => {
  test('mcp-tasks: started after the person allowed it, listed, read and ended', async () => {
    const name = `tasks-${revision}`
    const agent = await scene.agent(revision, { name })
    const starting = agent.call('start_background_task', { command: 'echo ready; exec sleep 60', description: 'wait' })
    const added = await scene.until(
      () =>
        scene.person.frames.flatMap((frame) =>
          frame.type === 'host/session-added' && frame.session.agent === `mcp/${name}` ? [frame.session] : [],
        )[0],
      'the session of the agent',
    )
    const sessionId = added.id
    expect(added.title).toBe('wait')
    const view = await scene.view(sessionId)
    const asked = await scene.until(
      () => scene.person.frames.find((frame) => frame.type === 'approval/requested' && frame.sessionId === sessionId),
      'a request for permission',
    )
    expect(asked).toMatchObject({ tool: 'bash', summary: 'echo ready; exec sleep 60' })
    const approvalId = asked.type === 'approval/requested' ? asked.approvalId : ''
    await scene.person.call('approval.decide', { sessionId, approvalId, decision: 'allow' })
    const started = await starting
    expect(started).toMatchObject({
      isError: false,
      sessionId,
      text: expect.stringContaining(`session is ${sessionId}`),
    })
    const taskId = taskIdOf(started.text)
    await scene.until(
      () => view.tasks.at(-1)?.some(({ id, status }) => id === taskId && status === 'running'),
      'the task',
    )
    const args = { taskId, session: sessionId }
    expect((await agent.call('task_list', { session: sessionId })).text).toBe(`${taskId} (bash) "wait": running`)
    let output = ''
    while (!output.includes('ready'))
      output = (await agent.call('task_output', { ...args, wait: true, timeoutMs: 50 })).text
    expect((await agent.call('task_kill', { ...args, reason: 'done' })).text).toMatch(/: killed/)
    expect(view.tasks.at(-1)).toMatchObject([{ id: taskId, status: 'killed' }])
  })

  test('mcp-tasks: the end of a task wakes nobody and is told with the next call, once', async () => {
    const agent = await scene.agent(revision)
    const { sessionId, view } = await trusted(agent)
    const taskId = taskIdOf((await agent.call('start_background_task', { command: 'true', session: sessionId })).text)
    await scene.until(() => view.tasks.at(-1)?.some(({ status }) => status === 'completed'), 'the end of the task')
    expect(view.eventsOf('turn/start')).toHaveLength(2)
    const { texts } = await agent.call('await_task_surface', { surfaceId: 'ts-none', session: sessionId })
    expect(texts[1]).toMatch(new RegExp(`Notice of the host.*\\n\\nBackground task ${taskId} .* completed`))
    expect((await agent.call('task_list', { session: sessionId })).texts).toHaveLength(1)
    expect(view.eventsOf('user/message')).toEqual([])
  })

  test('mcp-tasks: what is wrong with a call is a result the agent can read', async () => {
    const agent = await scene.agent(revision)
    const { sessionId } = await trusted(agent)
    const ask = async (name: string, args: Record<string, unknown>) =>
      (await agent.call(name, { ...args, session: sessionId })).text
    expect(await ask('task_output', { taskId: 'bash-none' })).toMatch(/^TASK_NOT_FOUND/)
    expect(await ask('task_output', { taskId: 'bash-none', timeoutMs: 45_001 })).toMatch(/^INVALID_INPUT/)
    expect(await ask('start_background_task', { command: '' })).toMatch(/^INVALID_INPUT/)
    expect(await ask('start_background_task', { command: 'true', run_in_background: false })).toMatch(/^INVALID_INPUT/)
    await expect(agent.call('bash', { command: 'true', session: sessionId })).rejects.toThrow(/no tool named bash/)
  })

  test('mcp-cwd: a command runs in the folder that the address of its agent names, else in that of the host', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-cwd-')))
    const where = async (query: string): Promise<string> => {
      const agent = await scene.agent(revision, { query })
      const { sessionId } = await trusted(agent)
      const started = await agent.call('start_background_task', { command: 'pwd', session: sessionId })
      const args = { taskId: taskIdOf(started.text), session: sessionId, wait: true }
      const { text } = await agent.call('task_output', args)
      return text.trimEnd().split('\n').at(-1) ?? ''
    }
    expect(await where(`?cwd=${encodeURIComponent(folder)}`)).toBe(folder)
    const own = await where('')
    expect(await where('?cwd=/nowhere')).toBe(own)
    expect(await where('?cwd=relative')).toBe(own)
  })
})
