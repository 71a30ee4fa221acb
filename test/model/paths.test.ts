/* Path enumeration, and what it shows about the machines: every state and event is walked, a live actor goes where the
   pure machine goes, refusals change nothing, and what must hold in every configuration holds in all of them. */
import { describe, expect, it } from 'vitest'
import { createActor, type AnyStateMachine, type SnapshotFrom } from 'xstate'
import { getStateNodes } from 'xstate/graph'
import { pathModels } from '../../machines/path-models.ts'
import { lifecyclePaths, refusals } from '../../machines/paths.ts'
import { pathOf } from './transition-table.ts'
import { pureModels, pureWalks } from './walked-paths.ts'

/** How many there are; another number means that a machine or its payloads changed. */
const counts: Readonly<Record<string, { shortest: number; simple: number; edges: number; refusals: number }>> = {
  session: { shortest: 404, simple: 2290, edges: 2104, refusals: 7480 },
  turn: { shortest: 157, simple: 149, edges: 240, refusals: 2010 },
  surface: { shortest: 15, simple: 79, edges: 32, refusals: 103 },
  question: { shortest: 4, simple: 4, edges: 3, refusals: 9 },
  approval: { shortest: 4, simple: 4, edges: 3, refusals: 9 },
  task: { shortest: 20, simple: 56, edges: 50, refusals: 90 },
  connection: { shortest: 34, simple: 746, edges: 94, refusals: 216 },
  dock: { shortest: 293, simple: 87, edges: 1713, refusals: 965 },
  composer: { shortest: 9, simple: 503, edges: 51, refusals: 102 },
}

/** Within one event, never between two. */
const passedThrough = new Set(['surface.live.discarded'])

describe.each(Object.entries(pathModels))('%s: paths', (name, named) => {
  const { all, simple } = named
  const shortest = lifecyclePaths(all, 'shortest')
  const edges = lifecyclePaths(all, 'edges')
  const refused = refusals(all)

  it('paths: there are as many as we know of', () => {
    const simplePaths = lifecyclePaths(simple, 'simple')
    expect({
      shortest: shortest.length,
      simple: simplePaths.length,
      edges: edges.length,
      refusals: refused.length,
    }).toEqual(counts[name])
  })

  it('paths: every state is reached and every event is sent', () => {
    const states = new Set(
      shortest.map(({ start, steps }) => `${name}.${pathOf((steps.at(-1)?.snapshot ?? start).value)}`),
    )
    const innermost = getStateNodes(all.machine).filter(({ type }) => type === 'atomic' || type === 'final')
    expect(states).toEqual(new Set(innermost.map(({ id }) => id).filter((id) => !passedThrough.has(id))))
    const sent = new Set(
      [...edges.map(({ steps }) => steps.at(-1)?.event), ...refused.map(({ event }) => event)].map(
        (event) => event?.type,
      ),
    )
    expect(sent).toEqual(new Set(all.machine.events))
  })

  it('paths: a live actor goes every edge as the pure machine does', () => {
    for (const { steps } of pureModels(named).flatMap(pureWalks)) {
      const actor = createActor(all.machine, { input: all.input }).start()
      for (const { event, snapshot } of steps) {
        actor.send(event)
        expect(stateOf(actor.getSnapshot())).toEqual(stateOf(snapshot))
      }
    }
  })

  it('paths: a live actor does nothing at a refusal', () => {
    const actorAt = new Map<unknown, ReturnType<typeof createActor<AnyStateMachine>>>()
    for (const { path, event } of pureModels(named).flatMap((model) => refusals(model))) {
      let actor = actorAt.get(path)
      if (actor === undefined) {
        actor = createActor(all.machine, { input: all.input }).start()
        for (const step of path.steps) actor.send(step.event)
        actorAt.set(path, actor)
      }
      const before = actor.getSnapshot()
      // A finished actor drops whatever comes, and says so on the console.
      if (before.status === 'active') actor.send(event)
      expect(stateOf(actor.getSnapshot())).toEqual(stateOf(before))
    }
  })

  it('paths: context is plain JSON, so that a snapshot can be shown, kept and compared', () => {
    for (const { start, steps } of shortest) {
      const { context } = steps.at(-1)?.snapshot ?? start
      expect(JSON.parse(JSON.stringify(context))).toEqual(context)
    }
  })
})

function stateOf({ value, context, status }: SnapshotFrom<AnyStateMachine>) {
  return { value, context, status }
}
