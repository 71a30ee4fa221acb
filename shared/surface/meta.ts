/* How a surface stands in the log (SPEC 6.2, 6.3): as the meta of a successful result of `show_task_surface`. The same
   reading decides what opens a surface and what `getActive` answers. */
import type { EventData } from '../event.ts'
import type { CallId, TaskSurfaceId } from '../ids.ts'
import { taskSurfaceIdSchema } from '../ids.ts'
import type { TaskSurfaceModelV1 } from './model.ts'
import { parseStoredModel } from './parse.ts'
import { isRecord } from './reader.ts'

export const showTaskSurfaceTool = 'show_task_surface'

const metaKind = 'dsh/task-surface'

export interface TaskSurfaceMeta {
  kind: typeof metaKind
  version: 1
  surfaceId: TaskSurfaceId
  model: TaskSurfaceModelV1
}

/** The stored payload. `model` is what the parser returned, so executor and projector cannot disagree about it. */
export function presentationMeta(surfaceId: TaskSurfaceId, model: TaskSurfaceModelV1): TaskSurfaceMeta {
  return { kind: metaKind, version: 1, surfaceId, model }
}

export interface StoredSurface {
  surfaceId: TaskSurfaceId
  model: TaskSurfaceModelV1
}

/** The surface in a result's meta; null when it is none that this version can read. Other keys are ignored. */
export function readSurfaceMeta(meta: unknown): StoredSurface | null {
  if (!isRecord(meta)) return null
  const members = new Map<string, unknown>(Object.entries(meta))
  if (members.get('kind') !== metaKind || members.get('version') !== 1) return null
  const surfaceId = taskSurfaceIdSchema.safeParse(members.get('surfaceId'))
  if (!surfaceId.success) return null
  const parsed = parseStoredModel(members.get('model'))
  return parsed.ok ? { surfaceId: surfaceId.data, model: parsed.model } : null
}

export interface OpenedSurface extends StoredSurface {
  callId: CallId
}

/** The surface that a `tool/result` opens, or null. */
export function openedSurface(result: EventData<'tool/result'>): OpenedSurface | null {
  if (result.name !== showTaskSurfaceTool || result.isError === true || result.error !== undefined) return null
  const stored = readSurfaceMeta(result.meta)
  return stored === null ? null : { callId: result.callId, ...stored }
}
