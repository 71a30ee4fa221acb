/* `task-surface paths`: what can happen to a lifecycle, enumerated. Needs no host and no data folder. */
import { pathCases } from '../../machines/path-cases.ts'
import { pathModels } from '../../machines/path-models.ts'
import { pathsDiagram, pathsTable, playwrightFile, vitestFile, type NamedCases } from '../../machines/path-texts.ts'
import type { PathStrategy } from '../../machines/paths.ts'
import { CommandError } from './command-error.ts'

export const pathStrategies = ['shortest', 'simple', 'edges'] as const satisfies readonly PathStrategy[]
export const pathFormats = ['table', 'json', 'mermaid', 'vitest', 'playwright'] as const
export type PathFormat = (typeof pathFormats)[number]

/** Ends with a line feed. */
export function pathsText(machine: string, strategy: PathStrategy, format: PathFormat): string {
  const model = Object.hasOwn(pathModels, machine) ? pathModels[machine] : undefined
  if (model === undefined) {
    throw new CommandError(`there is no machine ${machine}; there are ${Object.keys(pathModels).join(', ')}`)
  }
  return textOf({ machine, strategy, cases: pathCases(model, strategy) }, format)
}

function textOf(named: NamedCases, format: PathFormat): string {
  switch (format) {
    case 'table':
      return pathsTable(named)
    case 'json':
      return `${JSON.stringify(named, null, 2)}\n`
    case 'mermaid':
      return pathsDiagram(named)
    case 'vitest':
      return vitestFile(named)
    case 'playwright':
      return playwrightFile(named)
  }
}
