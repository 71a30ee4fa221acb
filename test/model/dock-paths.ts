/* What can be done to the dock of a page from outside, and the walks that follow: the host names surfaces, answers and pushes,
   the person types, sends and dismisses, the connection goes and comes. Walked by `e2e/dock-paths.test.ts`. */
import { transition } from 'xstate'
import { dockMachine, type DockContext, type DockMachineEvent, type DockSnapshot } from '../../machines/dock.ts'
import {
  messageIdSchema,
  taskSurfaceDismissalIdSchema,
  taskSurfaceIdSchema,
  taskSurfaceSubmissionIdSchema,
  type TaskSurfaceDismissalId,
  type TaskSurfaceId,
  type TaskSurfaceSubmissionId,
} from '../../shared/ids.ts'
import { dockLeftOut } from './dock-left-out.ts'
import { keptWalks } from './dock-walks.ts'
import { pageWalks, type Move, type PageModel } from './page-walks.ts'

export const [firstSurface, secondSurface] = [taskSurfaceIdSchema.parse('s-1'), taskSurfaceIdSchema.parse('s-2')]
export const [ownMessage, foreignMessage] = [messageIdSchema.parse('m-own'), messageIdSchema.parse('m-foreign')]
/** Of `dock-controller.ts`: a draft is written that long after a key, a read is tried again so long after it failed. */
export const writeMs = 200
const retryMsAfter = (failures: number): number => 500 * 2 ** Math.max(0, failures - 1)

interface Draft {
  attempt: TaskSurfaceSubmissionId | null
  filled: boolean
}

export interface DockWorld {
  isOpen: boolean
  isUp: boolean
  /** What the host calls active. */
  named: TaskSurfaceId | null
  /** The newest `getActive` that is not answered asks for this one. */
  reading: TaskSurfaceId | null
  retryMs: number | null
  submitting: readonly TaskSurfaceSubmissionId[]
  dismissing: readonly TaskSurfaceDismissalId[]
  /** The form on the page; null: none, or one of a model that cannot be read. */
  form: { of: TaskSurfaceId; filled: boolean } | null
  drafts: Readonly<Record<string, Draft | undefined>>
  /** The last push of the surface the dock is at. */
  pushed: 'nothing' | 'free' | 'pending'
  hasRow: boolean
  /** Surfaces known to have been bypassed. */
  bypassed: readonly TaskSurfaceId[]
  reads: number
  submissions: number
  dismissals: number
}
type DockMove = Move<typeof dockMachine, DockWorld>

/** A move in the making: what the machine hears one after another, and what the page does of it. */
function begin(name: string, at: DockSnapshot, from: DockWorld, change: Partial<DockWorld> = {}) {
  const events: DockMachineEvent[] = []
  let snapshot = at
  let world: DockWorld = { ...from, ...change }

  function act(type: string, event: DockMachineEvent, { surfaceId, attempt, dismissalId, failedReads }: DockContext) {
    if (type === 'read') world = { ...world, reading: surfaceId, retryMs: null, reads: world.reads + 1 }
    if (type === 'retryLater') world = { ...world, retryMs: retryMsAfter(failedReads) }
    if (type === 'sendSubmission' && attempt !== null) world = { ...world, submitting: [...world.submitting, attempt] }
    if (type === 'sendDismissal' && dismissalId !== null) {
      world = { ...world, dismissing: [...world.dismissing, dismissalId] }
    }
    if (type === 'keepAttempt' && surfaceId !== null && world.form?.of === surfaceId) {
      const filled = world.form.filled
      world = { ...world, drafts: { ...world.drafts, [surfaceId]: { attempt, filled } } }
    }
  }
  return {
    get surfaceId() {
      return snapshot.context.surfaceId
    },
    tell(event: DockMachineEvent) {
      events.push(event)
      if (!snapshot.can(event)) return
      const [next, actions] = transition(dockMachine, snapshot, event)
      snapshot = next
      for (const { type } of actions) act(type, event, next.context)
      const { surfaceId } = next.context
      if (next.value === 'absent' || world.form?.of !== surfaceId) world = { ...world, form: null }
      if (next.value === 'absent') world = { ...world, pushed: 'nothing' }
    },
    change(next: Partial<DockWorld>) {
      world = { ...world, ...next }
    },
    made: (): DockMove => ({ name, events, world }),
  }
}

/** What the page says of a surface that the host calls active now. */
function identity({ drafts }: DockWorld, surfaceId: TaskSurfaceId | null): DockMachineEvent {
  const draft = surfaceId === null ? undefined : drafts[surfaceId]
  return { type: 'IDENTITY', surfaceId, attempt: draft?.attempt ?? null, touched: draft !== undefined }
}

function named(at: DockSnapshot, world: DockWorld): DockMove[] {
  if (world.hasRow) return []
  return [firstSurface, secondSurface, null].flatMap((surfaceId) => {
    if (surfaceId === world.named) return []
    const move = begin(surfaceId === null ? 'no surface is named' : `${surfaceId} is named`, at, world, {
      named: surfaceId,
      pushed: 'nothing',
    })
    move.tell(identity(world, surfaceId))
    tellOutcome(move, world.bypassed, surfaceId)
    return [move.made()]
  })
}

/** Told again with every projection, as long as it is known of the surface the dock is at. */
function tellOutcome(
  move: ReturnType<typeof begin>,
  bypassed: DockWorld['bypassed'],
  active: TaskSurfaceId | null,
): void {
  const { surfaceId } = move
  if (surfaceId === null || surfaceId === active || !bypassed.includes(surfaceId)) return
  move.tell({ type: 'OUTCOME', surfaceId, reason: 'bypassed' })
}

function ended(at: DockSnapshot, world: DockWorld): DockMove[] {
  const { surfaceId } = at.context
  if (surfaceId === null || surfaceId === world.named) return []
  const dismissed = begin('its dismissal is known', at, world, { bypassed: [] })
  dismissed.change({ drafts: { ...world.drafts, [surfaceId]: undefined } })
  dismissed.tell({ type: 'OUTCOME', surfaceId, reason: 'dismissed' })
  const bypassed = begin('its bypass is known', at, world, { bypassed: [surfaceId] })
  bypassed.tell({ type: 'OUTCOME', surfaceId, reason: 'bypassed' })
  return [dismissed.made(), bypassed.made()]
}

function answered(at: DockSnapshot, world: DockWorld): DockMove[] {
  const { reading } = world
  if (reading === null) return []
  const submissionId = at.context.attempt ?? taskSurfaceSubmissionIdSchema.parse('of-another-page')
  const move = (name: string, event: DockMachineEvent, form: DockWorld['form']) => {
    const made = begin(name, at, world, { reading: null, form })
    made.tell(event)
    return made.made()
  }
  const form = world.form?.of === reading ? world.form : { of: reading, filled: world.drafts[reading]?.filled ?? false }
  const pending = (phase: 'queued' | 'claiming') => ({ submissionId, messageId: ownMessage, phase }) as const
  const open = { type: 'READ', surfaceId: reading, open: true } as const
  return [
    move('the host says open', { ...open, readable: true, pending: null }, form),
    move('the host says queued', { ...open, readable: true, pending: pending('queued') }, form),
    move('the host says claiming', { ...open, readable: true, pending: pending('claiming') }, form),
    move('the host says open, in a new language', { ...open, readable: false, pending: null }, null),
    move('the host says not open', { type: 'READ', surfaceId: reading, open: false }, world.form),
    move('the host cannot say', { type: 'READ_FAILED', surfaceId: reading }, world.form),
  ]
}

function submitted(at: DockSnapshot, world: DockWorld): DockMove[] {
  const [submissionId, ...submitting] = world.submitting
  if (submissionId === undefined) return []
  const issues = [{ path: '/values/answer', message: 'Say more.' }]
  const events: [string, DockMachineEvent][] = [
    ['the answers are accepted', { type: 'ACCEPTED', submissionId, messageId: ownMessage }],
    ['the answers are stale', { type: 'REFUSED', submissionId, reason: 'stale', issues: [] }],
    ['the answers are invalid', { type: 'REFUSED', submissionId, reason: 'invalid-submission', issues }],
    ['sending fails', { type: 'SUBMIT_FAILED', submissionId }],
  ]
  return events.map(([name, event]) => {
    const move = begin(name, at, world, { submitting })
    move.tell(event)
    return move.made()
  })
}

function dismissed(at: DockSnapshot, world: DockWorld): DockMove[] {
  const [dismissalId, ...dismissing] = world.dismissing
  if (dismissalId === undefined) return []
  return (['DISMISSED', 'DISMISS_REFUSED', 'DISMISS_FAILED'] as const).map((type) => {
    const move = begin(type.toLowerCase().replace('_', ' '), at, world, { dismissing })
    move.tell({ type, dismissalId })
    return move.made()
  })
}

function pushed(at: DockSnapshot, world: DockWorld): DockMove[] {
  const { surfaceId, attempt } = at.context
  const discards = [ownMessage, foreignMessage].map((messageId) => {
    const move = begin(`the discard of ${messageId} is seen`, at, world)
    move.tell({ type: 'DISCARDED', messageId, reason: 'removed', why: null })
    return move.made()
  })
  if (surfaceId === null) return discards
  const submissionId = attempt ?? taskSurfaceSubmissionIdSchema.parse('of-another-page')
  const pushes = (['queued', 'claiming', null] as const).flatMap((phase) => {
    if (phase === null && world.pushed === 'free') return []
    const pending = phase === null ? null : { submissionId, messageId: ownMessage, phase }
    const move = begin(`${phase ?? 'nothing pending'} is pushed`, at, world, {
      pushed: phase === null ? 'free' : 'pending',
    })
    move.tell({ type: 'PENDING', surfaceId, pending })
    return [move.made()]
  })
  const row = begin(world.hasRow ? 'its row goes' : 'its row comes', at, world, { hasRow: !world.hasRow })
  row.tell({ type: 'ROW_CHANGED' })
  return [...discards, ...pushes, row.made()]
}

function person(at: DockSnapshot, world: DockWorld): DockMove[] {
  const { form, retryMs, isUp } = world
  const moves: DockMove[] = []
  const isLive = typeof at.value === 'object' && at.value.live !== 'loading'
  if (at.matches({ live: 'open' }) && form !== null && (retryMs === null || retryMs > writeMs)) {
    for (const filled of [true, false]) {
      if (form.filled === filled) continue
      const move = begin(filled ? 'the person types' : 'the person clears the field', at, world, {
        form: { ...form, filled },
        retryMs: retryMs === null ? null : retryMs - writeMs,
      })
      move.tell({ type: 'EDITED', path: '/values/answer' })
      moves.push(move.made())
    }
  }
  if (isLive && form !== null && form.of === at.context.surfaceId) {
    const move = begin('the person sends', at, world, { submissions: world.submissions + (form.filled ? 1 : 0) })
    const submissionId = taskSurfaceSubmissionIdSchema.parse(`submission-${world.submissions + 1}`)
    if (form.filled) move.tell({ type: 'SUBMIT', submissionId })
    else move.tell({ type: 'INVALID', issues: [{ path: '/values/answer', message: 'must be answered' }] })
    moves.push(move.made())
  }
  if (isUp && (at.matches({ live: 'open' }) || at.matches({ live: 'unreadable' }))) {
    const move = begin('the person dismisses', at, world, { dismissals: world.dismissals + 1 })
    move.tell({
      type: 'DISMISS',
      dismissalId: taskSurfaceDismissalIdSchema.parse(`dismissal-${world.dismissals + 1}`),
    })
    moves.push(move.made())
  }
  if (at.matches('ended') && at.context.ended === 'bypassed') {
    const move = begin('the person closes the note', at, world)
    move.tell({ type: 'ACKNOWLEDGE' })
    moves.push(move.made())
  }
  return moves
}

/** With nothing on its way, so that only the link is told. */
function link(at: DockSnapshot, world: DockWorld): DockMove[] {
  const { reading, submitting, dismissing, retryMs, hasRow } = world
  const isQuiet = reading === null && submitting.length === 0 && dismissing.length === 0 && !hasRow
  if (!world.isUp) {
    if (retryMs !== null) return []
    const back = begin('the connection is back', at, world, { isUp: true, pushed: 'nothing' })
    back.tell({ type: 'UP' })
    tellOutcome(back, world.bypassed, world.named)
    return [back.made()]
  }
  const anew = begin('the session is shown anew', at, world, { pushed: 'nothing' })
  anew.tell({ type: 'UP' })
  tellOutcome(anew, world.bypassed, world.named)
  const down = begin('the connection goes', at, world, { isUp: false })
  down.tell({ type: 'DOWN' })
  return [...(hasRow ? [] : [anew.made()]), ...(isQuiet ? [down.made()] : [])]
}

function moves(at: DockSnapshot, world: DockWorld): DockMove[] {
  if (!world.isOpen) {
    const move = begin('a page opens', at, world, { isOpen: true, isUp: true })
    move.tell({ type: 'UP' })
    move.tell(identity(world, null))
    return [move.made()]
  }
  const due: DockMove[] = []
  if (world.retryMs !== null) {
    const move = begin('the wait is over', at, world, { retryMs: null })
    move.tell({ type: 'RETRY_DUE' })
    due.push(move.made())
  }
  const host = [named, ended, answered, submitted, dismissed, pushed]
  return [...due, ...person(at, world), ...(world.isUp ? host.flatMap((of) => of(at, world)) : []), ...link(at, world)]
}

function keyOf({ value, context }: DockSnapshot, world: DockWorld): string {
  const { attempt, dismissalId, trouble, pending } = context
  const { submitting, dismissing, drafts } = world
  return JSON.stringify([
    value,
    { ...context, attempt: null, dismissalId: null, trouble: null, issues: null, pending: null },
    attempt !== null,
    dismissalId !== null,
    trouble?.kind,
    pending?.phase,
    { ...world, reads: 0, submissions: 0, dismissals: 0, submitting: 0, dismissing: 0, drafts: 0 },
    submitting.map((id) => id === attempt),
    dismissing.map((id) => id === dismissalId),
    Object.entries(drafts).map(([id, draft]) => [id, draft !== undefined, draft?.attempt != null, draft?.filled]),
  ])
}

/** Searching this machine takes too long for every run: its walks are kept, and `find-dock-walks.js` finds them anew. */
export const dockModel: PageModel<typeof dockMachine, DockWorld> = {
  machine: dockMachine,
  start: {
    isOpen: false,
    isUp: false,
    named: null,
    reading: null,
    retryMs: null,
    submitting: [],
    dismissing: [],
    form: null,
    drafts: {},
    pushed: 'nothing',
    hasRow: false,
    bypassed: [],
    reads: 0,
    submissions: 0,
    dismissals: 0,
  },
  moves,
  keyOf,
  maxMoves: 40,
  maxSearch: 0,
  scripts: keptWalks,
  leftOut: dockLeftOut,
}

export const { walks: dockWalks, targets: dockTargets } = pageWalks(dockModel)
