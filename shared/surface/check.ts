/* The pure core of `task-surface check` (SPEC 13): what it prints about a model, or about values for it, and how it ends. */
import type { TaskSurfaceLimits } from './limits.ts'
import { submissionText } from './message-text.ts'
import type { Issue } from './operations.ts'
import { parseModelText, parseRawJson } from './parse.ts'
import { allowKeys, readObject } from './reader.ts'
import { validateSubmission } from './submission.ts'

export interface CheckOutput {
  exitCode: 0 | 1
  /** For standard output, without a line feed at the end: canonical JSON or message text, or one `{path, message}` a line. */
  output: string
}

/** `valuesText` is JSON of `{values, note?}`; undefined checks the model alone. A model with problems is all that is reported. */
export function checkSurface(
  modelText: string,
  valuesText: string | undefined,
  limits: TaskSurfaceLimits,
): CheckOutput {
  const parsed = parseModelText(modelText, limits)
  if (!parsed.ok) return problems(parsed.issues)
  if (valuesText === undefined) return { exitCode: 0, output: parsed.canonical }

  // The contract bounds values in normal form alone.
  const json = parseRawJson(valuesText, Infinity)
  if (!json.ok) return problems([json.issue])
  const issues: Issue[] = []
  const node = readObject(json.value, '', (path, message) => {
    issues.push({ path, message })
  })
  if (node === null) return problems(issues)
  allowKeys(node, ['values', 'note'])
  const checked = validateSubmission(parsed.model, node.members.get('values'), node.members.get('note'), limits)
  if (!checked.ok) return problems([...issues, ...checked.issues])
  if (issues.length > 0) return problems(issues)
  return { exitCode: 0, output: submissionText(parsed.model, checked.values, checked.note) }
}

function problems(issues: readonly Issue[]): CheckOutput {
  return { exitCode: 1, output: issues.map(({ path, message }) => JSON.stringify({ path, message })).join('\n') }
}
