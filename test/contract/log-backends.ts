/* The stores the log contract is held against, each on a medium that outlives closing and opening. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLevelStore } from '../../host/log/level-store.ts'
import { createMemoryMedium, createMemoryStore } from '../../host/log/memory-store.ts'
import type { Append, LogStore, Ownership } from '../../host/log/port.ts'
import { sessionIdSchema, type SessionId } from '../../shared/ids.ts'
import { controlStore } from './log-controlled-store.ts'

export interface Medium {
  /** At most one store is open on a medium. */
  open(): Promise<LogStore>
  dispose(): Promise<void>
}

export const backends: readonly { name: string; create: () => Promise<Medium> }[] = [
  { name: 'LevelDB', create: levelMedium },
  {
    name: 'memory',
    create: async () => {
      const medium = createMemoryMedium()
      return { open: async () => createMemoryStore(medium), dispose: async () => {} }
    },
  },
  {
    name: 'controlled',
    create: async () => {
      const medium = createMemoryMedium()
      return { open: async () => controlStore(createMemoryStore(medium)).store, dispose: async () => {} }
    },
  },
]

export async function levelMedium(): Promise<Medium & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'task-surface-log-'))
  return {
    folder,
    open: () => openLevelStore({ folder }),
    dispose: () => rm(folder, { recursive: true, force: true }),
  }
}

export const session = (id: string): SessionId => sessionIdSchema.parse(id)

/** An append of `bodies` with nothing else to say. */
export function appendOf(
  ownership: Ownership,
  firstSeq: number,
  bodies: readonly string[],
  more?: Partial<Append>,
): Append {
  return { ownership, firstSeq, bodies, header: `header of ${firstSeq + bodies.length}`, index: [], ...more }
}

export async function owned(store: LogStore, sessionId: SessionId): Promise<Ownership> {
  const outcome = await store.acquire(sessionId)
  if (outcome.kind !== 'owned') throw new Error(`acquire answered ${outcome.kind}`)
  return outcome.ownership
}

/** `count` bodies that differ in every session and place. */
export function bodiesOf(sessionId: SessionId, firstSeq: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${sessionId}#${firstSeq + index}`)
}

export const wholeLog = { from: 0, to: Number.MAX_SAFE_INTEGER, direction: 'forward', limit: 10_000 } as const
