/* Random legal sessions, driven through the session log as a host would: turns, tools, surfaces, standalone events, open
   turns and rewinds. What was appended is kept, so that a test can compare with the plain list. */
import { fc } from '../../harness/property.ts'
import type { EventDraft, SessionEvent } from '../../../shared/event.ts'
import {
  callIdSchema,
  messageIdSchema,
  rpcIdSchema,
  taskSurfaceDismissalIdSchema,
  taskSurfaceIdSchema,
  type SessionId,
} from '../../../shared/ids.ts'
import { presentationMeta, showTaskSurfaceTool } from '../../../shared/surface/meta.ts'
import type { Ownership } from '../../../host/log/port.ts'
import { createMemoryStore } from '../../../host/log/memory-store.ts'
import { createSessionLog, type SessionLog } from '../../../host/log/session-log.ts'
import { emptyState, type SessionState } from '../../../host/log/session-state.ts'

export type Act =
  | { kind: 'turn'; tools: number; steps: number; open: boolean; surface: boolean; text: string }
  | { kind: 'alone'; draft: 'title' | 'configured' | 'dismissed' | 'notice' }
  | { kind: 'rewind'; at: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      tools: fc.nat(3),
      steps: fc.nat(3),
      open: fc.boolean(),
      surface: fc.boolean(),
      text: fc.string({ maxLength: 30 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('alone' as const),
      draft: fc.constantFrom('title' as const, 'configured' as const, 'dismissed' as const, 'notice' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewind' as const), at: fc.nat(1000) }) },
)

export const acts = fc.array(act, { minLength: 1, maxLength: 14 })

export interface Played {
  state: SessionState
  /** Every event ever appended, rewound ones and rewinds too. */
  events: SessionEvent[]
  ownership: Ownership
}

export async function play(log: SessionLog, sessionId: SessionId, script: readonly Act[]): Promise<Played> {
  const acquired = await log.acquire(sessionId)
  if (acquired.kind !== 'owned') throw new Error(`acquire answered ${acquired.kind}`)
  const { ownership } = acquired
  const events: SessionEvent[] = []
  let state = emptyState(sessionId)
  let time = 1_790_000_000_000

  async function append(drafts: readonly EventDraft[]) {
    const outcome = await log.append(ownership, state, drafts, (time += 1000))
    if (outcome.kind !== 'durable') throw new Error(`append answered ${outcome.kind}`)
    events.push(...outcome.events)
    state = outcome.state
  }

  await append([{ type: 'session/created', data: { agent: 'demo', cwd: '/w' } }])
  for (const [index, step] of script.entries()) {
    if (step.kind === 'turn') for (const drafts of turnDrafts(state, step, index)) await append(drafts)
    else if (step.kind === 'alone') await append([aloneDraft(step.draft, state, index)])
    else {
      const outcome = await log.rewind(ownership, state, step.at % (state.lastSeq + 1), (time += 1000))
      if (outcome.kind === 'invalid-target') continue
      if (outcome.kind !== 'rewound') throw new Error(`rewind answered ${outcome.kind}`)
      events.push({
        type: 'session/rewound',
        seq: outcome.state.lastSeq,
        time,
        data: { toSeq: step.at % (state.lastSeq + 1) },
      })
      state = outcome.state
    }
  }
  return { state, events, ownership }
}

/** Appends of one turn. An open one ends with its last step, so that a repair has something to do. */
function turnDrafts(state: SessionState, act: Extract<Act, { kind: 'turn' }>, index: number): EventDraft[][] {
  const turn = state.lastTurn + 1
  const message = userMessage(`m${index}`, act.text)
  const end: EventDraft = { type: 'turn/end', data: { turn, reason: 'completed' } }
  const unfinished: EventDraft[] =
    state.openTurn === null ? [] : [{ type: 'turn/end', data: { turn: state.openTurn.turn, reason: 'interrupted' } }]
  const steps = Array.from({ length: act.steps }, (_, step) => stepDrafts(turn, step, act, index))
  return [
    [...unfinished, { type: 'turn/start', data: { turn } }, { type: 'user/message', data: { message } }],
    ...steps,
    ...(act.open ? [] : [[end]]),
  ]
}

function stepDrafts(turn: number, step: number, act: Extract<Act, { kind: 'turn' }>, index: number): EventDraft[] {
  const calls = Array.from({ length: act.tools }, (_, call) => callIdSchema.parse(`c${index}.${step}.${call}`))
  const name = act.surface ? showTaskSurfaceTool : 'bash'
  const id = messageIdSchema.parse(`a${index}.${step}`)
  const content = calls.map((callId) => ({ type: 'tool-call' as const, callId, name, arguments: '{}' }))
  const answered = act.open ? calls.slice(1) : calls
  return [
    {
      type: 'assistant/message',
      data: { turn, step, message: { id, role: 'assistant', content }, usage: { inputTokens: 3, outputTokens: step } },
    },
    ...calls.map((callId): EventDraft => ({ type: 'tool/call', data: { turn, step, callId, name, arguments: {} } })),
    ...answered.map((callId): EventDraft => {
      const surfaceId = taskSurfaceIdSchema.parse(`s-${callId}`)
      const opened = {
        meta: { ...presentationMeta(surfaceId, model), model: { ...model, sections: [...model.sections] } },
      }
      const content = [{ type: 'text' as const, text: 'done' }]
      return { type: 'tool/result', data: { turn, step, callId, name, content, ...(act.surface ? opened : {}) } }
    }),
  ]
}

const model = {
  version: 1 as const,
  title: 'Plan',
  sections: [{ id: 's', blocks: [{ kind: 'markdown' as const, text: 'Look' }] }],
  submit: { label: 'Send' },
}

function aloneDraft(draft: Extract<Act, { kind: 'alone' }>['draft'], state: SessionState, index: number): EventDraft {
  switch (draft) {
    case 'title':
      return { type: 'session/title', data: { title: `title ${index}` } }
    case 'configured':
      return { type: 'session/configured', data: { approval: index % 2 === 0 ? 'auto' : 'ask' } }
    case 'notice': {
      const message = {
        ...userMessage(`n${index}`, 'a task ended'),
        source: { kind: 'notice' as const, about: 'task' as const },
      }
      return { type: 'user/message', data: { message } }
    }
    case 'dismissed': {
      const active = state.projections.taskSurface.active
      const surfaceId = active?.surfaceId ?? taskSurfaceIdSchema.parse('none')
      const callId = active?.callId ?? callIdSchema.parse('none')
      const dismissalId = taskSurfaceDismissalIdSchema.parse(`d${index}`)
      return { type: 'task-surface/dismissed', data: { version: 1, surfaceId, callId, dismissalId } }
    }
  }
}

export function userMessage(id: string, text: string) {
  return {
    id: messageIdSchema.parse(id),
    role: 'user' as const,
    source: { kind: 'user' as const, rpcId: rpcIdSchema.parse('1') },
    content: [{ type: 'text' as const, text }],
  }
}

export function opened() {
  const store = createMemoryStore()
  return { store, log: createSessionLog({ store }) }
}

export async function collect<Value>(source: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = []
  for await (const value of source) values.push(value)
  return values
}

/** Long enough for several checkpoints. */
export const longScript: Act[] = Array.from({ length: 60 }, (_, index) =>
  index % 7 === 3
    ? { kind: 'alone', draft: 'title' }
    : { kind: 'turn', tools: 1, steps: 2, open: false, surface: false, text: `text ${index}` },
)
