/* Whether a session's agent can take a message now (SPEC 4): asked between a claim and its commit. The reason of
   a refusal is shown to the person. */
import { statSync } from 'node:fs'
import type { MessageId } from '../../shared/ids.ts'
import type { Model } from '../agents/port.ts'
import { headerOf } from './session-view.ts'
import type { SessionRuntime } from './session-runtime.ts'

export type Admitted = { admitted: true; model: Model } | { admitted: false; why: string }

export async function admitMessage(runtime: SessionRuntime, messageId: MessageId): Promise<Admitted> {
  const { deps, sessionId } = runtime
  const hook = await deps.admission.admit({ sessionId, messageId })
  return hook.admit ? admitTurn(runtime) : { admitted: false, why: hook.reason }
}

export async function admitTurn({ deps, state, seat }: SessionRuntime): Promise<Admitted> {
  const { agent, cwd } = headerOf(state)
  const resolved = deps.agents.resolve(agent)
  if (resolved === null) return { admitted: false, why: `There is no agent named ${agent}.` }
  if (!resolved.available) return { admitted: false, why: resolved.why }
  if (!isFolder(cwd)) return { admitted: false, why: `The session's folder is missing: ${cwd}` }
  if ('sit' in resolved) return { admitted: true, model: seat.take(agent, cwd, resolved.sit) }
  // Whoever sat here before missed what is said from now on.
  seat.end()
  return { admitted: true, model: resolved.model }
}

/** Asked without leaving the thread: a person waits, and the answer takes microseconds. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
