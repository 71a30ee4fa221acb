/* What the file tools share: paths and texts as they come from a model, and how a new file is made. */
import { z } from 'zod'

export const pathSchema = z
  .string()
  .min(1)
  .refine((path) => !path.includes('\0'), 'a path has no NUL character')
  .describe('Relative to the session folder.')

/** A lone surrogate has no bytes: it would be written as something else. */
export const fileTextSchema = z.string().refine((text) => !/\p{Cs}/u.test(text), 'the text has a lone surrogate')

export interface FileToolDeps {
  /** Closed to the model. */
  dataDir: string
  umask: number
}

/** Mode of a new file, as the person's own editor would make it. */
export function newFileMode(umask: number): number {
  return 0o666 & ~umask
}
