/* What holds for every provider alike, each in its own protocol, against a scripted server on loopback (SPEC 5, 11). */
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../host/clock.ts'
import type { ProviderName } from '../../host/agents/settings.ts'
import { callIdSchema } from '../../shared/ids.ts'
import { StillClock } from '../unit/tasks/still-clock.ts'
import { answerOf, bareServer, brokenCall, HeldClock, modelAt, requestOf, testKey, words } from './agents-harness.ts'

const server = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 5 })
beforeAll(async () => void (await server.start()))
afterAll(() => server.stop())
beforeEach(() => void server.reset())

const providers: ProviderName[] = ['openai-compatible', 'openai', 'deepseek', 'anthropic']

describe.each(providers)('%s', (provider) => {
  const at = (url: string, clock: Clock = new HeldClock()) => modelAt(url, clock, 'any-model', provider)
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

  it('5: a server that is silent for 30 s in the middle is waited for', async () => {
    const clock = new StillClock()
    const [first, rest] = words(provider, 'Half', ' and half.')
    let goOn = () => {}
    const slow = await bareServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(first)
      goOn = () => response.end(rest)
    })
    try {
      const parts = at(slow.baseUrl, clock).stream(requestOf('hi'))[Symbol.asyncIterator]()
      expect(await parts.next()).toMatchObject({ value: { type: 'text', text: 'Half' } })
      const next = parts.next()
      await clock.advance(30_000)
      goOn()
      expect(await next).toMatchObject({ value: { type: 'text', text: ' and half.' } })
      expect(await parts.next()).toMatchObject({ value: { type: 'finish', reason: 'stop' } })
    } finally {
      await slow.close()
    }
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
