/* The tools of a composition, in a fixed order: their definitions are byte-stable, only arguments and
   messages vary (SPEC 5). */
import type { ToolMode } from '../../shared/event.ts'
import type { ToolSpec } from '../agents/port.ts'
import type { Tool } from './tool.ts'

export class ToolRegistry {
  readonly #toolByName: ReadonlyMap<string, Tool>

  constructor(tools: readonly Tool[]) {
    this.#toolByName = new Map(tools.map((tool) => [tool.name, tool]))
  }

  find(name: string): Tool | undefined {
    return this.#toolByName.get(name)
  }

  /** What the model is told. Code mode advertises no function definitions of its own. */
  specs(mode: ToolMode): ToolSpec[] {
    return mode === 'code' ? [] : [...this.#toolByName.values()].map(({ spec }) => spec)
  }
}
