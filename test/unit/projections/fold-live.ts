/* Folds a log the way a runtime does: event by event, each as if it had just become durable, folding again from the log
   when a rewind asks for it. */
import type { SkippedRanges } from '../../../shared/counted.ts'
import type { ParsedEvent } from '../../../shared/event.ts'
import type { FoldState, FoldStep } from '../../../shared/fold.ts'
import { beginFold, foldEvent } from '../../../shared/fold.ts'

export function foldLive(log: readonly ParsedEvent[]): FoldState {
  let state: FoldState | null = null
  for (const [index, parsed] of log.entries()) {
    const step: FoldStep = state === null ? beginFold(parsed) : foldEvent(state, parsed)
    state = step.kind === 'refold' ? foldPrefix(log.slice(0, index + 1), step.skipped) : stateOf(step)
  }
  if (state === null) throw new Error('an empty log has no state')
  return state
}

/** The way of a host that reads its log in pages, the ranges known beforehand. */
function foldPrefix(log: readonly ParsedEvent[], skipped: SkippedRanges): FoldState {
  let state: FoldState | null = null
  for (const parsed of log) state = stateOf(state === null ? beginFold(parsed, skipped) : foldEvent(state, parsed))
  if (state === null) throw new Error('an empty log has no state')
  return state
}

function stateOf(step: FoldStep): FoldState {
  if (step.kind !== 'folded') throw new Error(`the fold answered ${step.kind}`)
  return step.state
}
