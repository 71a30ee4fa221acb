/* A session as the outside sees it, from its header and whether a turn runs here. */
import type { ToolMode } from '../../shared/event.ts'
import type { Session } from '../../shared/session.ts'
import { isAcpAgent } from '../agents/acp-agent-name.ts'
import { isMcpAgent } from '../agents/mcp-agent.ts'
import type { SessionHeader } from '../log/session-state.ts'
import type { SessionState } from '../log/session-state.ts'

export function headerView(header: SessionHeader, running: boolean): Session {
  const { sessionId, title, agent, cwd, createdAt, updatedAt, toolMode, approval, parent } = header
  const status = running ? 'running' : 'idle'
  return {
    id: sessionId,
    title,
    agent,
    cwd,
    createdAt,
    updatedAt,
    status,
    toolMode,
    approval,
    ...(parent !== undefined && { parent }),
  }
}

export function sessionView(state: SessionState, running: boolean): Session {
  return headerView(headerOf(state), running)
}

/** One that a parent agent started: it works alone, in one turn. */
export function isSubagent({ parent }: SessionHeader): boolean {
  return parent?.relation === 'subagent'
}

/** The header of a session that exists: every stored log begins with `session/created`. */
export function headerOf(state: SessionState): SessionHeader {
  if (state.header === null) throw new Error(`session ${state.sessionId} has no session/created`)
  return state.header
}

/** How the agent of a session calls tools. One with a program of its own makes plain calls, whatever was configured. */
export function toolModeOf({ agent, toolMode }: SessionHeader): ToolMode {
  return isMcpAgent(agent) || isAcpAgent(agent) ? 'native' : toolMode
}
