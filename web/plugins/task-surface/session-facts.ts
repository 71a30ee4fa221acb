/* What a session's mirror says about its open surface, as events of the dock: each fact is told once, when it
   changes. Knows the mirror and the event names, not what follows from them. */
import type { DockMachineEvent } from '../../../machines/dock.ts'
import type { TaskSurfaceId } from '../../../shared/ids.ts'
import {
  type TaskSurfaceOutcomes,
  taskSurfaceOutcomesSchema,
} from '../../../shared/projections/task-surface-outcomes.ts'
import { taskSurfaceProjectionSchema } from '../../../shared/projections/task-surface.ts'
import { type Discarded, projectionOf, type SessionState } from '../../session/session-state.ts'
import type { SessionHandle } from '../../session/session-store.ts'

/** Undefined: the baseline has not said yet. */
export function activeSurfaceId(state: SessionState): TaskSurfaceId | null | undefined {
  const value = taskSurfaceProjectionSchema.safeParse(projectionOf(state, 'taskSurface'))
  return value.success ? (value.data.active?.surfaceId ?? null) : undefined
}

export type Outcome = TaskSurfaceOutcomes['outcomes'][number]

export function outcomesOf(state: SessionState): readonly Outcome[] {
  const value = taskSurfaceOutcomesSchema.safeParse(projectionOf(state, 'taskSurfaceOutcomes'))
  return value.success ? value.data.outcomes : []
}

function rowKey(state: SessionState, surfaceId: TaskSurfaceId | null): string | null {
  const row = state.queue.find(({ source }) => source.kind === 'user' && source.taskSurface?.surfaceId === surfaceId)
  return row === undefined ? null : `${row.id} ${row.placement}`
}

export interface Listener {
  /** The surface the dock is at; facts about others are not told. */
  surfaceId: () => TaskSurfaceId | null
  heard: (event: DockMachineEvent) => void
  /** Every surface known to have ended, again with every change of the list; before `heard` tells of it. */
  settled: (outcome: Outcome) => void
}

/** Tells the state as it stands, then every change. Returns its disposer. */
export function followSession(session: SessionHandle, { surfaceId, heard, settled }: Listener): () => void {
  let last: SessionState | null = null
  let up = false
  let epoch = -1
  let named: TaskSurfaceId | null | undefined
  let row: string | null = null
  let lastDiscarded: Discarded | undefined = session.getState().discarded.at(-1)

  function tellLink(state: SessionState): void {
    const isUp = state.phase === 'live'
    if (isUp === up && (!isUp || state.epoch === epoch)) return
    up = isUp
    epoch = state.epoch
    heard({ type: isUp ? 'UP' : 'DOWN' })
  }
  function tellIdentity(state: SessionState): void {
    const active = state.phase === 'missing' ? null : activeSurfaceId(state)
    if (active === undefined || active === named) return
    named = active
    row = rowKey(state, active)
    heard({ type: 'IDENTITY', surfaceId: active, attempt: null, touched: false })
  }
  function tellOutcome(state: SessionState): void {
    const active = activeSurfaceId(state)
    const outcomes = outcomesOf(state).filter((one) => one.surfaceId !== active)
    for (const outcome of outcomes) settled(outcome)
    const own = outcomes.findLast((one) => one.surfaceId === surfaceId())
    if (own !== undefined) heard({ type: 'OUTCOME', surfaceId: own.surfaceId, reason: own.reason })
  }
  function tellDiscards({ discarded }: SessionState): void {
    const news = discarded.slice(lastDiscarded === undefined ? 0 : discarded.lastIndexOf(lastDiscarded) + 1)
    lastDiscarded = discarded.at(-1)
    for (const { messageId, reason, why } of news) heard({ type: 'DISCARDED', messageId, reason, why })
  }
  function tellPending(state: SessionState, before: SessionState | null): void {
    const at = surfaceId()
    if (at === null) return
    const pending = state.pendingBySurface.get(at)
    if (pending !== undefined && pending !== before?.pendingBySurface.get(at)) {
      heard({ type: 'PENDING', surfaceId: at, pending })
    }
    const now = rowKey(state, at)
    if (now === row) return
    row = now
    heard({ type: 'ROW_CHANGED' })
  }

  function look(): void {
    const state = session.getState()
    if (state === last) return
    const before = last
    last = state
    tellLink(state)
    tellIdentity(state)
    if (state.projections !== before?.projections) tellOutcome(state)
    if (state.discarded !== before?.discarded) tellDiscards(state)
    if (state.pendingBySurface !== before?.pendingBySurface || state.queue !== before?.queue) tellPending(state, before)
  }

  look()
  return session.subscribe(look)
}
