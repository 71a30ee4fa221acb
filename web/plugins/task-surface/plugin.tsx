/* Puts Task Surface into the conversation: the dock and the transcript row. Ending the scope takes both out and
   lets the editors of this page go; stored drafts and the transcript stay, so enabling it again brings the open
   surface back as it was. */
import type { Client } from '../../client.tsx'
import { after } from '../../connection/browser-socket.ts'
import type { Scope, SessionProps, ToolviewProps } from '../../slots.ts'
import { showTaskSurfaceTool } from '../../../shared/surface/meta.ts'
import { preloadForm, TaskSurfaceDock } from './dock.tsx'
import { createDockController } from './dock-controller.ts'
import { createSurfaceDrafts, removeDraftsOf, removeOldDrafts } from './drafts.ts'
import { claimsRow, SurfaceRow } from './surface-row.tsx'
import { surfaceTexts } from './strings.ts'

/** Between the run line and the queue. */
const dockOrder = 10

/** The first screen is there by then. */
const preloadDelayMs = 1_500

function onLeave(work: () => void): () => void {
  const hidden = () => {
    if (document.visibilityState === 'hidden') work()
  }
  document.addEventListener('visibilitychange', hidden)
  window.addEventListener('pagehide', work)
  window.addEventListener('blur', work)
  return () => {
    document.removeEventListener('visibilitychange', hidden)
    window.removeEventListener('pagehide', work)
    window.removeEventListener('blur', work)
  }
}

export function registerTaskSurface(scope: Scope, client: Client): void {
  const { storage, connection, mintId, now, pageActors } = client
  removeOldDrafts(storage, now())
  const draftsOf = scope.perSession(
    (session) => createSurfaceDrafts(session.id, storage, now),
    (drafts) => drafts.dispose(),
  )
  const controllerOf = scope.perSession(
    (session) =>
      createDockController({ session, drafts: draftsOf(session), mintId, after, onLeave, noteActor: pageActors.note }),
    (controller) => controller.dispose(),
  )
  scope.onDispose(
    connection.onFrame((frame) => {
      if (frame.type === 'host/session-removed') removeDraftsOf(storage, frame.sessionId)
    }),
  )
  scope.register('conversation.input.dock', {
    id: 'task-surface',
    order: dockOrder,
    component: ({ session }: SessionProps) => <TaskSurfaceDock session={session} controller={controllerOf(session)} />,
  })
  scope.register('conversation.chat.toolview', {
    tool: showTaskSurfaceTool,
    claims: claimsRow,
    speaker: () => surfaceTexts.text('agentHands'),
    component: (props: ToolviewProps) => <SurfaceRow {...props} drafts={draftsOf(props.session)} />,
  })
  scope.onDispose(after(preloadDelayMs, preloadForm))
}
