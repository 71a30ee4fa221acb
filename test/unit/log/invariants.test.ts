/* Every invariant of a log: one that holds, and one event that breaks it alone. */
import { expect, it } from 'vitest'
import { Invariants, type Broken } from '../../../host/log/invariants.ts'
import { emptyState, foldEvent } from '../../../host/log/session-state.ts'
import { skippedAfter, type SkippedRanges } from '../../../shared/counted.ts'
import { parseEvent, type SessionEvent } from '../../../shared/event.ts'
import { sessionIdSchema } from '../../../shared/ids.ts'

type Draft = { type: string; data: object }

function broken(drafts: readonly Draft[]): Broken[] {
  const events = drafts.map((draft, seq): SessionEvent => {
    const parsed = parseEvent({ ...draft, seq, time: seq })
    if (parsed.kind !== 'event') throw new Error(`${draft.type} is no event: ${JSON.stringify(parsed)}`)
    return parsed.event
  })
  let skipped: SkippedRanges = []
  for (const event of events) skipped = skippedAfter(skipped, event)
  const invariants = new Invariants(skipped)
  let state = emptyState(sessionIdSchema.parse('s'), skipped)
  return events.flatMap((event) => {
    const found = state.fold === null ? [] : invariants.check(event, state.fold)
    state = foldEvent(state, { kind: 'event', event })
    return found
  })
}

const model = {
  version: 1,
  title: 'T',
  sections: [],
  fields: [{ kind: 'toggle', id: 'f', label: 'F' }],
  submit: { label: 'Go' },
}
const created: Draft = { type: 'session/created', data: { agent: 'demo', cwd: '/' } }
const start = (turn: number): Draft => ({ type: 'turn/start', data: { turn } })
const end = (turn: number): Draft => ({ type: 'turn/end', data: { turn, reason: 'completed' } })
const said = (id: string, more: object = {}): Draft => ({
  type: 'user/message',
  data: {
    message: {
      id,
      role: 'user',
      content: [{ type: 'text', text: 'x' }],
      source: { kind: 'user', rpcId: '1', ...more },
    },
  },
})
const steered = (id: string): Draft => ({ ...said(id), type: 'steering/message' })
const answered = (turn: number, ...callIds: string[]): Draft => ({
  type: 'assistant/message',
  data: {
    turn,
    step: 0,
    message: {
      id: `a-${callIds.join('-')}`,
      role: 'assistant',
      content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'show_task_surface', arguments: '{}' })),
    },
  },
})
const called = (turn: number, callId: string): Draft => ({
  type: 'tool/call',
  data: { turn, step: 0, callId, name: 'show_task_surface', arguments: {} },
})
const result = (turn: number, callId: string, surfaceId?: string): Draft => ({
  type: 'tool/result',
  data: {
    turn,
    step: 0,
    callId,
    name: 'show_task_surface',
    content: [],
    ...(surfaceId !== undefined && { meta: { kind: 'dsh/task-surface', version: 1, surfaceId, model } }),
  },
})
const shown = (turn: number, callId: string, surfaceId: string): Draft[] => [
  answered(turn, callId),
  called(turn, callId),
  result(turn, callId, surfaceId),
]
const dismissed = (surfaceId: string, dismissalId: string): Draft => ({
  type: 'task-surface/dismissed',
  data: { version: 1, surfaceId, callId: 'c1', dismissalId },
})
const answer = (id: string, submissionId: string, surfaceId: string): Draft =>
  said(id, { taskSurface: { version: 1, submissionId, callId: 'c1', surfaceId, values: { f: true } } })
const decided: Draft = { type: 'approval/decided', data: { callId: 'c1', decision: 'allow' } }
const childStarts: Draft = { type: 'subagent/started', data: { sessionId: 'k', label: 'k', mode: 'background' } }
const childEnds: Draft = { type: 'subagent/ended', data: { sessionId: 'k', status: 'completed' } }

const one = [created, start(1), said('m1'), ...shown(1, 'c1', 's1'), end(1)]

it('verify: a log in which everything holds', () => {
  const log = [
    ...one,
    start(2),
    answer('m2', 'u1', 's1'),
    ...shown(2, 'c2', 's2'),
    decided,
    childStarts,
    childEnds,
    end(2),
  ]
  expect(broken([...log, dismissed('s2', 'd1')])).toEqual([])
  // Rewound ids stay used up; rewound turns leave no rule behind.
  expect(broken([...log, { type: 'session/rewound', data: { toSeq: 6 } }, start(3), said('m3'), end(3)])).toEqual([])
})

it.each<[rule: string, log: Draft[]]>([
  ['turn-order', [created, start(1), end(1), start(1)]],
  ['turn-order', [created, start(1), start(2)]],
  ['turn-order', [created, end(1)]],
  ['turn-order', [created, start(1), end(2)]],
  ['turn-order', [created, said('m1')]],
  ['turn-order', [created, steered('m1')]],
  ['turn-order', [created, called(1, 'c1')]],
  ['turn-order', [created, start(1), answered(2, 'c1')]],
  ['one-result', [created, start(1), called(1, 'c1'), end(1)]],
  ['one-result', [created, start(1), result(1, 'c1')]],
  ['one-result', [...one, start(2), result(2, 'c1')]],
  ['one-message', [...one, start(2), said('m1')]],
  ['one-message', [...one, { type: 'session/rewound', data: { toSeq: 0 } }, start(2), said('m1')]],
  ['one-submission', [...one, start(2), answer('m2', 'u1', 's9')]],
  ['one-submission', [...one, start(2), answer('m2', 'u1', 's1'), answer('m3', 'u2', 's1')]],
  ['one-submission', [...one, start(2), answer('m2', 'u1', 's1'), ...shown(2, 'c2', 's2'), answer('m3', 'u1', 's2')]],
  ['one-dismissal', [...one, dismissed('s1', 'd1'), dismissed('s1', 'd2')]],
  ['one-dismissal', [...one, dismissed('s1', 'd1'), start(2), ...shown(2, 'c2', 's2'), dismissed('s2', 'd1')]],
  ['one-surface', [...one, start(2), ...shown(2, 'c2', 's1')]],
  ['one-child', [created, start(1), childStarts, childStarts]],
  ['one-child', [created, start(1), childEnds]],
  ['one-child', [created, start(1), childStarts, childEnds, childEnds]],
  ['one-permission', [created, start(1), called(1, 'c1'), decided, decided]],
])('verify: %s is broken by the last event: case %#', (rule, log) => {
  const found = broken(log)
  expect(found.map(({ seq }) => seq)).toEqual(found.map(() => log.length - 1))
  expect(found.map((each) => each.rule)).toContain(rule)
  expect(broken(log.slice(0, -1))).toEqual([])
})
