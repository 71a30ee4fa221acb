/* What of the turn machine a real host is brought to do. The host makes the events itself, out of what the model answers
   and the person does, so what it never makes in a state is left out here, each with its reason in `cannotOfTurn`. */
import { transition } from 'xstate'
import { turnPaths } from '../../machines/path-models.ts'
import { lifecyclePaths, longestOnly, refusals, type LifecyclePath, type PathModel } from '../../machines/paths.ts'
import { maxSteps, type turnMachine } from '../../machines/turn.ts'
import type { Pair } from './walked-paths.ts'

export type TurnPath = LifecyclePath<typeof turnMachine>

/** Two steps and two attempts; the end of a turn is one append, and nothing is done to a turn in between. */
const hostPaths: PathModel<typeof turnMachine> = {
  ...turnPaths,
  events: (snapshot) =>
    turnPaths
      .events(snapshot)
      .filter((event) =>
        snapshot.matches('ending') ? event.type === 'ENDED' : !('reason' in event && event.reason === 'interrupted'),
      ),
  stopsAt: ({ context: { step, attempt } }) => step > 1 || attempt > 1,
}

/** The host ends by itself what is ending: what happened before is looked at there. */
function ended(path: TurnPath): TurnPath {
  const at = path.steps.at(-1)?.snapshot
  if (at?.matches('ending') !== true) return path
  const event = { type: 'ENDED' } as const
  return { ...path, steps: [...path.steps, { event, snapshot: transition(turnPaths.machine, at, event)[0] }] }
}

export const turnWalks = longestOnly(lifecyclePaths(hostPaths, 'edges').map(ended))

/** One state each from which a stopping host cuts a turn. */
export const stoppedWalks: TurnPath[] = (['calling', 'waiting', 'acting'] as const).flatMap((state) => {
  const stopped: PathModel<typeof turnMachine> = {
    ...turnPaths,
    events: (snapshot) =>
      turnPaths
        .events(snapshot)
        .filter((event) =>
          snapshot.matches({ live: state })
            ? event.type === 'INTERRUPT' && event.reason === 'interrupted'
            : event.type !== 'INTERRUPT',
        ),
    stopsAt: ({ context: { step, attempt } }) => step > 0 || attempt > 1,
  }
  return lifecyclePaths(stopped, 'shortest')
    .filter(
      ({ steps }) => steps.at(-1)?.snapshot.context.reason === 'interrupted' && steps.at(-1)?.event.type === 'ENDED',
    )
    .slice(0, 1)
})

/** A model that asks for call after call, up to the bound. */
const endless: PathModel<typeof turnMachine> = {
  ...turnPaths,
  events: () => [
    { type: 'ANSWERED', calls: 1, steering: false, stop: null },
    { type: 'ACTED', concluded: false, steering: false },
    { type: 'ENDED' },
  ],
  stopsAt: ({ context: { step } }) => step > maxSteps,
}
export const endlessWalks = longestOnly(lifecyclePaths(endless, 'shortest'))

export const allTurnWalks = [...turnWalks, ...stoppedWalks, ...endlessWalks]

/** A turn that is over, once for each way it ended. */
export const turnRefusals = [
  ...new Map(
    refusals(hostPaths).flatMap((refusal) => {
      const at = refusal.path.steps.at(-1)?.snapshot
      const isOver = at?.matches('ended') === true && refusal.event.type === 'INTERRUPT'
      return isOver ? [[at.context.reason, refusal] as const] : []
    }),
  ).values(),
]

const ownSteps = new Set(['ANSWERED', 'ACTED', 'FAILED', 'RETRY', 'ENDED'])

/** Why a pair of state and event never comes up on a host; null where it may. */
export function cannotOfTurn({ state, event, isRefusal }: Pair): string | null {
  if (!isRefusal || event === null) return null
  if (ownSteps.has(event)) return 'the host tells the turn of a step once, when it is over, and of nothing else'
  return state === 'ending' ? 'the end is one append: no step is under way that could be cut' : null
}
