/* The path suites and what each of them really walks: the lists here are the ones the named test runs, none is written
   down a second time. `coverage.ts` counts them. */
import type { AnyStateMachine } from 'xstate'
import { pathModels, type NamedPaths } from '../../machines/path-models.ts'
import {
  lifecyclePaths,
  longestOnly,
  refusals,
  type LifecyclePath,
  type PathModel,
  type Refusal,
} from '../../machines/paths.ts'
import { cannotOfTask, taskHostRefusals, taskHostWalks } from '../contract/tasks-host-paths.ts'
import { pageSuites } from './page-suites.ts'
import { approvalRefusals, approvalWalks, questionRefusals, questionWalks } from './person-paths.ts'
import {
  cannotOfSession,
  heldRefusals,
  heldWalks,
  sessionRefusals,
  sessionWalks,
  wakeRefusal,
  wakeWalk,
} from './session-host-paths.ts'
import {
  cannotOfSurface,
  cannotOfSurfaceInPage,
  hostRefusals,
  pageRefusals,
  walkedPaths as surfaceWalks,
} from './surface-paths.ts'
import { allTurnWalks, cannotOfTurn, turnRefusals } from './turn-host-paths.ts'

/** The machine alone, its actor in a real host, its actor in a real page. */
export const layers = ['pure', 'host', 'page'] as const
export type Layer = (typeof layers)[number]

/** An edge or a refusal: where it stands, and the type of its event; null: of none. */
export interface Pair {
  state: string
  event: string | null
  isRefusal: boolean
}

export interface WalkedPaths {
  machine: string
  layer: Layer
  /** Below `test/`. */
  file: string
  walks: readonly LifecyclePath[]
  refusals: readonly Refusal[]
  /** Why a pair never comes up in this layer; null: it may, and where nobody walks it is a hole. */
  cannot?: (pair: Pair) => string | null
}

/** Where the actor of a machine lives, besides alone. */
export const homeOf: Readonly<Record<string, Layer>> = {
  session: 'host',
  turn: 'host',
  surface: 'host',
  question: 'host',
  approval: 'host',
  task: 'host',
  connection: 'page',
  composer: 'page',
  dock: 'page',
}

/** Those of a machine whose every edge and refusal is walked by the machine alone. */
export function pureModels({ all, beyond }: NamedPaths): PathModel<AnyStateMachine>[] {
  return beyond === undefined ? [all] : [all, beyond]
}

export function pureWalks(model: PathModel<AnyStateMachine>): LifecyclePath[] {
  return longestOnly([...lifecyclePaths(model, 'shortest'), ...lifecyclePaths(model, 'edges')])
}

export function walkedPaths(): WalkedPaths[] {
  const pure = Object.entries(pathModels).map(([machine, named]): WalkedPaths => ({
    machine,
    layer: 'pure',
    file: 'model/paths.test.ts',
    walks: pureModels(named).flatMap(pureWalks),
    refusals: pureModels(named).flatMap((model) => refusals(model)),
  }))
  return [
    ...pure,
    ...pageSuites(),
    {
      machine: 'surface',
      layer: 'host',
      file: 'model/surface-host.test.ts',
      walks: surfaceWalks(),
      refusals: hostRefusals(),
      cannot: cannotOfSurface,
    },
    {
      machine: 'surface',
      layer: 'page',
      file: 'e2e/surface-paths.test.ts',
      walks: surfaceWalks(),
      refusals: pageRefusals(),
      cannot: cannotOfSurfaceInPage,
    },
    {
      machine: 'task',
      layer: 'host',
      file: 'contract/tasks-paths.test.ts',
      walks: taskHostWalks,
      refusals: taskHostRefusals,
      cannot: cannotOfTask,
    },
    {
      machine: 'turn',
      layer: 'host',
      file: 'model/turn-host.test.ts',
      walks: allTurnWalks,
      refusals: turnRefusals,
      cannot: cannotOfTurn,
    },
    {
      machine: 'session',
      layer: 'host',
      file: 'model/session-host.test.ts',
      walks: sessionWalks,
      refusals: sessionRefusals,
      cannot: cannotOfSession,
    },
    {
      machine: 'session',
      layer: 'host',
      file: 'model/session-held.test.ts',
      walks: heldWalks,
      refusals: heldRefusals,
    },
    {
      machine: 'session',
      layer: 'host',
      file: 'model/session-wake.test.ts',
      walks: [wakeWalk],
      refusals: [wakeRefusal],
    },
    {
      machine: 'question',
      layer: 'host',
      file: 'model/question-host.test.ts',
      walks: questionWalks,
      refusals: questionRefusals,
    },
    {
      machine: 'approval',
      layer: 'host',
      file: 'model/approval-host.test.ts',
      walks: approvalWalks,
      refusals: approvalRefusals,
    },
  ]
}
