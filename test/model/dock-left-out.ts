/* What the dock of a page never comes to, and why. */
import type { LeftOut } from './page-walks.ts'

const open = ['live.open.editing', 'live.open.rejected', 'live.open.returned'] as const
const sending = ['live.submitting', 'live.checking'] as const
const pending = ['live.pending.queued', 'live.pending.claiming'] as const
const shown = ['live.unreadable', ...open, ...sending, 'live.dismissing', ...pending] as const
const live = ['live.loading', ...shown] as const
const all = ['absent', ...live, 'ended'] as const

export const dockLeftOut: readonly LeftOut[] = [
  { states: live, events: ['IDENTITY'], why: 'what the host calls active is told when it changes, and only then' },
  {
    states: live.filter((state) => state !== 'live.submitting'),
    events: ['READ'],
    why: 'a dock asks anew for each surface, and hears the answer to its newest question alone',
  },
  { states: live, events: ['READ_FAILED'], why: 'the newest question is about the surface that is shown' },
  {
    states: ['absent', ...live],
    events: ['PENDING'],
    why: 'a push is told for the surface that is shown, and for no other',
  },
  { states: ['absent'], events: ['ROW_CHANGED'], why: 'rows are told for the surface that is shown' },
  {
    states: all,
    events: ['OUTCOME'],
    why: 'an outcome is told for the surface that is shown, once the host no longer calls it active',
  },
  {
    states: ['live'],
    events: ['OUTCOME'],
    isArrow: true,
    why: 'the host no longer calls a surface active when it tells of its outcome, and the dock hears that first',
  },
  { states: all, events: ['DISMISS'], why: 'there is no button, or it is off while the connection is gone' },
  {
    states: all.filter((state) => !open.some((one) => one === state)),
    events: ['EDITED'],
    why: 'there is no field, or it is locked',
  },
  { states: ['absent', 'live.loading', 'ended'], events: ['SUBMIT', 'INVALID'], why: 'there is no form to send' },
  { states: sending, events: ['INVALID'], why: 'what is on its way was complete, and cannot be changed' },
  { states: ['absent', ...live], events: ['ACKNOWLEDGE'], why: 'only the note that a surface has ended can be closed' },
  {
    states: ['live.submitting', 'live.dismissing'],
    events: ['RETRY_DUE'],
    why: 'it is refused without a connection only, and then the call on its way has failed as well',
  },
]
