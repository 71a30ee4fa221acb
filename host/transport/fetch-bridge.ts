/* Between the server library's requests and the web's `Request` and `Response`. It knows what it needs of the library's
   response and not the library. A response is written as fast as its reader takes it, and its source is told when the
   reader has gone. */
import { STATUS_CODES } from 'node:http'
import { securityHeaders } from './reply.ts'

/** The part of the server library's response that is written to. After `onAborted` nothing may be called. */
export interface WritableReply {
  cork(write: () => void): unknown
  writeStatus(status: string): unknown
  writeHeader(name: string, value: string): unknown
  /** False: the chunk waits in memory, and the next one should wait for `onWritable`. */
  write(chunk: Uint8Array): boolean
  onWritable(handler: () => boolean): unknown
  end(body?: Uint8Array | string): unknown
}

/** What the library says of a request. It must be read before the handler returns. */
export interface IncomingHead {
  method: string
  path: string
  query: string
  headers: readonly (readonly [string, string])[]
}

/** Credentials have been judged: nothing behind the door needs them. */
const keptBack = new Set(['authorization', 'cookie', 'content-length', 'transfer-encoding', 'connection', 'host'])

/** `host` was judged before. The signal aborts when the client has gone. */
export function toRequest(head: IncomingHead, host: string, body: Uint8Array | null, signal: AbortSignal): Request {
  const { method, path, query, headers } = head
  const url = `http://${host}${path}${query === '' ? '' : `?${query}`}`
  const kept = headers.filter(([name]) => !keptBack.has(name.toLowerCase()))
  return new Request(url, {
    method,
    headers: kept.map(([name, value]): [string, string] => [name, value]),
    signal,
    ...(body !== null && { body: Buffer.from(body) }),
  })
}

/** Writes it whole, or piece by piece where it is a stream of events. Never rejects; `signal` ends it. */
export async function writeResponse(res: WritableReply, response: Response, signal: AbortSignal): Promise<void> {
  const head = () => {
    const { status, statusText } = response
    res.writeStatus(`${status} ${statusText === '' ? (STATUS_CODES[status] ?? '') : statusText}`)
    for (const [name, value] of securityHeaders) res.writeHeader(name, value)
    for (const [name, value] of response.headers) if (name !== 'content-length') res.writeHeader(name, value)
  }
  const isStream = response.body !== null && /^text\/event-stream\b/.test(response.headers.get('content-type') ?? '')
  if (!isStream) {
    const body = Buffer.from(await response.arrayBuffer())
    if (signal.aborted) return
    res.cork(() => {
      head()
      res.end(body)
    })
    return
  }
  if (signal.aborted) return void response.body?.cancel().catch(() => {})
  // The head leaves at once: a client waits for it before it waits for events.
  res.cork(() => {
    head()
    res.write(Buffer.from(':\n\n'))
  })
  await pump(res, response.body, signal)
}

async function pump(res: WritableReply, body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  const reader = body.getReader()
  let writable = (): void => {}
  res.onWritable(() => {
    writable()
    return true
  })
  const gone = () => {
    writable()
    void reader.cancel().catch(() => {})
  }
  signal.addEventListener('abort', gone, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (signal.aborted) return
      if (done) break
      const room = new Promise<void>((resolve) => {
        writable = resolve
      })
      let taken = true
      res.cork(() => {
        taken = res.write(value)
      })
      if (!taken) await room
      if (signal.aborted) return
    }
  } catch {
    // The source broke off: what was written so far ends here.
    if (signal.aborted) return
  } finally {
    signal.removeEventListener('abort', gone)
  }
  res.cork(() => res.end())
}
