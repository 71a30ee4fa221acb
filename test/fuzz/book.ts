/* What the clients of a case know whatever becomes of the host: every event any of them was shown, what was accepted under
   which id, and what was given back. `fates.ts` holds the logs against it. */
import { isDeepStrictEqual } from 'node:util'
import type { SessionEvent } from '../../shared/event.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { SessionFrame } from '../../shared/protocol/frames.ts'
import { openedSurface } from '../../shared/surface/meta.ts'
import type { TaskSurfaceModelV1 } from '../../shared/surface/model.ts'

export interface Sent {
  kind: 'message'
  sessionId: string
  messageId: string
  text: string
  /** Of the host that accepted it last. */
  hostLife: number
}

export interface Submitted {
  kind: 'submission'
  sessionId: string
  surfaceId: string
  submissionId: string
  messageId: string
  values: JsonObject
  note: string | undefined
  hostLife: number
}

export interface Dismissed {
  sessionId: string
  surfaceId: string
  dismissalId: string
  eventSeq: number
}

export interface Forked {
  sourceId: string
  childId: string
  atSeq: number | undefined
  /** Of the source when it was asked, and when it was answered. */
  lastSeq: readonly [number, number]
}

export interface Rewound {
  sessionId: string
  toSeq: number
  lastSeq: number
  text: string | undefined
}

export class Book {
  readonly seen = new Map<string, Map<number, SessionEvent>>()
  readonly sent = new Map<string, Sent>()
  /** Which message a row carries. */
  readonly messageByItem = new Map<string, string>()
  /** Texts that rows were edited to, or were asked to be, by message. */
  readonly edits = new Map<string, string[]>()
  readonly submitted = new Map<string, Submitted>()
  readonly dismissed: Dismissed[] = []
  readonly forked: Forked[] = []
  readonly rewound: Rewound[] = []
  readonly surfaces = new Map<string, { sessionId: string; model: TaskSurfaceModelV1 }>()
  /** Rows that were given back, by their message id, and in which incarnations of their session. */
  readonly givenBack = new Map<string, Set<string>>()
  readonly removed = new Set<string>()
  /** Ids of whatever once was, for moves that come too late. */
  readonly old = { items: new Array<string>(), questions: new Array<string>(), approvals: new Array<string>() }
  hostLife = 0

  saw(sessionId: string, events: readonly SessionEvent[]): void {
    const seen = this.seen.get(sessionId) ?? new Map<number, SessionEvent>()
    this.seen.set(sessionId, seen)
    for (const event of events) {
      const known = seen.get(event.seq)
      if (known !== undefined && !isDeepStrictEqual(known, event)) {
        throw new Error(`${sessionId} ${event.seq} was ${JSON.stringify(known)}, is ${JSON.stringify(event)}`)
      }
      seen.set(event.seq, event)
      if (event.type !== 'tool/result') continue
      const opened = openedSurface(event.data)
      if (opened !== null) this.surfaces.set(opened.surfaceId, { sessionId, model: opened.model })
    }
  }

  take(frame: SessionFrame): void {
    switch (frame.type) {
      case 'session/event':
        this.saw(frame.sessionId, [frame.event])
        return
      case 'session/discarded':
        this.givenBack.set(
          frame.messageId,
          new Set([...(this.givenBack.get(frame.messageId) ?? []), frame.incarnation ?? '']),
        )
        return
      case 'session/queue':
        for (const { id, messageId } of frame.items) {
          if (!this.messageByItem.has(id)) this.old.items.push(id)
          this.messageByItem.set(id, messageId)
        }
        return
      case 'question/requested':
        this.old.questions.push(frame.questionId)
        return
      case 'approval/requested':
        this.old.approvals.push(frame.approvalId)
        return
      default:
    }
  }

  lastSeen(sessionId: string): number {
    return Math.max(-1, ...(this.seen.get(sessionId)?.keys() ?? []))
  }
}
