/* Rewinding a log in place (SPEC 2): nothing is deleted; one event says what no longer counts. Decides whether a seq can
   be rewound to and what the state is afterwards; the caller has made sure that nothing runs. */
import { isCounted, skipRewound } from '../../shared/counted.ts'
import { textOf } from '../../shared/message.ts'
import { decodeCheckpoint, encodeEvent } from './codec.ts'
import type { Append, CallOptions, LogStore, Ownership } from './port.ts'
import { checkpointOf, headerText } from './session-append.ts'
import { foldFrom, forwardPages } from './session-reader.ts'
import { foldEvent, stateOf, type SessionState } from './session-state.ts'

export interface PreparedRewind {
  state: SessionState
  text: string | null
  append: Append
}

/** Null where `toSeq` is no counted `turn/end` and no counted event outside a turn. */
export async function prepareRewind(
  store: LogStore,
  ownership: Ownership,
  before: SessionState,
  { toSeq, time }: { toSeq: number; time: number },
  options?: CallOptions,
): Promise<PreparedRewind | null> {
  const { sessionId, lastSeq, skipped } = before
  if (toSeq < 0 || toSeq > lastSeq || !isCounted(skipped, toSeq)) return null
  const stored = await store.checkpoint(sessionId, options)
  const checkpoint = stored === null ? null : decodeCheckpoint(sessionId, stored.seq, stored.body)
  const target = await foldFrom(store, checkpoint, before, toSeq, options)
  if (target.fold === null || target.openTurn !== null) return null
  const seq = lastSeq + 1
  const { event, body } = encodeEvent({ type: 'session/rewound', data: { toSeq } }, seq, time)
  // Values as they were at the target; position and used-up turn numbers as they are now.
  const rewound = { ...target.fold, lastSeq, lastTurn: before.lastTurn, skipped: skipRewound(skipped, { seq, toSeq }) }
  const state = foldEvent(stateOf(sessionId, rewound), { kind: 'event', event })
  return {
    state,
    text: await firstRewoundText(store, before, toSeq, options),
    // The checkpoint before this event may hold what no longer counts; with a new one nobody has to start from zero.
    append: {
      ownership,
      firstSeq: seq,
      bodies: [body],
      header: headerText(state),
      index: [],
      checkpoint: checkpointOf(state),
    },
  }
}

/** What the person typed first of all that is taken back, so that the composer can offer it. A form's answer is in its draft. */
async function firstRewoundText(
  store: LogStore,
  { sessionId, lastSeq, skipped }: SessionState,
  toSeq: number,
  options?: CallOptions,
): Promise<string | null> {
  for await (const page of forwardPages(store, sessionId, toSeq + 1, lastSeq, options)) {
    for (const stored of page) {
      if (stored.kind !== 'event' || stored.event.type !== 'user/message') continue
      const { source, content } = stored.event.data.message
      const typed = source.kind === 'user' && !('taskSurface' in source && source.taskSurface !== undefined)
      if (typed && isCounted(skipped, stored.event.seq)) return textOf(content)
    }
  }
  return null
}
