/* What a person sends for a surface, checked against its model (SPEC 6.4). Every problem is reported, with a pointer into
   `{values, note}`. Values in normal form stand in field order; an unanswered text or choice is absent, and nothing ever
   falls back to `initial`. `message-text.ts` writes the text for the conversation. */
import { pointer } from '../json-pointer.ts'
import { utf8Length } from '../utf8.ts'
import type { KnownIds } from './choices.ts'
import { readChoice, readChoices, readOrder } from './choices.ts'
import type { TaskSurfaceLimits } from './limits.ts'
import type { TaskSurfaceField, TaskSurfaceModelV1, TaskSurfaceOption } from './model.ts'
import type { Issue } from './operations.ts'
import type { Report } from './reader.ts'
import { readObject } from './reader.ts'
import { answerProblem, isBlank, withLineFeeds } from './text-rules.ts'

export type TaskSurfaceValue = string | boolean | string[]
export type TaskSurfaceValues = Record<string, TaskSurfaceValue>

export type CheckedSubmission =
  | { ok: true; values: TaskSurfaceValues; note?: string; /** JSON of `{values, note?}`. */ canonical: string }
  | { ok: false; issues: Issue[] }

/** `note` undefined: none was sent. The byte limit is judged when nothing else is wrong. */
export function validateSubmission(
  model: TaskSurfaceModelV1,
  values: unknown,
  note: unknown,
  limits: Pick<TaskSurfaceLimits, 'submissionBytes'>,
): CheckedSubmission {
  const issues: Issue[] = []
  const report: Report = (path, message) => {
    issues.push({ path, message })
  }
  const answers = readValues(model, values, report)
  const text = readNote(note, report)
  if (issues.length > 0) return { ok: false, issues }

  const submission = { values: answers, ...(text === '' ? {} : { note: text }) }
  const canonical = JSON.stringify(submission)
  const bytes = utf8Length(canonical)
  if (bytes > limits.submissionBytes) {
    return {
      ok: false,
      issues: [{ path: '', message: `takes ${bytes} bytes, at most ${limits.submissionBytes} are allowed` }],
    }
  }
  return { ok: true, ...submission, canonical }
}

/** What makes two submissions the same one sent again. */
export interface SubmissionPayload {
  readonly surfaceId: string
  /** In normal form. */
  readonly values: unknown
  /** The message text, which holds the note. */
  readonly text: string
}

export function samePayload(one: SubmissionPayload, other: SubmissionPayload): boolean {
  return (
    one.surfaceId === other.surfaceId &&
    one.text === other.text &&
    JSON.stringify(one.values) === JSON.stringify(other.values)
  )
}

function readValues(model: TaskSurfaceModelV1, input: unknown, report: Report): TaskSurfaceValues {
  const node = readObject(input, '/values', report)
  if (node === null) return {}
  const fields = model.fields ?? []
  const known = new Set(fields.map((field) => field.id))
  for (const key of node.members.keys()) {
    if (!known.has(key)) report(pointer(node.path, key), 'is not the id of a field')
  }
  // `fromEntries` defines own members, whatever they are called.
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = readAnswer(field, node.members.get(field.id), pointer(node.path, field.id), report)
      return value === undefined ? [] : [[field.id, value]]
    }),
  )
}

function readAnswer(
  field: TaskSurfaceField,
  value: unknown,
  path: string,
  report: Report,
): TaskSurfaceValue | undefined {
  switch (field.kind) {
    case 'text':
      return readText(field, value, path, report)
    case 'choice':
      return value === undefined ? undefined : readChoice(value, idsOf(field.options), path, report)
    case 'multi-choice':
      return readChoices(value, idsOf(field.options), path, report)
    case 'order':
      return readOrder(value, idsOf(field.options), path, report)
    case 'toggle':
      if (typeof value === 'boolean') return value
      report(path, 'must be true or false')
      return undefined
  }
}

type TextField = Extract<TaskSurfaceField, { kind: 'text' }>

function readText(field: TextField, value: unknown, path: string, report: Report): string | undefined {
  if (value !== undefined && typeof value !== 'string') {
    report(path, 'must be text')
    return undefined
  }
  const text = withLineFeeds(value ?? '')
  const problem =
    answerProblem(text, field.multiline === true) ??
    (field.required === true && isBlank(text) ? 'must be answered' : null)
  if (problem !== null) report(path, problem)
  return text === '' ? undefined : text
}

/** Checked as typed, then trimmed: a control character is a problem wherever it stands. */
function readNote(value: unknown, report: Report): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') {
    report('/note', 'must be text')
    return ''
  }
  const text = withLineFeeds(value)
  const problem = answerProblem(text, true)
  if (problem !== null) report('/note', problem)
  return text.trim()
}

function idsOf(options: readonly TaskSurfaceOption[]): KnownIds {
  return new Set(options.map((option) => option.id))
}
