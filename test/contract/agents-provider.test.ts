/* The provider adapter against a scripted OpenAI server on loopback (SPEC 5, 11). */
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callIdSchema } from '../../shared/ids.ts'
import { answerOf, modelAt, requestOf, testKey } from './agents-harness.ts'

const server = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 5 })
beforeAll(async () => void (await server.start()))
afterAll(() => server.stop())
beforeEach(() => void server.reset())

const ask = (text: string, more = {}) => answerOf(modelAt(`${server.url}/v1`).stream(requestOf(text, more)))

function sentBody(): Record<string, unknown> {
  return { ...server.getLastRequest()?.body }
}

it('11: text comes in pieces, then a finish with usage', async () => {
  server.onMessage('hi', {
    content: 'A sentence that is cut into pieces.',
    usage: { prompt_tokens: 12, completion_tokens: 7 },
  })
  const answer = await ask('hi')
  expect(answer).toMatchObject({
    text: 'A sentence that is cut into pieces.',
    calls: [],
    finish: { type: 'finish', reason: 'stop', usage: { inputTokens: 12, outputTokens: 7 } },
    error: undefined,
  })
  expect(answer.pieces).toBeGreaterThan(3)
})

it('11: reasoning is passed on apart from the text', async () => {
  server.onMessage('hi', { content: 'Forty-two.', reasoning: 'Six times seven.' })
  expect(await ask('hi')).toMatchObject({ text: 'Forty-two.', reasoning: 'Six times seven.' })
})

it('11: the request carries key, model, system text, messages and byte-stable tools, and nothing that runs them', async () => {
  server.onMessage('hi', { content: 'ok' })
  await ask('hi')
  const entry = server.getLastRequest()
  expect(entry?.headers['authorization']).not.toBeUndefined()
  expect(sentBody()).toMatchObject({
    model: 'any-model:8b',
    stream: true,
    messages: [
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'hi' },
    ],
    tools: requestOf('').tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
  })
})

it('11: one call of a tool', async () => {
  server.onMessage('hi', { toolCalls: [{ name: 'bash', arguments: '{ "command":"ls",  "command":"ls -l" }' }] })
  expect(await ask('hi')).toMatchObject({
    calls: [{ name: 'bash', arguments: '{ "command":"ls",  "command":"ls -l" }' }],
    finish: { reason: 'tool-calls' },
  })
})

it('11: several calls keep their order and their own arguments, behind the text', async () => {
  server.onMessage('hi', {
    content: 'Two things.',
    toolCalls: [
      { name: 'bash', arguments: '{"command":"b"}' },
      { name: 'show_task_surface', arguments: '{"model":{}}' },
      { name: 'bash', arguments: '{"command":"a"}' },
    ],
  })
  const { text, calls, finish } = await ask('hi')
  expect(text).toBe('Two things.')
  expect(calls.map((call) => call.arguments)).toEqual(['{"command":"b"}', '{"model":{}}', '{"command":"a"}'])
  expect(finish?.reason).toBe('tool-calls')
})

const oddArguments = [
  ['no JSON', '{"command": "ls'],
  ['prose', 'please run ls'],
  ['an array', '[1, 2]'],
  ['doubled and padded keys', '\n{ "b" : 1,\t"a": 1, "b": 2.0e0 }\n'],
  ['escapes', '{"command":"\\u0041\\ud83d\\ude00\\/"}'],
  ['a prototype key', '{"__proto__": {"x": 1}}'],
  ['text behind the object', '{"command":"ls"} done'],
] as const

describe.each(oddArguments)('11: arguments that are %s', (_, text) => {
  it('11: are kept byte for byte', async () => {
    server.onMessage('hi', { toolCalls: [{ name: 'bash', arguments: text }] })
    expect(await ask('hi')).toMatchObject({ calls: [{ name: 'bash', arguments: text }], error: undefined })
  })

  it('11: go back to the provider as a JSON object', async () => {
    server.onMessage('hi', { content: 'ok' })
    const callId = callIdSchema.parse('c-1')
    const answer = await ask('', {
      messages: [
        { role: 'user', text: 'run it' },
        { role: 'assistant', parts: [{ type: 'tool-call', callId, name: 'bash', arguments: text }] },
        { role: 'tool', results: [{ callId, name: 'bash', text: 'The arguments do not fit.', isError: true }] },
        { role: 'user', text: 'hi' },
      ],
    })
    expect(answer).toMatchObject({ text: 'ok', error: undefined })
    const messages = sentBody()['messages']
    expect(messages).toMatchObject([{}, {}, { role: 'assistant' }, { role: 'tool', tool_call_id: 'c-1' }, {}])
    const sent: unknown = JSON.parse(JSON.stringify(messages))
    const back = argumentsOf(sent)
    expect(JSON.parse(back)).toBeTypeOf('object')
    expect(JSON.stringify(JSON.parse(back)) === '[1,2]').toBe(false)
  })
})

function argumentsOf(messages: unknown): string {
  const found = /"arguments":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(messages))?.[1]
  return String(JSON.parse(found ?? '""'))
}

it('11: well-formed arguments go back byte for byte', async () => {
  server.onMessage('hi', { content: 'ok' })
  const callId = callIdSchema.parse('c-1')
  const text = '{ "command":"ls",  "n": 1.0 }'
  await ask('', {
    messages: [
      { role: 'user', text: 'run it' },
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Running.' },
          { type: 'tool-call', callId, name: 'bash', arguments: text },
        ],
      },
      { role: 'tool', results: [{ callId, name: 'bash', text: 'a.txt', isError: false }] },
      { role: 'user', text: 'hi' },
    ],
  })
  expect(sentBody()['messages']).toMatchObject([
    { role: 'system' },
    { role: 'user', content: 'run it' },
    {
      role: 'assistant',
      content: 'Running.',
      tool_calls: [{ id: 'c-1', function: { name: 'bash', arguments: text } }],
    },
    { role: 'tool', tool_call_id: 'c-1', content: 'a.txt' },
    { role: 'user', content: 'hi' },
  ])
})

it('11: a call of a tool that is not there, and of one with an empty argument text, is passed on', async () => {
  server.onMessage('hi', {
    toolCalls: [
      { name: 'no_such_tool', arguments: '{}' },
      { name: 'bash', arguments: '' },
    ],
  })
  expect(await ask('hi')).toMatchObject({ calls: [{ name: 'no_such_tool', arguments: '{}' }, { name: 'bash' }] })
})

it.each([
  ['length', 'length'],
  ['content_filter', 'refused'],
  ['stop', 'stop'],
  ['something_new', 'other'],
])('5: the finish reason %s is %s', async (finishReason, reason) => {
  server.onMessage('hi', { content: 'Once upon a time', finishReason })
  expect(await ask('hi')).toMatchObject({ text: 'Once upon a time', finish: { reason }, error: undefined })
})

it('5: calls behind the finish reason stop still run', async () => {
  server.onMessage('hi', { toolCalls: [{ name: 'bash', arguments: '{}' }], finishReason: 'stop' })
  expect((await ask('hi')).finish?.reason).toBe('tool-calls')
})

describe('5: failures that may pass', () => {
  it('5: 429 waits as long as the provider asks', async () => {
    server.onMessage('hi', { error: { message: 'Slow down.' }, status: 429, retryAfter: 7 })
    const { error } = await ask('hi')
    expect(error).toMatchObject({
      kind: 'transient',
      retryAfterMs: 7000,
      message: 'The provider is busy (429): Slow down.',
    })
  })

  it.each([408, 409, 500, 502, 503, 529])('5: status %i', async (status) => {
    server.onMessage('hi', { error: { message: 'Not now.' }, status })
    expect((await ask('hi')).error).toMatchObject({
      kind: 'transient',
      message: expect.stringContaining(`(${status}): Not now.`),
    })
  })

  it('5: a stream that is cut off in the middle, its text kept', async () => {
    server.onMessage('hi', { content: 'A sentence that is cut into pieces.' }, { truncateAfterChunks: 3 })
    const answer = await ask('hi')
    expect(answer.error).toMatchObject({ kind: 'transient' })
    expect(answer.finish).toBeUndefined()
    expect('A sentence that is cut into pieces.'.startsWith(answer.text)).toBe(true)
  })

  it('5: a call that is cut off is no call', async () => {
    server.onMessage(
      'hi',
      { toolCalls: [{ name: 'bash', arguments: '{"command":"rm -r build"}' }] },
      { truncateAfterChunks: 3 },
    )
    const answer = await ask('hi')
    expect(answer.error).toMatchObject({ kind: 'transient' })
    expect(answer.calls).toEqual([])
  })

  it.each([{ malformedRate: 1 }, { disconnectRate: 1 }, { dropRate: 1 }, { rateLimitRate: 1 }])(
    '5: chaos %j',
    async (chaos) => {
      server.onMessage('hi', { content: 'A sentence that is cut into pieces.' }, { chaos })
      const { error } = await ask('hi')
      expect(error).toMatchObject({ kind: 'transient' })
    },
  )
})

describe('5: failures that stay', () => {
  it.each([
    [400, {}, 'The provider did not accept the request (400): No.'],
    [401, {}, 'The key was refused; check OPENAI_API_KEY (401): No.'],
    [403, {}, 'The provider denied access (403): No.'],
    [404, {}, 'The provider does not know this model or address (404): No.'],
    [422, {}, 'The provider did not accept the request (422): No.'],
    [400, { code: 'context_length_exceeded' }, 'The conversation is too long for this model (400): No.'],
    [400, { code: 'content_filter' }, 'The provider refused to answer this (400): No.'],
    [429, { code: 'insufficient_quota' }, 'The account has no credit left (429): No.'],
  ])('5: status %i %j', async (status, more, message) => {
    server.onMessage('hi', { error: { message: 'No.', ...more }, status })
    expect((await ask('hi')).error).toMatchObject({ kind: 'permanent', message, retryAfterMs: undefined })
  })

  it('5: an overflow is known by its words where a server sends no code', async () => {
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    server.onMessage('hi', { error: { message }, status: 400 })
    expect((await ask('hi')).error?.message).toBe(`The conversation is too long for this model (400): ${message}`)
  })

  it('12: the text never shows the key, even where the server repeats it, and is short', async () => {
    const message = `Incorrect key ${testKey} at ${server.url}/v1 (Bearer abc.def) or sk-proj-abcdefgh123. ${'x'.repeat(2000)}\nnext`
    server.onMessage('hi', { error: { message }, status: 401 })
    const { error } = await ask('hi')
    expect(error?.message).toMatch(
      /^The key was refused; check OPENAI_API_KEY \(401\): Incorrect key … at … \(Bearer … or … xxx/,
    )
    expect(Array.from(error?.message ?? '').length).toBeLessThan(380)
    expect(error?.message).not.toContain('\n')
    expect(error?.cause).toBeUndefined()
  })
})

it('5: a failed request is made once: retrying is the turn’s business', async () => {
  server.onMessage('hi', { error: { message: 'Not now.' }, status: 500 })
  await ask('hi')
  expect(server.getRequests()).toHaveLength(1)
})
