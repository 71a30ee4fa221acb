/* How the messages of many sockets get to the engine (SPEC 8): those of one socket in their order, and no socket can take
   the host away from the others. It knows neither sockets nor requests; time and the event loop are passed in.

   | rule | |
   | --- | --- |
   | first-at-once | the first message of a socket in a turn of the event loop is taken in the tick in which it came |
   | bounded-turn | further ones only while the turn has time left; then they wait, and the loop goes round |
   | in-turn | who waits is served one message after the other, each socket in turn |
   | owed-answers | what a socket is owed takes its turns too, before its next message, and is done even when the socket has gone |
   | bounded-queue | a socket whose waiting messages are too many or too large is given up */

export interface Turnstile {
  /** `overflow` is called once, after which nothing of this socket is taken. */
  open(overflow: () => void): Line
}

export interface Line {
  /** Calls `take` once, now or later. `size`: bytes or units that are held until then. */
  receive(size: number, take: () => void): void
  /** Calls `take` once, now or before the next message, also after `close`: others may wait for what it ends. */
  owe(take: () => void): void
  /**
   * The socket has gone. What it asked for is done all the same, as far as a client may ask before it is answered; the rest
   * is forgotten, and nothing more is taken. Idempotent.
   */
  close(): void
}

export interface TurnstileDeps {
  /** Milliseconds and parts of them, from any beginning. */
  now: () => number
  /** Calls once the event loop has gone round. */
  afterTurn: (work: () => void) => void
  /** Calls within the turn, once everything has run that follows from what was taken: it may free what the next one needs. */
  afterEffects: (work: () => void) => void
}

/** What a turn may cost others in waiting: less than anybody notices, more than most requests take. */
export const turnMs = 4

/** Messages of one socket that may wait. A page has a handful of requests open; more than this is a loop gone wild. */
export const maxWaiting = 10_000
/** Their size in all: some dozens of the largest messages. */
export const maxWaitingSize = 8 * 1024 * 1024

/** Messages of a socket that has gone which are still taken: as many as the engine answers at once. */
export const keptAfterClose = 128

/** Taken messages that are let go of at once. */
const tidyAfter = 1_024

interface Waiting extends Line {
  messages: { size: number; take: () => void }[]
  /** Of `messages`: those before it were taken. */
  next: number
  /** Of the messages that wait. */
  size: number
  /** Few: a socket is owed no more answers than it may wait for. */
  owed: (() => void)[]
  /** Has had its first one of this turn. */
  isServed: boolean
}

export function createTurnstile({ now, afterTurn, afterEffects }: TurnstileDeps): Turnstile {
  const queue = new Set<Waiting>()
  let served: Waiting[] = []
  let spentMs = 0
  let isTurning = false

  function run(take: () => void): void {
    const begun = now()
    take()
    spentMs += now() - begun
  }

  function turnLater(): void {
    if (isTurning) return
    isTurning = true
    afterTurn(turn)
  }

  function turn(): void {
    isTurning = false
    spentMs = 0
    for (const line of served) line.isServed = false
    served = []
    step()
  }

  function step(): void {
    const [line] = queue
    if (line === undefined) return
    if (spentMs >= turnMs) return turnLater()
    serve(line)
    if (queue.size > 0) afterEffects(step)
  }

  /** To the end of the queue with it, so that the steps go round all of them. */
  function serve(line: Waiting): void {
    queue.delete(line)
    const take = line.owed.shift() ?? nextOf(line)
    if (line.owed.length > 0 || line.messages.length > line.next) queue.add(line)
    if (take !== undefined) run(take)
  }

  function nextOf(line: Waiting): (() => void) | undefined {
    const message = line.messages[line.next]
    if (message === undefined) return undefined
    line.next += 1
    line.size -= message.size
    if (line.next >= tidyAfter || line.next === line.messages.length) {
      line.messages.splice(0, line.next)
      line.next = 0
    }
    return message.take
  }

  /** Keeps the oldest messages. */
  function drop(line: Waiting, kept: number): void {
    line.messages = line.messages.slice(line.next, line.next + kept)
    line.next = 0
    line.size = line.messages.reduce((sum, { size }) => sum + size, 0)
    if (line.owed.length === 0 && line.messages.length === 0) queue.delete(line)
  }

  /** False: it has to wait. */
  function takenAtOnce(line: Waiting, take: () => void): boolean {
    turnLater()
    if (queue.has(line) || (line.isServed && spentMs >= turnMs)) return false
    if (!line.isServed) served.push(line)
    line.isServed = true
    run(take)
    return true
  }

  return {
    open(overflow) {
      let isOpen = true
      const line: Waiting = {
        messages: [],
        next: 0,
        size: 0,
        owed: [],
        isServed: false,
        receive(size, take) {
          if (!isOpen || takenAtOnce(line, take)) return
          line.messages.push({ size, take })
          line.size += size
          queue.add(line)
          if (line.messages.length - line.next <= maxWaiting && line.size <= maxWaitingSize) return
          isOpen = false
          drop(line, 0)
          overflow()
        },
        owe(take) {
          if (takenAtOnce(line, take)) return
          line.owed.push(take)
          queue.add(line)
        },
        close() {
          if (!isOpen) return
          isOpen = false
          drop(line, keptAfterClose)
        },
      }
      return line
    },
  }
}
