/* Which session of this host an MCP client works in (SPEC 11). By its address (`/mcp?session=ID`): that one and no
   other. Else the one its connection remembers, or the one its call names; a call that begins something makes one. */
import { isAbsolute } from 'node:path'
import type { SessionId, TaskSurfaceId } from '../../shared/ids.ts'
import { isMcpAgent, mcpAgentName } from '../agents/mcp-agent.ts'
import { isFolder } from '../session/admission.ts'
import type { SessionDirectory } from '../session/session-directory.ts'

/** What a connection that lasts knows of its client; null in a revision where each request stands alone. */
export interface ConnectionMemory {
  sessionId: Promise<SessionId> | null
}

/** One client, as far as the protocol lets us know it. */
export interface Caller {
  /** What it calls itself. */
  clientName: string
  /** By its address: it may use this session and no other. */
  bound: SessionId | null
  memory: ConnectionMemory | null
  /** The folder it works in, where its address says so. */
  cwd: string | null
  /** Where a browser finds this host. */
  origin: string
}

export interface Wanted {
  /** The session that the call names. */
  named: SessionId | undefined
  /** The call begins something, so it may be the first one. */
  begins: boolean
  /** What a new session is called. */
  title: string | null
}

/** The message is for the agent. */
export type Found = { found: true; sessionId: SessionId } | { found: false; message: string }

/** Newest sessions that are asked for a surface whose session the client has forgotten. */
const maxSearched = 100

export class McpSessions {
  readonly #directory: SessionDirectory
  readonly #defaultCwd: string

  constructor(directory: SessionDirectory, defaultCwd: string) {
    this.#directory = directory
    this.#defaultCwd = defaultCwd
  }

  async find(caller: Caller, { named, begins, title }: Wanted): Promise<Found> {
    const { bound, memory } = caller
    if (bound !== null) {
      const exists = (await this.#agentOf(bound)) !== null
      if (exists && (named === undefined || named === bound)) return { found: true, sessionId: bound }
      return refused(`This address is for the session ${bound} alone.`)
    }
    if (named !== undefined) {
      const found = await this.#existing(named)
      if (found.found && memory !== null) memory.sessionId = Promise.resolve(named)
      return found
    }
    const remembered = await this.#remembered(memory)
    if (remembered !== null) return { found: true, sessionId: remembered }
    if (!begins && memory === null) return refused('Pass the session that an earlier result named.')
    const created = this.#create(caller, title)
    if (memory !== null) memory.sessionId = created
    created.catch(() => {
      if (memory?.sessionId === created) memory.sessionId = null
    })
    return { found: true, sessionId: await created }
  }

  /** For a client that knows a surface and no longer its session: ids of surfaces are never used twice. */
  async ofSurface({ bound, memory }: Caller, surfaceId: TaskSurfaceId): Promise<SessionId | null> {
    if (bound !== null) return null
    const { log } = this.#directory.deps
    const sessions = (await this.#directory.list()).filter(({ agent }) => isMcpAgent(agent)).slice(0, maxSearched)
    for (const { id } of sessions) {
      const { skipped } = await this.#directory.state(id)
      if ((await log.find(id, 'surface', surfaceId, skipped)) === null) continue
      if (memory !== null) memory.sessionId ??= Promise.resolve(id)
      return id
    }
    return null
  }

  async #existing(sessionId: SessionId): Promise<Found> {
    const agent = await this.#agentOf(sessionId)
    if (agent === null) return refused(`There is no session ${sessionId}. Leave session out to begin a new one.`)
    if (!isMcpAgent(agent)) return refused(`The session ${sessionId} belongs to another agent.`)
    return { found: true, sessionId }
  }

  /** Null: nothing is remembered, or the person removed it or gave it to another agent. */
  async #remembered(memory: ConnectionMemory | null): Promise<SessionId | null> {
    if (memory === null || memory.sessionId === null) return null
    const sessionId = await memory.sessionId
    const agent = await this.#agentOf(sessionId)
    return agent !== null && isMcpAgent(agent) ? sessionId : null
  }

  async #agentOf(sessionId: SessionId): Promise<string | null> {
    return (await this.#directory.deps.log.header(sessionId))?.agent ?? null
  }

  async #create({ clientName, cwd }: Caller, title: string | null): Promise<SessionId> {
    const folder = cwd !== null && isAbsolute(cwd) && isFolder(cwd) ? cwd : this.#defaultCwd
    const agent = mcpAgentName(clientName)
    const { id } = await this.#directory.create({ agent, cwd: folder, ...(title !== null && { title }) })
    return id
  }
}

function refused(message: string): Found {
  return { found: false, message }
}
