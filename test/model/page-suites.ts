/* The machines whose actors live in the page, with the walks that a page takes through each. */
import { composerLeftOut, composerWalks } from './composer-paths.ts'
import { connectionLeftOut, connectionWalks } from './connection-paths.ts'
import { cannotBy, pathOfWalk, refusalsOfWalk } from './page-walks.ts'
import type { WalkedPaths } from './walked-paths.ts'

export function pageSuites(): WalkedPaths[] {
  return [
    {
      machine: 'connection',
      layer: 'page',
      file: 'e2e/connection-paths.test.ts',
      walks: connectionWalks.map(pathOfWalk),
      refusals: connectionWalks.flatMap(refusalsOfWalk),
      cannot: cannotBy(connectionLeftOut),
    },
    {
      machine: 'composer',
      layer: 'page',
      file: 'e2e/composer-paths.test.ts',
      walks: composerWalks.map(pathOfWalk),
      refusals: composerWalks.flatMap(refusalsOfWalk),
      cannot: cannotBy(composerLeftOut),
    },
  ]
}
