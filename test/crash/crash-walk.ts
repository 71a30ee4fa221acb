/* What the crash matrix walks: the paths of one machine on a real host, move by move. A move is what somebody outside does
   and all that the host makes of it by itself. Knows nothing of crashes. */
import type { SessionEvent } from '../../shared/event.ts'
import type { Json } from '../../shared/json.ts'
import type { AdmissionGate } from '../harness/admission-gate.ts'
import type { Changes } from '../harness/changes.ts'
import type { Client } from '../harness/client.ts'
import type { StageOfSessions } from '../model/lifecycle-stage.ts'

export interface CrashStage extends StageOfSessions {
  gate: AdmissionGate
}

export interface CrashWalk {
  /** `surface: SUBMIT → CLAIM`. */
  title: string
  /** The events of each move; the first moves of two walks that have the same events are the same. */
  moves: readonly string[]
  /** What a log must say where so many moves are done, by the machine; null: the session is gone. */
  durable(moves: number): Json
  /** Two runs write the same events in the same order. */
  isSteady: boolean
  /** The same read from a log; null where there is none. */
  durableIn(log: readonly SessionEvent[] | null): Json
  begin(stage: CrashStage): Promise<Walking>
}

export interface Walking {
  readonly sessionId: string
  /** Begins every text of the session that a model reads. */
  readonly tag: string
  readonly client: Client
  readonly changes: Changes
  /** Whose writes and publications belong to the walk. */
  readonly subjects: readonly string[]
  /** Resolves where the host waits for somebody again. */
  move(index: number): Promise<void>
  /** Looks at what is not in the log, after a death in that move; answers the task that its model must be told of. */
  look?(client: Client, move: number): Promise<string | null>
  /** Lets go of the stage. */
  leave(): void
}

/** Machines whose paths are walked, by the name that `npm run test:crash -- NAME` takes. */
export type CrashWalks = () => readonly CrashWalk[]

interface AnyPath {
  steps: readonly { event: { type: string } }[]
}

/** Ends of moves: how many steps are done behind each. */
export function moveEnds<Snapshot>(
  steps: readonly { snapshot: Snapshot }[],
  isResting: (snapshot: Snapshot) => boolean,
): number[] {
  return steps.flatMap(({ snapshot }, index) => (isResting(snapshot) || index === steps.length - 1 ? [index + 1] : []))
}

/** The events between two ends. */
export const eventsOf = ({ steps }: AnyPath, from: number, to: number): string =>
  steps
    .slice(from, to)
    .map(({ event: { type, ...payload } }) => {
      const said = Object.values(payload).filter((value) => typeof value === 'string' || typeof value === 'number')
      const flags = Object.entries(payload).flatMap(([key, value]) => (value === true ? [key] : []))
      return [type, ...said, ...flags].join(' ')
    })
    .join(' + ')
