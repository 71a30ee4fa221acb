/* The harness's own reading of a log, independent of the product's: which events count after rewinds (SPEC 2), whether a
   turn runs and which surface is open (SPEC 6.3). Written straight from the contract, without regard to speed. */
import type { SessionEvent } from '../../shared/event.ts'

/** What stands after `toSeq` and before a `session/rewound` no longer counts, nor does that event itself. */
export function countedEvents(log: readonly SessionEvent[]): SessionEvent[] {
  return log.reduce<SessionEvent[]>(
    (counted, event) =>
      event.type === 'session/rewound' ? counted.filter(({ seq }) => seq <= event.data.toSeq) : [...counted, event],
    [],
  )
}

/** A durable `turn/start` without its `turn/end`. */
export function isTurnOpen(counted: readonly SessionEvent[]): boolean {
  return counted.reduce((open, { type }) => (type === 'turn/start' ? true : type === 'turn/end' ? false : open), false)
}

export interface OpenSurface {
  surfaceId: string
  callId: string
}

export function openSurface(counted: readonly SessionEvent[]): OpenSurface | null {
  return counted.reduce<OpenSurface | null>(nextSurface, null)
}

function nextSurface(open: OpenSurface | null, event: SessionEvent): OpenSurface | null {
  switch (event.type) {
    case 'tool/result': {
      const { name, callId, isError, meta } = event.data
      if (name !== 'show_task_surface' || isError === true) return open
      if (typeof meta !== 'object' || meta === null || !('surfaceId' in meta)) return open
      return typeof meta.surfaceId === 'string' ? { surfaceId: meta.surfaceId, callId } : open
    }
    case 'user/message':
      return event.data.message.source.kind === 'user' ? null : open
    case 'task-surface/dismissed':
      return event.data.surfaceId === open?.surfaceId ? null : open
    default:
      return open
  }
}

/** Texts of the person in the order in which a model reads them. */
export function userTexts(counted: readonly SessionEvent[]): string[] {
  return counted.flatMap((event) =>
    event.type === 'user/message' || event.type === 'steering/message'
      ? [event.data.message.content.map(({ text }) => text).join('\n')]
      : [],
  )
}

/** Every turn has one start and then one end, every call one result within its turn. */
export function turnsAndCallsClose(events: readonly SessionEvent[]): boolean {
  let turn: number | null = null
  let calls: string[] = []
  for (const event of events) {
    switch (event.type) {
      case 'turn/start':
        if (turn !== null) return false
        turn = event.data.turn
        break
      case 'turn/end':
        if (turn !== event.data.turn || calls.length > 0) return false
        turn = null
        break
      case 'tool/call':
        calls.push(event.data.callId)
        break
      case 'tool/result': {
        const { callId, error } = event.data
        // The repair answers calls of an assistant message whose `tool/call` never became durable.
        if (!calls.includes(callId) && error?.code !== 'INTERRUPTED') return false
        calls = calls.filter((call) => call !== callId)
        break
      }
      default:
    }
  }
  return turn === null && calls.length === 0
}
