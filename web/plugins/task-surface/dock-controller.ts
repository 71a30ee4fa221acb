/* Carries `dockMachine` for one session: tells it what the mirror shows, makes the calls it asks for, keeps the
   form and its draft. Lives outside React, so a takeover, a remount or StrictMode changes nothing. Rules:
   DC-LATEST of several `getActive` calls only the answer of the newest counts; DC-FLUSH a draft is on disk
   before it is sent and before the page goes. Next: `machines/dock.ts`, `drafts.ts`, `dock.tsx`. */
import { createActor } from 'xstate'
import { dockMachine, type DockMachineEvent, type DockSnapshot } from '../../../machines/dock.ts'
import { taskSurfaceDismissalIdSchema, type TaskSurfaceId, taskSurfaceSubmissionIdSchema } from '../../../shared/ids.ts'
import type { Issue } from '../../../shared/surface/operations.ts'
import { parseStoredModel } from '../../../shared/surface/parse.ts'
import { validateSubmission } from '../../../shared/surface/submission.ts'
import type { SessionHandle } from '../../session/session-store.ts'
import type { NoteActor } from '../../page-actors.ts'
import { createStore, type ReadableStore } from '../../store.ts'
import type { Saved, SurfaceDrafts } from './drafts.ts'
import { answersOf, createForm, type Form } from './form.ts'
import { issuePath } from './issue-words.ts'
import { followSession, type Outcome } from './session-facts.ts'

export interface DockView {
  readonly machine: DockSnapshot
  readonly surfaceId: TaskSurfaceId | null
  /** Null: nothing read yet, or a model this page cannot read. */
  readonly form: Form | null
  /** Why the model cannot be read. */
  readonly unreadable: readonly Issue[]
  /** `nothing`: nobody changed anything yet. */
  readonly saved: Saved | 'nothing'
  readonly collapsed: boolean
}

export interface DockController extends ReadableStore<DockView> {
  submit(): void
  dismiss(): void
  setCollapsed(collapsed: boolean): void
  acknowledge(): void
  removeFromQueue(): void
  dispose(): void
}

export interface DockControllerDeps {
  session: SessionHandle
  drafts: SurfaceDrafts
  mintId: () => string
  /** Calls back after so many milliseconds; returns its disposer. */
  after: (delayMs: number, work: () => void) => () => void
  /** Calls back when the page may go away: hidden, or unloaded. Returns its disposer. */
  onLeave: (work: () => void) => () => void
  noteActor?: NoteActor
}

const nothingUnreadable: readonly Issue[] = []
/** A pause in typing; `onLeave` covers a page that goes sooner. */
const writeDelayMs = 200
const firstRetryMs = 500
const longestRetryMs = 15_000

function sameEntries(left: object, right: object): boolean {
  const before = new Map<string, unknown>(Object.entries(left))
  return Object.entries(right).every(([key, value]: [string, unknown]) => Object.is(before.get(key), value))
}

/** Every keystroke is an event of the machine; few of them change what the dock shows. */
function looksSame(left: DockSnapshot, right: DockSnapshot): boolean {
  return JSON.stringify(left.value) === JSON.stringify(right.value) && sameEntries(left.context, right.context)
}

export function createDockController(deps: DockControllerDeps): DockController {
  const { session, drafts } = deps
  const sessionId = session.id
  let form: Form | null = null
  let formOf: TaskSurfaceId | null = null
  /** The JSON the form was made from. */
  let formSource = ''
  let unreadable = nothingUnreadable
  let saved: Saved | 'nothing' = 'nothing'
  let collapsed = false
  let newestRead = 0
  let cancelWrite: (() => void) | null = null
  let cancelRetry: (() => void) | null = null
  let stopForm = () => {}
  let stopDraft = () => {}
  let writing = false

  const actor = createActor(
    dockMachine.provide({
      actions: {
        read: ({ context }) => read(context.surfaceId),
        retryLater: ({ context }) => retryLater(context.failedReads),
        sendSubmission: ({ context }) => sendSubmission(context),
        sendDismissal: ({ context }) => sendDismissal(context),
        keepAttempt: ({ context, event }) => (event.type === 'EDITED' ? writeSoon() : write(context)),
      },
    }),
  )
  const forgetActor = deps.noteActor?.({ machine: 'dock', sessionId, actor })
  let shown = actor.getSnapshot()
  const store = createStore<DockView>(view())

  function view(): DockView {
    const next = actor.getSnapshot()
    if (!looksSame(shown, next)) shown = next
    const machine = shown
    const { surfaceId } = machine.context
    const own = surfaceId !== null && surfaceId === formOf
    return {
      machine,
      surfaceId,
      form: own ? form : null,
      unreadable: own ? unreadable : nothingUnreadable,
      saved,
      collapsed,
    }
  }
  function show(): void {
    const next = view()
    if (!sameEntries(store.getState(), next)) store.setState(next)
  }
  function send(event: DockMachineEvent): void {
    actor.send(event)
  }

  function read(surfaceId: TaskSurfaceId | null): void {
    if (surfaceId === null) return
    newestRead += 1
    const own = newestRead
    cancelRetry?.()
    session.rpc.call('taskSurface.getActive', { sessionId, surfaceId }).then(
      (result) => {
        if (own !== newestRead) return
        if (!result.active) return send({ type: 'READ', surfaceId, open: false })
        takeModel(surfaceId, result.model)
        send({ type: 'READ', surfaceId, open: true, readable: form !== null, pending: result.pending })
      },
      () => {
        if (own === newestRead) send({ type: 'READ_FAILED', surfaceId })
      },
    )
  }

  function retryLater(failures: number): void {
    cancelRetry?.()
    const delayMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.max(0, failures - 1))
    cancelRetry = deps.after(delayMs, () => send({ type: 'RETRY_DUE' }))
  }

  function takeModel(surfaceId: TaskSurfaceId, model: unknown): void {
    const source = JSON.stringify(model)
    if (formOf === surfaceId && formSource === source) return
    letFormGo()
    const parsed = parseStoredModel(model)
    formOf = surfaceId
    formSource = source
    unreadable = parsed.ok ? nothingUnreadable : parsed.issues
    drafts.reopen(surfaceId)
    if (!parsed.ok) return
    const draft = drafts.read(surfaceId)
    const made = createForm(parsed.model, draft)
    form = made
    saved = draft === null ? 'nothing' : 'saved'
    stopForm = made.onEdit((key) => send({ type: 'EDITED', path: issuePath(key) }))
    stopDraft = drafts.onChange(surfaceId, () => takeDraft(surfaceId, made))
  }

  /** Another tab changed the draft. What is being typed here is newer. */
  function takeDraft(surfaceId: TaskSurfaceId, made: Form): void {
    if (writing || cancelWrite !== null || made !== form) return
    const draft = drafts.read(surfaceId)
    if (draft === null || !actor.getSnapshot().matches({ live: 'open' })) return
    made.adopt(draft)
    saved = 'saved'
    // An attempt of this tab was about the former values.
    send({ type: 'EDITED', path: '' })
    cancelWriting()
    show()
  }

  function letFormGo(): void {
    if (cancelWrite !== null) write()
    stopForm()
    stopDraft()
    stopForm = () => {}
    stopDraft = () => {}
    form = null
    formOf = null
    formSource = ''
    unreadable = nothingUnreadable
    saved = 'nothing'
  }

  function cancelWriting(): void {
    cancelWrite?.()
    cancelWrite = null
  }
  function writeSoon(): void {
    cancelWrite ??= deps.after(writeDelayMs, () => write())
  }
  /** Inside an action the actor's own snapshot is still the one before. */
  function write({ surfaceId, attempt } = actor.getSnapshot().context): void {
    cancelWriting()
    if (form === null || formOf === null) return
    writing = true
    saved = drafts.write(formOf, { ...form.snapshot(), attempt: surfaceId === formOf ? attempt : null })
    writing = false
    show()
  }

  function sendSubmission({ surfaceId, attempt }: DockSnapshot['context']): void {
    if (surfaceId === null || attempt === null || form === null) return
    const submissionId = attempt
    session.rpc.call('taskSurface.submit', { sessionId, surfaceId, submissionId, ...answersOf(form) }).then(
      (result) => {
        if (result.accepted) send({ type: 'ACCEPTED', submissionId, messageId: result.messageId })
        else send({ type: 'REFUSED', submissionId, reason: result.reason, issues: result.issues ?? [] })
      },
      () => send({ type: 'SUBMIT_FAILED', submissionId }),
    )
  }

  function sendDismissal({ surfaceId, dismissalId }: DockSnapshot['context']): void {
    if (surfaceId === null || dismissalId === null) return
    session.rpc.call('taskSurface.dismiss', { sessionId, surfaceId, dismissalId }).then(
      (result) => send({ type: result.dismissed ? 'DISMISSED' : 'DISMISS_REFUSED', dismissalId }),
      () => send({ type: 'DISMISS_FAILED', dismissalId }),
    )
  }

  function heard(event: DockMachineEvent): void {
    if (event.type === 'IDENTITY' && event.surfaceId !== null) {
      const draft = drafts.read(event.surfaceId)
      if (event.surfaceId !== formOf) collapsed = false
      return send({ ...event, attempt: draft?.attempt ?? null, touched: draft !== null })
    }
    send(event)
  }

  /** What was sent or dismissed needs no draft any more, here or in another tab; what was bypassed keeps it. */
  function settled({ surfaceId, reason }: Outcome): void {
    if (reason !== 'submitted' && reason !== 'dismissed') return
    const isOpenHere = surfaceId === formOf
    if (isOpenHere) cancelWriting()
    if (isOpenHere || drafts.read(surfaceId) !== null) drafts.end(surfaceId)
  }

  const stopMachine = actor.subscribe(() => {
    const { value, context } = actor.getSnapshot()
    if (value === 'absent' || (formOf !== null && context.surfaceId !== formOf)) letFormGo()
    show()
  })
  actor.start()
  const surfaceId = () => actor.getSnapshot().context.surfaceId
  const stopSession = followSession(session, { surfaceId, heard, settled })
  const stopLeaving = deps.onLeave(() => {
    if (cancelWrite !== null) write()
  })

  return {
    getState: store.getState,
    subscribe: store.subscribe,
    submit() {
      if (form === null) return
      const { values, note } = answersOf(form)
      // The size is the host's to judge: its limit is configurable.
      const checked = validateSubmission(form.model, values, note, { submissionBytes: Number.POSITIVE_INFINITY })
      if (checked.ok) send({ type: 'SUBMIT', submissionId: taskSurfaceSubmissionIdSchema.parse(deps.mintId()) })
      else send({ type: 'INVALID', issues: checked.issues })
    },
    dismiss: () => send({ type: 'DISMISS', dismissalId: taskSurfaceDismissalIdSchema.parse(deps.mintId()) }),
    setCollapsed(next) {
      collapsed = next
      show()
    },
    acknowledge: () => send({ type: 'ACKNOWLEDGE' }),
    removeFromQueue() {
      const { pending } = actor.getSnapshot().context
      const row = session.getState().queue.find(({ messageId }) => messageId === pending?.messageId)
      if (row === undefined) return
      const params = { sessionId, itemId: row.id, action: { kind: 'remove' } } as const
      // Gone or claimed meanwhile: the next push says which.
      session.rpc.call('session.updateQueue', params).catch(() => send({ type: 'ROW_CHANGED' }))
    },
    dispose() {
      if (cancelWrite !== null) write()
      cancelRetry?.()
      newestRead += 1
      stopForm()
      stopDraft()
      stopLeaving()
      stopSession()
      stopMachine.unsubscribe()
      actor.stop()
      forgetActor?.()
    },
  }
}
