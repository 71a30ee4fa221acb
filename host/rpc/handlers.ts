/* Every method of the wire, carried to the sessions (SPEC 8). No decision is made here. */
import { resolve } from 'node:path'
import { machineDefinitions } from '../../machines/definitions.ts'
import { errorCodes, RpcError } from '../../shared/protocol/errors.ts'
import { wireProtocolVersion } from '../../shared/protocol/frames.ts'
import type { Params } from '../../shared/protocol/methods.ts'
import { isFolder } from '../session/admission.ts'
import { readActive } from '../session/active-surface.ts'
import { openSession, readHistory } from '../session/open-session.ts'
import { sendMessage, wellFormed } from '../session/send-message.ts'
import {
  configureSession,
  forkSession,
  removeSession,
  renameSession,
  rewindSession,
} from '../session/session-changes.ts'
import { exportData, importData, verifyData } from '../session/session-data.ts'
import type { SessionDirectory } from '../session/session-directory.ts'
import { AtOnce, type Handlers } from './port.ts'

export interface HandlerDeps {
  directory: SessionDirectory
  version: string
  bootId: string
  /** Folder of sessions that name none. */
  defaultCwd: string
  /** Agent of sessions that name none. */
  defaultAgent: string
}

export function createHandlers(deps: HandlerDeps): Handlers {
  const { directory, version, bootId } = deps
  const { agents, clock, hub, lifecycles } = directory.deps
  return {
    'host.describe': () => ({ version, bootId, protocol: wireProtocolVersion, serverTime: clock.now() }),
    'agents.list': () => ({ agents: agents.list() }),
    'session.create': async (params) => ({ session: await createSession(deps, params) }),
    'session.list': async () => ({ sessions: [...(await directory.list())] }),
    'session.open': (params, { peer }) => openSession(directory, params, peer),
    'session.close': ({ sessionId }, { peer }) => {
      peer?.unsubscribe(hub.topic(sessionId))
      return {}
    },
    'session.history': (params) => readHistory(directory, params),
    'session.configure': async ({ sessionId, ...configuration }) => {
      if (configuration.agent !== undefined) requireAgent(deps, configuration.agent)
      return { session: await configureSession(directory, sessionId, configuration) }
    },
    'session.rename': async ({ sessionId, title }) => {
      await renameSession(directory, sessionId, title)
      return {}
    },
    'session.remove': async ({ sessionId }) => {
      await removeSession(directory, sessionId)
      return {}
    },
    'session.interrupt': async ({ sessionId }) => {
      const runtime = directory.live(sessionId)
      if (runtime === undefined) await directory.view(sessionId)
      runtime?.claims.interrupt()
      return {}
    },
    'session.send': async (params, { rpcId }) => {
      if (params.text.trim() === '') throw new RpcError(errorCodes.invalidParams, 'text: a message says something.')
      return sendMessage(await directory.load(params.sessionId), params, rpcId)
    },
    'session.updateQueue': async ({ sessionId, itemId, action }) => {
      const runtime = await directory.load(sessionId)
      runtime.claims.update(itemId, action.kind === 'edit' ? { ...action, text: wellFormed(action.text) } : action)
      return {}
    },
    'session.fork': async ({ sessionId, atSeq }) => ({ session: await forkSession(directory, sessionId, atSeq) }),
    'session.rewind': ({ sessionId, toSeq }) => rewindSession(directory, sessionId, toSeq),
    'taskSurface.getActive': (params) => readActive(directory, params),
    'taskSurface.submit': async (params, { rpcId }) => {
      const runtime = await directory.load(params.sessionId)
      return runtime.surfaces.submit(params, rpcId)
    },
    'taskSurface.dismiss': async (params) => {
      const runtime = await directory.load(params.sessionId)
      return runtime.surfaces.dismiss(params)
    },
    'approval.decide': async ({ sessionId, approvalId, decision, remember = false }) => {
      const runtime = directory.live(sessionId)
      if (runtime === undefined) await directory.view(sessionId)
      return (
        (await runtime?.approvals.decide(approvalId, decision, remember)) ?? { accepted: false, reason: 'not-pending' }
      )
    },
    'data.export': (params) => exportData(directory, params),
    'data.import': (params) => importData(directory, params),
    'data.verify': (params) => verifyData(directory, params),
    'inspect.machines': () => ({ machines: machineDefinitions() }),
    'inspect.subscribe': ({ sessionId }, { peer }) =>
      new AtOnce(() => {
        if (peer !== null) lifecycles.watching.subscribe(peer, sessionId)
        return { result: { actors: lifecycles.actors(sessionId) }, frames: [] }
      }),
    'inspect.unsubscribe': ({ sessionId }, { peer }) => {
      if (peer !== null) lifecycles.watching.unsubscribe(peer, sessionId)
      return {}
    },
    'inspect.journal': async ({ sessionId, afterId = '0', limit = defaultJournalLimit }) => {
      await directory.view(sessionId)
      return lifecycles.journal.read(sessionId, afterEntry(afterId), limit)
    },
    'question.answer': async ({ sessionId, questionId, answers }) => {
      const runtime = directory.live(sessionId)
      if (runtime === undefined) await directory.view(sessionId)
      return runtime?.questions.answer(questionId, answers) ?? { accepted: false, reason: 'not-pending' }
    },
  }
}

async function createSession(deps: HandlerDeps, { agent, title, cwd, toolMode, approval }: Params<'session.create'>) {
  const name = agent ?? deps.defaultAgent
  requireAgent(deps, name)
  const folder = resolve(deps.defaultCwd, cwd ?? '.')
  if (!isFolder(folder)) throw new RpcError(errorCodes.invalidParams, `cwd: there is no folder ${folder}.`)
  return deps.directory.create({
    agent: name,
    cwd: folder,
    ...(title !== undefined && { title }),
    ...(toolMode !== undefined && { toolMode }),
    ...(approval !== undefined && { approval }),
  })
}

/** Journal entries of a page where the request does not say. */
const defaultJournalLimit = 200

function afterEntry(id: string): number {
  if (!/^[0-9]{1,15}$/.test(id)) throw new RpcError(errorCodes.invalidParams, 'afterId: not the id of a journal entry.')
  return Number(id)
}

/** The name must be known; whether the agent is available is judged when a message is admitted. */
function requireAgent({ directory }: HandlerDeps, name: string): void {
  if (directory.deps.agents.resolve(name) === null) {
    throw new RpcError(errorCodes.invalidParams, `agent: there is no agent named ${name}.`)
  }
}
