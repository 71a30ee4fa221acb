/* What is known of one session's lifecycles: the host's journal and the page's own actors. The view and an open inspector look at
   the same one, and the host is told that nobody looks any more when both have let go. */
import type { SessionId } from '../../../shared/ids.ts'
import type { Client } from '../../client.tsx'
import { after, soon } from '../../connection/browser-socket.ts'
import { createJournalFeed, type JournalFeed } from './journal-feed.ts'
import { createPageRecorder, type PageRecorder } from './page-recorder.ts'

export interface Sources {
  readonly sessionId: SessionId
  readonly feed: JournalFeed
  readonly recorder: PageRecorder
  /** Returns its disposer; disposing twice is safe. Whoever lets go last ends them. */
  hold(): () => void
}

/** A frame that was asked for in view never comes in a window that another one covers. */
const coveredDelayMs = 250

function shortly(work: () => void): () => void {
  const cancels = [soon(once), after(coveredDelayMs, once)]
  const cancel = () => cancels.forEach((one) => one())
  function once() {
    cancel()
    work()
  }
  return cancel
}

/** Nobody holds them yet: whoever makes them does so at once. */
export function createSources(
  sessionId: SessionId,
  { connection, pageActors, now }: Pick<Client, 'connection' | 'pageActors' | 'now'>,
): Sources {
  const feed = createJournalFeed({ sessionId, connection, soon: shortly })
  const recorder = createPageRecorder({ sessionId, pageActors, now, soon: shortly })
  const holders = new Set<symbol>()
  return {
    sessionId,
    feed,
    recorder,
    hold() {
      const holder = Symbol('holder')
      holders.add(holder)
      return () => {
        if (!holders.delete(holder) || holders.size > 0) return
        feed.dispose()
        recorder.dispose()
      }
    },
  }
}
