/* How an actor is called and which mark stands before it (DESIGN: a shape for each state, and the word beside it). The
   names of states are the machines' own and are not translated. Pure. */
import type { JournalEntry } from '../../../shared/journal.ts'
import type { Json } from '../../../shared/json.ts'
import type { Mark, Tone } from '../../icon.tsx'
import { leavesOf } from './chart-marks.ts'
import { type Standing, typeOf } from './journal-index.ts'

/** The states of each machine that have a mark of their own, innermost name first, then what lies around. */
const markByState: Readonly<Record<string, Readonly<Record<string, Mark>>>> = {
  session: {
    idle: 'idle',
    boundary: 'claiming',
    claiming: 'claiming',
    committing: 'claiming',
    running: 'running',
    calling: 'running',
    reloading: 'stopping',
    ended: 'completed',
  },
  turn: { calling: 'running', acting: 'running', waiting: 'queued', ending: 'stopping', ended: 'completed' },
  surface: { open: 'open', queued: 'queued', claiming: 'claiming' },
  task: { running: 'running', stopping: 'stopping', completed: 'completed', failed: 'failed', killed: 'killed' },
  question: { pending: 'open', answered: 'submitted', declined: 'dismissed', cancelled: 'removed' },
  approval: { pending: 'open', allowed: 'submitted', denied: 'dismissed', cancelled: 'removed' },
  connection: {
    connecting: 'claiming',
    steady: 'completed',
    probing: 'running',
    waiting: 'warn',
    refused: 'failed',
  },
  dock: {
    absent: 'idle',
    loading: 'claiming',
    editing: 'open',
    returned: 'open',
    rejected: 'warn',
    unreadable: 'warn',
    submitting: 'claiming',
    checking: 'claiming',
    dismissing: 'stopping',
    queued: 'queued',
    claiming: 'claiming',
    ended: 'superseded',
  },
  composer: { idle: 'idle', delivering: 'claiming', held: 'known' },
}

/** How a surface was closed is in the event that closed it. */
const markByClosing: Readonly<Record<string, Mark>> = {
  COMMIT: 'submitted',
  DISMISS: 'dismissed',
  BYPASS: 'bypassed',
  SUPERSEDE: 'superseded',
  REMOVE: 'removed',
}

/** `last` is the entry that led there. */
export function markOf(machine: string, value: Json, standing: Standing, last: JournalEntry | undefined): Mark {
  if (standing === 'gone') return 'known'
  const leaf = leavesOf(value)[0] ?? ''
  if (machine === 'surface' && leaf === 'closed') return markByClosing[last === undefined ? '' : typeOf(last)] ?? 'open'
  const name = leaf.split('.').at(-1) ?? ''
  return markByState[machine]?.[name] ?? 'neutral'
}

const loud: ReadonlySet<Mark> = new Set(['running', 'claiming', 'open', 'queued', 'stopping'])

export function toneOf(mark: Mark, standing: Standing): Tone {
  if (standing === 'gone') return 'old'
  if (mark === 'failed') return 'bad'
  if (mark === 'warn') return 'warn'
  return standing === 'live' && loud.has(mark) ? 'now' : 'plain'
}

/** Characters of an id that tell actors of one session apart. */
const shownOfId = 4

/** What an actor is called besides the name of its machine: `7f3a`, `14`, `bash-x1`; nothing for what there is one of. */
export function actorNumber({ actorId, machine }: { actorId: string; machine: string }): string {
  const parts = actorId.split(':')
  const own = parts[1] ?? ''
  switch (machine) {
    case 'turn':
    case 'task':
      return own
    case 'surface':
    case 'question':
    case 'approval':
      return own.replace(/^[a-z]+[-_]/, '').slice(0, shownOfId)
    default:
      return ''
  }
}
