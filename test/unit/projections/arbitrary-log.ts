/* Arbitrary legal logs: turns with surfaces, answers, dismissals, renames, subagents, rewinds, and turns left open. */
import { fc } from '../../harness/property.ts'
import type { SkippedRanges } from '../../../shared/counted.ts'
import { isCounted, skippedAfter } from '../../../shared/counted.ts'
import type { ParsedEvent } from '../../../shared/event.ts'
import { parseEvent } from '../../../shared/event.ts'

type Draft = { type: string; data: Record<string, unknown>; ignorable?: true }

const model = {
  version: 1,
  title: 'T',
  sections: [],
  fields: [{ kind: 'toggle', id: 'ok', label: 'OK' }],
  submit: { label: 'Go' },
}
const surface = fc.integer({ min: 1, max: 4 }).map((n) => `s${n}`)
const message = (id: string, source: unknown, text = 'hello') => ({
  message: { id, role: 'user', source, content: [{ type: 'text', text }] },
})
const user = { kind: 'user', rpcId: 'r' }

const standalone: fc.Arbitrary<Draft> = fc.oneof(
  surface.map((id) => ({
    type: 'task-surface/dismissed',
    data: { version: 1, surfaceId: id, callId: `c-${id}`, dismissalId: `d-${id}` },
  })),
  fc.string({ maxLength: 5 }).map((title) => ({ type: 'session/title', data: { title } })),
  fc.constantFrom('ask', 'auto').map((approval) => ({ type: 'session/configured', data: { approval } })),
  fc
    .constantFrom('k1', 'k2')
    .map((sessionId) => ({ type: 'subagent/ended', data: { sessionId, status: 'completed' } })),
  fc.constant<Draft>({ type: 'x/later', data: { a: 1 }, ignorable: true }),
)

const inTurn = (turn: number): fc.Arbitrary<Draft[]> =>
  fc.oneof<fc.Arbitrary<Draft[]>[]>(
    surface.map((id) => [
      {
        type: 'tool/call',
        data: { turn, step: 0, callId: `c-${id}`, name: 'show_task_surface', arguments: { model } },
      },
      {
        type: 'tool/result',
        data: {
          turn,
          step: 0,
          callId: `c-${id}`,
          name: 'show_task_surface',
          content: [],
          meta: { kind: 'dsh/task-surface', version: 1, surfaceId: id, model },
        },
      },
    ]),
    fc.nat(9).map((inputTokens) => [
      {
        type: 'assistant/message',
        data: {
          turn,
          step: 0,
          message: {
            id: 'a',
            role: 'assistant',
            content: [{ type: 'tool-call', callId: `x${inputTokens}`, name: 'bash', arguments: '{}' }],
          },
          usage: { inputTokens, outputTokens: 1 },
        },
      },
    ]),
    fc
      .constantFrom('k1', 'k2')
      .map((sessionId) => [{ type: 'subagent/started', data: { sessionId, label: 'L', mode: 'background' } }]),
    fc.constant([{ type: 'steering/message', data: message('st', user) }]),
    standalone.map((draft) => [draft]),
  )

const opening: fc.Arbitrary<Draft> = fc.oneof(
  fc.constant({ type: 'user/message', data: message('m', user) }),
  fc.constant({ type: 'user/message', data: message('n', { kind: 'notice', about: 'host' }) }),
  surface.map((surfaceId) => ({
    type: 'user/message',
    data: message('q', {
      ...user,
      taskSurface: { version: 1, submissionId: 'q', callId: 'c', surfaceId, values: { ok: true } },
    }),
  })),
)

type Act =
  | { kind: 'turn'; opening: Draft; body: Draft[][]; closed: boolean }
  | { kind: 'alone'; draft: Draft }
  | { kind: 'rewind'; at: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      opening,
      body: fc.array(inTurn(1), { maxLength: 4 }),
      closed: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('alone' as const), draft: standalone }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rewind' as const), at: fc.nat() }) },
)

/** Turns are numbered on, rewound or not; an open turn is closed before anything else happens, unless it is the last. */
export const arbitraryLog: fc.Arbitrary<ParsedEvent[]> = fc.array(act, { maxLength: 12 }).map(writeLog)

function writeLog(acts: readonly Act[]): ParsedEvent[] {
  const log: ParsedEvent[] = []
  let skipped: SkippedRanges = []
  let turn = 0
  let open = false
  const add = (draft: Draft) => {
    const parsed = parseEvent({
      ...draft,
      data: 'turn' in draft.data ? { ...draft.data, turn } : draft.data,
      seq: log.length,
      time: 1000 + log.length,
    })
    if (parsed.kind === 'refused') throw new Error(parsed.message)
    if (parsed.kind === 'event') skipped = skippedAfter(skipped, parsed.event)
    log.push(parsed)
  }
  const close = () => {
    if (open) add({ type: 'turn/end', data: { turn, reason: 'completed' } })
    open = false
  }
  add({ type: 'session/created', data: { agent: 'demo', cwd: '/w' } })
  for (const next of acts) {
    close()
    if (next.kind === 'alone') add(next.draft)
    else if (next.kind === 'rewind') {
      const targets = log.flatMap((parsed, seq) => (isCounted(skipped, seq) && isRewindTarget(log, seq) ? [seq] : []))
      add({ type: 'session/rewound', data: { toSeq: targets[next.at % targets.length] ?? 0 } })
    } else {
      turn++
      add({ type: 'turn/start', data: { turn } })
      add(next.opening)
      for (const draft of next.body.flat()) add(draft)
      open = true
      if (next.closed) close()
    }
  }
  return log
}

/** The beginning or an end of a turn: enough for these logs. */
function isRewindTarget(log: readonly ParsedEvent[], seq: number): boolean {
  const parsed = log[seq]
  return seq === 0 || (parsed?.kind === 'event' && parsed.event.type === 'turn/end')
}
