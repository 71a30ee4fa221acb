/* What of the session machine a real host is brought to do. Where the host itself makes what comes next, without anybody
   outside in between, a path has that and nothing else; what this leaves out has its reason in `cannotOfSession`. */
import { initialTransition, transition, type EventFrom, type SnapshotFrom } from 'xstate'
import { sessionPaths } from '../../machines/path-models.ts'
import {
  lifecyclePaths,
  longestOnly,
  refusals,
  type LifecyclePath,
  type PathModel,
  type Refusal,
} from '../../machines/paths.ts'
import { maxWakes, type InboxRow, type sessionMachine } from '../../machines/session.ts'
import type { Pair } from './walked-paths.ts'

export type SessionEvent = EventFrom<typeof sessionMachine>
export type SessionSnapshot = SnapshotFrom<typeof sessionMachine>
export type SessionPath = LifecyclePath<typeof sessionMachine>

export const isAnswer = ({ answers }: InboxRow): boolean => answers !== null
export const isSteering = ({ placement }: InboxRow): boolean => placement === 'steering'

/** The types of what the host does next by itself; null where it waits for somebody. */
function ownNext(snapshot: SessionSnapshot): readonly SessionEvent['type'][] | null {
  const { rows, claimed, interruptTurn } = snapshot.context
  if (snapshot.matches({ live: 'boundary' }) && rows.length === 0) return ['CLAIM']
  if (snapshot.matches({ live: 'claiming' }) && claimed === null) return ['ISSUE']
  if (snapshot.matches({ live: 'committing' })) {
    // An ordinary message goes past the surface: it closes, and its answer is given back, before the commit is told.
    const bypasses = claimed !== null && !isAnswer(claimed) && rows.some(isAnswer)
    return bypasses ? ['REMOVE'] : ['COMMIT']
  }
  if (snapshot.matches({ live: 'calling' })) return ['COMMIT']
  if (snapshot.matches({ live: 'running' }) && interruptTurn) return ['TURN_ENDED']
  if (snapshot.matches({ live: 'reloading' })) return ['END', 'RESUME']
  return null
}

/** Nothing happens until somebody outside does something. */
export const isStable = (snapshot: SessionSnapshot): boolean => ownNext(snapshot) === null

/** At most `count` rows that wait or are claimed; in a running turn no surface is open that could be answered. */
const ofRows = (count: number, types: (type: SessionEvent['type']) => boolean): PathModel<typeof sessionMachine> => ({
  ...sessionPaths,
  events: (snapshot) => {
    const { rows, claimed } = snapshot.context
    const own = ownNext(snapshot)
    const present = rows.length + (claimed === null ? 0 : 1)
    return sessionPaths.events(snapshot).filter((event) => {
      if (own !== null) return own.includes(event.type) && !(event.type === 'REMOVE' && !namesAnswer(event, rows))
      if (event.type === 'WAKE' || event.type === 'CALL' || !types(event.type)) return false
      if (event.type !== 'ENQUEUE') return true
      return present < count && !(isAnswer(event.row) && snapshot.matches({ live: 'running' }))
    })
  },
  stopsAt: () => false,
})

const namesAnswer = ({ itemId }: { itemId: string }, rows: readonly InboxRow[]): boolean =>
  rows.some((row) => row.itemId === itemId && isAnswer(row))

const ordering = new Set<SessionEvent['type']>(['ENQUEUE', 'CLAIM', 'ISSUE', 'COMMIT', 'JOIN', 'STEER', 'TURN_ENDED'])

const oneRow = ofRows(1, () => true)
/** What the order of rows hangs on. */
const twoRows = ofRows(2, (type) => ordering.has(type))

/** On to where the host waits for somebody: what happened before is looked at there. */
function settled(path: SessionPath): SessionPath {
  const at = path.steps.at(-1)?.snapshot ?? path.start
  const event = isStable(at) ? undefined : oneRow.events(at).find((own) => at.can(own))
  if (event === undefined) return path
  const [snapshot] = transition(sessionPaths.machine, at, event)
  return settled({ ...path, steps: [...path.steps, { event, snapshot }] })
}

/** Notices alone begin turns, as often as they may, and once more. */
export const wakeWalk: SessionPath = pathOf(
  Array.from({ length: maxWakes }).flatMap((): SessionEvent[] => [
    { type: 'WAKE' },
    { type: 'ISSUE' },
    { type: 'COMMIT' },
    { type: 'TURN_ENDED' },
    { type: 'CLAIM' },
  ]),
)
export const wakeRefusal: Refusal<typeof sessionMachine> = { path: wakeWalk, event: { type: 'WAKE' } }

function pathOf(events: readonly SessionEvent[]): SessionPath {
  const [start] = initialTransition(sessionPaths.machine)
  let at: SessionSnapshot = start
  const steps = events.map((event) => {
    ;[at] = transition(sessionPaths.machine, at, event)
    return { event, snapshot: at }
  })
  return { start, steps }
}

export const sessionWalks = longestOnly(
  [...lifecyclePaths(oneRow, 'edges'), ...lifecyclePaths(twoRows, 'edges')].map(settled),
)

const asked = new Set<SessionEvent['type']>(['EDIT', 'STEER', 'REMOVE', 'INTERRUPT', 'CONFIGURE', 'REWIND'])
const atEnd = new Set<SessionEvent['type']>([...asked, 'ENQUEUE', 'END'])

/** Whatever a client can ask for. After a rewind another actor answers: the one that has ended is past asking. */
export const sessionRefusals = refusals(oneRow).filter(({ path, event }) => {
  const last = path.steps.at(-1)
  const at = last?.snapshot ?? path.start
  if (at.matches('ended')) return path.steps.at(-2)?.event.type !== 'REWIND' && atEnd.has(event.type)
  return isStable(at) && asked.has(event.type)
})

/** Where an append is in flight, and what is made of it is held. */
export const isHeld = (snapshot: SessionSnapshot): boolean =>
  (['committing', 'calling', 'reloading'] as const).some((state) => snapshot.matches({ live: state }))

/** What can come while an append is in flight: as far as the turn, or the end. */
const held: PathModel<typeof sessionMachine> = {
  ...sessionPaths,
  events: (snapshot) => {
    const { rows, claimed } = snapshot.context
    const here = isHeld(snapshot) ? whileHeld : snapshot.matches({ live: 'idle' }) ? fromIdle : untilHeld
    const mayCome = rows.length + (claimed === null || snapshot.matches({ live: 'committing' }) ? 0 : 1) === 0
    return sessionPaths.events(snapshot).filter((event) => {
      if (!here.has(event.type)) return false
      return event.type !== 'ENQUEUE' || (mayCome && !isAnswer(event.row))
    })
  },
  stopsAt: (snapshot) => snapshot.matches({ live: 'running' }),
}
const fromIdle = new Set<SessionEvent['type']>(['ENQUEUE', 'CALL', 'REWIND'])
/** No gate stands before a claim here. */
const untilHeld = new Set<SessionEvent['type']>(['CLAIM', 'ISSUE'])
const whileHeld = new Set<SessionEvent['type']>([...asked, 'ENQUEUE', 'COMMIT', 'END'])

export const heldWalks = longestOnly(
  lifecyclePaths(held, 'edges').filter(({ steps }) => {
    const ending = steps.findIndex(({ event }) => event.type === 'END')
    // Until the append is over only a rewind ends the actor: a removal waits for it.
    return ending === -1 || steps[ending - 1]?.snapshot.matches({ live: 'reloading' }) === true
  }),
)
export const heldRefusals = refusals(held).filter(({ path, event }) => {
  const at = path.steps.at(-1)?.snapshot ?? path.start
  // One rewind waits for the other.
  return isHeld(at) && asked.has(event.type) && !(event.type === 'REWIND' && at.matches({ live: 'reloading' }))
})

const own = new Set(['WAKE', 'CALL', 'CLAIM', 'ISSUE', 'COMMIT', 'DISCARD', 'JOIN', 'TURN_ENDED', 'RESUME'])

/** Why a pair of state and event never comes up on a host; null where it may. */
export function cannotOfSession({ state, event, isRefusal }: Pair): string | null {
  if (state === 'live.committing' && event === 'DISCARD') {
    return 'an append that fails ends the runtime: its claim is not discarded and gone on from'
  }
  if (!isRefusal || event === null) return null
  if (own.has(event) && !(event === 'WAKE' && state === 'live.idle')) {
    return 'the host makes a step of its own only where the machine takes it'
  }
  return event === 'REWIND' && state === 'live.reloading' ? 'one rewind of a session waits for the other' : null
}

const kindOf = (itemId: string) => ({ 'item-1': 'message', 'item-2': 'answer', 'item-3': 'steering' })[itemId] ?? 'none'

/** For the names of tests: types alone would give many paths one name. */
export const detailOf = ({ steps }: SessionPath): string =>
  steps
    .map(({ event }) => {
      if (event.type === 'ENQUEUE') return `ENQUEUE ${kindOf(event.row.itemId)}`
      return 'itemId' in event ? `${event.type} ${kindOf(event.itemId)}` : event.type
    })
    .join(' → ') || 'nothing'
