/* Bytes of a child process as messages of the protocol library and back: one JSON object a line. Programs print other
   things as well; a line that is no message is passed over, and only a program that says little else is given up.

   Invariant: what reaches the library is a request, a notification, or the answer to a request it made. */
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { z } from 'zod'

/** UTF-16 units of one line. A tool's result may hold a whole file; what is longer comes from no sane program. */
const maxLineUnits = 32 * 1024 * 1024
/** Lines that are no messages. A talkative program prints a banner, not a book. */
const maxStrayLines = 1_000

const idSchema = z.union([z.string(), z.number()])
const messageSchema = z.union([
  z.looseObject({ jsonrpc: z.literal('2.0'), id: idSchema.optional(), method: z.string() }),
  z.looseObject({ jsonrpc: z.literal('2.0'), id: idSchema, result: z.unknown() }),
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    id: idSchema,
    error: z.looseObject({ code: z.number(), message: z.string() }),
  }),
])

export interface AcpWire {
  /** For the library. */
  stream: Stream
  /** What the program has written. */
  receive(chunk: Uint8Array): void
  /** Nothing follows. */
  close(): void
  /** The first line that was no message. */
  strayLine(): string | null
}

export function createAcpWire(deps: {
  send: (line: string) => Promise<void>
  /** `params` of each `session/update`, in order. The library would refuse what is newer than itself, loudly. */
  onUpdate: (params: unknown) => void
  /** Once: nothing sensible comes from this program. */
  onGivenUp: (why: string) => void
}): AcpWire {
  const asked = new Set<string | number>()
  const decoder = new TextDecoder()
  let rest: string[] = []
  let restUnits = 0
  let strays = 0
  let stray: string | null = null
  let open = true
  let deliver: (message: AnyMessage) => void = () => {}
  let finish = () => {}
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      deliver = (message) => controller.enqueue(message)
      finish = () => controller.close()
    },
    cancel: () => void (open = false),
  })
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      if ('method' in message && 'id' in message && message.id !== null) asked.add(message.id)
      await deps.send(`${JSON.stringify(message)}\n`)
    },
  })

  function close(): void {
    if (!open) return
    open = false
    finish()
  }

  function giveUp(why: string): void {
    close()
    deps.onGivenUp(why)
  }

  function receiveLine(line: string): void {
    if (line.trim() === '') return
    const message = messageOf(line)
    if (message !== null && isKnown(message)) {
      if (message.method === 'session/update') deps.onUpdate(message.params)
      // Of other notifications we need but the one that takes back a request.
      else if (message.id !== undefined || message.method === '$/cancel_request') deliver(message.whole)
      return
    }
    stray ??= line
    strays += 1
    if (strays > maxStrayLines) giveUp('It writes things that are no messages of the protocol.')
  }

  function isKnown({ method, id }: ReadMessage): boolean {
    return method !== undefined || (id !== undefined && asked.delete(id))
  }

  return {
    stream: { readable, writable },
    receive(chunk) {
      const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
      rest.push(first)
      restUnits += first.length
      for (const next of others) {
        if (open) receiveLine(rest.join(''))
        rest = [next]
        restUnits = next.length
      }
      if (open && restUnits > maxLineUnits) giveUp('It writes a line without end.')
    },
    close,
    strayLine: () => stray,
  }
}

interface ReadMessage {
  whole: AnyMessage
  method: string | undefined
  params: unknown
  id: string | number | undefined
}

function messageOf(line: string): ReadMessage | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  const parsed = messageSchema.safeParse(value)
  if (!parsed.success) return null
  const { data } = parsed
  const isCall = 'method' in data
  return {
    whole: data,
    method: isCall ? String(data.method) : undefined,
    params: isCall ? data['params'] : undefined,
    id: data.id,
  }
}
