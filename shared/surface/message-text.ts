/* The text of a submission's message (SPEC 6.4): what the person reads in the transcript and the model reads in its prompt,
   the same in every locale. No value can forge a line: single-line parts hold no line break, and every line of longer text
   stands behind a prefix. */
import type { TaskSurfaceField, TaskSurfaceModelV1, TaskSurfaceOption } from './model.ts'
import type { TaskSurfaceValue, TaskSurfaceValues } from './submission.ts'
import { linesOf } from './text-rules.ts'

/** `values` and `note` as `validateSubmission` returned them. No line feed at the end. */
export function submissionText(model: TaskSurfaceModelV1, values: Readonly<TaskSurfaceValues>, note?: string): string {
  const lines = [model.title, ...(model.fields ?? []).flatMap((field) => fieldLines(field, answerOf(values, field.id)))]
  if (note !== undefined) lines.push('', 'Note:', ...quoted(note))
  return lines.join('\n')
}

function answerOf(values: Readonly<TaskSurfaceValues>, id: string): TaskSurfaceValue | undefined {
  return Object.hasOwn(values, id) ? values[id] : undefined
}

function fieldLines(field: TaskSurfaceField, answer: TaskSurfaceValue | undefined): string[] {
  if (field.kind === 'text' && field.multiline === true && typeof answer === 'string') {
    return [`- ${field.label}:`, ...quoted(answer)]
  }
  return [`- ${field.label}: ${answer === undefined ? '(no answer)' : shown(field, answer)}`]
}

function shown(field: TaskSurfaceField, answer: TaskSurfaceValue): string {
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no'
  if (field.kind === 'text' || field.kind === 'toggle') return String(answer)
  const labels = shownLabels(field.options)
  const chosen = (typeof answer === 'string' ? [answer] : answer).map((id) => labels.get(id) ?? id)
  if (field.kind === 'order') return chosen.map((label, index) => `${index + 1}) ${label}`).join('; ')
  return chosen.length === 0 ? '(none)' : chosen.join('; ')
}

/** Labels by option id. One that occurs twice shows the id, or the answer would not say which option it was. */
function shownLabels(options: readonly TaskSurfaceOption[]): ReadonlyMap<string, string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { label } of options) (seen.has(label) ? repeated : seen).add(label)
  return new Map(options.map(({ id, label }) => [id, repeated.has(label) ? `${label} [${id}]` : label]))
}

function quoted(text: string): string[] {
  return linesOf(text).map((line) => `  | ${line}`)
}
