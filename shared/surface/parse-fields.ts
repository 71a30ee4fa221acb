/* Fields and their options (SPEC 6.1). `initial` follows the rules of a submitted value, `required` aside.
   Part of `parse.ts`; `reader.ts` says how problems are reported. */
import { pointer } from '../json-pointer.ts'
import type { KnownIds } from './choices.ts'
import { readChoice, readChoices, readOrder } from './choices.ts'
import type { TaskSurfaceField, TaskSurfaceOption } from './model.ts'
import type { ParseRun } from './parse-run.ts'
import { checkLength, claimId } from './parse-run.ts'
import type { Node } from './reader.ts'
import { allowKeys, readArm, readFlag, readId, readLine, readList, readObject, readOptionalLine } from './reader.ts'
import { answerProblem, withLineFeeds } from './text-rules.ts'

export function parseField(input: unknown, path: string, run: ParseRun): TaskSurfaceField | null {
  const node = readObject(input, path, run.report)
  if (node === null) return null
  const kind = readArm(node, 'kind', ['text', 'choice', 'multi-choice', 'toggle', 'order'])
  const id = readId(node)
  claimId(run.ids, id, node)
  const label = readLine(node, 'label')
  if (kind === null) return null
  if (kind === 'text') return parseText(node, id, label)
  if (kind === 'toggle') {
    allowKeys(node, ['kind', 'id', 'label', 'initial'])
    return { kind, id, label, ...(readFlag(node, 'initial') ? { initial: true } : {}) }
  }

  allowKeys(node, ['kind', 'id', 'label', 'options', 'initial'])
  const { options, known } = parseOptions(node, run)
  const initial = node.members.get('initial')
  const at = pointer(path, 'initial')
  if (initial === undefined) return { kind, id, label, options }
  switch (kind) {
    case 'choice':
      return { kind, id, label, options, initial: readChoice(initial, known, at, run.report) }
    case 'multi-choice':
      return { kind, id, label, options, initial: readChoices(initial, known, at, run.report) }
    case 'order':
      return { kind, id, label, options, initial: readOrder(initial, known, at, run.report) }
  }
}

function parseText(node: Node, id: string, label: string): TaskSurfaceField {
  allowKeys(node, ['kind', 'id', 'label', 'multiline', 'required', 'initial'])
  const multiline = readFlag(node, 'multiline')
  const required = readFlag(node, 'required')
  // A flag that cannot be read may have meant true.
  const flag = node.members.get('multiline')
  const initial = readTextInitial(node, flag !== undefined && flag !== false)
  return {
    kind: 'text',
    id,
    label,
    ...(multiline ? { multiline } : {}),
    ...(required ? { required } : {}),
    ...(initial === '' ? {} : { initial }),
  }
}

function readTextInitial(node: Node, multiline: boolean): string {
  const value = node.members.get('initial')
  if (value === undefined) return ''
  const at = pointer(node.path, 'initial')
  if (typeof value !== 'string') {
    node.report(at, 'must be a string')
    return ''
  }
  const text = withLineFeeds(value)
  const problem = answerProblem(text, multiline)
  if (problem !== null) node.report(at, problem)
  return text
}

function parseOptions(node: Node, run: ParseRun): { options: TaskSurfaceOption[]; known: KnownIds } {
  const inputs = readList(node, 'options', 1)
  if (inputs === null) return { options: [], known: null }
  checkLength(run, 'options', inputs.length, pointer(node.path, 'options'))
  const ids = new Set<string>()
  const options = inputs.flatMap((input, index) => {
    const option = readObject(input, pointer(`${node.path}/options`, index), run.report)
    return option === null ? [] : parseOption(option, ids)
  })
  // An option whose id cannot be read may be the very one that `initial` means.
  const readable = options.length === inputs.length && !ids.has('')
  return { options, known: readable ? ids : null }
}

function parseOption(node: Node, ids: Set<string>): TaskSurfaceOption {
  allowKeys(node, ['id', 'label', 'detail'])
  const id = readId(node)
  claimId(ids, id, node)
  const label = readLine(node, 'label')
  const detail = readOptionalLine(node, 'detail')
  return { id, label, ...(detail === undefined ? {} : { detail }) }
}
