/* The agents of this host (SPEC 11): the guide first, then what the settings configure. Knows no network: a
   provider that does not answer shows when it is asked. */
import type { AgentView } from '../../shared/protocol/methods.ts'
import type { Clock } from '../clock.ts'
import { createDemoModel } from './demo.ts'
import { isMcpAgent, listeningModel } from './mcp-agent.ts'
import { isAcpAgent } from './acp-agent-name.ts'
import type { AgentCatalog, ResolvedAgent } from './port.ts'
import { providerViews, resolveProviderAgent, type ProviderDeps } from './providers.ts'
import type { Settings } from './settings.ts'

export interface CatalogDeps {
  settings: Settings
  /** The agent asked for at the start (`--agent`): offered first, so it is the default where it is available. */
  preferred?: string | undefined
  clock: Clock
  /** Programs that speak ACP; left out where none can be started. */
  acp?: AcpPrograms
}

/** `resolve` takes whole names (`acp/…`); null: no such program is configured. */
export interface AcpPrograms {
  views(): AgentView[]
  resolve(name: string): ResolvedAgent | null
}

const demoView: AgentView = { name: 'demo', label: 'Scripted guide, no key, no network', available: true }

/** Longer than a small machine takes to read a long prompt, shorter than a person's patience with a dead stream. */
const defaultStallMs = 120_000

/** Agents kept from turn to turn. Clients name them, so their number has a bound. */
const maxKnown = 32

export function createAgentCatalog({ settings, preferred, clock, acp }: CatalogDeps): AgentCatalog {
  const demo = createDemoModel()
  const { stallSeconds } = settings.limits
  const deps: ProviderDeps = { clock, stallMs: stallSeconds === undefined ? defaultStallMs : stallSeconds * 1000 }
  const knownByName = new Map<string, ResolvedAgent>()
  const offered = [demoView, ...providerViews(settings, preferred)]
  return {
    list() {
      // Asked each time: a program that was installed meanwhile is there.
      const views = [...offered, ...(acp?.views() ?? [])].map((view) => ({ ...view }))
      const first = views.filter((view) => view.name === preferred)
      return [...first, ...views.filter((view) => view.name !== preferred)]
    },
    resolve(name) {
      if (name === demoView.name) return { available: true, model: demo }
      // Not offered: only a client of the MCP endpoint begins such a session.
      if (isMcpAgent(name)) return { available: true, model: listeningModel }
      if (isAcpAgent(name)) return acp?.resolve(name) ?? null
      return providerAgent(name)
    },
  }

  function providerAgent(name: string): ResolvedAgent | null {
    const known = knownByName.get(name)
    if (known !== undefined) return known
    const agent = resolveProviderAgent(name, settings, deps)
    const [oldest] = knownByName.keys()
    if (knownByName.size >= maxKnown && oldest !== undefined) knownByName.delete(oldest)
    if (agent !== null) knownByName.set(name, agent)
    return agent
  }
}
