/* What a person has chosen and written for the questions of one session, kept while the page follows the
   session: another session, a reload of the view or a lost connection takes nothing away. */
import type { QuestionId } from '../../../shared/ids.ts'
import { createStore, type ReadableStore } from '../../store.ts'
import { type Draft, noAnswer } from './answers.ts'

export interface Progress {
  /** Which question is shown. */
  readonly at: number
  readonly drafts: readonly Draft[]
  readonly sending: boolean
  /** The host said that nobody waits for this any more; its own frame may still be on the way. */
  readonly over: boolean
}

export const noProgress: Progress = { at: 0, drafts: [], sending: false, over: false }

export interface QuestionStore extends ReadableStore<ReadonlyMap<QuestionId, Progress>> {
  of(questionId: QuestionId): Progress
  change(questionId: QuestionId, change: Partial<Progress>): void
  draft(questionId: QuestionId, at: number, draft: Draft): void
  /** Forgets every question but these. */
  keepOnly(questionIds: readonly QuestionId[]): void
}

export function createQuestionStore(): QuestionStore {
  const state = createStore<ReadonlyMap<QuestionId, Progress>>(new Map())
  const of = (questionId: QuestionId): Progress => state.getState().get(questionId) ?? noProgress
  const change = (questionId: QuestionId, one: Partial<Progress>): void =>
    state.setState(new Map(state.getState()).set(questionId, { ...of(questionId), ...one }))
  return {
    ...state,
    of,
    change,
    draft(questionId, at, draft) {
      const { drafts } = of(questionId)
      const length = Math.max(drafts.length, at + 1)
      change(questionId, {
        drafts: Array.from({ length }, (_, index) => (index === at ? draft : (drafts[index] ?? noAnswer))),
      })
    },
    keepOnly(questionIds) {
      const kept = [...state.getState()].filter(([id]) => questionIds.includes(id))
      if (kept.length !== state.getState().size) state.setState(new Map(kept))
    },
  }
}
