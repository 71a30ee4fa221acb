/* Events as what a reader sees: blocks of entries, about one a turn. Pure. Rule T-SAME: a block whose events
   are the same as before is the same object, so that a new event draws one block and not the record. */
import type { EventOf, SessionEvent } from '../../shared/event.ts'
import type { CallId } from '../../shared/ids.ts'
import { textOf } from '../../shared/message.ts'
import type { ToolCall, ToolResult } from '../session/session-state.ts'

/** `call` is null before the call has begun: an earlier one of its step still runs. */
export interface ToolUse {
  readonly callId: CallId
  readonly name: string
  /** The model's own text of the arguments. */
  readonly written: string
  readonly call: ToolCall | null
  readonly result: ToolResult | null
}

export type Entry =
  | { readonly kind: 'turn'; readonly key: string; readonly turn: number; readonly time: number }
  | {
      readonly kind: 'said'
      readonly key: string
      readonly event: EventOf<'user/message'> | EventOf<'steering/message'>
      readonly text: string
    }
  | {
      readonly kind: 'answer'
      readonly key: string
      readonly event: EventOf<'assistant/message'>
      readonly text: string
      readonly reasoning: string
      /** The last words of an ended turn carry its actions; `seq` of its `turn/end`. */
      readonly endSeq: number | null
    }
  | { readonly kind: 'tool'; readonly key: string; readonly use: ToolUse }
  | { readonly kind: 'end'; readonly key: string; readonly event: EventOf<'turn/end'> }

export interface Block {
  readonly key: string
  readonly events: readonly SessionEvent[]
  readonly entries: readonly Entry[]
  /** The turn in it that has begun and not ended; null for a closed block. */
  readonly openTurn: number | null
}

/** A turn of hundreds of calls is drawn in several blocks. A step never splits: its results are with its calls. */
const eventsPerBlock = 60

function startsBlock(event: SessionEvent, current: readonly SessionEvent[]): boolean {
  if (event.type === 'turn/start') return true
  return event.type === 'assistant/message' && current.length >= eventsPerBlock
}

function split(events: readonly SessionEvent[]): SessionEvent[][] {
  const groups: SessionEvent[][] = []
  for (const event of events) {
    const current = groups.at(-1)
    if (current === undefined || startsBlock(event, current)) groups.push([event])
    else current.push(event)
  }
  return groups
}

function useOf(call: ToolCall): ToolUse {
  const { callId, name, arguments: input } = call.data
  return { callId, name, written: JSON.stringify(input), call, result: null }
}

/** Index of the entry of a call; −1: its message stands outside the window. */
function indexOfUse(entries: readonly Entry[], callId: CallId): number {
  return entries.findLastIndex((entry) => entry.kind === 'tool' && entry.use.callId === callId)
}

function addEvent(entries: Entry[], event: SessionEvent): void {
  const key = String(event.seq)
  switch (event.type) {
    case 'turn/start':
      entries.push({ kind: 'turn', key, turn: event.data.turn, time: event.time })
      return
    case 'user/message':
    case 'steering/message':
      entries.push({ kind: 'said', key: event.data.message.id, event, text: textOf(event.data.message.content) })
      return
    case 'assistant/message':
      addAnswer(entries, event)
      return
    case 'tool/call': {
      const at = indexOfUse(entries, event.data.callId)
      const known = entries[at]
      if (known?.kind === 'tool') entries[at] = { ...known, use: { ...known.use, call: event } }
      else entries.push({ kind: 'tool', key: event.data.callId, use: useOf(event) })
      return
    }
    case 'tool/result': {
      const at = indexOfUse(entries, event.data.callId)
      const known = entries[at]
      if (known?.kind === 'tool') entries[at] = { ...known, use: { ...known.use, result: event } }
      return
    }
    case 'turn/end':
      endTurn(entries, event)
      return
    default:
  }
}

function addAnswer(entries: Entry[], event: EventOf<'assistant/message'>): void {
  const { message } = event.data
  const text = textOf(message.content)
  const reasoning = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('\n\n')
  if (text.trim() !== '' || reasoning.trim() !== '') {
    entries.push({ kind: 'answer', key: message.id, event, text, reasoning, endSeq: null })
  }
  for (const part of message.content) {
    if (part.type !== 'tool-call') continue
    const use = { callId: part.callId, name: part.name, written: part.arguments, call: null, result: null }
    entries.push({ kind: 'tool', key: part.callId, use })
  }
}

function endTurn(entries: Entry[], event: EventOf<'turn/end'>): void {
  const at = entries.findLastIndex((entry) => entry.kind === 'answer' && entry.text.trim() !== '')
  const last = entries[at]
  if (last?.kind === 'answer') entries[at] = { ...last, endSeq: event.seq }
  if (event.data.reason !== 'completed') entries.push({ kind: 'end', key: String(event.seq), event })
}

function openTurnAfter(before: number | null, events: readonly SessionEvent[]): number | null {
  let open = before
  for (const event of events) {
    if (event.type === 'turn/start') open = event.data.turn
    else if (event.type === 'turn/end') open = null
  }
  return open
}

function sameEvents(block: Block, events: readonly SessionEvent[]): boolean {
  return block.events.length === events.length && block.events[0] === events[0] && block.events.at(-1) === events.at(-1)
}

/** `known` are the blocks of the former window; those still right are taken over as they are. */
export function blocksOf(events: readonly SessionEvent[], known: readonly Block[]): readonly Block[] {
  const knownByKey = new Map(known.map((block) => [block.key, block]))
  let open: number | null = null
  return split(events).map((group) => {
    open = openTurnAfter(open, group)
    const key = `b${group[0]?.seq ?? 0}`
    const before = knownByKey.get(key)
    if (before !== undefined && before.openTurn === open && sameEvents(before, group)) return before
    const entries: Entry[] = []
    for (const event of group) addEvent(entries, event)
    return { key, events: group, entries, openTurn: open }
  })
}

/**
 * Where a rewind to before the turn of `blocks[index]` goes: the newest counted event before it, which ends a
 * turn or stands outside of one. Null where the block begins no turn or what is before is not loaded.
 */
export function boundaryBefore(blocks: readonly Block[], index: number): number | null {
  const first = blocks[index]?.events[0]
  if (first?.type !== 'turn/start') return null
  const before = blocks[index - 1]?.events.at(-1)
  if (before !== undefined) return before.seq
  return first.seq === 1 ? 0 : null
}
