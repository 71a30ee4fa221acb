/* A machine's whole behaviour as one table, and the check that holds the machine to it. A table has a cell for
   every state × event type: a missing one fails to compile, and so does a state or an event the machine does
   not have. Each case is run twice: by pure `transition`, and by a live actor.

   A case is exact. It names the state afterwards, every part of the context that changes and every effect;
   whatever it leaves out must stay as it was. `to: null` means that the machine does nothing at all. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  createActor,
  initialTransition,
  transition,
  type AnyStateMachine,
  type ContextFrom,
  type EventFrom,
  type EventObject,
  type StateValueFrom,
} from 'xstate'

/** XState's state values name a compound state alone as well; a snapshot never has one of those. */
type CompoundOf<Value> = Value extends object ? keyof Value : never
type PathOf<Value> =
  | Exclude<Extract<Value, string>, CompoundOf<Value>>
  | (Value extends object
      ? { [Key in keyof Value & string]: `${Key}.${PathOf<Value[Key]>}` }[keyof Value & string]
      : never)

/** Every innermost state, as `live.idle`. */
export type StateOf<Machine extends AnyStateMachine> = PathOf<StateValueFrom<Machine>>
type TypeOf<Machine extends AnyStateMachine> = EventFrom<Machine>['type']
type EventOf<Machine extends AnyStateMachine, Type> = Extract<EventFrom<Machine>, { type: Type }>

type PartOf<Context> = {
  readonly [Key in keyof Context]?: Context[Key] extends readonly (infer Item)[] ? readonly Item[] : Context[Key]
}

interface Case<Rule, State, Event, Context, Before> {
  rule: Rule
  /** What sets this case apart from the others of its cell. */
  when?: string
  /** Events between the state's `reach` and this one; they end in the same state. */
  after?: readonly Before[]
  /** Left out: the sample of this type. */
  event?: Event
  /** Null: refused. */
  to: State | null
  /** What changes in the context. */
  context?: PartOf<Context>
  /** Names of the effects, in order. */
  does?: readonly string[]
}

type Cell<Rule, State, Event, Context, Before> =
  | Case<Rule, State, Event, Context, Before>
  | readonly Case<Rule, State, Event, Context, Before>[]

/** `State` may leave out what is only passed through within one event. */
export interface Definition<Machine extends AnyStateMachine, State extends StateOf<Machine>, Rule extends string> {
  /** Under `machines/`; the rule table of its header lists exactly these rules. */
  file: string
  rules: readonly Rule[]
  /** A way to each state, from the start. */
  reach: { [Name in State]: readonly EventFrom<Machine>[] }
  samples: { [Type in TypeOf<Machine>]: EventOf<Machine, Type> }
  table: {
    [Name in State]: {
      [Type in TypeOf<Machine>]: Cell<Rule, State, EventOf<Machine, Type>, ContextFrom<Machine>, EventFrom<Machine>>
    }
  }
}

interface AnyDefinition {
  file: string
  rules: readonly string[]
  reach: Readonly<Record<string, readonly EventObject[]>>
  samples: Readonly<Record<string, EventObject>>
  table: Readonly<Record<string, Readonly<Record<string, Cell<string, string, EventObject, object, EventObject>>>>>
}

interface FlatCase {
  rule: string
  state: string
  before: readonly EventObject[]
  event: EventObject
  to: string | null
  context: object
  does: readonly string[]
  title: string
}

/** Declares the tests of one table; `definition` is checked by `satisfies Definition<…>` where it stands. */
export function describeTable(machine: AnyStateMachine, definition: AnyDefinition, input?: unknown): void {
  const cases = flatten(definition)

  describe(`${machine.id}: the transition table`, () => {
    it('header: the rules in the header of the machine are those of this table, and each guards a cell', () => {
      expect(documentedRules(definition.file)).toEqual([...definition.rules])
      expect(new Set(cases.map(({ rule }) => rule))).toEqual(new Set(definition.rules))
    })

    for (const each of cases) {
      it(each.title, () => {
        checkPure(machine, input, each)
        checkLive(machine, input, each)
      })
    }
  })
}

function checkPure(machine: AnyStateMachine, input: unknown, { before, event, state, ...expected }: FlatCase): void {
  let reached = initialTransition(machine, input)[0]
  for (const each of before) [reached] = transition(machine, reached, each)
  expect(pathOf(reached.value)).toBe(state)
  const [next, effects] = transition(machine, reached, event)
  expect(reached.can(event)).toBe(expected.to !== null)
  expect(pathOf(next.value)).toBe(expected.to ?? state)
  expect(next.context).toEqual({ ...reached.context, ...expected.context })
  expect(effects.map(({ type }) => type)).toEqual(expected.does)
}

function checkLive(machine: AnyStateMachine, input: unknown, { before, event, state, to, context }: FlatCase): void {
  const actor = createActor(machine, { input }).start()
  for (const each of before) actor.send(each)
  const reached = actor.getSnapshot()
  if (reached.status === 'done') {
    // A finished actor drops whatever comes.
    expect(to).toBeNull()
    return
  }
  actor.send(event)
  const next = actor.getSnapshot()
  expect(pathOf(next.value)).toBe(to ?? state)
  expect(next.context).toEqual({ ...reached.context, ...context })
}

function flatten({ table, reach, samples }: AnyDefinition): FlatCase[] {
  return Object.entries(table).flatMap(([state, row]) =>
    Object.entries(row).flatMap(([type, cell]) =>
      [cell].flat().map(({ rule, when, after = [], event = samples[type], to, context = {}, does = [] }) => {
        if (event?.type !== type) throw new Error(`${state} × ${type}: no event of this type`)
        const title = `${rule}: ${state} × ${type}${when === undefined ? '' : ` (${when})`} → ${to ?? 'refused'}`
        return { rule, state, before: [...(reach[state] ?? []), ...after], event, to, context, does, title }
      }),
    ),
  )
}

/** `live.idle` of `{live: 'idle'}`. */
export function pathOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) throw new Error(`no state value: ${String(value)}`)
  return Object.entries(value)
    .map(([name, inner]) => `${name}.${pathOf(inner)}`)
    .join(' ')
}

function documentedRules(file: string): string[] {
  const [header = ''] = readFileSync(new URL(`../../machines/${file}`, import.meta.url), 'utf8').split('*/')
  return [...header.matchAll(/^ *\| ([A-Za-z][A-Za-z-]*) \|/gmu)].flatMap(([, id]) =>
    id === undefined || id === 'rule' ? [] : [id],
  )
}
