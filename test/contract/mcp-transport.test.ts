/* `/mcp` at the door (SPEC 8, 11, 12): who is let in, what a connection is, what is refused and how. */
import { connect as connectTcp } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionIdSchema } from '../../shared/ids.ts'
import { sessionToken } from '../../host/transport/access.ts'
import { McpScene, revisions, smallModel, surfaceIdOf } from './mcp-bench.ts'

const timeout = 60_000

let scene: McpScene
beforeAll(async () => {
  scene = await McpScene.open()
}, timeout)
afterAll(() => scene.close())

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const bearer = () => ({ authorization: `Bearer ${scene.host.ready.token}` })

function post(body: unknown, headers: Record<string, string> = bearer(), query = ''): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${scene.url}${query}`, { method: 'POST', headers: { ...accept, ...headers }, body: text })
}

/** A request whose Host header is ours to choose. */
function postAs(host: string): Promise<string> {
  const body = JSON.stringify(initialize)
  const lines = [
    'POST /mcp HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${scene.host.ready.token}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return new Promise((resolve, reject) => {
    const socket = connectTcp(scene.host.ready.port, '127.0.0.1', () =>
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`),
    )
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString())).on('end', () => resolve(answer.split('\r\n')[0] ?? ''))
    socket.on('error', reject)
  })
}

describe('access', () => {
  test('access/token: none, a wrong one and a cookie without Origin are refused, for every method', async () => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? { body: JSON.stringify(initialize) } : {}
      const ask = (headers: Record<string, string>) =>
        fetch(scene.url, { method, headers: { ...accept, ...headers }, ...body })
      expect((await ask({})).status).toBe(401)
      expect((await ask({ authorization: 'Bearer wrong' })).status).toBe(401)
      const cookie = `task_surface_${scene.host.ready.port}=${scene.host.ready.token}`
      expect((await ask({ cookie })).status).toBe(403)
    }
  })

  test('access/origin, access/host: a foreign site and a rebound name are refused, the own ones let in', async () => {
    expect((await post(initialize, { ...bearer(), origin: 'https://evil.example' })).status).toBe(403)
    expect((await post(initialize, { ...bearer(), origin: 'null' })).status).toBe(403)
    expect((await post(initialize, { ...bearer(), origin: scene.host.ready.url })).status).toBe(200)
    expect(await postAs('evil.example')).toMatch(/ 403 /)
    expect(await postAs(`127.0.0.1.evil.example:${scene.host.ready.port}`)).toMatch(/ 403 /)
    expect(await postAs(`localhost:${scene.host.ready.port}`)).toMatch(/ 200 /)
  })

  test('access/session-token: opens its own session and nothing else', async () => {
    const agent = await scene.agent('2026-07-28')
    const [one, other] = await Promise.all([
      agent.call('show_task_surface', { model: smallModel }),
      agent.call('show_task_surface', { model: smallModel }),
    ])
    const token = sessionToken(scene.host.ready.token, sessionIdSchema.parse(one.sessionId))
    const own = { authorization: `Bearer ${token}` }
    expect((await post(initialize, own, `?session=${one.sessionId}`)).status).toBe(200)
    expect((await post(initialize, own, `?session=${other.sessionId}`)).status).toBe(401)
    expect((await post(initialize, own)).status).toBe(401)
    expect((await post(initialize, own, '?session=__proto__')).status).toBe(401)
    const rpc = await fetch(`${scene.host.ready.url}/rpc`, {
      method: 'POST',
      headers: { ...own, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.list', params: {} }),
    })
    expect(rpc.status).toBe(401)
  })

  test.each(revisions)('mcp-bound: %s, an address for one session works in it and in no other', async (revision) => {
    const first = await (await scene.agent(revision)).call('show_task_surface', { model: smallModel })
    const token = sessionToken(scene.host.ready.token, sessionIdSchema.parse(first.sessionId))
    const bound = await scene.agent(revision, { query: `?session=${first.sessionId}`, token })
    const second = await bound.call('show_task_surface', { model: smallModel })
    expect(second.text).toMatch(/^TASK_SURFACE_OPEN/)
    expect(second.sessionId).toBe(first.sessionId)
    const elsewhere = await (await scene.agent(revision)).call('show_task_surface', { model: smallModel })
    const stolen = await bound.call('task_list', { session: elsewhere.sessionId })
    expect(stolen.text).toMatch(/^SESSION_NOT_FOUND/)
    const seen = await bound.call('await_task_surface', { surfaceId: surfaceIdOf(elsewhere) })
    expect(seen.text).toMatch(/^SURFACE_NOT_FOUND/)
  })
})

describe('connections of 2025-11-25', () => {
  test('access/session-token: a connection that was opened for all sessions is no way in for the token of one', async () => {
    const { sessionId } = await (await scene.agent('2025-11-25')).call('show_task_surface', { model: smallModel })
    const id = (await post(initialize)).headers.get('mcp-session-id') ?? ''
    const token = sessionToken(scene.host.ready.token, sessionIdSchema.parse(sessionId))
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    const own = { authorization: `Bearer ${token}`, 'mcp-session-id': id }
    expect((await post(call, own, `?session=${sessionId}`)).status).toBe(404)
    expect((await post(call, { ...bearer(), 'mcp-session-id': id })).status).toBe(200)
  })

  test('mcp-connection: named by the first answer, kept by its name, gone after DELETE', async () => {
    const opened = await post(initialize)
    const id = opened.headers.get('mcp-session-id') ?? ''
    expect(id).not.toBe('')
    expect(await opened.text()).toContain('"protocolVersion":"2025-11-25"')
    const of = { ...bearer(), 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, of)).status).toBe(202)
    const listed = await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, of)
    expect(listed.headers.get('content-type')).toBe('text/event-stream')
    expect(await listed.text()).toContain('"show_task_surface"')
    expect((await fetch(scene.url, { method: 'DELETE', headers: of })).status).toBe(200)
    expect((await post({ jsonrpc: '2.0', id: 3, method: 'tools/list' }, of)).status).toBe(404)
    expect((await fetch(scene.url, { method: 'DELETE', headers: of })).status).toBe(404)
  })

  test('mcp-connection: an unknown name is 404, none is 400, and neither harms the next', async () => {
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    expect((await post(call, { ...bearer(), 'mcp-session-id': 'nowhere' })).status).toBe(404)
    expect((await post(call)).status).toBe(400)
    expect((await fetch(scene.url, { headers: { ...bearer(), accept: 'text/event-stream' } })).status).toBe(400)
    expect((await post(initialize)).status).toBe(200)
  })

  test('mcp-connection: an agent keeps its session without naming it; after DELETE it begins another', async () => {
    const agent = await scene.agent('2025-11-25')
    const shown = await agent.call('show_task_surface', { model: smallModel })
    const listed = await agent.call('task_list')
    expect(listed.sessionId).toBe(shown.sessionId)
    await agent.leave()
    const next = await scene.agent('2025-11-25')
    expect((await next.call('show_task_surface', { model: smallModel })).sessionId).not.toBe(shown.sessionId)
  })

  test('mcp-connection: a session that the person removed is not missed: the next call begins another', async () => {
    const agent = await scene.agent('2025-11-25')
    const shown = await agent.call('show_task_surface', { model: smallModel })
    await scene.person.call('session.remove', { sessionId: shown.sessionId })
    const again = await agent.call('show_task_surface', { model: smallModel })
    expect(again.isError).toBe(false)
    expect(again.sessionId).not.toBe(shown.sessionId)
  })

  test('mcp-stream: a stream of events opens, and ends with its client', async () => {
    const opened = await post(initialize)
    const id = opened.headers.get('mcp-session-id') ?? ''
    const leaving = new AbortController()
    const headers = { ...bearer(), 'mcp-session-id': id, accept: 'text/event-stream' }
    const stream = await fetch(scene.url, { headers, signal: leaving.signal })
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    leaving.abort()
    await expect(stream.text()).rejects.toThrow()
    // One stream a connection: the library takes a second one only once it knows that the first is gone.
    const again = async (): Promise<number> => {
      const next = new AbortController()
      const { status } = await fetch(scene.url, { headers, signal: next.signal })
      next.abort()
      return status === 409 ? again() : status
    }
    expect(await again()).toBe(200)
  })
})

describe('2026-07-28', () => {
  test('mcp-session-argument: a call that begins nothing must name its session', async () => {
    const agent = await scene.agent('2026-07-28')
    const none = await agent.call('task_list')
    expect(none).toMatchObject({ isError: true, text: expect.stringMatching(/^SESSION_NOT_FOUND: Pass the session/) })
    const shown = await agent.call('show_task_surface', { model: smallModel })
    expect(shown.text).toContain(`session ${shown.sessionId}`)
    expect((await agent.call('task_list', { session: shown.sessionId })).isError).toBe(false)
  })

  test('mcp-session-argument: only sessions of agents elsewhere can be named', async () => {
    const agent = await scene.agent('2026-07-28')
    const { session } = await scene.person.call('session.create', { agent: 'demo' })
    for (const name of [session.id, 's-nowhere']) {
      const refused = await agent.call('show_task_surface', { model: smallModel, session: name })
      expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/^SESSION_NOT_FOUND: /) })
    }
  })
})

describe('refusals', () => {
  test('mcp-size: a body over 256 KiB is refused and not read', async () => {
    const call = { ...initialize, params: { ...initialize.params, filler: 'x'.repeat(256 * 1024) } }
    const refused = await post(call).catch(() => null)
    expect(refused === null ? 413 : refused.status).toBe(413)
    expect((await post(initialize)).status).toBe(200)
  })

  test.each([
    ['no JSON', '{', 400],
    ['an empty body', '', 400],
    ['no JSON-RPC', '{"hello":1}', 400],
    ['a batch of nothing', '[]', 400],
    ['a method that nobody knows', { jsonrpc: '2.0', id: 1, method: 'nonsense' }, 400],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
  ])('mcp-garbage: %s is answered, and the next request served', async (_, body, status) => {
    expect((await post(body)).status).toBe(status)
    expect((await post(initialize)).status).toBe(200)
  })

  test('mcp-garbage: arguments as deep as they may be long are an answer', async () => {
    const opened = await post(initialize)
    const of = { ...bearer(), 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const deep = `{"model":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"show_task_surface","arguments":${deep}}}`
    const answer = await (await post(call, of)).text()
    expect(answer).toMatch(/no plain JSON|call stack/)
    expect((await post(initialize)).status).toBe(200)
  })

  test.each(revisions)('mcp-garbage: %s, deep arguments are an answer', async (revision) => {
    const agent = await scene.agent(revision)
    let deep: unknown = 1
    for (let level = 0; level < 600; level++) deep = [deep]
    await expect(agent.call('show_task_surface', { model: deep })).rejects.toThrow(/no plain JSON/)
    expect((await agent.call('show_task_surface', { model: smallModel })).isError).toBe(false)
  })

  test('mcp-methods: other methods than POST, GET and DELETE are not for this address', async () => {
    expect((await fetch(scene.url, { method: 'PUT', headers: bearer(), body: '{}' })).status).toBe(405)
    expect((await fetch(scene.url, { method: 'OPTIONS', headers: bearer() })).status).toBe(405)
  })
})

test('mcp-tools: six in a fixed order, the same in both revisions; names and first words say what they do', async () => {
  const [older, tools] = await Promise.all(revisions.map(async (revision) => (await scene.agent(revision)).tools()))
  expect(older).toEqual(tools)
  expect(tools?.map(({ name, description = '' }) => [name, description.split(' ').slice(0, 7).join(' ')])).toEqual([
    ['show_task_surface', 'Show the person a form in their'],
    ['await_task_surface', "Wait for the person's answer to a"],
    ['start_background_task', 'Start a bash command in the background'],
    ['task_list', 'List the background tasks of this session,'],
    ['task_output', 'Read what a background task has written'],
    ['task_kill', 'End a background task of this session,'],
  ])
  await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot('./mcp-tools.snap')
})
