/* The tree of a session's children (SPEC 3, 9), finished ones too. Pure. The first level is what the session's log
   says, in order of starting; below it the session list is all a page knows. Rules: SUB-SAME a row says of a child
   what the child's own page says; SUB-ALL the count is the number of rows. */
import type { SessionId } from '../../../shared/ids.ts'
import type { Json } from '../../../shared/json.ts'
import { subagentsProjectionSchema } from '../../../shared/projections/subagents.ts'
import type { Session } from '../../../shared/session.ts'

/** `idle`: nobody said how it ended, and it does not work. */
export type ChildStatus = 'running' | 'completed' | 'failed' | 'killed' | 'idle'

export interface Child {
  readonly sessionId: SessionId
  readonly label: string
  readonly status: ChildStatus
  /** Null: known from the session list alone. */
  readonly mode: 'foreground' | 'background' | null
  /** Null: there is no such session any more, or the list has not come yet. */
  readonly session: Session | null
  /** Where its end, or as long as there is none its start, stands in the log of its parent. */
  readonly seq: number
  readonly children: readonly Child[]
}

/** `seen` keeps a list that names a session its own ancestor from running in circles. */
function below(sessions: readonly Session[], sessionId: SessionId, seen: ReadonlySet<SessionId>): Child[] {
  return sessions
    .filter(({ id, parent }) => parent?.relation === 'subagent' && parent.sessionId === sessionId && !seen.has(id))
    .toSorted((left, right) => left.createdAt - right.createdAt)
    .map((session) => ({
      sessionId: session.id,
      label: session.title,
      status: session.status,
      mode: null,
      session,
      seq: session.parent?.seq ?? 0,
      children: below(sessions, session.id, new Set([...seen, session.id])),
    }))
}

/** `projection`: the value of `subagents`; undefined before the baseline. */
export function childrenOf(projection: Json | undefined, sessions: readonly Session[]): readonly Child[] {
  const value = subagentsProjectionSchema.safeParse(projection)
  if (!value.success) return []
  const byId = new Map(sessions.map((session) => [session.id, session]))
  return value.data.children.map(({ sessionId, label, mode, status, startedSeq, endedSeq }) => {
    const session = byId.get(sessionId) ?? null
    // A host that was killed could not write the end down; the child itself knows that it does not work.
    const stranded = status === 'running' && session !== null && session.status === 'idle'
    return {
      sessionId,
      label,
      mode,
      status: stranded ? 'idle' : status,
      session,
      seq: endedSeq ?? startedSeq,
      children: below(sessions, sessionId, new Set([sessionId])),
    }
  })
}

export function countOf(children: readonly Child[]): number {
  return children.reduce((count, child) => count + 1 + countOf(child.children), 0)
}

/** A branch is live, or has failed, with anything in it. */
export function isLive(child: Child): boolean {
  return child.status === 'running' || child.children.some(isLive)
}

export function hasFailed(child: Child): boolean {
  return child.status === 'failed' || child.children.some(hasFailed)
}

export interface Catalog {
  readonly live: readonly Child[]
  /** Newest first. */
  readonly settled: readonly Child[]
}

export function catalogOf(children: readonly Child[]): Catalog {
  return {
    live: children.filter(isLive),
    settled: children.filter((child) => !isLive(child)).toSorted((left, right) => right.seq - left.seq),
  }
}
