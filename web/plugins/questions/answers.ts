/* The answers a person is giving to one `ask_user_question` call, before they are sent. Pure. */
import type { Question, QuestionAnswer } from '../../../shared/question.ts'

export interface Draft {
  readonly selected: readonly string[]
  readonly custom: string
}

export const noAnswer: Draft = { selected: [], custom: '' }

/** A press on an option: one of several replaces, one of many is added or taken out; declared order stays. */
export function withOption(question: Question, draft: Draft, label: string): Draft {
  if (question.multiSelect !== true) return { ...draft, selected: [label] }
  const chosen = new Set(draft.selected)
  if (!chosen.delete(label)) chosen.add(label)
  const labels = (question.options ?? []).map((option) => option.label)
  return { ...draft, selected: labels.filter((one) => chosen.has(one)) }
}

export function isAnswered(draft: Draft): boolean {
  return draft.selected.length > 0 || draft.custom.trim() !== ''
}

export function toAnswer(question: Question, draft: Draft): QuestionAnswer {
  const { selected, custom } = draft
  return { id: question.id, selected: [...selected], ...(custom.trim() === '' ? {} : { custom }) }
}
