/* Dies at every place of every path of one machine, and looks after each death. Lanes share nothing, so they run side by
   side. Counts what was seen from outside: a host that ended by SIGKILL while it was waited for. */
import type { FaultPoint } from '../../host/log/fault-points.ts'
import { lookAfter, type Victim } from './after-death.ts'
import type { CrashWalk } from './crash-walk.ts'
import { Lane } from './lane.ts'
import { orphansOf } from './orphans.ts'
import { distinct, survey, type Death } from './survey.ts'

export interface Figures {
  machine: string
  paths: number
  moves: number
  /** Places that were to be died at, and deaths there. */
  places: number
  kills: Partial<Record<FaultPoint, number>>
  /** Places that did not come again. */
  missed: string[]
  failures: string[]
  /** What `task-surface verify` said of each folder. */
  verified: string[]
}

export interface MatrixOptions {
  machine: string
  walks: readonly CrashWalk[]
  lanes: number
  /** Every how many places are died at; 1 is all. */
  every: number
  say(line: string): void
}

/** Hosts on one folder before it is verified as a whole and another one begun. */
const livesOfFolder = 40
/** A place that did not come is tried once more. */
const attempts = 3
/** A fault shows in hundreds of places: the first ones tell it. */
const maxFailures = 20

export async function runMatrix(options: MatrixOptions): Promise<Figures> {
  const { machine, walks, say } = options
  const figures: Figures = {
    machine,
    paths: walks.length,
    moves: 0,
    places: 0,
    kills: {},
    missed: [],
    failures: [],
    verified: [],
  }
  figures.moves = new Set(
    walks.flatMap(({ moves }) => moves.map((_, index) => JSON.stringify(moves.slice(0, index + 1)))),
  ).size
  const lanes = await Promise.all(Array.from({ length: options.lanes }, (_, index) => Lane.open(`${machine}-${index}`)))
  try {
    const found = await surveyAll(lanes, walks)
    const deaths = distinct(found).filter((_, index) => index % options.every === 0)
    figures.places = deaths.length
    say(`${machine}: ${walks.length} paths, ${figures.moves} moves, ${deaths.length} places to die`)
    const waiting = deaths.map((death) => ({ death, attempt: 1 }))
    await Promise.all(lanes.map((lane) => runLane(lane, waiting, figures, say)))
    return figures
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()))
  }
}

async function surveyAll(lanes: readonly Lane[], walks: readonly CrashWalk[]): Promise<Death[]> {
  const waiting = [...walks.entries()]
  const found: Death[][] = []
  await Promise.all(
    lanes.map(async (lane) => {
      await lane.start()
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, walk] = next
        found[index] = await survey(lane, walk)
      }
      await lane.renew()
    }),
  )
  return found.flat()
}

async function runLane(
  lane: Lane,
  waiting: { death: Death; attempt: number }[],
  figures: Figures,
  say: (line: string) => void,
): Promise<void> {
  let victim: Victim | null = null
  const fail = (death: Death, cause: unknown) => {
    const why = cause instanceof Error ? cause.stack : String(cause)
    figures.failures.push(`${placeOf(death)}\n${why}\n${lane.host.stderr}`)
    say(`FAILED   ${placeOf(death)}\n${why}`)
  }
  const settle = async () => {
    if (victim === null) return
    const { death } = victim
    try {
      const orphans = orphansOf(lane.home, lane.host.ready.pid)
      if (orphans.length > 0) throw new Error(`left over: ${orphans.join(', ')}`)
      await lookAfter(victim, lane.host.ready, lane.model)
    } catch (cause) {
      fail(death, cause)
    }
    victim = null
  }
  await lane.start()
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { death, attempt } = next
    if (figures.failures.length >= maxFailures) break
    if (lane.lives >= livesOfFolder) {
      await settle()
      figures.verified.push(await lane.renew())
      await lane.start()
    }
    await settle()
    victim = await die(lane, death).catch((cause: unknown) => {
      fail(death, cause)
      return null
    })
    if (!lane.host.isRunning && victim === null) {
      await lane.start()
      continue
    }
    if (victim !== null) {
      figures.kills[death.point] = (figures.kills[death.point] ?? 0) + 1
      say(`SIGKILL  ${placeOf(death)}`)
      await lane.start()
    } else if (attempt < attempts) waiting.push({ death, attempt: attempt + 1 })
    else figures.missed.push(placeOf(death))
  }
  await settle()
  figures.verified.push(await lane.renew())
}

function placeOf({ walk, move, point, n }: Death): string {
  return `${point} ${n}  ${walk.title}  in ${walk.moves[move]}`
}

/** Walks until the host is gone; null where it never died. */
async function die(lane: Lane, death: Death): Promise<Victim | null> {
  const { walk, point, n } = death
  const { host } = lane
  const walking = await walk.begin(lane.stage)
  lane.passages.clear()
  lane.passages.plan(point, n, walking.subjects)
  let isOver = false
  const gone = host.exited.then((exit) => {
    if (!isOver) walking.changes.fail(new Error('the host is gone'))
    return exit
  })
  try {
    for (const index of walk.moves.keys()) await walking.move(index)
    lane.passages.clear()
    // What died behind the last move does not answer any more.
    await walking.client.call('host.describe', {})
  } catch (cause) {
    const exit = await Promise.race([gone, afterMoment()])
    if (exit === null) throw new Error(`${placeOf(death)}: ${String(cause)}`, { cause })
    if (exit.signal !== 'SIGKILL') throw new Error(`the host ended by itself: ${JSON.stringify(exit)}\n${host.stderr}`)
  } finally {
    isOver = true
    walking.leave()
    walking.client.drop()
  }
  return host.isRunning ? null : { death, walking }
}

/** A request may fail because its socket closed, a moment before the end of the process is seen. */
function afterMoment(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, 5_000, null))
}
