/* The subscription hub: one channel per session through which every live frame goes (SPEC 8). A channel
   numbers its frames (`n`, contiguous) under an `incarnation` that changes only when continuity breaks. It
   outlives the session's runtime, knows no socket, and serialises each frame once.

   `follow` is how `session.open` joins without gap or duplicate: it collects what is published while the
   page is read from the log. */
import type { SessionEvent } from '../../shared/event.ts'
import type { SessionId } from '../../shared/ids.ts'
import type { SessionFrameBody } from '../../shared/protocol/frames.ts'
import type { Clock } from '../clock.ts'
import type { FaultPoints } from '../log/fault-points.ts'
import { hostTopic, type Fanout } from '../rpc/port.ts'
import { HostNews, type HostNewsFrame } from './host-news.ts'

interface Channel {
  generation: number
  n: number
  followers: Set<Follower>
  watchers: Set<() => void>
}

interface Follower {
  events: SessionEvent[]
  isOver: boolean
}

export interface Position {
  incarnation: string
  /** Of the last frame published; the next live frame has `n + 1`. */
  n: number
}

/** Events published since `follow` was called, until `stop`. */
export interface Following {
  readonly events: readonly SessionEvent[]
  /** The session was removed meanwhile: no frame of it may go out any more. */
  readonly isOver: boolean
  stop(): void
}

export class SubscriptionHub {
  readonly #fanout: Fanout
  readonly #bootId: string
  readonly #faults: FaultPoints
  readonly #news: HostNews
  readonly #channels = new Map<SessionId, Channel>()

  constructor(deps: { fanout: Fanout; bootId: string; faults: FaultPoints; clock: Clock }) {
    this.#fanout = deps.fanout
    this.#bootId = deps.bootId
    this.#faults = deps.faults
    this.#news = new HostNews({ publish: (text) => this.#publishTo(hostTopic, text, null), clock: deps.clock })
  }

  topic(sessionId: SessionId): string {
    return `session:${sessionId}`
  }

  position(sessionId: SessionId): Position {
    const { generation, n } = this.#channel(sessionId)
    return { incarnation: `${this.#bootId}.${generation}`, n }
  }

  publish(sessionId: SessionId, body: SessionFrameBody): void {
    const channel = this.#channel(sessionId)
    channel.n += 1
    if (body.type === 'session/event') for (const { events } of channel.followers) events.push(body.event)
    this.#send(sessionId, JSON.stringify({ ...body, sessionId, ...this.position(sessionId) }))
    if (body.type === 'session/event') for (const changed of channel.watchers) changed()
  }

  /** A baseline frame: it carries neither incarnation nor n. */
  baseline(sessionId: SessionId, body: SessionFrameBody): string {
    return JSON.stringify({ ...body, sessionId })
  }

  subscribed(sessionId: SessionId, lastSeq: number): string {
    return JSON.stringify({ type: 'session/subscribed', sessionId, lastSeq, ...this.position(sessionId) })
  }

  /** What was published may not be all that happened: whatever comes next has another incarnation. */
  breakOff(sessionId: SessionId): void {
    const channel = this.#channel(sessionId)
    channel.generation += 1
    channel.n = 0
  }

  /** Breaks continuity: a new incarnation, then what every subscriber must start again from. */
  renew(sessionId: SessionId, lastSeq: number, baseline: readonly SessionFrameBody[]): void {
    this.breakOff(sessionId)
    this.#send(sessionId, this.subscribed(sessionId, lastSeq))
    for (const body of baseline) this.#send(sessionId, this.baseline(sessionId, body))
    for (const changed of this.#channel(sessionId).watchers) changed()
  }

  publishHost(frame: HostNewsFrame): void {
    this.#news.tell(frame)
  }

  follow(sessionId: SessionId): Following {
    const { followers } = this.#channel(sessionId)
    const follower: Follower = { events: [], isOver: false }
    followers.add(follower)
    return {
      events: follower.events,
      get isOver() {
        return follower.isOver
      },
      stop: () => void followers.delete(follower),
    }
  }

  /**
   * Calls `changed` behind each durable event, after a reload and when the session is gone, until the returned function
   * is called. It must not throw; what has changed it reads from the session.
   */
  watch(sessionId: SessionId, changed: () => void): () => void {
    const { watchers } = this.#channel(sessionId)
    watchers.add(changed)
    return () => void watchers.delete(changed)
  }

  /** Sessions that have a channel: those somebody opened or that published. */
  sessions(): SessionId[] {
    return [...this.#channels.keys()]
  }

  forget(sessionId: SessionId): void {
    const { followers, watchers } = this.#channels.get(sessionId) ?? {}
    for (const follower of followers ?? []) follower.isOver = true
    this.#channels.delete(sessionId)
    for (const changed of watchers ?? []) changed()
  }

  #send(sessionId: SessionId, text: string): void {
    this.#publishTo(this.topic(sessionId), text, sessionId)
  }

  #publishTo(topic: string, text: string, subject: SessionId | null): void {
    const subjects = () => (subject === null ? [] : [subject])
    this.#faults.passed('before-publish', subjects)
    this.#fanout.publish(topic, text)
    this.#faults.passed('after-publish', subjects)
  }

  #channel(sessionId: SessionId): Channel {
    let channel = this.#channels.get(sessionId)
    if (channel === undefined) {
      channel = { generation: 0, n: 0, followers: new Set(), watchers: new Set() }
      this.#channels.set(sessionId, channel)
    }
    return channel
  }
}
