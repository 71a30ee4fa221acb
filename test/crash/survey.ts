/* A walk that nobody disturbs: what the host passes in each move, and what the log says behind it. From that follows where
   to die, and what must then be there. */
import { isDeepStrictEqual } from 'node:util'
import type { FaultPoint } from '../../host/log/fault-points.ts'
import type { SessionEvent } from '../../shared/event.ts'
import type { CrashWalk, Walking } from './crash-walk.ts'
import type { Lane } from './lane.ts'
import { worthDying, type Passage } from './passages.ts'
import { rawLog } from './raw-log.ts'

export interface Death {
  walk: CrashWalk
  move: number
  point: FaultPoint
  /** Passages of the point up to this one, from the first move on. */
  n: number
  /** Of the writes in this move, how many are on disk. */
  durable: 'none' | 'some' | 'all'
  /** Shape of the log, and its length before and behind the move. */
  shape: readonly string[]
  from: number
  to: number
}

export async function survey(lane: Lane, walk: CrashWalk): Promise<Death[]> {
  const walking = await walk.begin(lane.stage)
  lane.passages.clear()
  try {
    const passages: Passage[][] = []
    const before = await lookAt(walk, walking, 0)
    const lengths = [before.length]
    let shape = shapeOf(before)
    for (const index of walk.moves.keys()) {
      await walking.move(index)
      const log = await lookAt(walk, walking, index + 1)
      lengths.push(log.length)
      if (log.length > 0) shape = shapeOf(log)
      passages.push(lane.passages.take(walking.subjects))
    }
    return deaths(walk, passages, lengths, shape)
  } finally {
    walking.leave()
    walking.client.drop()
  }
}

/** The log, which says what the machine says. */
async function lookAt(walk: CrashWalk, { client, sessionId }: Walking, moves: number): Promise<SessionEvent[]> {
  const log = await rawLog(client, sessionId)
  const [said, expected] = [walk.durableIn(log), walk.durable(moves)]
  if (!isDeepStrictEqual(said, expected)) {
    throw new Error(`${walk.title}: ${moves} moves say ${JSON.stringify(said)}, not ${JSON.stringify(expected)}`)
  }
  return log ?? []
}

function deaths(walk: CrashWalk, byMove: readonly Passage[][], lengths: readonly number[], shape: string[]): Death[] {
  const counts = new Map<FaultPoint, number>()
  return byMove.flatMap((passages, move) => {
    const writes = passages.filter(({ point }) => point === 'after-batch').length
    const worth = new Set(worthDying(passages))
    let written = 0
    return passages.flatMap(({ point }, index): Death[] => {
      const n = (counts.get(point) ?? 0) + 1
      counts.set(point, n)
      if (point === 'after-batch') written += 1
      if (!worth.has(index)) return []
      const durable = written === writes ? 'all' : written === 0 ? 'none' : 'some'
      const [from, to] = [lengths[move] ?? 0, lengths[move + 1] ?? 0]
      return [{ walk, move, point, n, durable, shape, from, to }]
    })
  })
}

/** What two runs of one walk have in common: no ids, no times. */
export function shapeOf(log: readonly SessionEvent[]): string[] {
  return log.map((event) => {
    switch (event.type) {
      case 'turn/end':
        return `${event.type} ${event.data.turn} ${event.data.reason}`
      case 'tool/call':
        return `${event.type} ${event.data.name}`
      case 'tool/result':
        return `${event.type} ${event.data.name} ${event.data.error?.code ?? 'ok'}`
      case 'user/message':
      case 'steering/message': {
        const { source } = event.data.message
        return `${event.type} ${source.kind}${'taskSurface' in source ? ' answer' : ''}`
      }
      case 'approval/decided':
        return `${event.type} ${event.data.decision}`
      case 'session/rewound':
        return `${event.type} ${event.data.toSeq}`
      default:
        return event.type
    }
  })
}

/** Each place to die once: a beginning that two walks share is walked by the first of them. */
export function distinct(found: readonly Death[]): Death[] {
  const known = new Map<string, Death>()
  for (const death of found) {
    const { walk, move, point, n } = death
    const key = JSON.stringify([walk.moves.slice(0, move + 1), point, n])
    if (!known.has(key)) known.set(key, death)
  }
  return [...known.values()]
}
