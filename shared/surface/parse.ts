/* The one parser of Task Surface models (SPEC 6.1), used by tool, host and client. It reports every problem with its path
   and returns the model in normal form: canonical JSON is `JSON.stringify` of that, and parsing the normal form again gives
   the same bytes. It never throws, never recurses into unknown depth, and takes time linear in its input.
   Read on in `parse-blocks.ts`, `parse-fields.ts`, `reader.ts`, `text-rules.ts`. */
import { pointer } from '../json-pointer.ts'
import { utf8Length } from '../utf8.ts'
import type { TaskSurfaceLimits } from './limits.ts'
import { maxTableCells, rawModelBytes } from './limits.ts'
import type { TaskSurfaceModelV1 } from './model.ts'
import type { Issue } from './operations.ts'
import { parseSection } from './parse-blocks.ts'
import { parseField } from './parse-fields.ts'
import type { ParseRun } from './parse-run.ts'
import { checkLength, startRun } from './parse-run.ts'
import type { Node } from './reader.ts'
import { allowKeys, isRecord, problemAt, readLine, readList, readLongText, readObject } from './reader.ts'
import { isBlank } from './text-rules.ts'

export type ParsedModel =
  | { ok: true; model: TaskSurfaceModelV1; canonical: string; /** UTF-8 bytes of `canonical`. */ bytes: number }
  | { ok: false; issues: Issue[] }

/** A new model, as a call sends it. */
export function parseModel(input: unknown, limits: TaskSurfaceLimits): ParsedModel {
  return parse(input, limits)
}

/** A model out of a log, or one the host answered: limits are not applied on replay. */
export function parseStoredModel(input: unknown): ParsedModel {
  return parse(input, null)
}

/** A new model as JSON text. Its size as received is judged before anything is parsed. */
export function parseModelText(text: string, limits: TaskSurfaceLimits): ParsedModel {
  const json = parseRawJson(text, rawModelBytes(limits))
  return json.ok ? parseModel(json.value, limits) : { ok: false, issues: [json.issue] }
}

export type RawJson = { ok: true; value: unknown } | { ok: false; issue: Issue }

/** JSON text of at most `maxBytes` UTF-8 bytes; the one problem it may have stands at the whole. */
export function parseRawJson(text: string, maxBytes: number): RawJson {
  // A UTF-16 unit takes at least one byte, so hopelessly long text is not even measured.
  if (text.length > maxBytes || utf8Length(text) > maxBytes) {
    return { ok: false, issue: { path: '', message: `is longer than ${maxBytes} bytes` } }
  }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return {
      ok: false,
      issue: { path: '', message: `is not JSON: ${error instanceof Error ? error.message : 'unreadable'}` },
    }
  }
}

function parse(input: unknown, limits: TaskSurfaceLimits | null): ParsedModel {
  const run = startRun(limits)
  const node = readObject(input, '', run.report)
  const model = node === null ? null : readModel(node, run)
  if (model === null || run.issues.length > 0) return { ok: false, issues: run.issues }
  const canonical = JSON.stringify(model)
  const bytes = utf8Length(canonical)
  if (limits !== null && bytes > limits.modelBytes) {
    return {
      ok: false,
      issues: [{ path: '', message: `takes ${bytes} bytes, at most ${limits.modelBytes} are allowed` }],
    }
  }
  return { ok: true, model, canonical, bytes }
}

function readModel(node: Node, run: ParseRun): TaskSurfaceModelV1 {
  allowKeys(node, ['version', 'title', 'description', 'sections', 'fields', 'submit'])
  const version = node.members.get('version')
  if (version !== 1) problemAt(node, 'version', version === undefined ? 'is missing' : 'must be 1')
  const title = readLine(node, 'title')
  const description = node.members.get('description') === undefined ? '' : readLongText(node, 'description')
  const sectionInputs = readList(node, 'sections', 0)
  const sections = (sectionInputs ?? []).flatMap(
    (section, index) => parseSection(section, pointer('/sections', index), run) ?? [],
  )
  const fieldInputs = node.members.get('fields') === undefined ? [] : readList(node, 'fields', 0)
  const fields = (fieldInputs ?? []).flatMap((field, index) => parseField(field, pointer('/fields', index), run) ?? [])
  const submit = readSubmit(node)

  checkCounts(run, sectionInputs?.length ?? 0, fieldInputs?.length ?? 0)
  if (sectionInputs?.every(hasNoBlock) === true && fieldInputs?.length === 0) {
    run.report('', 'must have at least one block or field')
  }
  return {
    version: 1,
    title,
    ...(isBlank(description) ? {} : { description }),
    sections,
    ...(fields.length === 0 ? {} : { fields }),
    submit,
  }
}

function readSubmit(model: Node): TaskSurfaceModelV1['submit'] {
  const node = readObject(model.members.get('submit'), pointer(model.path, 'submit'), model.report)
  if (node === null) return { label: '' }
  allowKeys(node, ['label'])
  return { label: readLine(node, 'label') }
}

/** Totals over several lists stand at `/sections`. */
function checkCounts(run: ParseRun, sections: number, fields: number): void {
  checkLength(run, 'sections', sections, '/sections')
  checkLength(run, 'blocks', run.blocks, '/sections')
  checkLength(run, 'rows', run.rows, '/sections')
  checkLength(run, 'fields', fields, '/fields')
  if (run.cells > maxTableCells)
    run.report('/sections', `asks for ${run.cells} cells, at most ${maxTableCells} are allowed`)
}

function hasNoBlock(section: unknown): boolean {
  return isRecord(section) && 'blocks' in section && Array.isArray(section.blocks) && section.blocks.length === 0
}
