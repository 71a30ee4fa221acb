/* The agents of this host (SPEC 11): the guide first, then what the settings configure. Knows no network: a
   provider that does not answer shows when it is asked. */
import type { AgentView } from '../../shared/protocol/methods.ts'
import type { Clock } from '../clock.ts'
import { createDemoModel } from './demo.ts'
import { isMcpAgent, listeningModel } from './mcp-agent.ts'
import type { AgentCatalog } from './port.ts'
import { providerViews, resolveProviderAgent, type ProviderDeps } from './providers.ts'
import type { Settings } from './settings.ts'

export interface CatalogDeps {
  settings: Settings
  /** The agent asked for at the start (`--agent`): offered first, so it is the default where it is available. */
  preferred?: string | undefined
  clock: Clock
}

const demoView: AgentView = { name: 'demo', label: 'Scripted guide, no key, no network', available: true }

/** Longer than a small machine takes to read a long prompt, shorter than a person's patience with a dead stream. */
const defaultStallMs = 120_000

export function createAgentCatalog({ settings, preferred, clock }: CatalogDeps): AgentCatalog {
  const demo = createDemoModel()
  const { stallSeconds } = settings.limits
  const deps: ProviderDeps = { clock, stallMs: stallSeconds === undefined ? defaultStallMs : stallSeconds * 1000 }
  const offered = [demoView, ...providerViews(settings, preferred)]
  const first = offered.filter((view) => view.name === preferred)
  const views = [...first, ...offered.filter((view) => view.name !== preferred)]
  return {
    list: () => views.map((view) => ({ ...view })),
    resolve(name) {
      if (name === demoView.name) return { available: true, model: demo }
      // Not offered: only a client of the MCP endpoint begins such a session.
      if (isMcpAgent(name)) return { available: true, model: listeningModel }
      return resolveProviderAgent(name, settings, deps)
    },
  }
}
