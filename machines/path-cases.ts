/* Lifecycle paths as plain data: what to do, what must be seen after each step, what must then be refused. What the
   command line prints, what generated test files hold, and what `conformance.ts` runs.

   A case is whole: it begins with a new lifecycle and needs no other case. Cases of the strategy `edges` walk every
   accepted pair of configuration and event, and try every refused one; those of `shortest` and `simple` only walk. */
import type { AnyStateMachine, SnapshotFrom } from 'xstate'
import type { Json, JsonObject } from '../shared/json.ts'
import type { NamedPaths } from './path-models.ts'
import { lifecyclePaths, longestOnly, refusals, type LifecyclePath, type PathStrategy } from './paths.ts'

export type LifecycleEvent = JsonObject & { type: string }

export interface LifecycleState {
  /** Innermost state below the machine: `live.open`. */
  state: string
  context: JsonObject
}

export interface PathCase {
  /** Unique among the cases of a machine and strategy. */
  title: string
  /** Where a new lifecycle begins. */
  start: LifecycleState
  steps: readonly (LifecycleState & { event: LifecycleEvent })[]
  /** Sent one after another where the steps end: none may change anything. */
  refused: readonly LifecycleEvent[]
}

export function pathCases({ all, simple, beyond }: NamedPaths, strategy: PathStrategy): PathCase[] {
  if (strategy !== 'edges') return walkCases(strategy === 'simple' ? simple : all, strategy)
  const models = beyond === undefined ? [all] : [all, beyond]
  const cases = models.flatMap((model) => [...walkCases(model, 'edges'), ...refusalCases(model)])
  // Models begin alike.
  return [...new Map(cases.map((each) => [each.title, each])).values()]
}

function walkCases(model: NamedPaths['all'], strategy: PathStrategy): PathCase[] {
  return longestOnly(lifecyclePaths(model, strategy)).map((path) => caseOf(path, []))
}

/** `SUBMIT submission-1 message-1`: an event in one line. */
export function eventText({ type, ...payload }: LifecycleEvent): string {
  const parts = Object.entries(payload).map(([key, value]) =>
    typeof value === 'string' ? value : `${key}=${JSON.stringify(value)}`,
  )
  return [type, ...parts].join(' ')
}

/** The way in one line; of a long one its beginning and its end. */
export function stepsText(steps: readonly { event: LifecycleEvent }[]): string {
  if (steps.length === 0) return 'the start'
  const texts = steps.map(({ event }) => eventText(event))
  const left = texts.length - longestText
  return (left > 1 ? [...texts.slice(0, 4), `${left} more`, ...texts.slice(left + 4)] : texts).join(' → ')
}

/** Steps. Only a turn at its limit takes more. */
const longestText = 40

/** One case a configuration: refusals change nothing, so one follows the other. */
function refusalCases(model: NamedPaths['all']): PathCase[] {
  const eventsByPath = new Map<LifecyclePath, LifecycleEvent[]>()
  for (const { path, event } of refusals(model)) {
    const events = eventsByPath.get(path)
    if (events === undefined) eventsByPath.set(path, [toEvent(event)])
    else events.push(toEvent(event))
  }
  return [...eventsByPath].map(([path, events]) => caseOf(path, events))
}

function caseOf({ start, steps }: LifecyclePath, refused: readonly LifecycleEvent[]): PathCase {
  const shown = steps.map(({ event, snapshot }) => ({ event: toEvent(event), ...lifecycleState(snapshot) }))
  const way = stepsText(shown)
  const title = refused.length === 0 ? way : `after ${way}: ${refused.map(eventText).join(', ')} refused`
  return { title, start: lifecycleState(start), steps: shown, refused }
}

export function lifecycleState({ value, context }: SnapshotFrom<AnyStateMachine>): LifecycleState {
  return { state: innermost(toJson(value)), context: objectOf(toJson(context)) }
}

function innermost(value: Json): string {
  if (typeof value === 'string') return value
  return Object.entries(objectOf(value))
    .map(([name, inner]) => `${name}.${innermost(inner)}`)
    .join(' ')
}

function toEvent(event: { type: string }): LifecycleEvent {
  return { ...objectOf(toJson(event)), type: event.type }
}

/** Events and contexts are JSON by the machines' own rules; tests hold them to it. */
function toJson(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value))
  return json
}

function objectOf(value: Json): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('no JSON object')
  return value
}
