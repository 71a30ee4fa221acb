/* Entries as a host would journal them, made by hand. */
import type { JournalEntry } from '../../../../shared/journal.ts'
import { journalEntrySchema } from '../../../../shared/journal.ts'

export interface Step {
  actorId: string
  type?: string
  from?: unknown
  to: unknown
  accepted?: boolean
  event?: object
}

/** Numbers entries from `firstId` on; the machine is what the actor's id begins with. */
export function entriesOf(steps: readonly Step[], firstId = 1): JournalEntry[] {
  return steps.map(({ actorId, type = 'GO', from = null, to, accepted = true, event = {} }, index) =>
    journalEntrySchema.parse({
      id: String(firstId + index),
      at: 1_000 * (firstId + index),
      actorId,
      machine: actorId.split(':')[0],
      sessionId: 's',
      event: { type, ...event },
      from,
      to,
      accepted,
    }),
  )
}

export const begin = (actorId: string, to: unknown = 'open'): Step => ({ actorId, type: 'xstate.init', to })
