/* What holds for every provider alike, each in its own protocol, against a scripted server on loopback (SPEC 5, 11). */
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderName } from '../../host/agents/settings.ts'
import { callIdSchema } from '../../shared/ids.ts'
import { answerOf, bareServer, chunk, HeldClock, modelAt, requestOf, testKey } from './agents-harness.ts'

const server = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 5 })
beforeAll(async () => void (await server.start()))
afterAll(() => server.stop())
beforeEach(() => void server.reset())

const providers: ProviderName[] = ['openai-compatible', 'openai', 'deepseek', 'anthropic']

/** One call of `bash` whose arguments break off, in the provider's own events. */
function brokenCall(provider: ProviderName): string {
  const text = '{"command": "l'
  if (provider !== 'anthropic') {
    const call = { index: 0, id: 'c-1', type: 'function', function: { name: 'bash', arguments: text } }
    return `${chunk({ role: 'assistant', tool_calls: [call] })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`
  }
  const message = { id: 'm-1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  const events = [
    { type: 'message_start', message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c-1', name: 'bash', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

describe.each(providers)('%s', (provider) => {
  const at = (url: string, clock = new HeldClock()) => modelAt(url, clock, 'any-model', provider)
  const ask = (text: string, more = {}) => answerOf(at(`${server.url}/v1`).stream(requestOf(text, more)))
  const sent = () => JSON.stringify(server.getLastRequest()?.body)

  it('11: text comes in pieces, then a finish with usage', async () => {
    server.onMessage('hi', { content: 'A sentence that is cut into pieces.' })
    const answer = await ask('hi')
    expect(answer).toMatchObject({ text: 'A sentence that is cut into pieces.', calls: [], error: undefined })
    expect(answer.finish).toMatchObject({ reason: 'stop', usage: { inputTokens: expect.any(Number) } })
    expect(answer.pieces).toBeGreaterThan(3)
    expect(sent()).toContain('You are a test.')
  })

  it('11: calls of tools keep order, names and arguments; a surface is one of them', async () => {
    const model = { version: 1, title: 'A form', blocks: [] }
    server.onMessage('hi', {
      toolCalls: [
        { name: 'show_task_surface', arguments: JSON.stringify({ model }) },
        { name: 'bash', arguments: '{ "command":  "ls" }' },
      ],
    })
    const answer = await ask('hi')
    expect(answer.calls.map(({ name }) => name)).toEqual(['show_task_surface', 'bash'])
    expect(answer.calls.map((call): unknown => JSON.parse(call.arguments))).toEqual([{ model }, { command: 'ls' }])
    expect(answer.finish).toMatchObject({ reason: 'tool-calls' })
  })

  it('5: results go back behind their calls, failed ones too, and the model goes on', async () => {
    server.onMessage(/.*/, { content: 'Seen.' })
    const callId = callIdSchema.parse('call-1')
    const answer = await ask('hi', {
      messages: [
        { role: 'user', text: 'hi' },
        { role: 'assistant', parts: [{ type: 'tool-call', callId, name: 'bash', arguments: '{"command":"ls"}' }] },
        { role: 'tool', results: [{ callId, name: 'bash', text: 'the readable answer', isError: true }] },
      ],
    })
    expect(answer.error).toBeUndefined()
    expect(sent()).toContain('the readable answer')
    expect(sent()).toContain('call-1')
  })

  it('5: arguments that are no JSON are passed on as they came', async () => {
    const broken = await bareServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(brokenCall(provider))
    })
    try {
      const { calls, error } = await answerOf(at(broken.baseUrl).stream(requestOf('hi')))
      expect(error).toBeUndefined()
      expect(calls).toEqual([{ name: 'bash', arguments: '{"command": "l' }])
    } finally {
      await broken.close()
    }
  })

  it('5: arguments that were no JSON go back as an object', async () => {
    server.onMessage(/.*/, { content: 'Seen.' })
    const callId = callIdSchema.parse('call-1')
    const { error } = await ask('again', {
      messages: [
        { role: 'user', text: 'again' },
        { role: 'assistant', parts: [{ type: 'tool-call', callId, name: 'bash', arguments: '{"command": "l' }] },
        { role: 'tool', results: [{ callId, name: 'bash', text: 'no JSON', isError: true }] },
      ],
    })
    expect(error).toBeUndefined()
    expect(sent()).toContain('malformed_arguments')
  })

  it.each([429, 500, 503, 529])('5: status %i may be tried again, and the words hold no key', async (status) => {
    server.onMessage('hi', { error: { message: `busy, said ${testKey}` }, status })
    const { error } = await ask('hi')
    expect(error).toMatchObject({ kind: 'transient' })
    expect(error?.message).not.toContain(testKey)
  })

  it.each([400, 401, 403, 404])('5: status %i is final, and the words hold no key', async (status) => {
    server.onMessage('hi', { error: { message: `refused ${testKey}` }, status })
    const { error } = await ask('hi')
    expect(error).toMatchObject({ kind: 'permanent' })
    expect(error?.message).not.toContain(testKey)
  })

  it('5: a stream that is cut in the middle may be tried again', async () => {
    server.onMessage('hi', { content: 'A long sentence that will not come to its end.' }, { truncateAfterChunks: 3 })
    expect((await ask('hi')).error).toMatchObject({ kind: 'transient' })
  })

  it('5: a server that falls silent counts as dead after its time, and the request is ended', async () => {
    const clock = new HeldClock()
    const silent = await bareServer((response) => response.writeHead(200).flushHeaders())
    try {
      const answering = answerOf(at(silent.baseUrl, clock).stream(requestOf('hi')))
      await silent.received
      await clock.expire()
      expect((await answering).error).toMatchObject({ kind: 'transient' })
      await silent.cut
    } finally {
      await silent.close()
    }
  })
})

it('11: deepseek: thoughts are passed on, and handed back within the tool loop alone', async () => {
  server.onMessage('hi', { content: 'Forty-two.', reasoning: 'Six times seven.' })
  const model = modelAt(`${server.url}/v1`, new HeldClock(), 'deepseek-reasoner', 'deepseek')
  expect(await answerOf(model.stream(requestOf('hi')))).toMatchObject({ reasoning: 'Six times seven.' })
  const callId = callIdSchema.parse('call-1')
  server.onMessage(/.*/, { content: 'Seen.' })
  const loop = (thought: string) =>
    [
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: thought },
          { type: 'tool-call', callId, name: 'bash', arguments: '{}' },
        ],
      },
      { role: 'tool', results: [{ callId, name: 'bash', text: 'done', isError: false }] },
    ] as const
  const messages = [
    { role: 'user', text: 'one' },
    ...loop('an old thought'),
    { role: 'user', text: 'two' },
    ...loop('a new thought'),
  ] as const
  await answerOf(model.stream(requestOf('two', { messages })))
  const body = JSON.stringify(server.getLastRequest()?.body)
  expect(body).toContain('a new thought')
  expect(body).not.toContain('an old thought')
})

it.each(['', '/', '/v1', '/v1/'])('11: anthropic: the address may end in %j', async (end) => {
  server.onMessage('hi', { content: 'Yes.' })
  const model = modelAt(`${server.url}${end}`, new HeldClock(), 'claude', 'anthropic')
  expect(await answerOf(model.stream(requestOf('hi')))).toMatchObject({ text: 'Yes.', error: undefined })
})
