/* The tools of a composition, in a fixed order: their definitions are byte-stable, only arguments and
   messages vary (SPEC 5). */
import type { ToolMode } from '../../shared/event.ts'
import type { ToolSpec } from '../agents/port.ts'
import { runCodeName } from './run-code.ts'
import type { Tool } from './tool.ts'

/** Code mode knows one tool, whose description names the others. */
function isOffered(name: string, mode: ToolMode): boolean {
  return mode === 'both' || (mode === 'code') === (name === runCodeName)
}

export class ToolRegistry {
  readonly #advertised: readonly Tool[]
  readonly #toolByName: ReadonlyMap<string, Tool>

  /** `unadvertised`: tools that run when called and that no model of this host is told of. */
  constructor(tools: readonly Tool[], unadvertised: readonly Tool[] = []) {
    this.#advertised = tools
    this.#toolByName = new Map([...tools, ...unadvertised].map((tool) => [tool.name, tool]))
  }

  /** For a call from within code. */
  nested(name: string): Tool | undefined {
    return name === runCodeName ? undefined : this.#toolByName.get(name)
  }

  /** For a call of the model: what its mode does not offer is not there. */
  find(name: string, mode: ToolMode): Tool | undefined {
    return isOffered(name, mode) ? this.#toolByName.get(name) : undefined
  }

  /** What the model is told. */
  specs(mode: ToolMode): ToolSpec[] {
    return this.#advertised.filter(({ name }) => isOffered(name, mode)).map(({ spec }) => spec)
  }
}
