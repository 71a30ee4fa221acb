/* Entries of the journal as the inspection events of `@statelyai/inspect`: an actor with the definition of its machine, an
   event it was sent, the snapshot that followed. Pure, and the one place that knows these shapes from the sending side.

   | rule | |
   | --- | --- |
   | whole | a registration carries the machine's config, so that a viewer needs nothing else to draw it |
   | as-XState | snapshots have the members a machine's snapshot has as JSON; what the journal does not know is empty |
   | reduced | nothing is in them that the journal or an `actor/inspect` frame does not have: ids, words and sizes | */
import type { StatelyActorEvent, StatelyEventEvent, StatelySnapshotEvent } from '@statelyai/inspect'
import type { JournalEntry } from '../../../shared/journal.ts'
import type { Json, JsonObject } from '../../../shared/json.ts'
import { actorNumber } from './actor-facts.ts'
import { type Standing, typeOf } from './journal-index.ts'

export interface Subject {
  actorId: string
  machine: string
  /** The actor it belongs to; undefined: it stands for itself. */
  parentId: string | undefined
}

export interface Moment {
  at: number
  value: Json
  standing: Standing
  /** The whole snapshot as the host sent it, if it did. */
  sent: Json | undefined
}

/** Of the library these shapes are of; a receiver knows an inspection event by it. */
const protocolVersion = '0.7.2'

export function actorEvent(subject: Subject, config: Json | undefined, moment: Moment): StatelyActorEvent {
  const { machine } = subject
  const number = actorNumber(subject)
  return {
    type: '@xstate.actor',
    name: number === '' ? machine : `${machine} ${number}`,
    definition: JSON.stringify(config ?? { id: machine }),
    parentId: subject.parentId,
    snapshot: snapshotOf(moment),
    ...base(subject, moment.at),
  }
}

export function eventEvent(subject: Subject, entry: JournalEntry): StatelyEventEvent {
  return { type: '@xstate.event', event: eventOf(entry), sourceId: undefined, ...base(subject, entry.at) }
}

export function snapshotEvent(subject: Subject, event: { type: string }, moment: Moment): StatelySnapshotEvent {
  return { type: '@xstate.snapshot', event, snapshot: snapshotOf(moment), ...base(subject, moment.at) }
}

export function eventOf(entry: JournalEntry): { type: string } {
  return { ...objectOf(entry.event), type: typeOf(entry) }
}

function base({ actorId, parentId }: Subject, at: number) {
  return {
    id: '',
    sessionId: actorId,
    rootId: parentId ?? actorId,
    createdAt: String(at),
    _version: protocolVersion,
  }
}

function snapshotOf({ value, standing, sent }: Moment) {
  const whole = objectOf(sent)
  const isOfThis = JSON.stringify(whole['value']) === JSON.stringify(value)
  return {
    ...statusOf(standing),
    value,
    context: isOfThis ? objectOf(whole['context']) : {},
    historyValue: {},
    children: {},
    tags: [],
  }
}

function statusOf(standing: Standing) {
  const none = { output: undefined, error: undefined }
  switch (standing) {
    case 'live':
    case 'unborn':
      return { status: 'active' as const, ...none }
    case 'over':
      return { status: 'done' as const, ...none }
    case 'gone':
      return { status: 'stopped' as const, ...none }
    default: {
      const never: never = standing
      return never
    }
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
