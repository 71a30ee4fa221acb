import { expect, it } from 'vitest'
import { initialTransition, transition } from 'xstate'
import { statusOf, taskMachine } from '../../machines/task.ts'
import { ids } from './model-ids.ts'
import { describeTable, type Definition, type StateOf } from './transition-table.ts'

const rules = ['first-settlement', 'killed-when-done', 'who-stopped', 'told'] as const

const kill = { type: 'KILL', by: 'model' } as const
const killByPerson = { type: 'KILL', by: 'person' } as const
const completed = { type: 'SETTLE', status: 'completed' } as const
const failed = { type: 'SETTLE', status: 'failed' } as const
const killed = { type: 'SETTLE', status: 'killed' } as const
const told = { type: 'TOLD' } as const

const unsettling = {
  KILL: { rule: 'first-settlement', to: null },
  SETTLE: [
    { rule: 'first-settlement', to: null },
    { rule: 'first-settlement', when: 'failed', event: failed, to: null },
    { rule: 'first-settlement', when: 'killed', event: killed, to: null },
  ],
} as const

const definition = {
  file: 'task.ts',
  rules,
  reach: {
    'live.running': [],
    'live.stopping': [kill],
    'settled.completed': [completed],
    'settled.failed': [failed],
    'settled.killed': [kill, killed],
  },
  samples: { KILL: kill, SETTLE: completed, TOLD: told },
  table: {
    'live.running': {
      KILL: [
        { rule: 'killed-when-done', to: 'live.stopping', context: { stoppedBy: 'model' } },
        {
          rule: 'who-stopped',
          when: 'the model was told before',
          after: [told],
          event: killByPerson,
          to: 'live.stopping',
          context: { stoppedBy: 'person' },
        },
      ],
      SETTLE: [
        { rule: 'first-settlement', to: 'settled.completed' },
        { rule: 'first-settlement', when: 'failed', event: failed, to: 'settled.failed' },
        { rule: 'first-settlement', when: 'killed from outside', event: killed, to: 'settled.killed' },
      ],
      TOLD: { rule: 'told', to: 'live.running', context: { modelTold: true } },
    },
    'live.stopping': {
      KILL: { rule: 'who-stopped', when: 'somebody else', event: killByPerson, to: null },
      SETTLE: [
        { rule: 'killed-when-done', to: 'settled.killed' },
        { rule: 'killed-when-done', when: 'failed', event: failed, to: 'settled.killed' },
        { rule: 'killed-when-done', when: 'killed', event: killed, to: 'settled.killed' },
      ],
      TOLD: { rule: 'told', to: 'live.stopping', context: { modelTold: true } },
    },
    'settled.completed': {
      ...unsettling,
      TOLD: { rule: 'told', to: 'settled.completed', context: { modelTold: true } },
    },
    'settled.failed': { ...unsettling, TOLD: { rule: 'told', to: 'settled.failed', context: { modelTold: true } } },
    'settled.killed': { ...unsettling, TOLD: { rule: 'told', to: 'settled.killed', context: { modelTold: true } } },
  },
} satisfies Definition<typeof taskMachine, StateOf<typeof taskMachine>, (typeof rules)[number]>

const input = { taskId: ids.task, owner: ids.session }

describeTable(taskMachine, definition, input)

it.each([
  ['running', []],
  ['stopping', [kill]],
  ['completed', [completed]],
  ['failed', [failed]],
  ['killed', [kill, completed]],
] as const)('killed-when-done: the status on the wire is %s after %j', (status, events) => {
  let [snapshot] = initialTransition(taskMachine, input)
  for (const event of events) [snapshot] = transition(taskMachine, snapshot, event)
  expect(statusOf(snapshot)).toBe(status)
})
