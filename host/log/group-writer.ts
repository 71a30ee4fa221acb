/* The one writer above a log store (SPEC 2): whatever waits while a write is in flight becomes the next group, so one
   disk flush serves all sessions that had something to say meanwhile. Knows appends and outcomes, not records.
   Invariants: one group in flight; at most one append of a session in a group, in the order of the calls; an outcome
   is answered only after the store gave it. */
import type { SessionId } from '../../shared/ids.ts'
import { timerDeadline, type StartDeadline } from './deadline.ts'
import type { FaultPoints } from './fault-points.ts'
import { LogError, type Append, type AppendOutcome, type CallOptions, type LogStore } from './port.ts'

export interface GroupWriter {
  /**
   * Never rejects. A signal that aborts before the append was handed to the store answers `unavailable`; afterwards it
   * has no effect, because the group belongs to others as well.
   */
  append(append: Append, options?: CallOptions): Promise<AppendOutcome>
  /** Refuses what comes, waits for what was accepted. Idempotent. */
  close(): Promise<void>
}

export interface GroupWriterOptions {
  /** Appends in one group at most. */
  maxAppends?: number
  /** UTF-8 bytes in one group at most; a single larger append is a group of its own. */
  maxBytes?: number
  /** Bytes that may wait; what comes on top is `unavailable`, so a disk that hangs cannot fill the memory. */
  maxWaitingBytes?: number
  /** The time a group has with the store. */
  deadline?: StartDeadline
  faults?: FaultPoints
}

const defaultMaxAppends = 256
const defaultMaxBytes = 4 * 1024 * 1024
const defaultMaxWaitingBytes = 64 * 1024 * 1024

interface Waiting {
  append: Append
  bytes: number
  signal: AbortSignal | undefined
  answer: (outcome: AppendOutcome) => void
}

export function createGroupWriter(store: LogStore, options: GroupWriterOptions = {}): GroupWriter {
  const maxAppends = options.maxAppends ?? defaultMaxAppends
  const maxBytes = options.maxBytes ?? defaultMaxBytes
  const maxWaitingBytes = options.maxWaitingBytes ?? defaultMaxWaitingBytes
  const deadline = options.deadline ?? timerDeadline()
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let running: Promise<void> | null = null
  let closed = false

  /** Takes the next group out of what waits; leaves later appends of a session that is in it already. */
  function takeGroup(): Waiting[] {
    const group: Waiting[] = []
    const rest: Waiting[] = []
    const sessions = new Set<SessionId>()
    let bytes = 0
    for (const entry of waiting) {
      const { sessionId } = entry.append.ownership
      if (entry.signal?.aborted) {
        waitingBytes -= entry.bytes
        entry.answer(unavailable('the append was given up before it was written', entry.signal.reason))
        continue
      }
      const full = group.length >= maxAppends || (group.length > 0 && bytes + entry.bytes > maxBytes)
      if (full || sessions.has(sessionId)) {
        rest.push(entry)
      } else {
        group.push(entry)
        bytes += entry.bytes
      }
      // A session keeps the order of its calls, also where its first append had no room.
      sessions.add(sessionId)
    }
    waiting = rest
    waitingBytes -= bytes
    return group
  }

  async function run(): Promise<void> {
    // Whoever calls in the same tick belongs to the same group.
    await Promise.resolve()
    for (let group = takeGroup(); group.length > 0; group = takeGroup()) {
      const subjects = () => group.map(({ append }) => append.ownership.sessionId)
      options.faults?.passed('before-write', subjects)
      const outcomes = await writeGroup(store, group, deadline)
      options.faults?.passed('after-write', subjects)
      group.forEach((entry, index) => {
        entry.answer(outcomes[index] ?? { kind: 'unknown', cause: new Error('the store gave no outcome') })
      })
      // Lets sessions that were just answered append again before the next group is taken.
      await Promise.resolve()
    }
    running = null
    if (waiting.length > 0) start()
  }

  function start(): void {
    running ??= run()
  }

  return {
    append(append, callOptions) {
      return new Promise((answer) => {
        const bytes = bytesOf(append)
        if (closed) return answer(unavailable('the log is closed'))
        if (waiting.length > 0 && waitingBytes + bytes > maxWaitingBytes) {
          return answer(unavailable('too much waits to be written'))
        }
        waiting.push({ append, bytes, signal: callOptions?.signal, answer })
        waitingBytes += bytes
        start()
      })
    },
    async close() {
      closed = true
      while (running !== null) await running
    },
  }
}

async function writeGroup(
  store: LogStore,
  group: readonly Waiting[],
  deadline: StartDeadline,
): Promise<readonly AppendOutcome[]> {
  const { signal, dispose } = deadline()
  try {
    return await store.appendGroup(
      group.map(({ append }) => append),
      { signal },
    )
  } catch (cause) {
    // The port answers outcomes; a store that throws all the same has left their fate open.
    return group.map(() => ({ kind: 'unknown', cause }))
  } finally {
    dispose()
  }
}

function unavailable(message: string, cause?: unknown): AppendOutcome {
  return { kind: 'unavailable', cause: new LogError('unavailable', message, { cause }) }
}

function bytesOf({ bodies, header, checkpoint }: Append): number {
  let bytes = Buffer.byteLength(header ?? '') + Buffer.byteLength(checkpoint?.body ?? '')
  for (const body of bodies) bytes += Buffer.byteLength(body)
  return bytes
}
