import { describe, expect, it } from 'vitest'
import { parseEvent } from '../../../shared/event.ts'
import { foldLog } from '../../../shared/fold.ts'
import type { ProjectionValues } from '../../../shared/projections/registry.ts'
import { applyProjections, changedProjections, initialProjections } from '../../../shared/projections/registry.ts'
import { outcomesKept } from '../../../shared/projections/task-surface-outcomes.ts'

type Draft = { type: string; data: unknown }
const created = (title?: string): Draft => ({ type: 'session/created', data: { agent: 'demo', cwd: '/w', title } })
const says = (text: string, source: unknown = { kind: 'user', rpcId: 'r' }): Draft => ({
  type: 'user/message',
  data: { message: { id: 'm', role: 'user', source, content: [{ type: 'text', text }] } },
})
const valuesOf = (...drafts: Draft[]): ProjectionValues => {
  const folded = foldLog(
    drafts.map((draft, seq) => parseEvent({ ...draft, data: JSON.parse(JSON.stringify(draft.data)), seq, time: seq })),
  )
  if (!folded.ok) throw new Error(`refused at ${folded.index}: ${folded.message}`)
  return folded.state.values
}

describe('5 title', () => {
  it.each<[string, Draft[], string]>([
    ['nothing yet', [created()], ''],
    ['its own from the beginning', [created('Own'), says('hello')], 'Own'],
    ['its own later', [created(), says('hello'), { type: 'session/title', data: { title: 'Later' } }], 'Later'],
    ['the first line of the first message', [created(), says('first\nsecond'), says('other')], 'first'],
    ['blank lines in front do not count', [created(), says('\n \r\n first \r\nsecond')], 'first'],
    ['a line separator ends it', [created(), says('first\u2028second')], 'first'],
    ['60 code points', [created(), says('🚀'.repeat(61))], '🚀'.repeat(60)],
    [
      'a notice is no message',
      [created(), says('task done', { kind: 'notice', about: 'task' }), says('hello')],
      'hello',
    ],
    ["a parent's prompt is one", [created(), says('look into it', { kind: 'agent', sessionId: 'p' })], 'look into it'],
    [
      'a rewind takes a rename back',
      [created(), { type: 'session/title', data: { title: 'x' } }, { type: 'session/rewound', data: { toSeq: 0 } }],
      '',
    ],
  ])('%s', (_, drafts, title) => {
    expect(valuesOf(...drafts).title).toStrictEqual({ title })
  })
})

it('3 usage: tokens of the counted model calls add up', () => {
  const call = (inputTokens: number, outputTokens: number): Draft => ({
    type: 'assistant/message',
    data: {
      turn: 1,
      step: 0,
      message: { id: 'a', role: 'assistant', content: [] },
      usage: { inputTokens, outputTokens },
    },
  })
  expect(valuesOf(created(), call(10, 1), call(5, 2)).usage).toStrictEqual({ inputTokens: 15, outputTokens: 3 })
  expect(
    valuesOf(created(), call(10, 1), call(5, 2), { type: 'session/rewound', data: { toSeq: 1 } }).usage,
  ).toStrictEqual({ inputTokens: 10, outputTokens: 1 })
})

describe('9 subagents', () => {
  const started = (sessionId: string): Draft => ({
    type: 'subagent/started',
    data: { sessionId, callId: 'c', label: 'Look', mode: 'background' },
  })
  const ended = (sessionId: string, status: string): Draft => ({ type: 'subagent/ended', data: { sessionId, status } })
  const child = { label: 'Look', mode: 'background' }

  it('are kept in order of starting, finished ones too', () => {
    expect(valuesOf(created(), started('a'), started('b'), ended('a', 'failed')).subagents).toStrictEqual({
      children: [
        { ...child, sessionId: 'a', status: 'failed', startedSeq: 1, endedSeq: 3 },
        { ...child, sessionId: 'b', status: 'running', startedSeq: 2 },
      ],
    })
  })

  it('end once, and an unknown one changes nothing', () => {
    const values = valuesOf(
      created(),
      started('a'),
      ended('a', 'completed'),
      ended('a', 'killed'),
      ended('z', 'killed'),
    )
    expect(values.subagents.children).toStrictEqual([
      { ...child, sessionId: 'a', status: 'completed', startedSeq: 1, endedSeq: 2 },
    ])
  })

  it('that still ran stay behind at a fork', () => {
    const values = valuesOf(created(), started('a'), started('b'), ended('a', 'completed'), {
      type: 'session/end-seed',
      data: {},
    })
    expect(values.subagents.children.map((one) => one.sessionId)).toStrictEqual(['a'])
  })
})

describe('3 outcomes', () => {
  const model = {
    version: 1,
    title: 'T',
    sections: [],
    fields: [{ kind: 'toggle', id: 'ok', label: 'OK' }],
    submit: { label: 'Go' },
  }
  const shows = (surfaceId: string): Draft => ({
    type: 'tool/result',
    data: {
      turn: 1,
      step: 0,
      callId: 'c',
      name: 'show_task_surface',
      content: [],
      meta: { kind: 'dsh/task-surface', version: 1, surfaceId, model },
    },
  })

  it(`the last ${outcomesKept} are kept`, () => {
    const drafts = Array.from({ length: outcomesKept + 6 }, (_, index) => shows(`s${index}`))
    const { outcomes } = valuesOf(created(), ...drafts).taskSurfaceOutcomes
    expect(outcomes).toHaveLength(outcomesKept)
    expect(outcomes[0]).toStrictEqual({ surfaceId: 's5', reason: 'superseded', seq: 7 })
    expect(outcomes.at(-1)).toStrictEqual({ surfaceId: 's68', reason: 'superseded', seq: 70 })
  })

  it('a dismissal of another surface closes nothing', () => {
    const dismissed = {
      type: 'task-surface/dismissed',
      data: { version: 1, surfaceId: 's0', callId: 'c', dismissalId: 'd' },
    }
    const values = valuesOf(created(), shows('s1'), dismissed)
    expect(values.taskSurface.active?.surfaceId).toBe('s1')
    expect(values.taskSurfaceOutcomes.outcomes).toStrictEqual([])
  })

  it('a user message whose correlation cannot be read is an ordinary message', () => {
    const source = {
      kind: 'user',
      rpcId: 'r',
      taskSurface: { version: 2, surfaceId: 's1', submissionId: 'q', callId: 'c', values: {} },
    }
    expect(valuesOf(created(), shows('s1'), says('x', source)).taskSurfaceOutcomes.outcomes).toMatchObject([
      { reason: 'bypassed' },
    ])
  })
})

it('3 frames: only values that changed, in a fixed order', () => {
  const event = parseEvent({ ...says('hello'), seq: 1, time: 1 })
  if (event.kind !== 'event') throw new Error('the event is legal')
  const after = applyProjections(initialProjections, event.event)
  expect(changedProjections(initialProjections, after)).toStrictEqual([{ key: 'title', value: { title: 'hello' } }])
  expect(applyProjections(after, event.event)).toBe(after)
})
