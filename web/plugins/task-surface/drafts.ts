/* Unsent answers of one session in the browser's storage, one record a surface, the same in every tab (SPEC 9).
   Knows values, not what a surface is. A record that ended as submitted or dismissed leaves a mark, so that a
   tab that slept cannot write its copy back. Rules: DR-BOUND at most `maxBytes` and `maxDrafts` a session, the
   oldest others go first; DR-SENT a marked surface takes no draft until it is known to be open again;
   DR-OWN records of one session are never read for another; DR-FULL a write that fails says so and loses nothing. */
import { z } from 'zod'
import {
  taskSurfaceIdSchema,
  taskSurfaceSubmissionIdSchema,
  type SessionId,
  type TaskSurfaceId,
} from '../../../shared/ids.ts'
import { utf8Length } from '../../../shared/utf8.ts'
import type { Storage } from '../../storage.ts'
import type { FormValues } from './form.ts'

/** UTF-8 bytes of all drafts of one session: twice what one submission may hold. */
export const maxBytes = 64 * 1024
export const maxDrafts = 8
/** A mark is a few bytes; as many tabs as anyone has will have seen it by then. */
const maxMarks = 16
/** A draft nobody came back to in this time is forgotten: the next user of this browser need not find it. */
const keptForMs = 30 * 24 * 3600 * 1000

const valueSchema = z.union([z.string(), z.boolean(), z.array(z.string())])
const recordSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('draft'),
    values: z.record(z.string(), valueSchema),
    note: z.string(),
    attempt: taskSurfaceSubmissionIdSchema.nullable(),
    at: z.number(),
  }),
  z.object({ kind: z.literal('ended'), at: z.number() }),
])
type DraftRecord = z.infer<typeof recordSchema>

export interface Draft extends FormValues {
  readonly attempt: z.infer<typeof taskSurfaceSubmissionIdSchema> | null
}

export type Saved = 'saved' | 'full' | 'too-long' | 'ended'

export interface SurfaceDrafts {
  read(surfaceId: TaskSurfaceId): Draft | null
  write(surfaceId: TaskSurfaceId, draft: Draft): Saved
  /** The surface was submitted or dismissed. */
  end(surfaceId: TaskSurfaceId): void
  /** The host says that the surface is open: a mark of an earlier end no longer counts. */
  reopen(surfaceId: TaskSurfaceId): void
  /** The person throws a kept draft away. */
  remove(surfaceId: TaskSurfaceId): void
  /** Something changed the record, in this tab or in another one. */
  onChange(surfaceId: TaskSurfaceId, listener: () => void): () => void
  dispose(): void
}

const prefix = 'surface-draft:'
const prefixOf = (sessionId: SessionId): string => `${prefix}${sessionId}/`

/** Every record of a session, whether or not this tab has it open. */
export function removeDraftsOf(storage: Storage, sessionId: SessionId): void {
  for (const key of storage.keys()) if (key.startsWith(prefixOf(sessionId))) storage.remove(key)
}

/** Records of any session that nobody touched for long. Called once at start. */
export function removeOldDrafts(storage: Storage, now: number): void {
  for (const key of storage.keys()) {
    if (!key.startsWith(prefix)) continue
    const record = storage.read(key, recordSchema)
    if (record === null || record.at < now - keptForMs) storage.remove(key)
  }
}

export function createSurfaceDrafts(sessionId: SessionId, storage: Storage, now: () => number): SurfaceDrafts {
  const listenersBySurface = new Map<TaskSurfaceId, Set<() => void>>()
  const stops = new Set<() => void>()
  const keyOf = (surfaceId: TaskSurfaceId): string => prefixOf(sessionId) + surfaceId

  function tell(surfaceId: TaskSurfaceId): void {
    for (const listener of [...(listenersBySurface.get(surfaceId) ?? [])]) listener()
  }
  function stored(surfaceId: TaskSurfaceId): DraftRecord | null {
    return storage.read(keyOf(surfaceId), recordSchema)
  }
  /** The other records of this session, oldest first. */
  function others(surfaceId: TaskSurfaceId): { id: TaskSurfaceId; record: DraftRecord; bytes: number }[] {
    return storage
      .keys()
      .flatMap((key) => {
        const id = taskSurfaceIdSchema.safeParse(key.slice(prefixOf(sessionId).length))
        if (!key.startsWith(prefixOf(sessionId)) || !id.success || id.data === surfaceId) return []
        const record = stored(id.data)
        return record === null ? [] : [{ id: id.data, record, bytes: utf8Length(JSON.stringify(record)) }]
      })
      .toSorted((left, right) => left.record.at - right.record.at)
  }
  function drop(surfaceId: TaskSurfaceId): void {
    storage.remove(keyOf(surfaceId))
    tell(surfaceId)
  }
  function makeRoom(surfaceId: TaskSurfaceId, bytes: number): void {
    const drafts = others(surfaceId).filter(({ record }) => record.kind === 'draft')
    let sum = drafts.reduce((total, one) => total + one.bytes, bytes)
    for (const [index, one] of drafts.entries()) {
      if (sum <= maxBytes && drafts.length - index < maxDrafts) return
      sum -= one.bytes
      drop(one.id)
    }
  }

  return {
    read(surfaceId) {
      const record = stored(surfaceId)
      if (record?.kind !== 'draft') return null
      return { values: new Map(Object.entries(record.values)), note: record.note, attempt: record.attempt }
    },
    write(surfaceId, { values, note, attempt }) {
      if (stored(surfaceId)?.kind === 'ended') return 'ended'
      const record = { kind: 'draft', values: Object.fromEntries(values), note, attempt, at: now() }
      const bytes = utf8Length(JSON.stringify(record))
      if (bytes > maxBytes) return 'too-long'
      makeRoom(surfaceId, bytes)
      const saved = storage.write(keyOf(surfaceId), record)
      tell(surfaceId)
      return saved ? 'saved' : 'full'
    },
    end(surfaceId) {
      if (stored(surfaceId)?.kind === 'ended') return
      const marks = others(surfaceId).filter(({ record }) => record.kind === 'ended')
      for (const { id } of marks.slice(0, Math.max(0, marks.length - maxMarks + 1))) storage.remove(keyOf(id))
      // Where even the mark finds no room the draft must still go.
      if (!storage.write(keyOf(surfaceId), { kind: 'ended', at: now() })) storage.remove(keyOf(surfaceId))
      tell(surfaceId)
    },
    reopen(surfaceId) {
      if (stored(surfaceId)?.kind === 'ended') storage.remove(keyOf(surfaceId))
    },
    remove: drop,
    onChange(surfaceId, listener) {
      const listeners = listenersBySurface.get(surfaceId) ?? new Set()
      listenersBySurface.set(surfaceId, listeners)
      const own = () => listener()
      listeners.add(own)
      const stopListening = storage.onChange(keyOf(surfaceId), own)
      const stop = () => {
        listeners.delete(own)
        stopListening()
        stops.delete(stop)
      }
      stops.add(stop)
      return stop
    },
    dispose() {
      for (const stop of [...stops]) stop()
      listenersBySurface.clear()
    },
  }
}
