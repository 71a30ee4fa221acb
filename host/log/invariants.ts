/* What must hold of every log, checked event by event (SPEC 2, 6.3, 13 `verify`). Pure. The fold refuses what cannot be
   read at all; here is what can be read and still must never have been written.

   | rule | |
   | --- | --- |
   | turn-order | turns are numbered upwards and never overlap; what belongs to a turn lies within it |
   | one-result | a call has one result, behind it; a turn that ended leaves none open |
   | one-message | a message id stands once in a log, rewound or not |
   | one-submission | a submission id stands once; a counted one answers the surface that is open |
   | one-dismissal | a dismissal id stands once; a counted one is of the surface that is open |
   | one-surface | a surface id is opened once |
   | one-child | a child session starts once and ends at most once, after its start |
   | one-permission | a call is decided about once, while it is open | */
import { isCounted, type SkippedRanges } from '../../shared/counted.ts'
import type { SessionEvent } from '../../shared/event.ts'
import type { FoldState } from '../../shared/fold.ts'
import { indexEntries } from './codec.ts'
import type { IndexKind } from './port.ts'

export interface Broken {
  seq: number
  rule: string
  message: string
}

const ruleOfId: Readonly<Record<IndexKind, string>> = {
  message: 'one-message',
  submission: 'one-submission',
  dismissal: 'one-dismissal',
  surface: 'one-surface',
}

/** `skipped`: of the whole log. Give it every event in order, with the fold before it. */
export class Invariants {
  readonly #skipped: SkippedRanges
  readonly #seqById = new Map<string, number>()
  readonly #decided = new Set<string>()
  readonly #finished = new Set<string>()
  #lastTurn = 0

  constructor(skipped: SkippedRanges) {
    this.#skipped = skipped
  }

  check(event: SessionEvent, before: FoldState): Broken[] {
    const said: Broken[] = []
    const broken = (rule: string, message: string) => said.push({ seq: event.seq, rule, message })
    for (const { kind, id } of indexEntries(event)) {
      const first = this.#seqById.get(`${kind} ${id}`)
      if (first !== undefined) broken(ruleOfId[kind], `the ${kind} id ${id} stands at ${first} already`)
      this.#seqById.set(`${kind} ${id}`, event.seq)
    }
    if (event.type === 'turn/start') {
      if (event.data.turn <= this.#lastTurn)
        broken('turn-order', `turn ${event.data.turn} begins behind turn ${this.#lastTurn}`)
      this.#lastTurn = Math.max(this.#lastTurn, event.data.turn)
    }
    if (isCounted(this.#skipped, event.seq)) this.#checkCounted(event, before, broken)
    return said
  }

  #checkCounted(event: SessionEvent, before: FoldState, broken: (rule: string, message: string) => void): void {
    const { openTurn } = before
    switch (event.type) {
      case 'turn/start':
        if (openTurn !== null) broken('turn-order', `turn ${event.data.turn} begins within turn ${openTurn.turn}`)
        return
      case 'turn/end': {
        const { turn } = event.data
        if (openTurn?.turn !== turn) broken('turn-order', `turn ${turn} ends, open is ${openTurn?.turn ?? 'none'}`)
        const left = openTurn?.calls.map(({ callId }) => callId) ?? []
        if (left.length > 0) broken('one-result', `turn ${turn} ends without results of ${left.join(', ')}`)
        return
      }
      case 'assistant/message':
      case 'tool/call':
        if (openTurn?.turn !== event.data.turn) broken('turn-order', `an event of turn ${event.data.turn} lies outside`)
        return
      case 'tool/result': {
        const { callId, turn } = event.data
        if (openTurn?.turn !== turn) broken('turn-order', `an event of turn ${turn} lies outside`)
        else if (!openTurn.calls.some((call) => call.callId === callId))
          broken(
            'one-result',
            `a result of ${callId}, which ${this.#finished.has(callId) ? 'has one' : 'was not called'}`,
          )
        this.#finished.add(callId)
        return
      }
      case 'steering/message':
        if (openTurn === null) broken('turn-order', 'a message steers no turn')
        return
      case 'user/message':
        if (openTurn === null) broken('turn-order', 'a message lies outside of a turn')
        this.#checkAnswer(event, before, broken)
        return
      case 'task-surface/dismissed':
        if (before.values.taskSurface.active?.surfaceId !== event.data.surfaceId)
          broken('one-dismissal', `${event.data.surfaceId} is dismissed and was not open`)
        return
      case 'approval/decided': {
        const { callId } = event.data
        if (this.#decided.has(callId)) broken('one-permission', `${callId} is decided about twice`)
        this.#decided.add(callId)
        return
      }
      case 'subagent/started':
        if (childOf(before, event.data.sessionId) !== undefined)
          broken('one-child', `${event.data.sessionId} starts again`)
        return
      case 'subagent/ended':
        if (childOf(before, event.data.sessionId)?.status !== 'running')
          broken('one-child', `${event.data.sessionId} ends and does not run`)
        return
      default:
    }
  }

  #checkAnswer(
    event: Extract<SessionEvent, { type: 'user/message' }>,
    before: FoldState,
    broken: (rule: string, message: string) => void,
  ): void {
    const answer = indexEntries(event).find(({ kind }) => kind === 'submission')
    const { source } = event.data.message
    if (answer === undefined || !('taskSurface' in source)) return
    const { active } = before.values.taskSurface
    const answered = JSON.stringify(source.taskSurface)
    if (active === null || !answered.includes(`"surfaceId":${JSON.stringify(active.surfaceId)}`))
      broken('one-submission', `submission ${answer.id} answers a surface that is not open`)
  }
}

function childOf({ values }: FoldState, sessionId: string) {
  return values.subagents.children.find((child) => child.sessionId === sessionId)
}
