import { approvalMachine } from '../../machines/approval.ts'
import { ids } from './model-ids.ts'
import { describeTable, type Definition, type StateOf } from './transition-table.ts'

const rules = ['first-decision', 'silence'] as const

const resolved = {
  ALLOW: { rule: 'first-decision', to: null },
  DENY: { rule: 'first-decision', to: null },
  CANCEL: { rule: 'first-decision', to: null },
} as const

const definition = {
  file: 'approval.ts',
  rules,
  reach: {
    pending: [],
    allowed: [{ type: 'ALLOW' }],
    denied: [{ type: 'DENY' }],
    cancelled: [{ type: 'CANCEL' }],
  },
  samples: { ALLOW: { type: 'ALLOW' }, DENY: { type: 'DENY' }, CANCEL: { type: 'CANCEL' } },
  table: {
    pending: {
      ALLOW: { rule: 'first-decision', to: 'allowed' },
      DENY: { rule: 'first-decision', to: 'denied' },
      CANCEL: { rule: 'silence', to: 'cancelled' },
    },
    allowed: resolved,
    denied: resolved,
    cancelled: resolved,
  },
} satisfies Definition<typeof approvalMachine, StateOf<typeof approvalMachine>, (typeof rules)[number]>

describeTable(approvalMachine, definition, { approvalId: ids.approval, callId: ids.call })
