/* The executable contract of a lifecycle: every path and every refusal of a machine, run against any implementation
   that a driver can send events to and read the state of. Knows no test runner, no transport and no clock.

   - A driver decides nothing. It does what stands for an event and answers once that has had its effect.
   - It shows as much as its implementation lets be seen: of `context` the members it returns are compared, and no other.
     The report names them, so that a driver that shows little does not pass for one that shows all.
   - What it cannot bring its implementation to do, it says by `cannot`; the report counts and lists that. */
import type { Json, JsonObject } from '../shared/json.ts'
import {
  eventText,
  pathCases,
  stepsText,
  type LifecycleEvent,
  type LifecycleState,
  type PathCase,
} from './path-cases.ts'
import { pathModels } from './path-models.ts'

export type { LifecycleEvent, LifecycleState, PathCase } from './path-cases.ts'

export interface ConformanceDriver {
  /** A new lifecycle. `events` are those that will be sent, for implementations that must prepare. */
  start(events: readonly LifecycleEvent[]): ConformanceSession | Promise<ConformanceSession>
  /** Why `event` cannot be brought about, or tried, in this state; null where it can. Left out: everything can. */
  cannot?(event: LifecycleEvent, at: LifecycleState): string | null
}

export interface ConformanceSession {
  /**
   * Does what stands for the event, or tries to. Answers once it has had its effect: whether it was accepted, where the
   * implementation says so. Throws only where the implementation breaks.
   */
  send(event: LifecycleEvent): boolean | void | Promise<boolean | void>
  /** What can be seen now. `context` may leave members out. */
  read(): Seen | Promise<Seen>
  /** After the last event, also of a case that failed. */
  end?(): void | Promise<void>
}

export interface Seen {
  state: string
  context?: JsonObject
}

/** One difference ends its case. */
export class ConformanceError extends Error {
  /** Events up to the one after which the difference was seen. */
  readonly path: string
  readonly expected: Seen | 'accepted' | 'refused'
  /** An error's message where the implementation broke. */
  readonly seen: Seen | string

  constructor(path: string, expected: ConformanceError['expected'], seen: ConformanceError['seen'], cause?: unknown) {
    super(`after ${path}\n  expected ${JSON.stringify(expected)}\n  seen     ${JSON.stringify(seen)}`, { cause })
    this.name = 'ConformanceError'
    this.path = path
    this.expected = expected
    this.seen = seen
  }
}

export interface CaseResult {
  /** False: the driver cannot walk the path, or try any of its refusals. */
  ran: boolean
  /** Events that were not sent, because the driver cannot bring them about, or one before them. */
  leftOut: { event: string; after: string; why: string }[]
  /** Members of the context that were compared. */
  compared: Set<string>
}

/** Runs one case. Rejects with a `ConformanceError`. */
export async function runCase(driver: ConformanceDriver, { start, steps, refused }: PathCase): Promise<CaseResult> {
  const result: CaseResult = { ran: true, leftOut: [], compared: new Set() }
  const planned = plan(driver, { start, steps, refused }, result)
  const session = await driver.start(planned.map(({ event }) => event))
  try {
    await look(session, start, () => 'the start', result)
    for (const [index, { event, after, isAccepted }] of planned.entries()) {
      const way = () => stepsText(planned.slice(0, index + 1))
      await attempt(session, event, isAccepted, way)
      await look(session, after, way, result)
    }
  } finally {
    await session.end?.()
  }
  return result
}

interface Planned {
  event: LifecycleEvent
  after: LifecycleState
  isAccepted: boolean
}

/** What of the case this driver can do. A path ends where it cannot go on, and with it what is refused at its end. */
function plan({ cannot }: ConformanceDriver, { start, steps, refused }: Omit<PathCase, 'title'>, result: CaseResult) {
  const planned: Planned[] = []
  let at = start
  let barred: string | null = null
  const take = (event: LifecycleEvent, after: LifecycleState, isAccepted: boolean): string | null => {
    const why = barred ?? cannot?.(event, at) ?? null
    if (why === null) planned.push({ event, after, isAccepted })
    else result.leftOut.push({ event: eventText(event), after: stepsText(planned), why })
    return why
  }
  for (const { event, state, context } of steps) {
    const after = { state, context }
    barred = take(event, after, true)
    if (barred === null) at = after
  }
  const tried = refused.filter((event) => take(event, at, false) === null)
  result.ran = barred === null && (refused.length === 0 || tried.length > 0)
  return planned
}

async function attempt(
  session: ConformanceSession,
  event: LifecycleEvent,
  isAccepted: boolean,
  way: () => string,
): Promise<void> {
  let answer: boolean | void
  try {
    answer = await session.send(event)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new ConformanceError(way(), isAccepted ? 'accepted' : 'refused', message, cause)
  }
  if (typeof answer !== 'boolean' || answer === isAccepted) return
  throw new ConformanceError(way(), isAccepted ? 'accepted' : 'refused', answer ? 'accepted' : 'refused')
}

async function look(
  session: ConformanceSession,
  { state, context }: LifecycleState,
  way: () => string,
  result: { compared: Set<string> },
): Promise<void> {
  const seen = await session.read()
  const expected: Seen = { state }
  if (seen.context !== undefined) {
    const shown: JsonObject = {}
    for (const key of Object.keys(seen.context)) {
      result.compared.add(key)
      if (context[key] !== undefined) shown[key] = context[key]
    }
    expected.context = shown
  }
  if (!isEqual(expected.state, seen.state) || !isEqual(expected.context ?? null, seen.context ?? null)) {
    throw new ConformanceError(way(), expected, seen)
  }
}

export interface ConformanceReport {
  machine: string
  cases: number
  failures: { title: string; error: ConformanceError }[]
  leftOut: CaseResult['leftOut']
  /** Members of the context that the driver showed, in order; those it never showed. */
  compared: string[]
  notCompared: string[]
}

/** Names of the machines that have a contract. */
export const conformanceMachines: readonly string[] = Object.keys(pathModels)

/** Every path and every refusal of a machine; throws for a name that is none. */
export function conformanceCases(machine: string): PathCase[] {
  const model = Object.hasOwn(pathModels, machine) ? pathModels[machine] : undefined
  if (model === undefined) throw new Error(`there is no machine ${machine}`)
  return pathCases(model, 'edges')
}

/**
 * Runs the whole contract of a machine, `parallel` cases at a time, and reports what differs. What is no difference but a
 * broken driver (`start`, `read` or `end` throws) rejects.
 */
export async function runConformance(
  machine: string,
  driver: ConformanceDriver,
  { parallel = 1 }: { parallel?: number } = {},
): Promise<ConformanceReport> {
  const cases = conformanceCases(machine)
  const report: ConformanceReport = {
    machine,
    cases: cases.length,
    failures: [],
    leftOut: [],
    compared: [],
    notCompared: [],
  }
  const compared = new Set<string>()
  const waiting = cases.values()
  const work = async () => {
    for (const each of waiting) {
      try {
        const result = await runCase(driver, each)
        report.leftOut.push(...result.leftOut)
        for (const key of result.compared) compared.add(key)
      } catch (error) {
        if (!(error instanceof ConformanceError)) throw error
        report.failures.push({ title: each.title, error })
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  const known = Object.keys(cases[0]?.start.context ?? {})
  report.compared = [...compared].toSorted()
  report.notCompared = known.filter((key) => !compared.has(key)).toSorted()
  return report
}

/** JSON equality, whatever the order of keys. */
function isEqual(left: Json, right: Json): boolean {
  if (left === right) return true
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const [ours, theirs] = [Object.entries(left), new Map(Object.entries(right))]
  return (
    ours.length === theirs.size &&
    ours.every(([key, value]) => {
      const other = theirs.get(key)
      return other !== undefined && isEqual(value, other)
    })
  )
}
