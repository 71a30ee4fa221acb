/* The bridge between the server library and the web's requests, with a response that notes what is written to it. */
import { describe, expect, it } from 'vitest'
import { toRequest, writeResponse, type WritableReply } from '../../../host/transport/fetch-bridge.ts'

class NotedReply implements WritableReply {
  status = ''
  headers = new Map<string, string>()
  chunks: string[] = []
  body: string | null = null
  /** What `write` answers: false once memory is full. */
  takes = true
  writable = (): boolean => true
  cork(write: () => void): void {
    write()
  }
  writeStatus(status: string): void {
    this.status = status
  }
  writeHeader(name: string, value: string): void {
    this.headers.set(name.toLowerCase(), value)
  }
  write(chunk: Uint8Array): boolean {
    this.chunks.push(Buffer.from(chunk).toString())
    return this.takes
  }
  onWritable(handler: () => boolean): void {
    this.writable = handler
  }
  end(body: Uint8Array | string = ''): void {
    this.body = Buffer.from(body).toString()
  }
}

/** A stream of events that is fed by hand, and what became of it. */
function source() {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let cancelled = false
  let pulled = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (started) => void (controller = started),
      pull: () => void (pulled += 1),
      cancel: () => void (cancelled = true),
    },
    { highWaterMark: 0 },
  )
  return {
    response: new Response(stream, { headers: { 'content-type': 'text/event-stream' } }),
    say: (text: string) => controller?.enqueue(Buffer.from(text)),
    end: () => controller?.close(),
    fail: () => controller?.error(new Error('broken off')),
    get cancelled() {
      return cancelled
    },
    get pulled() {
      return pulled
    },
  }
}

/** Lets everything happen that waits for its turn alone. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}

const never = new AbortController().signal

describe('writeResponse', () => {
  it('bridge: a whole answer is written at once, with its status in words', async () => {
    const reply = new NotedReply()
    await writeResponse(reply, Response.json({ a: 1 }, { status: 404 }), never)
    expect([reply.status, reply.body]).toEqual(['404 Not Found', '{"a":1}'])
    expect(reply.headers.get('content-type')).toBe('application/json')
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    expect(reply.headers.has('content-length')).toBe(false)
  })

  it('bridge: events leave as they come, and the head before the first', async () => {
    const [reply, events] = [new NotedReply(), source()]
    const written = writeResponse(reply, events.response, never)
    expect([reply.status, reply.chunks]).toEqual(['200 OK', [':\n\n']])
    events.say('data: 1\n\n')
    await settled()
    expect(reply.chunks.slice(1)).toEqual(['data: 1\n\n'])
    events.end()
    await written
    expect(reply.body).toBe('')
  })

  it('bridge: a reader that does not read holds back its source', async () => {
    const [reply, events] = [new NotedReply(), source()]
    const written = writeResponse(reply, events.response, never)
    reply.takes = false
    events.say('data: 1\n\n')
    await settled()
    const pulled = events.pulled
    events.say('data: 2\n\n')
    await settled()
    expect([reply.chunks.length, events.pulled]).toEqual([2, pulled])
    reply.takes = true
    reply.writable()
    await settled()
    expect(reply.chunks.at(-1)).toBe('data: 2\n\n')
    events.end()
    await written
  })

  it.each(['while it waits for events', 'while it waits for its reader'])(
    'bridge: a client that goes away %s ends the source, and nothing more is written',
    async (when) => {
      const [reply, events, gone] = [new NotedReply(), source(), new AbortController()]
      const written = writeResponse(reply, events.response, gone.signal)
      if (when.endsWith('reader')) {
        reply.takes = false
        events.say('data: 1\n\n')
      }
      await settled()
      const before = reply.chunks.length
      gone.abort()
      await written
      expect([events.cancelled, reply.chunks.length, reply.body]).toEqual([true, before, null])
    },
  )

  it('bridge: a client that went away before the answer gets none', async () => {
    const gone = new AbortController()
    gone.abort()
    const [reply, events] = [new NotedReply(), source()]
    await writeResponse(reply, events.response, gone.signal)
    await writeResponse(reply, new Response('late'), gone.signal)
    expect([reply.status, reply.chunks, reply.body, events.cancelled]).toEqual(['', [], null, true])
  })

  it('bridge: a source that breaks off ends the answer', async () => {
    const [reply, events] = [new NotedReply(), source()]
    const written = writeResponse(reply, events.response, never)
    events.fail()
    await written
    expect(reply.body).toBe('')
  })
})

it('bridge: a request carries its headers but no credentials', async () => {
  const headers: [string, string][] = [
    ['authorization', 'Bearer secret'],
    ['cookie', 'task_surface_1=secret'],
    ['mcp-session-id', 'one'],
    ['content-type', 'application/json'],
    ['content-length', '2'],
  ]
  const head = { method: 'POST', path: '/mcp', query: 'cwd=%2Ftmp', headers }
  const request = toRequest(head, '127.0.0.1:4380', Buffer.from('{}'), never)
  expect(request.url).toBe('http://127.0.0.1:4380/mcp?cwd=%2Ftmp')
  expect(await request.json()).toEqual({})
  expect(Object.fromEntries(request.headers)).toMatchObject({ 'mcp-session-id': 'one' })
  expect(JSON.stringify([...request.headers])).not.toContain('secret')
})
