/* How new events become one append (SPEC 2): numbered, folded, spelled, with header, index and now and then a checkpoint.
   Pure: nothing here writes. */
import type { EventDraft, SessionEvent } from '../../shared/event.ts'
import { encodeCheckpoint, encodeEvent, encodeHeader, indexEntries } from './codec.ts'
import type { Append, Ownership } from './port.ts'
import { foldEvent, type SessionState } from './session-state.ts'

/**
 * Events between two checkpoints. Opening a session folds at most this many behind one, so a long session opens about
 * as fast as one of a hundred events; a checkpoint is a few hundred bytes to a few KiB, so sixty-four events share
 * its cost. A fixed raster of the seq needs no memory of when the last one was written.
 */
export const checkpointInterval = 64

export interface PreparedAppend {
  events: readonly SessionEvent[]
  /** The state once the append is durable. */
  state: SessionState
  append: Append
}

/** `drafts` must not be empty, nor hold a `session/rewound`: that one takes back what the state has folded. */
export function prepareAppend(
  ownership: Ownership,
  before: SessionState,
  drafts: readonly EventDraft[],
  time: number,
): PreparedAppend {
  const events: SessionEvent[] = []
  const bodies: string[] = []
  let state = before
  for (const draft of drafts) {
    if (draft.type === 'session/rewound') throw new Error('session/rewound is appended by rewind')
    const { event, body } = encodeEvent(draft, state.lastSeq + 1, time)
    events.push(event)
    bodies.push(body)
    state = foldEvent(state, { kind: 'event', event })
  }
  const due =
    Math.floor((state.lastSeq + 1) / checkpointInterval) > Math.floor((before.lastSeq + 1) / checkpointInterval)
  const append = {
    ownership,
    firstSeq: before.lastSeq + 1,
    bodies,
    header: headerText(state),
    index: events.flatMap(indexEntries),
    ...(due ? { checkpoint: checkpointOf(state) } : {}),
  }
  return { events, state, append }
}

export function checkpointOf({ fold }: SessionState): { seq: number; body: string } {
  if (fold === null) throw new Error('nothing is folded before the first event')
  return { seq: fold.lastSeq, body: encodeCheckpoint(fold) }
}

/** A log begins with `session/created`, so a state that has an event has a header. */
export function headerText({ header }: SessionState): string {
  if (header === null) throw new Error('a session log begins with session/created')
  return encodeHeader(header)
}
