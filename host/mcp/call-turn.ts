/* What the turn of a call left in the log, for the agent that made it: the result, and what it was not told yet. That is
   what the person wrote since the last turn of a call that was answered. */
import type { EventData, SessionEvent } from '../../shared/event.ts'
import type { SessionId, TaskSurfaceId } from '../../shared/ids.ts'
import { messageSourceSchema, textOf } from '../../shared/message.ts'
import type { SessionDirectory } from '../session/session-directory.ts'

/** A message the agent has not read. */
export interface News {
  /** Of its event. */
  seq: number
  from: 'person' | 'host'
  /** The surface it answers. */
  surfaceId: TaskSurfaceId | null
  text: string
}

export interface CallTurn {
  /** Null: the turn ended before the call was made. */
  result: EventData<'tool/result'> | null
  /** Oldest first. */
  news: News[]
}

/** Messages of one page; a person writes fewer between two calls of an agent. */
const pageLimit = 50

/** `afterSeq`: the last event before the turn. */
export async function readCallTurn(
  directory: SessionDirectory,
  sessionId: SessionId,
  call: { afterSeq: number; name: string },
): Promise<CallTurn> {
  const { skipped } = await directory.state(sessionId)
  const { log } = directory.deps
  let result: EventData<'tool/result'> | null = null
  const news = await unreadBefore(directory, sessionId, call.afterSeq + 1)
  for await (const event of log.countedEvents(sessionId, { skipped, from: call.afterSeq + 1 })) {
    if (event.type === 'turn/end') break
    if (event.type === 'tool/result' && event.data.name === call.name) result ??= event.data
    news.push(...messageOf(event))
  }
  return { result, news }
}

/** What came since the agent was last answered. */
async function unreadBefore(directory: SessionDirectory, sessionId: SessionId, seq: number): Promise<News[]> {
  const { skipped } = await directory.state(sessionId)
  let news: News[] = []
  let beforeSeq = seq
  for (;;) {
    const page = await directory.deps.log.page(sessionId, { limit: pageLimit, skipped, beforeSeq })
    const answered = lastAnswered(page.events)
    news = [...page.events.slice(answered + 1).flatMap(messageOf), ...news]
    const first = page.events[0]
    if (answered !== -1 || !page.hasMore || first === undefined) return news
    beforeSeq = first.seq
  }
}

/**
 * Index of the end of the last turn whose call was answered, −1 for none. One that was taken back or cut off may have
 * reached nobody: better twice than never.
 */
function lastAnswered(events: readonly SessionEvent[]): number {
  let answered = -1
  let hasCall = false
  for (const [index, event] of events.entries()) {
    if (event.type === 'turn/start') hasCall = false
    if (event.type === 'assistant/message') hasCall = true
    if (event.type === 'turn/end' && hasCall && event.data.reason === 'completed') answered = index
  }
  return answered
}

function messageOf(event: SessionEvent): News[] {
  if (event.type !== 'user/message' && event.type !== 'steering/message') return []
  const { content, source } = event.data.message
  const known = messageSourceSchema.safeParse(source)
  const surfaceId = known.data?.kind === 'user' ? (known.data.taskSurface?.surfaceId ?? null) : null
  const from = source.kind === 'user' ? 'person' : 'host'
  return [{ seq: event.seq, from, surfaceId, text: textOf(content) }]
}

/** One text, set apart from the result of the call. Null: there is nothing to tell. */
export function newsText(news: readonly News[]): string | null {
  if (news.length === 0) return null
  return news.map((one) => `[${introduction(one)}; no part of the result above]\n\n${one.text}`).join('\n\n')
}

function introduction({ from, surfaceId }: News): string {
  if (from === 'host') return 'Notice of the host'
  return surfaceId === null ? 'The person wrote meanwhile' : `The person answered the surface ${surfaceId} meanwhile`
}
