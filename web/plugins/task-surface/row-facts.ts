/* What a transcript row says about its surface: open, or how and when it ended, and what was answered. Pure. */
import type { SessionEvent } from '../../../shared/event.ts'
import type { TaskSurfaceId } from '../../../shared/ids.ts'
import { type ClosingReason, closingReason } from '../../../shared/projections/task-surface.ts'
import { openedSurface, type OpenedSurface } from '../../../shared/surface/meta.ts'
import type { TaskSurfaceField } from '../../../shared/surface/model.ts'
import type { SessionState, ToolResult } from '../../session/session-state.ts'
import { activeSurfaceId, outcomesOf } from './session-facts.ts'
import type { SurfaceText } from './strings.ts'

/** `at` is null where the closing event is not loaded; `gone`: closed, nobody here knows how. */
export type Standing =
  | { readonly kind: 'open' }
  | {
      readonly kind: ClosingReason | 'gone'
      readonly at: number | null
      readonly answers: ReadonlyMap<string, unknown> | null
    }

const openedByResult = new WeakMap<ToolResult, { surface: OpenedSurface | null }>()

/** Reading a model takes milliseconds and a row asks with every change, so each result is read once. */
export function surfaceOf(result: ToolResult): OpenedSurface | null {
  const known = openedByResult.get(result) ?? { surface: openedSurface(result.data) }
  openedByResult.set(result, known)
  return known.surface
}

/** The first event after `from` that closes the surface; the window reaches to the newest event. */
function closingEvent(
  events: readonly SessionEvent[],
  result: ToolResult,
  surfaceId: TaskSurfaceId,
): SessionEvent | null {
  const active = { active: { surfaceId, callId: result.data.callId } }
  const from = events.findIndex(({ seq }) => seq > result.seq)
  if (from < 0) return null
  return events.slice(from).find((event) => closingReason(active, event) !== null) ?? null
}

function answersIn(event: SessionEvent | null): ReadonlyMap<string, unknown> | null {
  if (event?.type !== 'user/message') return null
  const { source } = event.data.message
  if (source.kind !== 'user' || !('taskSurface' in source)) return null
  const { taskSurface } = source
  if (typeof taskSurface !== 'object' || taskSurface === null || !('values' in taskSurface)) return null
  const { values } = taskSurface
  return typeof values === 'object' && values !== null ? new Map(Object.entries(values)) : null
}

export function standingOf(state: SessionState, result: ToolResult, surfaceId: TaskSurfaceId): Standing {
  if (activeSurfaceId(state) === surfaceId) return { kind: 'open' }
  const outcome = outcomesOf(state).findLast((one) => one.surfaceId === surfaceId)
  const event =
    outcome === undefined
      ? closingEvent(state.events, result, surfaceId)
      : (state.events.find(({ seq }) => seq === outcome.seq) ?? null)
  const active = { active: { surfaceId, callId: result.data.callId } }
  const kind = outcome?.reason ?? (event === null ? null : closingReason(active, event)) ?? 'gone'
  return { kind, at: event?.time ?? null, answers: kind === 'submitted' ? answersIn(event) : null }
}

export function sameStanding(left: Standing, right: Standing): boolean {
  return left.kind === right.kind && (left.kind === 'open' || right.kind === 'open' || left.at === right.at)
}

function labels(field: Extract<TaskSurfaceField, { options: unknown }>, value: unknown): string[] {
  const ids = Array.isArray(value) ? value : [value]
  return ids.map((id) => field.options.find((option) => option.id === id)?.label ?? String(id))
}

/** One answer in the words of the page. */
export function answerWords(field: TaskSurfaceField, value: unknown, t: SurfaceText): string {
  if (value === undefined) return t('noAnswer')
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? value : t('noAnswer')
    case 'toggle':
      return t(value === true ? 'yes' : 'no')
    case 'choice':
      return labels(field, value).join('; ')
    case 'multi-choice': {
      const chosen = labels(field, value)
      return chosen.length === 0 ? t('noneChosen') : chosen.join('; ')
    }
    case 'order':
      return labels(field, value)
        .map((label, index) => `${index + 1}) ${label}`)
        .join('; ')
  }
}
