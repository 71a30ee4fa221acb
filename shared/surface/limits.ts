/* Limits of new Task Surfaces and of submissions (SPEC 6.1, 6.4). All are inclusive and configurable, and none applies to
   a stored model: a log stays readable when limits change. */
import { z } from 'zod'

const limit = z.int().positive()

export const taskSurfaceLimitsSchema = z.strictObject({
  modelBytes: limit,
  blocks: limit,
  fields: limit,
  rows: limit,
  sections: limit,
  options: limit,
  columns: limit,
  metrics: limit,
  submissionBytes: limit,
})
export type TaskSurfaceLimits = z.infer<typeof taskSurfaceLimitsSchema>

export const defaultTaskSurfaceLimits: TaskSurfaceLimits = {
  /** UTF-8 bytes of the canonical JSON: it stands in the log, and crosses the wire whole with the event and `getActive`. */
  modelBytes: 64 * 1024,
  /** Totals of a model: more is not read, it is scrolled past. */
  blocks: 64,
  fields: 32,
  /** Rows of all tables together; every cell is an element of the page. */
  rows: 200,
  sections: 32,
  /** Of one field: a longer list needs search, which version 1 does not have. */
  options: 64,
  /** Of one table. */
  columns: 24,
  /** Of one metrics block. */
  metrics: 48,
  /** UTF-8 bytes of the canonical `{values, note?}`: the text made of it is part of every later prompt. */
  submissionBytes: 32 * 1024,
}

/** Raw input may be this many times larger than the normal form: white space, escapes and defaults fall away. */
const rawFactor = 4

/** UTF-8 bytes of raw input, judged before it is parsed as JSON. */
export function rawModelBytes(limits: TaskSurfaceLimits): number {
  return limits.modelBytes * rawFactor
}

/** Cells of all tables of one model, missing ones included: filling them in must not multiply what a log may hold. */
export const maxTableCells = 100_000
