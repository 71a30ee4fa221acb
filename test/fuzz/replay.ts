/* The machines as an oracle, and what a run has touched: every transition that a host tells of is made again by the pure
   machine, which must take it or refuse it alike and come to the same state. Counts the arrows taken on the way. */
import { isDeepStrictEqual } from 'node:util'
import {
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  type StateValue,
} from 'xstate'
import { z } from 'zod'
import { chartOf, type Chart } from '../../machines/chart.ts'
import { machineById } from '../../machines/definitions.ts'
import type { JournalEntry } from '../../shared/journal.ts'
import { jsonSchema } from '../../shared/json.ts'
import type { InspectFrame } from '../../shared/protocol/frames.ts'
import type { ActorView } from '../../shared/protocol/methods.ts'
import { edgesTaken } from '../model/edges-taken.ts'

const eventSchema = z.looseObject({ type: z.string() })
const stateSchema: z.ZodType<StateValue> = z.union([
  z.string(),
  z.record(
    z.string(),
    z.lazy(() => stateSchema),
  ),
])
const viewSchema = z.object({ value: stateSchema, context: z.unknown() })

/** Those that live in a host. */
export const hostMachines = ['session', 'turn', 'surface', 'question', 'approval', 'task'] as const

const inputByMachine: Readonly<Record<string, object>> = {
  turn: { turn: 1 },
  surface: { surfaceId: 'surface', callId: 'call' },
  question: { questionId: 'question', callId: 'call' },
  approval: { approvalId: 'approval', callId: 'call' },
  task: { taskId: 'task', owner: null },
}

export const chartById: Readonly<Record<string, Chart>> = Object.fromEntries(
  hostMachines.map((id) => [id, chartOf(jsonSchema.parse(JSON.parse(JSON.stringify(machineOf(id).config))))]),
)

/** The actors of one life of one host. */
export class Replay {
  readonly #taken: Map<string, number>
  readonly #atById = new Map<string, AnyMachineSnapshot>()
  /** Of these only a picture is known: what was told of them at that moment may still be on its way. */
  readonly #pictured = new Set<string>()
  /** By session and id, for comparing with the journal. */
  readonly entries = new Map<string, JournalEntry>()
  moves = 0

  /** `taken`: how often each arrow was taken in the whole run, as `machine edge`. */
  constructor(taken: Map<string, number>) {
    this.#taken = taken
  }

  /** The actors that were there before anybody watched. */
  begin(actors: readonly ActorView[]): void {
    for (const { actorId, machine, snapshot } of actors) {
      const { value, context } = viewSchema.parse(snapshot)
      this.#atById.set(actorId, machineOf(machine).resolveState({ value, context }))
      this.#pictured.add(actorId)
    }
  }

  take({ entry, snapshot }: InspectFrame): void {
    this.entries.set(`${entry.sessionId} ${entry.id}`, entry)
    this.moves += 1
    const machine = machineOf(entry.machine)
    const event = eventSchema.parse(entry.event)
    if (event.type === 'xstate.init') {
      this.#atById.set(entry.actorId, startOf(machine, entry))
      return
    }
    const at = this.#atById.get(entry.actorId)
    if (this.#pictured.has(entry.actorId) && !isDeepStrictEqual(at?.value, entry.from)) {
      this.#atById.set(entry.actorId, machine.resolveState(viewSchema.parse(snapshot)))
      return
    }
    this.#pictured.delete(entry.actorId)
    if (at === undefined) throw new Error(`${entry.actorId} moves before it begins: ${JSON.stringify(entry)}`)
    this.#compare(machine, at, event, entry)
  }

  /** Where the actor of a session stands; undefined while it is cold. */
  session(sessionId: string): AnyMachineSnapshot | undefined {
    return this.#atById.get(`session:${sessionId}`)
  }

  #compare(machine: AnyStateMachine, at: AnyMachineSnapshot, event: EventObject, entry: JournalEntry): void {
    const told = JSON.stringify(entry)
    if (!isDeepStrictEqual(at.value, entry.from)) throw new Error(`it stood at ${JSON.stringify(at.value)}: ${told}`)
    const taken = edgesTaken(machine, chartById[machine.id] ?? { id: '', states: [], edges: [] }, at, event)
    if (taken.length > 0 !== entry.accepted) throw new Error(`the machine takes ${taken.join() || 'nothing'}: ${told}`)
    const [next] = transition(machine, at, event)
    if (!isDeepStrictEqual(next.value, entry.to)) throw new Error(`it comes to ${JSON.stringify(next.value)}: ${told}`)
    this.#atById.set(entry.actorId, next)
    for (const id of taken) {
      const key = `${machine.id} ${id}`
      this.#taken.set(key, (this.#taken.get(key) ?? 0) + 1)
    }
  }
}

/** One that was made from the log may begin further on. */
function startOf(machine: AnyStateMachine, { to }: JournalEntry): AnyMachineSnapshot {
  const [initial] = initialTransition(machine, inputByMachine[machine.id])
  if (isDeepStrictEqual(initial.value, to)) return initial
  return machine.resolveState({ value: stateSchema.parse(to), context: initial.context })
}

function machineOf(id: string): AnyStateMachine {
  const machine = machineById[id]
  if (machine === undefined) throw new Error(`there is no machine ${id}`)
  return machine
}
