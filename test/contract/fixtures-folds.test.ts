import { describe, expect, it } from 'vitest'
import { parseEvent } from '../../shared/event.ts'
import type { ParsedEvent } from '../../shared/event.ts'
import type { FoldState } from '../../shared/fold.ts'
import { foldLog } from '../../shared/fold.ts'
import type { StoredEvent } from '../../shared/fork.ts'
import { forkEvents, forkSelection } from '../../shared/fork.ts'
import { sessionIdSchema } from '../../shared/ids.ts'
import { openedSurface } from '../../shared/surface/meta.ts'
import { foldLive } from '../unit/projections/fold-live.ts'
import type { Case } from './fixtures-cases.ts'
import { fixtureCases } from './fixtures-cases.ts'

const cases = fixtureCases('folds.json')

describe('6.3 folds', () => {
  it.each(cases.filter((entry) => entry.fork === undefined))('$name', (entry) => {
    const log = logOf(entry)
    const folded = foldLog(log)
    if (entry.verdict === 'refused') {
      expect(folded).toMatchObject({ ok: false, index: entry.refusedAt })
      return
    }
    const state = stateOf(folded)
    expectProjections(state, entry)
    if (Array.isArray(entry.activeAfter)) expect(activeAfterEach(log)).toStrictEqual(entry.activeAfter)
    if (entry.model !== undefined) expect(activeModel(log, state)).toBe(entry.model)
    expect(JSON.stringify(foldLive(log))).toBe(JSON.stringify(state))
  })
})

describe('2 forks', () => {
  it.each(cases.filter((entry) => entry.fork !== undefined))('$name', (entry) => {
    const log = logOf(entry)
    const events = log.map(storedEvent)
    const selection = forkSelection(events, atSeqOf(entry))
    if (entry.verdict === 'fork-unavailable') {
      expect(selection).toStrictEqual({ ok: false, code: 'fork-unavailable' })
      return
    }
    if (!selection.ok) throw new Error('the fork was refused')
    expect(selection.copied).toStrictEqual(entry.copied)

    const child = [
      ...forkEvents(
        forkOf(events, selection.copied),
        selection.copied.slice(1).map((seq) => eventAt(events, seq)),
      ),
    ]
    expect(child.map((event) => event.seq)).toStrictEqual(child.map((_, index) => index))
    expect(child.at(-1)?.type).toBe('session/end-seed')
    const state = stateOf(foldLog(child.map(parseEvent)))
    expect(state.config.parent).toStrictEqual({ sessionId: 'source', seq: selection.copied.at(-1), relation: 'fork' })
    expectProjections(state, entry)
  })
})

function expectProjections(state: FoldState, entry: Case): void {
  expect(state.values.taskSurface).toStrictEqual(entry.taskSurface)
  expect(state.values.taskSurfaceOutcomes).toStrictEqual(entry.taskSurfaceOutcomes)
}

/** Folds every prefix cold. */
function activeAfterEach(log: readonly ParsedEvent[]): (string | null)[] {
  return log.map((_, index) => stateOf(foldLog(log.slice(0, index + 1))).values.taskSurface.active?.surfaceId ?? null)
}

function activeModel(log: readonly ParsedEvent[], state: FoldState): string | undefined {
  const opened = log.flatMap((parsed) =>
    parsed.kind === 'event' && parsed.event.type === 'tool/result' ? (openedSurface(parsed.event.data) ?? []) : [],
  )
  return JSON.stringify(
    opened.findLast((surface) => surface.surfaceId === state.values.taskSurface.active?.surfaceId)?.model,
  )
}

function logOf(entry: Case): ParsedEvent[] {
  if (!Array.isArray(entry.log)) throw new Error('a case without log')
  return entry.log.map(parseEvent)
}

function stateOf(folded: ReturnType<typeof foldLog>): FoldState {
  if (!folded.ok) throw new Error(`refused at ${folded.index}: ${folded.message}`)
  return folded.state
}

function storedEvent(parsed: ParsedEvent): StoredEvent {
  if (parsed.kind === 'refused') throw new Error(parsed.message)
  return parsed.event
}

function eventAt(events: readonly StoredEvent[], seq: number): StoredEvent {
  const event = events[seq]
  if (event === undefined) throw new Error(`no event ${seq}`)
  return event
}

function forkOf(events: readonly StoredEvent[], copied: readonly number[]) {
  const first = parseEvent(events[0])
  if (first.kind !== 'event' || first.event.type !== 'session/created') throw new Error('no session/created')
  return { source: first.event.data, sourceId: sessionIdSchema.parse('source'), copied, time: 1_790_000_999_000 }
}

function atSeqOf(entry: Case): number | undefined {
  const atSeq: unknown = Object(entry.fork).atSeq
  return typeof atSeq === 'number' ? atSeq : undefined
}
