/* What the host notes of its actors, held against the machines themselves: every pair of configuration and event they
   have, each entry, each frame, and who is listed as alive. Sockets are lists here. */
import { expect, it } from 'vitest'
import { createActor, setup, type AnyStateMachine, type EventObject } from 'xstate'
import { Journal } from '../../../host/lifecycles/journal.ts'
import { Lifecycles } from '../../../host/lifecycles/lifecycles.ts'
import { Watching } from '../../../host/lifecycles/watching.ts'
import { lifecyclePaths, refusals, type PathModel } from '../../../machines/paths.ts'
import { pathModels } from '../../../machines/path-models.ts'
import { sessionMachine } from '../../../machines/session.ts'
import { turnMachine } from '../../../machines/turn.ts'
import { sessionIdSchema } from '../../../shared/ids.ts'
import { inspectFrameSchema, type InspectFrame } from '../../../shared/protocol/frames.ts'
import { createMemoryJournal } from '../../harness/memory-journal.ts'
import { settled, StillClock } from '../tasks/still-clock.ts'

const sessionId = sessionIdSchema.parse('session-1')

/** `show` may fail, as a socket library may. */
function open({ show = () => {} }: { show?: (text: string) => void } = {}) {
  const frames: InspectFrame[] = []
  const errors: string[] = []
  const logger = { info: () => {}, warn: () => {}, error: (_: object, message: string) => void errors.push(message) }
  const clock = new StillClock()
  const fanout = {
    subscribers: (topic: string) => (topic === 'inspect' ? 1 : 0),
    publish(topic: string, text: string) {
      if (topic !== 'inspect') return
      show(text)
      frames.push(inspectFrameSchema.parse(JSON.parse(text)))
    },
  }
  const journal = new Journal({ store: createMemoryJournal(), clock, logger })
  const lifecycles = new Lifecycles({ journal, watching: new Watching(fanout), clock, logger })
  const start = <Machine extends AnyStateMachine>(machine: Machine, actorId: string, input?: unknown) => {
    const observed = lifecycles.observed<AnyStateMachine>(machine, { actorId, machine: machine.id, sessionId })
    return createActor(observed, { input }).start()
  }
  return { lifecycles, journal, frames, errors, start }
}

const ofHost = ['session', 'turn', 'surface', 'question', 'approval', 'task'] as const

/** One way to each event in each state, taken and refused; what a finished actor is sent never reaches its machine. */
function casesOf(model: PathModel): { events: EventObject[]; accepted: boolean }[] {
  const taken = lifecyclePaths(model, 'edges').map(({ start, steps }) => ({ start, steps, event: steps.at(-1)?.event }))
  const refused = refusals(model).map(({ path, event }) => ({ ...path, event }))
  const cases = new Map<string, { events: EventObject[]; accepted: boolean }>()
  for (const { start, steps, event } of [...taken, ...refused]) {
    const accepted = event === steps.at(-1)?.event
    const before = accepted ? steps.slice(0, -1) : steps
    const { value, status } = before.at(-1)?.snapshot ?? start
    const key = JSON.stringify([value, event?.type, accepted])
    if (event === undefined || status !== 'active' || cases.has(key)) continue
    cases.set(key, { events: [...before.map((step) => step.event), event], accepted })
  }
  return [...cases.values()]
}

it.each(ofHost)(
  'after-the-fact: whatever %s takes or refuses is noted as that, also where it only permits',
  async (name) => {
    const model = pathModels[name]?.all
    if (model === undefined) throw new Error(`no paths of ${name}`)
    const { frames, start } = open()
    const cases = casesOf(model)
    expect(new Set(cases.flatMap(({ events }) => events.map(({ type }) => type)))).toEqual(
      new Set(model.machine.events),
    )
    for (const [index, { events, accepted }] of cases.entries()) {
      const actor = start(model.machine, `${name}:${index}`, model.input)
      await settled()
      const states: unknown[] = [null, actor.getSnapshot().value]
      for (const event of events) {
        actor.send(event)
        states.push(actor.getSnapshot().value)
      }
      expect(frames.splice(0).map(({ entry }) => [entry.accepted, entry.from, entry.to])).toEqual(
        states.slice(1).map((to, at) => [at < events.length || accepted, states[at], to]),
      )
    }
  },
)

it('told-in-order: an entry that could not be shown is no gap for the next one', async () => {
  let fails = false
  const show = () => {
    if (fails) throw new Error('the socket library fails')
  }
  const { journal, errors, start } = open({ show })
  const actor = start(sessionMachine, 'session:1')
  await settled()
  fails = true
  actor.send({ type: 'CALL' })
  fails = false
  actor.send({ type: 'COMMIT' })
  expect(errors).toEqual(['a transition was not noted'])
  expect(actor.getSnapshot().value).toEqual({ live: 'running' })
  const { entries } = await journal.read(sessionId, 0, 10)
  expect(entries.map(({ from, to }) => [from, to])).toEqual([
    [null, { live: 'idle' }],
    [{ live: 'idle' }, { live: 'calling' }],
    [{ live: 'calling' }, { live: 'running' }],
  ])
})

it('resting: what happens inside names the durable event, and nothing does afterwards, however it ended', async () => {
  const { lifecycles, frames, start } = open()
  const actor = start(sessionMachine, 'session:1')
  lifecycles.resting(7, () => actor.send({ type: 'CALL' }))
  actor.send({ type: 'INTERRUPT' })
  expect(() => {
    lifecycles.resting(9, () => {
      actor.send({ type: 'COMMIT' })
      throw new Error('the work fails')
    })
  }).toThrow('the work fails')
  actor.send({ type: 'TURN_ENDED' })
  await settled()
  expect(frames.map(({ entry }) => entry.event)).toEqual([
    { type: 'xstate.init' },
    { type: 'CALL', cause: { seq: 7 } },
    { type: 'INTERRUPT' },
    { type: 'COMMIT', cause: { seq: 9 } },
    { type: 'TURN_ENDED' },
  ])
})

it('live: frames carry the snapshot behind their transition, and a list of actors the same', async () => {
  const { lifecycles, frames, start } = open()
  const actor = start(sessionMachine, 'session:1')
  for (const type of ['CALL', 'INTERRUPT', 'COMMIT', 'TURN_ENDED'] as const) {
    actor.send({ type })
    await settled()
    const { status, value, context } = actor.getSnapshot()
    expect(frames.at(-1)?.snapshot).toEqual({ status, value, context })
    expect(lifecycles.actors(sessionId).map(({ snapshot }) => snapshot)).toEqual([{ status, value, context }])
  }
})

it('live: an actor that finished, was stopped or failed is listed no longer', () => {
  const failing = setup({ guards: { fails: () => raise('a bug in a guard') } }).createMachine({
    id: 'failing',
    on: { GO: { guard: 'fails' } },
  })
  const { lifecycles, start } = open()
  const ids = () => lifecycles.actors(undefined).map(({ actorId }) => actorId)
  const [finished, stopped, failed] = [
    start(sessionMachine, 'session:1'),
    start(turnMachine, 'turn:1', { turn: 1 }),
    start(failing, 'failing:1'),
  ]
  expect(ids()).toEqual(['session:1', 'turn:1', 'failing:1'])
  finished.send({ type: 'END' })
  expect(ids()).toEqual(['turn:1', 'failing:1'])
  stopped.stop()
  expect(ids()).toEqual(['failing:1'])
  failed.subscribe({ error: () => {} })
  failed.send({ type: 'GO' })
  expect(failed.getSnapshot().status).toBe('error')
  expect(ids()).toEqual([])
})

function raise(message: string): never {
  throw new Error(message)
}
