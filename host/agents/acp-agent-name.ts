/* Agents that are programs on this machine and speak the Agent Client Protocol (SPEC 11): `acp/<name>`. */

const prefix = 'acp/'

export function acpAgentName(name: string): string {
  return prefix + name
}

export function isAcpAgent(agent: string): boolean {
  return agent.length > prefix.length && agent.startsWith(prefix)
}
