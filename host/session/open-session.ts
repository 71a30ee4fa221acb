/* `session.open` and `session.history` (SPEC 8): a page of the log, and a join without gap or duplicate. What is
   published while the page is read is collected, and answer, subscription and baseline are made in one tick. */
import type { SessionId } from '../../shared/ids.ts'
import type { Result } from '../../shared/protocol/methods.ts'
import { LogError } from '../log/port.ts'
import { foldEvent } from '../log/session-state.ts'
import { AtOnce, type Peer } from '../rpc/port.ts'
import { baselineOf } from './baseline.ts'
import type { SessionDirectory } from './session-directory.ts'
import { sessionView } from './session-view.ts'

const defaultLimit = 50

export async function openSession(
  directory: SessionDirectory,
  { sessionId, limit = defaultLimit }: { sessionId: SessionId; limit?: number | undefined },
  peer: Peer | null,
): Promise<AtOnce<Result<'session.open'>>> {
  const { hub, log } = directory.deps
  const following = hub.follow(sessionId)
  try {
    const start = hub.position(sessionId)
    const read = await directory.state(sessionId)
    const page = await log.page(sessionId, { limit, skipped: read.skipped, beforeSeq: read.lastSeq + 1 })
    return new AtOnce(() => {
      following.stop()
      if (following.isOver) throw new LogError('unknown-session', `There is no session ${sessionId}.`)
      const later = following.events.filter(({ seq }) => seq > read.lastSeq)
      const runtime = directory.live(sessionId)
      const now = hub.position(sessionId)
      // Continuity broke while the page was read: the answer names the old incarnation, so the client opens again.
      const { incarnation, n } = now.incarnation === start.incarnation ? now : start
      const state = runtime?.state ?? later.reduce((before, event) => foldEvent(before, { kind: 'event', event }), read)
      // A cold read may have met an event that is on disk and not published yet: it comes as a frame.
      const events = [...page.events, ...later].filter(({ seq }) => seq <= state.lastSeq)
      peer?.subscribe(hub.topic(sessionId))
      const frames = baselineOf(directory, state)
      return {
        result: {
          session: runtime?.view() ?? sessionView(state, false),
          events,
          hasMore: page.hasMore,
          lastSeq: state.lastSeq,
          incarnation,
          n,
        },
        frames:
          peer === null
            ? []
            : [hub.subscribed(sessionId, state.lastSeq), ...frames.map((body) => hub.baseline(sessionId, body))],
      }
    })
  } catch (error) {
    following.stop()
    throw error
  }
}

export async function readHistory(
  directory: SessionDirectory,
  {
    sessionId,
    beforeSeq,
    limit = defaultLimit,
  }: { sessionId: SessionId; beforeSeq?: number | undefined; limit?: number | undefined },
): Promise<Result<'session.history'>> {
  const { skipped, lastSeq } = await directory.state(sessionId)
  return directory.deps.log.page(sessionId, {
    limit,
    skipped,
    beforeSeq: Math.min(beforeSeq ?? lastSeq + 1, lastSeq + 1),
  })
}
