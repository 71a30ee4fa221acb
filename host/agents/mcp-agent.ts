/* Agents that run elsewhere and come in over MCP (SPEC 11): `mcp/<client name>`. There is no model to call. What the
   agent does arrives as calls, each of which is a turn; what the person writes waits in the log for its next call. */
import { trimmed } from '../trimmed.ts'
import type { Model } from './port.ts'

const prefix = 'mcp/'
/** Code points that a client's own name may take. */
const nameLength = 64

/** The agent of a client that calls itself `clientName`. Names come from programs: anything may stand in them. */
export function mcpAgentName(clientName: string): string {
  const name = clientName.normalize('NFC').replace(/[^\p{L}\p{N}._-]+/gu, '-')
  const short = Array.from(trimmed(name, '-')).slice(0, nameLength)
  return `${prefix}${short.length === 0 ? 'client' : short.join('')}`
}

export function isMcpAgent(agent: string): boolean {
  return agent.length > prefix.length && agent.startsWith(prefix)
}

/** Takes the person's message and says nothing: the turn ends without a model call. */
export const listeningModel: Model = {
  async *stream() {
    yield { type: 'finish', reason: 'stop' }
  },
}

/** Makes one call in its first step, and nothing after it. For one turn. */
export function callingModel(call: { name: string; arguments: string }): Model {
  let made = false
  return {
    async *stream() {
      if (!made) yield { type: 'tool-call', ...call }
      yield { type: 'finish', reason: made ? 'stop' : 'tool-calls' }
      made = true
    },
  }
}
