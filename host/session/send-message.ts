/* `session.send` (SPEC 4): idempotent by message id. While a row waits its first answer stands; once it is
   committed the log answers; an id that was discarded or rewound is stale, and that is checked first. */
import { textOf, type Placement } from '../../shared/message.ts'
import { conflict } from '../../shared/protocol/errors.ts'
import type { Params, Result } from '../../shared/protocol/methods.ts'
import type { RpcId } from '../../shared/ids.ts'
import type { FoundEvent } from '../log/session-state.ts'
import type { SessionRuntime } from './session-runtime.ts'
import { headerOf, isSubagent } from './session-view.ts'

export async function sendMessage(
  runtime: SessionRuntime,
  { messageId, text: sent, placement = 'queued' }: Params<'session.send'>,
  rpcId: RpcId,
): Promise<Result<'session.send'>> {
  const { inbox, claims, deps, sessionId } = runtime
  const text = wellFormed(sent)
  if (isSubagent(headerOf(runtime.state))) {
    throw conflict('read-only', 'A subagent works alone: its session can be read, not written to.')
  }
  for (;;) {
    const { lastSeq, skipped } = runtime.state
    const known = await deps.log.find(sessionId, 'message', messageId, skipped)
    // The message may have become durable while the log was read.
    if (runtime.state.lastSeq !== lastSeq) continue
    if (inbox.isDiscardedMessage(messageId) || known?.counted === false) {
      throw conflict('stale', 'This message was given back. Send it under a new id.')
    }
    const first = inbox.byMessage(messageId) ?? committed(known)
    if (first === null) {
      const source = { kind: 'user', rpcId } as const
      return { messageId, placement: claims.enqueue({ messageId, source, text }, placement) }
    }
    if (first.text !== text) throw conflict('id-reused', 'This message id was used with another text.')
    return { messageId, placement: first.answered }
  }
}

/** Half a character would be refused by strict providers, and with it the session for ever. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
}

function committed(known: FoundEvent | null): { text: string; answered: Placement } | null {
  if (known === null) return null
  const { event } = known
  if (event.type !== 'user/message' && event.type !== 'steering/message') return null
  return { text: textOf(event.data.message.content), answered: event.type === 'user/message' ? 'queued' : 'steering' }
}
