/* The machines whose actors live in the page, with the walks that a page takes through each. */
import { composerLeftOut, composerWalks } from './composer-paths.ts'
import { connectionLeftOut, connectionWalks } from './connection-paths.ts'
import { dockLeftOut } from './dock-left-out.ts'
import { dockWalks } from './dock-paths.ts'
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
    {
      machine: 'dock',
      layer: 'page',
      file: 'e2e/dock-paths.test.ts',
      walks: dockWalks.map(pathOfWalk),
      refusals: dockWalks.flatMap(refusalsOfWalk),
      cannot: cannotBy(dockLeftOut),
    },
  ]
}
