/* An entry in words: its time to the millisecond, its event, where it led. Pure but for the language of the page. */
import type { Chart } from '../../../machines/chart.ts'
import type { JournalEntry } from '../../../shared/journal.ts'
import type { Json } from '../../../shared/json.ts'
import type { Language } from '../../i18n/i18n.ts'
import { clockTime } from '../../time.ts'
import { marksOf, stateWord } from './chart-marks.ts'
import { isBeginning, typeOf } from './journal-index.ts'
import type { lifecycleTexts } from './lifecycle-texts.ts'
import { watchedFromHere } from './page-recorder.ts'

export type LifecycleText = ReturnType<typeof lifecycleTexts.use>

/** `14:32:07.412`. */
export function exactTime(at: number, language: Language): string {
  return `${clockTime(at, language, true)}.${String(Math.floor(at) % 1000).padStart(3, '0')}`
}

export function eventWord(entry: JournalEntry, t: LifecycleText): string {
  if (isBeginning(entry)) return t('begins')
  const type = typeOf(entry)
  return type === watchedFromHere ? t('watched') : type
}

/** Words a machine's types spell out, which say more than the states do. */
const telling = ['reason', 'status', 'by', 'outcome', 'decision'] as const

function payloadOf({ event }: JournalEntry): [string, Json][] {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return []
  return Object.entries(event).filter(([key]) => key !== 'type' && key !== 'cause')
}

/** The reduced payload without its type and cause; null where nothing is left. */
export function payloadJson(entry: JournalEntry): string | null {
  const payload = payloadOf(entry)
  return payload.length === 0 ? null : JSON.stringify(Object.fromEntries(payload), null, 2)
}

/** The number of the durable event it rests on. */
export function causeOf({ event }: JournalEntry): number | null {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return null
  const cause = event['cause']
  if (typeof cause !== 'object' || cause === null || Array.isArray(cause)) return null
  return typeof cause['seq'] === 'number' ? cause['seq'] : null
}

export const throughOf = (entry: JournalEntry, chart: Chart | undefined): string[] =>
  chart === undefined ? [] : marksOf(chart, entry).passed.map((id) => id.replace(/^live\./, ''))

/** `queued → open · removed`. */
export function wayWords(entry: JournalEntry, t: LifecycleText): string {
  const to = stateWord(entry.to)
  if (entry.from !== null && stateWord(entry.from) === to) return t('stays', { state: to })
  const words = payloadOf(entry).flatMap(([key, value]) =>
    telling.some((word) => word === key) && typeof value === 'string' ? [value] : [],
  )
  return [`${entry.from === null ? '–' : stateWord(entry.from)} → ${to}`, ...words].join(' · ')
}

export function actorName(actor: { machine: string }, number: string, t: LifecycleText): string {
  const name = machineName(actor.machine, t)
  return number === '' ? name : `${name} ${number}`
}

function machineName(machine: string, t: LifecycleText): string {
  switch (machine) {
    case 'session':
    case 'turn':
    case 'surface':
    case 'task':
    case 'question':
    case 'approval':
    case 'connection':
    case 'dock':
    case 'composer':
      return t(machine)
    default:
      return machine
  }
}
