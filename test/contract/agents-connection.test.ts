/* The provider adapter and the wire itself: silence, broken lines, closed connections (SPEC 5, 11). */
import { fc } from '../harness/property.ts'
import { afterEach, describe, expect, it } from 'vitest'
import {
  answerOf,
  bareServer,
  chunk,
  HeldClock,
  modelAt,
  requestOf,
  testKey,
  type BareServer,
} from './agents-harness.ts'

let server: BareServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function serving(answer: Parameters<typeof bareServer>[0]): Promise<BareServer> {
  server = await bareServer(answer)
  return server
}

const stream = { 'content-type': 'text/event-stream' }

describe('5: stalls', () => {
  it('5: a server that accepts and says nothing is given up', async () => {
    const clock = new HeldClock()
    const { baseUrl, received, cut } = await serving(() => {})
    const answer = answerOf(modelAt(baseUrl, clock).stream(requestOf('hi')))
    await received
    await clock.expire()
    expect((await answer).error).toMatchObject({ kind: 'transient', message: 'The provider sent nothing for 120 s.' })
    await cut
  })

  it('5: so is one that falls silent in the middle, and what came is kept', async () => {
    const clock = new HeldClock()
    const { baseUrl, cut } = await serving((response) => {
      response.writeHead(200, stream)
      response.write(chunk({ content: 'Half' }))
    })
    const parts = modelAt(baseUrl, clock).stream(requestOf('hi'))[Symbol.asyncIterator]()
    expect(await parts.next()).toEqual({ done: false, value: { type: 'text', text: 'Half' } })
    const next = parts.next()
    await clock.expire()
    await expect(next).rejects.toMatchObject({ kind: 'transient' })
    await cut
  })

  it('5: parts that keep coming keep a call alive', async () => {
    const { baseUrl } = await serving((response) => {
      response.writeHead(200, stream)
      for (let index = 0; index < 20; index += 1) response.write(chunk({ content: 'x' }))
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
    })
    expect(await answerOf(modelAt(baseUrl).stream(requestOf('hi')))).toMatchObject({
      text: 'x'.repeat(20),
      finish: { reason: 'stop' },
    })
  })
})

describe('5: aborting', () => {
  it('5: closes the connection in the middle of an answer', async () => {
    const controller = new AbortController()
    const { baseUrl, cut } = await serving((response) => {
      response.writeHead(200, stream)
      response.write(chunk({ content: 'Half' }))
    })
    const parts = modelAt(baseUrl)
      .stream(requestOf('hi', { signal: controller.signal }))
      [Symbol.asyncIterator]()
    await parts.next()
    const next = parts.next()
    controller.abort('interrupted')
    await expect(next).rejects.toMatchObject({ name: 'ModelError', kind: 'permanent' })
    await cut
  })

  it('5: closes it before the answer began', async () => {
    const controller = new AbortController()
    const { baseUrl, received, cut } = await serving(() => {})
    const answer = answerOf(modelAt(baseUrl).stream(requestOf('hi', { signal: controller.signal })))
    await received
    controller.abort()
    expect((await answer).error?.kind).toBe('permanent')
    await cut
  })

  it('5: before the call no request is made at all', async () => {
    let requests = 0
    const { baseUrl } = await serving(() => (requests += 1))
    const answer = await answerOf(modelAt(baseUrl).stream(requestOf('hi', { signal: AbortSignal.abort() })))
    expect(answer.error?.kind).toBe('permanent')
    expect(requests).toBe(0)
  })

  it('5: a reader that leaves closes it too', async () => {
    const { baseUrl, cut } = await serving((response) => {
      response.writeHead(200, stream)
      response.write(chunk({ content: 'Half' }))
    })
    for await (const part of modelAt(baseUrl).stream(requestOf('hi'))) {
      expect(part.type).toBe('text')
      break
    }
    await cut
  })
})

describe('5: a broken wire may heal', () => {
  it('5: nobody listens', async () => {
    const { baseUrl, close } = await bareServer(() => {})
    await close()
    const { error } = await answerOf(modelAt(baseUrl).stream(requestOf('hi')))
    expect(error).toMatchObject({ kind: 'transient', message: expect.stringContaining('connection refused') })
    expect(error?.message).not.toContain('127.0.0.1')
  })

  it('5: the connection breaks in the middle', async () => {
    const { baseUrl } = await serving((response) => {
      response.writeHead(200, stream)
      response.write(chunk({ content: 'Half' }), () => response.destroy())
    })
    expect(await answerOf(modelAt(baseUrl).stream(requestOf('hi')))).toMatchObject({
      text: 'Half',
      error: { kind: 'transient' },
    })
  })

  it('5: the connection breaks before the answer', async () => {
    const { baseUrl } = await serving((response) => void response.destroy())
    expect((await answerOf(modelAt(baseUrl).stream(requestOf('hi')))).error?.kind).toBe('transient')
  })

  it.each([
    ['an end without finish', chunk({ content: 'Half' })],
    ['a broken line', `${chunk({ content: 'Half' })}data: {"choices": [{"del\n\n`],
    ['an empty answer', ''],
    ['a page instead of a stream', '<html><body>It works!</body></html>'],
  ])('5: %s', async (_, body) => {
    const { baseUrl } = await serving((response) => response.writeHead(200, stream).end(body))
    const { error, finish } = await answerOf(modelAt(baseUrl).stream(requestOf('hi')))
    expect(error?.kind).toBe('transient')
    expect(finish).toBeUndefined()
  })
})

describe('5: an error inside the stream', () => {
  it.each([
    [{ message: 'The server had an error.', type: 'server_error' }, 'transient'],
    [{ message: 'Rate limit reached.', type: 'tokens', code: 'rate_limit_exceeded' }, 'transient'],
    [{ message: 'Overloaded.', code: 503 }, 'transient'],
    [{ message: 'Too long.', code: 'context_length_exceeded' }, 'permanent'],
    [{ message: 'Bad.', type: 'invalid_request_error' }, 'permanent'],
    [{ message: 'Bad.', code: 401 }, 'permanent'],
  ])('5: %j is %s', async (reported, kind) => {
    const { baseUrl } = await serving((response) =>
      response
        .writeHead(200, stream)
        .end(`${chunk({ content: 'Half' })}data: ${JSON.stringify({ error: reported })}\n\n`),
    )
    const { error, text } = await answerOf(modelAt(baseUrl).stream(requestOf('hi')))
    expect(error).toMatchObject({ kind, message: expect.stringContaining(reported.message) })
    expect(text).toBe('Half')
  })
})

describe('5: what servers say about an error differs', () => {
  it.each([
    ['{"object":"error","message":"No such model.","code":404}', 'No such model.'],
    ['{"error":"No such model."}', 'No such model.'],
    ['{"detail":"No such model."}', 'No such model.'],
    ['No such model.', 'No such model.'],
  ])('5: %s', async (body, words) => {
    const { baseUrl } = await serving((response) => response.writeHead(404).end(body))
    const { error } = await answerOf(modelAt(baseUrl).stream(requestOf('hi')))
    expect(error?.message).toBe(`The provider does not know this model or address (404): ${words}`)
  })

  it('5: a page of markup is not shown', async () => {
    const { baseUrl } = await serving((response) => response.writeHead(502).end('<html><h1>Bad gateway</h1></html>'))
    const { error } = await answerOf(modelAt(baseUrl).stream(requestOf('hi')))
    expect(error?.message).not.toContain('<')
    expect(error?.kind).toBe('transient')
  })
})

describe('5: retry-after', () => {
  it.each([
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': 'soon' }, undefined],
  ])('5: %j means %s ms', async (headers, wait) => {
    const { baseUrl } = await serving((response) => response.writeHead(503, headers).end('{}'))
    expect((await answerOf(modelAt(baseUrl).stream(requestOf('hi')))).error?.retryAfterMs).toBe(wait)
  })
})

it('12: the key travels in the header of the request and nowhere else', async () => {
  const { baseUrl, received } = await serving((response) =>
    response.writeHead(200, stream).end(`${chunk({ content: 'ok' })}${chunk({}, 'stop')}data: [DONE]\n\n`),
  )
  await answerOf(modelAt(baseUrl).stream(requestOf('hi')))
  const { request, body } = await received
  expect(request.headers.authorization).toBe(`Bearer ${testKey}`)
  expect(request.url).toBe('/v1/chat/completions')
  expect(body).not.toContain(testKey)
})

it('11: reasoning goes back only inside the running tool loop, an empty answer not at all', async () => {
  const { baseUrl, received } = await serving((response) =>
    response.writeHead(200, stream).end(chunk({ content: 'ok' }, 'stop')),
  )
  const thought = (text: string) => ({ type: 'reasoning' as const, text })
  await answerOf(
    modelAt(baseUrl).stream(
      requestOf('', {
        messages: [
          { role: 'user', text: 'one' },
          { role: 'assistant', parts: [thought('old'), { type: 'text', text: 'First.' }] },
          { role: 'user', text: 'two' },
          { role: 'assistant', parts: [thought('only thought')] },
          { role: 'assistant', parts: [thought('new'), { type: 'text', text: 'Second.' }] },
        ],
      }),
    ),
  )
  const { body } = await received
  expect(JSON.parse(body)).toMatchObject({
    messages: [
      { role: 'system' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'First.' },
      { role: 'user', content: 'two' },
      { role: 'assistant', content: 'Second.', reasoning_content: 'new' },
    ],
  })
  expect(body).not.toContain('old')
})

it('11: argument text of any kind, cut anywhere, arrives byte for byte, for each of two calls', async () => {
  let deltas: object[] = []
  const { baseUrl } = await serving((response) => {
    response.writeHead(200, stream)
    for (const delta of deltas) response.write(chunk({ tool_calls: [delta] }))
    response.end(chunk({}, 'tool_calls'))
  })
  const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { minLength: 1, maxLength: 6 })
  const property = fc.asyncProperty(pieces, pieces, async (first, second) => {
    const call = (index: number, parts: readonly string[]) =>
      parts.map((text, at) => ({
        index,
        ...(at === 0 ? { id: `call-${index}`, type: 'function' } : {}),
        function: { ...(at === 0 ? { name: 'bash' } : {}), arguments: text },
      }))
    deltas = [...call(0, first), ...call(1, second)]
    const { calls, error } = await answerOf(modelAt(baseUrl).stream(requestOf('hi')))
    expect(error).toBeUndefined()
    expect(calls.map((made) => made.arguments)).toEqual([first.join(''), second.join('')])
  })
  await fc.assert(property, { numRuns: 30, seed: 11 })
})
