/* The second door to a Task Surface (SPEC 11): clients that can ask their person themselves. The first answer wins,
   whichever door it came through. */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { McpScene, revisions, said, smallModel, surfaceIdOf, type Revision, type Said } from './mcp-bench.ts'

let scene: McpScene
beforeAll(async () => {
  scene = await McpScene.open()
}, 60_000)
afterAll(() => scene.close())

interface Asked {
  message: string
  requestedSchema: unknown
}
type Person = (asked: Asked, signal: AbortSignal) => ElicitResult | Promise<ElicitResult>
type Call = (name: string, args: Record<string, unknown>) => Promise<Said>

/** A client whose person answers its dialogs like this. */
async function connect(revision: Revision, person: Person): Promise<{ call: Call; asked: Asked[] }> {
  const asked: Asked[] = []
  const url = new URL(scene.url)
  const options = { requestInit: { headers: { authorization: `Bearer ${scene.host.ready.token}` } } }
  const info = { name: 'asking', version: '1' }
  const capabilities = { elicitation: { form: {} } }
  const answer = (params: object, signal: AbortSignal): ElicitResult | Promise<ElicitResult> => {
    const request = { message: '', requestedSchema: null, ...params }
    asked.push(request)
    return person(request, signal)
  }
  if (revision === '2025-11-25') {
    const client = new LegacyClient(info, { capabilities })
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => answer(params, signal))
    await client.connect(new LegacyTransport(url, options))
    onTestFinished(() => client.close())
    return { asked, call: async (name, args) => said(await client.callTool({ name, arguments: args })) }
  }
  const client = new ModernClient(info, { capabilities, versionNegotiation: { mode: { pin: revision } } })
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => answer(params, mcpReq.signal))
  await client.connect(new ModernTransport(url, options))
  onTestFinished(() => client.close())
  return { asked, call: async (name, args) => said(await client.callTool({ name, arguments: args })) }
}

const fullModel = {
  version: 1,
  title: 'Release',
  description: 'Version 2 is ready.',
  sections: [{ id: 's', blocks: [{ kind: 'metrics', items: [{ label: 'Tests', value: '12' }] }] }],
  fields: [
    { kind: 'text', id: 'why', label: 'Why', required: true },
    {
      kind: 'choice',
      id: 'when',
      label: 'When',
      options: [
        { id: 'now', label: 'Now' },
        { id: 'later', label: 'Later' },
      ],
    },
    {
      kind: 'multi-choice',
      id: 'who',
      label: 'Who',
      options: [
        { id: 'a', label: 'Ada' },
        { id: 'b', label: 'Bob' },
      ],
    },
    { kind: 'toggle', id: 'tell', label: 'Tell all', initial: true },
    {
      kind: 'order',
      id: 'order',
      label: 'Order',
      options: [
        { id: 'x', label: 'X' },
        { id: 'y', label: 'Y' },
      ],
    },
  ],
  submit: { label: 'Go' },
}
const content = { why: 'Because', when: 'later', who: ['b'], tell: false, 'order#x': 2, 'order#y': 1 }
const submitted = 'Release\n- Why: Because\n- When: Later\n- Who: Bob\n- Tell all: no\n- Order: 1) Y; 2) X'

describe.each(revisions)('MCP %s', (revision) => {
  async function show(call: Call, model: object): Promise<{ surfaceId: string; session: string }> {
    const shown = await call('show_task_surface', { model })
    return { surfaceId: surfaceIdOf(shown), session: shown.sessionId }
  }

  test('mcp-elicitation: every kind of field is asked for, and the answer is an ordinary submission', async () => {
    const { call, asked } = await connect(revision, () => ({ action: 'accept', content }))
    const args = await show(call, fullModel)
    const read = await call('await_task_surface', args)
    expect(read.text).toBe(`The person submitted the surface. Their answer:\n\n${submitted}`)
    expect(asked).toHaveLength(1)
    expect(asked[0]?.message).toBe('Release\n\nVersion 2 is ready.\n\nTests: 12')
    expect(asked[0]?.requestedSchema).toMatchObject({
      required: ['why', 'who', 'tell', 'order#x', 'order#y'],
      properties: {
        why: { type: 'string', title: 'Why' },
        when: {
          oneOf: [
            { const: 'now', title: 'Now' },
            { const: 'later', title: 'Later' },
          ],
        },
        who: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'a', title: 'Ada' },
              { const: 'b', title: 'Bob' },
            ],
          },
        },
        tell: { type: 'boolean', default: true },
        'order#x': { type: 'integer', title: 'Order: rank of X', minimum: 1, maximum: 2, default: 1 },
        'order#y': { default: 2 },
      },
    })
    const view = await scene.view(args.session)
    expect(view.eventsOf('user/message')).toMatchObject([
      { data: { message: { source: { kind: 'user', taskSurface: { surfaceId: args.surfaceId } } } } },
    ])
  })

  test('mcp-elicitation: declining closes this door alone; the browser answers, and nobody is asked twice', async () => {
    const { call, asked } = await connect(revision, () => ({ action: 'decline' }))
    const args = await show(call, smallModel)
    for (const timeoutMs of [50, 0]) {
      expect((await call('await_task_surface', { ...args, timeoutMs })).text).toMatch(/still open/)
    }
    const waiting = call('await_task_surface', args)
    const request = {
      sessionId: args.session,
      surfaceId: args.surfaceId,
      submissionId: 's-1',
      values: { database: 'pg' },
    }
    expect(await scene.person.call('taskSurface.submit', request)).toMatchObject({ accepted: true })
    expect((await waiting).text).toMatch(/- Database: PostgreSQL$/)
    expect(asked).toHaveLength(1)
  })

  test('mcp-elicitation: the browser is first, and the answer of the dialog comes too late', async () => {
    const { call } = await connect(revision, async () => {
      const request = {
        sessionId: args.session,
        surfaceId: args.surfaceId,
        submissionId: 's-1',
        values: { database: 'pg' },
      }
      expect(await scene.person.call('taskSurface.submit', request)).toMatchObject({ accepted: true })
      return { action: 'accept', content: { database: 'lite' } }
    })
    const args = await show(call, smallModel)
    expect((await call('await_task_surface', args)).text).toMatch(/- Database: PostgreSQL$/)
    const view = await scene.view(args.session)
    expect(view.eventsOf('user/message')).toHaveLength(1)
  })

  test('mcp-elicitation: the dialog is first, and the browser is told that it is stale', async () => {
    const { call } = await connect(revision, () => ({ action: 'accept', content: { database: 'lite' } }))
    const args = await show(call, smallModel)
    expect((await call('await_task_surface', args)).text).toMatch(/- Database: SQLite$/)
    const late = { sessionId: args.session, surfaceId: args.surfaceId, submissionId: 's-1', values: { database: 'pg' } }
    expect(await scene.person.call('taskSurface.submit', late)).toMatchObject({ accepted: false, reason: 'not-open' })
  })

  test('mcp-elicitation: ranks that make no order are asked for again, with the reason', async () => {
    const answers = [{ ...content, 'order#y': 2 }, content]
    const { call, asked } = await connect(revision, () => ({ action: 'accept', content: answers.shift() ?? {} }))
    const read = await call('await_task_surface', await show(call, fullModel))
    expect(read.text).toContain(submitted)
    expect(asked.map(({ message }) => message.split('\n')[0])).toEqual([
      'Release',
      'The ranks must be 1, 2, 3 and so on, each given once.',
    ])
  })

  test('mcp-elicitation: what must be seen as a table or a diff stays in the browser', async () => {
    const { call, asked } = await connect(revision, () => ({ action: 'accept', content }))
    const table = { kind: 'table', columns: [{ id: 'c', label: 'C' }], rows: [{ c: 1 }] }
    const args = await show(call, { ...fullModel, sections: [{ id: 's', blocks: [table] }] })
    expect((await call('await_task_surface', { ...args, timeoutMs: 0 })).text).toMatch(/still open/)
    expect(asked).toEqual([])
  })
})

test('mcp-elicitation: a dialog outlasts the call that opened it, and its answer ends the next one', async () => {
  let answer = (_: ElicitResult): void => {}
  const answered = new Promise<ElicitResult>((resolve) => (answer = resolve))
  const { call, asked } = await connect('2025-11-25', () => answered)
  const shown = await call('show_task_surface', { model: smallModel })
  const args = { surfaceId: surfaceIdOf(shown), session: shown.sessionId }
  expect((await call('await_task_surface', { ...args, timeoutMs: 50 })).text).toMatch(/still open/)
  const waiting = call('await_task_surface', args)
  answer({ action: 'accept', content: { database: 'lite' } })
  expect((await waiting).text).toMatch(/- Database: SQLite$/)
  expect(asked).toHaveLength(1)
})

test('mcp-elicitation: the dialog is withdrawn when the browser was first', async () => {
  let withdrawn = (): void => {}
  const gone = new Promise<void>((resolve) => (withdrawn = resolve))
  let opened = (): void => {}
  const open = new Promise<void>((resolve) => (opened = resolve))
  const { call } = await connect('2025-11-25', async (_, signal) => {
    opened()
    signal.addEventListener('abort', withdrawn, { once: true })
    await gone
    return { action: 'cancel' }
  })
  const shown = await call('show_task_surface', { model: smallModel })
  const surfaceId = surfaceIdOf(shown)
  const waiting = call('await_task_surface', { surfaceId, session: shown.sessionId })
  await open
  const request = { sessionId: shown.sessionId, surfaceId, submissionId: 's-1', values: {} }
  expect(await scene.person.call('taskSurface.submit', request)).toMatchObject({ accepted: true })
  await gone
  expect((await waiting).text).toMatch(/\(no answer\)$/)
})
