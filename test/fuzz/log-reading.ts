/* The fuzz's own reading of a log, beside `harness/counted-log.ts` and as independent of the product: which events a fork
   must copy, and what a rewind must give back (SPEC 2). */
import { parseEvent, type SessionEvent } from '../../shared/event.ts'
import type { Client } from '../harness/client.ts'
import { countedEvents } from '../harness/counted-log.ts'

/** Every event of a session, rewound ones included; index = seq. */
export async function wholeLog(client: Client, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  for (let from: number | null = 0; from !== null;) {
    const page: { records: readonly object[]; nextSeq: number | null } = await client.call('data.export', {
      sessionId,
      fromSeq: from,
    })
    for (const record of page.records) {
      if (!('line' in record) || typeof record.line !== 'string') throw new Error(JSON.stringify(record))
      const parsed = parseEvent(JSON.parse(record.line))
      if (parsed.kind !== 'event') throw new Error(`${sessionId}: ${record.line} is ${parsed.kind}`)
      if (parsed.event.seq !== events.length) throw new Error(`${sessionId}: ${parsed.event.seq} at ${events.length}`)
      events.push(parsed.event)
    }
    from = page.nextSeq
  }
  return events
}

/** Null: the anchor stands in an open turn. The first is the source's own `session/created`. */
export function forkCopy(log: readonly SessionEvent[], atSeq: number | undefined): SessionEvent[] | null {
  const counted = countedEvents(log).filter(({ type }) => type !== 'session/end-seed')
  const last = (type: string, below = counted.length) =>
    counted.findLastIndex((event, index) => index < below && event.type === type)
  const open = last('turn/start') > last('turn/end') ? counted[last('turn/start')] : undefined
  const at = atSeq === undefined ? -1 : counted.findIndex(({ type, seq }) => type === 'turn/end' && seq >= atSeq)
  if (at < 0 && atSeq !== undefined && open !== undefined && atSeq >= open.seq) return null
  const end = at < 0 ? last('turn/end') : at
  const next = counted.findIndex(({ type }, index) => index > end && type === 'turn/start')
  return counted.slice(0, next < 0 ? counted.length : next)
}

/** What a log must hold that was forked with this selection: its own beginning, the copies, the end of the seed. */
export function isForkOf(child: readonly SessionEvent[], copied: readonly SessionEvent[], sourceId: string): boolean {
  const [created, ...others] = copied
  if (created?.type !== 'session/created') return false
  const parent = { sessionId: sourceId, seq: copied.at(-1)?.seq ?? 0, relation: 'fork' }
  const wanted = [
    { type: 'session/created', data: { ...created.data, parent } },
    ...others.map(({ type, time, data }) => ({ type, time, data })),
    { type: 'session/end-seed', data: {} },
  ]
  return wanted.every((event, seq) => {
    const own = child[seq]
    if (own === undefined) return false
    const shown =
      'time' in event ? { type: own.type, time: own.time, data: own.data } : { type: own.type, data: own.data }
    return own.seq === seq && sorted(shown) === sorted(event)
  })
}

/** The text of the first ordinary message among those that a rewind takes back. */
export function givenBackBy(log: readonly SessionEvent[], toSeq: number): string | undefined {
  for (const event of countedEvents(log)) {
    if (event.seq <= toSeq || event.type !== 'user/message') continue
    const { source, content } = event.data.message
    const isAnswer = 'taskSurface' in source && source.taskSurface !== undefined
    if (source.kind === 'user' && !isAnswer) return content.map(({ text }) => text).join('\n')
  }
  return undefined
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
