/* What changes a whole session: rename, configure, fork, rewind, remove (SPEC 2). */
import type { ApprovalPolicy, ToolMode } from '../../shared/event.ts'
import type { SessionId } from '../../shared/ids.ts'
import { conflict, errorCodes, RpcError } from '../../shared/protocol/errors.ts'
import type { Result } from '../../shared/protocol/methods.ts'
import type { Session } from '../../shared/session.ts'
import { isMcpAgent } from '../agents/mcp-agent.ts'
import { LogError } from '../log/port.ts'
import { accepts } from '../lifecycles/accepts.ts'
import { baselineOf } from './baseline.ts'
import { headerOf } from './session-view.ts'
import { storageError, type SessionDirectory } from './session-directory.ts'

export async function renameSession(directory: SessionDirectory, sessionId: SessionId, title: string): Promise<void> {
  const runtime = await directory.load(sessionId)
  await runtime.append([{ type: 'session/title', data: { title } }])
}

export interface Configuration {
  approval?: ApprovalPolicy | undefined
  toolMode?: ToolMode | undefined
  agent?: string | undefined
}

export async function configureSession(
  directory: SessionDirectory,
  sessionId: SessionId,
  { approval, toolMode, agent }: Configuration,
): Promise<Session> {
  const runtime = await directory.load(sessionId)
  if (!accepts(runtime.session, { type: 'CONFIGURE' })) throw busy()
  runtime.session.send({ type: 'CONFIGURE' })
  const data = {
    ...(approval !== undefined && { approval }),
    ...(toolMode !== undefined && { toolMode }),
    ...(agent !== undefined && { agent }),
  }
  if (Object.keys(data).length > 0) await runtime.append([{ type: 'session/configured', data }])
  return runtime.view()
}

export async function forkSession(
  directory: SessionDirectory,
  sessionId: SessionId,
  atSeq: number | undefined,
): Promise<Session> {
  const { log, ids, clock } = directory.deps
  const source = await directory.state(sessionId)
  if (isMcpAgent(headerOf(source).agent)) {
    throw conflict('fork-unavailable', 'The agent of this session runs elsewhere and would not follow into a copy.')
  }
  const outcome = await log.fork(source, {
    child: ids.session(),
    time: clock.now(),
    ...(atSeq !== undefined && { atSeq }),
  })
  switch (outcome.kind) {
    case 'forked':
      return directory.announce(outcome.state)
    case 'fork-unavailable':
      throw conflict('fork-unavailable', 'There is no finished turn to fork at.')
    default:
      throw storageError()
  }
}

/** In place: the runtime ends, its rows as `disposed`, and every subscriber starts again from the log. */
export function rewindSession(
  directory: SessionDirectory,
  sessionId: SessionId,
  toSeq: number,
): Promise<Result<'session.rewind'>> {
  return directory.exclusive(sessionId, async () => {
    const { log, hub, clock } = directory.deps
    const runtime = await directory.loadNow(sessionId)
    if (isMcpAgent(headerOf(runtime.state).agent)) {
      throw conflict(
        'rewind-unavailable',
        'The agent of this session runs elsewhere and cannot take back what it knows.',
      )
    }
    if (!accepts(runtime.session, { type: 'REWIND' })) throw busy()
    runtime.session.send({ type: 'REWIND' })
    const outcome = await runtime.exclusive(() => log.rewind(runtime.ownership, runtime.state, toSeq, clock.now()))
    switch (outcome.kind) {
      case 'rewound': {
        await directory.unload(runtime, 'disposed')
        const { state, text } = outcome
        hub.renew(sessionId, state.lastSeq, baselineOf(directory, state))
        const session = await directory.view(sessionId)
        hub.publishHost({ type: 'host/session-updated', session })
        return { lastSeq: state.lastSeq, ...(text !== null && { text }) }
      }
      case 'invalid-target':
        runtime.session.send({ type: 'RESUME' })
        runtime.claims.wake()
        throw new RpcError(errorCodes.invalidParams, 'toSeq: the end of a turn, an event outside a turn, or 0.')
      default:
        runtime.end('fault')
        throw storageError()
    }
  })
}

/** With the child sessions it started: nothing else leads to them. */
export async function removeSession(directory: SessionDirectory, sessionId: SessionId): Promise<void> {
  const children = await childrenOf(directory, sessionId)
  await removeOne(directory, sessionId)
  for (const child of children) {
    const header = await directory.deps.log.header(child.sessionId)
    // A fork of the parent names the same children; they belong to the one that started them.
    if (header?.parent?.sessionId === sessionId) await removeSession(directory, child.sessionId)
  }
}

/** None for a log that cannot be read: such a session can still be removed. */
async function childrenOf(directory: SessionDirectory, sessionId: SessionId) {
  try {
    return (await directory.state(sessionId)).projections.subagents.children
  } catch (error) {
    if (error instanceof LogError && error.code === 'corrupt') return []
    throw error
  }
}

function removeOne(directory: SessionDirectory, sessionId: SessionId): Promise<void> {
  return directory.exclusive(sessionId, async () => {
    const { log, hub, tasks, lifecycles } = directory.deps
    const runtime = directory.live(sessionId)
    if (runtime === undefined && (await log.header(sessionId)) === null) {
      throw new LogError('unknown-session', `There is no session ${sessionId}.`)
    }
    const ownership = runtime?.ownership ?? (await directory.acquire(sessionId))
    runtime?.end('removed')
    await runtime?.settled()
    await tasks?.disposeOwner(sessionId)
    lifecycles.journal.forget(sessionId)
    await log.remove(ownership)
    hub.publishHost({ type: 'host/session-removed', sessionId })
    hub.forget(sessionId)
  })
}

function busy(): RpcError {
  return conflict('session-busy', 'A turn is running. Interrupt it first.')
}
