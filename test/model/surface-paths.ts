/* What of the surface machine a live host can be brought to do, and how one configuration is called in a trace. Shared
   by the two ways of running the paths of the machine: over a socket, and through a page. */
import type { EventFrom, SnapshotFrom } from 'xstate'
import { surfacePaths } from '../../machines/path-models.ts'
import {
  lifecyclePaths,
  longestOnly,
  refusals,
  type LifecyclePath,
  type PathModel,
  type Refusal,
} from '../../machines/paths.ts'
import { pendingOf, type surfaceMachine } from '../../machines/surface.ts'
import type { DiscardReason } from '../../shared/message.ts'
import type { Pair } from './walked-paths.ts'

export type SurfaceEvent = EventFrom<typeof surfaceMachine>
export type SurfaceSnapshot = SnapshotFrom<typeof surfaceMachine>
export type SurfacePath = LifecyclePath<typeof surfaceMachine>

/** The rule that decides an event, for the names of the tests. */
export const ruleOf: Readonly<Record<SurfaceEvent['type'], string>> = {
  SUBMIT: 'one-submission',
  CLAIM: 'one-submission',
  COMMIT: 'close-by-log',
  DISCARD: 'discard-reopens',
  DISMISS: 'no-dismiss-pending',
  BYPASS: 'close-by-log',
  SUPERSEDE: 'close-by-log',
  REMOVE: 'closed-once',
}

/** Of a row in the queue its removal, of a claimed one an interrupt. */
const discardReasonIn = (snapshot: SurfaceSnapshot): DiscardReason =>
  snapshot.matches({ live: 'claiming' }) ? 'cancelled' : 'removed'

/**
 * A live host opens no surface over an open one, so nothing is superseded; and only one row is claimed at a time, so nothing
 * bypasses a claimed submission. A machine does not know whether an id is new; a host does, so every SUBMIT is of its own.
 */
export const hostPaths: PathModel<typeof surfaceMachine> = {
  ...surfacePaths,
  events: (snapshot) =>
    surfacePaths
      .events(snapshot)
      .filter(
        (event) =>
          event.type !== 'SUPERSEDE' &&
          !(event.type === 'BYPASS' && snapshot.matches({ live: 'claiming' })) &&
          !(event.type === 'SUBMIT' && event.submissionId !== 'submission-1'),
      )
      .map((event) => (event.type === 'DISCARD' ? { ...event, reason: discardReasonIn(snapshot) } : event)),
}

export const describePath = ({ steps }: SurfacePath): string => steps.map(({ event }) => event.type).join(' → ')

/** Every edge and every simple path, once, without those that another begins with. */
export const walkedPaths = (): SurfacePath[] => {
  const paths = [...lifecyclePaths(hostPaths, 'edges'), ...lifecyclePaths(hostPaths, 'simple')]
  // What a path does follows from the types of its events: the reason of a discard hangs on where it stands.
  return longestOnly([...new Map(paths.map((path) => [describePath(path), path])).values()])
}

const endOf = ({ path }: Refusal<typeof surfaceMachine>): SurfaceSnapshot => path.steps.at(-1)?.snapshot ?? path.start

/** No client can ask for a second claim; and removing the session of a closed surface removes all that could be looked at. */
export const hostRefusals = (): Refusal<typeof surfaceMachine>[] =>
  refusals(hostPaths).filter((refusal) => {
    const at = endOf(refusal)
    if (refusal.event.type === 'CLAIM') return !at.matches({ live: 'claiming' })
    return refusal.event.type !== 'REMOVE' || at.context.closed === 'removed'
  })

/**
 * CLAIM and COMMIT are steps of the host: where it does not take them, a person has nothing to press. A session is removed
 * once, and a removed one has neither page nor socket to try anything with.
 */
export const pageRefusals = (): Refusal<typeof surfaceMachine>[] =>
  refusals(hostPaths).filter(
    (refusal) => endOf(refusal).context.closed !== 'removed' && pressed.has(refusal.event.type),
  )

const pressed = new Set<SurfaceEvent['type']>(['SUBMIT', 'DISMISS', 'DISCARD', 'BYPASS'])

/** Open, queued, claiming, or how it closed; an open one with the reason of the discard that opened it again. */
export function standingOf(snapshot: SurfaceSnapshot): string {
  const { closed, discarded } = snapshot.context
  if (closed !== null) return closed
  return pendingOf(snapshot)?.phase ?? (discarded === null ? 'open' : `open, ${discarded}`)
}

/** Why a pair of state and event never comes up on a host; null where it may. */
export function cannotOfSurface({ state, event, isRefusal }: Pair): string | null {
  if (event === 'SUPERSEDE') return 'a live host opens no surface over an open one'
  return isRefusal && event === 'CLAIM' && state === 'live.claiming' ? 'there is one claim at a time' : null
}

export function cannotOfSurfaceInPage(pair: Pair): string | null {
  if (pair.isRefusal && (pair.event === 'CLAIM' || pair.event === 'COMMIT')) {
    return 'a step of the host: a person has nothing to press for it'
  }
  if (pair.isRefusal && pair.event === 'REMOVE') return 'a removed session has no page'
  return cannotOfSurface(pair)
}
