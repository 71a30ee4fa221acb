/* Every id that was accepted is asked about once more, one request after the other on a host at rest, where the contract
   leaves one answer (SPEC 2, 4, 6.4): the first answer for what counts, `stale` for what was taken or given back. */
import type { SessionEvent } from '../../shared/event.ts'
import type { Reply } from '../harness/client.ts'
import { countedEvents } from '../harness/counted-log.ts'
import type { World } from './world.ts'

/** Of each kind and case: the rest of the time goes into moves. */
const most = 12

type Log = readonly SessionEvent[]

export async function askAgain(world: World, logs: ReadonlyMap<string, Log>): Promise<void> {
  const { client } = world.observer
  const { sent, submitted, dismissed } = world.book
  for (const { sessionId, messageId, text } of [...sent.values()].slice(-most)) {
    const wanted = sentAnswer(world, logs.get(sessionId), { sessionId, messageId, text })
    if (wanted === null) continue
    compare(wanted, await client.ask('session.send', { sessionId, messageId, text }), `${messageId} in ${sessionId}`)
  }
  for (const one of [...submitted.values()].slice(-most)) {
    const { sessionId, surfaceId, submissionId, values, note, messageId } = one
    const known = standing(world, logs.get(sessionId), { sessionId, messageId })
    if (known === null) continue
    const params = { sessionId, surfaceId, submissionId, values, ...(note !== undefined && { note }) }
    const wanted =
      known === 'stale' ? { accepted: false, reason: 'stale' } : { accepted: true, messageId, phase: 'queued' }
    compare(wanted, await client.ask('taskSurface.submit', params), submissionId)
    if (known === 'stale') continue
    const other = await client.call('taskSurface.submit', { ...params, note: `${note} and more` })
    if (other.accepted || other.reason !== 'invalid-submission')
      throw new Error(`${submissionId}: ${JSON.stringify(other)}`)
  }
  for (const { sessionId, surfaceId, dismissalId, eventSeq } of dismissed.slice(-most)) {
    const log = logs.get(sessionId)
    if (log === undefined) continue
    const isCounted = countedEvents(log).some(({ seq }) => seq === eventSeq)
    const wanted = isCounted ? { dismissed: true, eventSeq } : { dismissed: false, reason: 'stale' }
    compare(wanted, await client.ask('taskSurface.dismiss', { sessionId, surfaceId, dismissalId }), dismissalId)
  }
}

/** Null: nothing remembers it, so it would be something new. */
function standing(
  { book, observer }: World,
  log: Log | undefined,
  { sessionId, messageId }: { sessionId: string; messageId: string },
): SessionEvent | 'stale' | null {
  if (log === undefined) return null
  const isIt = (event: SessionEvent) =>
    (event.type === 'user/message' || event.type === 'steering/message') && event.data.message.id === messageId
  const counted = countedEvents(log).find(isIt)
  const incarnation = observer.client.viewById.get(sessionId)?.incarnation ?? ''
  if (book.givenBack.get(messageId)?.has(incarnation) === true) return 'stale'
  return counted ?? (log.some(isIt) ? 'stale' : null)
}

function sentAnswer(world: World, log: Log | undefined, sent: { sessionId: string; messageId: string; text: string }) {
  const known = standing(world, log, sent)
  if (known === null) return null
  if (known === 'stale') return { code: 'stale' }
  if (known.type !== 'user/message' && known.type !== 'steering/message') return null
  const text = known.data.message.content.map((part) => part.text).join('\n')
  if (text !== sent.text) return { code: 'id-reused' }
  return { messageId: sent.messageId, placement: known.type === 'user/message' ? 'queued' : 'steering' }
}

function compare(wanted: object, reply: Reply<unknown>, what: string): void {
  const answer = reply.ok ? reply.result : { code: reply.error.data?.code }
  const shown = JSON.stringify(answer)
  if (shown !== JSON.stringify(wanted)) throw new Error(`${what} again: ${shown}, not ${JSON.stringify(wanted)}`)
}
