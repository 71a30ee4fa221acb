/* A log as it is stored, rewound events too, through the host that runs on it. */
import { parseEvent, type SessionEvent } from '../../shared/event.ts'
import type { Result } from '../../shared/protocol/methods.ts'
import type { Client, Reply } from '../harness/client.ts'

/** Null where there is no such session. A record that cannot be read, or that is out of place, throws. */
export async function rawLog(client: Client, sessionId: string): Promise<SessionEvent[] | null> {
  const events: SessionEvent[] = []
  for (let from: number | null = 0; from !== null;) {
    const reply: Reply<Result<'data.export'>> = await client.ask('data.export', { sessionId, fromSeq: from })
    if (!reply.ok) {
      if (reply.error.code === -32004) return null
      throw new Error(`data.export: ${reply.error.message}`)
    }
    for (const record of reply.result.records) {
      if (!('line' in record)) throw new Error(`event ${record.seq} is damaged: ${record.damaged}`)
      const parsed = parseEvent(JSON.parse(record.line))
      if (parsed.kind !== 'event') throw new Error(`event ${record.seq} is none: ${record.line}`)
      if (parsed.event.seq !== events.length) throw new Error(`event ${events.length} is ${parsed.event.seq}`)
      events.push(parsed.event)
    }
    from = reply.result.nextSeq
  }
  return events
}
