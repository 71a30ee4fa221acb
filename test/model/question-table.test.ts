import { questionMachine } from '../../machines/question.ts'
import { ids } from './model-ids.ts'
import { describeTable, type Definition, type StateOf } from './transition-table.ts'

const rules = ['first-answer', 'silence'] as const

const resolved = {
  ANSWER: { rule: 'first-answer', to: null },
  DECLINE: { rule: 'first-answer', to: null },
  CANCEL: { rule: 'first-answer', to: null },
} as const

const definition = {
  file: 'question.ts',
  rules,
  reach: {
    pending: [],
    answered: [{ type: 'ANSWER' }],
    declined: [{ type: 'DECLINE' }],
    cancelled: [{ type: 'CANCEL' }],
  },
  samples: { ANSWER: { type: 'ANSWER' }, DECLINE: { type: 'DECLINE' }, CANCEL: { type: 'CANCEL' } },
  table: {
    pending: {
      ANSWER: { rule: 'first-answer', to: 'answered' },
      DECLINE: { rule: 'first-answer', to: 'declined' },
      CANCEL: { rule: 'silence', to: 'cancelled' },
    },
    answered: resolved,
    declined: resolved,
    cancelled: resolved,
  },
} satisfies Definition<typeof questionMachine, StateOf<typeof questionMachine>, (typeof rules)[number]>

describeTable(questionMachine, definition, { questionId: ids.question, callId: ids.call })
